//! The kinds of tuples that the components of cairo-air 1.3 exchange, with what a lookup of each promises.

use circle_air::TupleKind;

/// The number that tuples of a relation begin with: cairo-air derives it of the relation's name.
const RANGE_CHECKS: &[(u32, &str, &[u32])] = &[
    (1_185_356_339, "range_check_6", &[6]),
    (1_420_243_005, "range_check_8", &[8]),
    (991_608_089, "range_check_11", &[11]),
    (941_275_232, "range_check_12", &[12]),
    (1_109_051_422, "range_check_18", &[18]),
    (1_424_798_916, "range_check_18_b", &[18]),
    (1_410_849_886, "range_check_20", &[20]),
    (514_232_941, "range_check_20_b", &[20]),
    (531_010_560, "range_check_20_c", &[20]),
    (480_677_703, "range_check_20_d", &[20]),
    (497_455_322, "range_check_20_e", &[20]),
    (447_122_465, "range_check_20_f", &[20]),
    (463_900_084, "range_check_20_g", &[20]),
    (682_009_131, "range_check_20_h", &[20]),
    (1_567_323_731, "range_check_4_3", &[4, 3]),
    (1_651_211_826, "range_check_4_4", &[4, 4]),
    (517_791_011, "range_check_9_9", &[9, 9]),
    (1_897_792_095, "range_check_9_9_b", &[9, 9]),
    (1_881_014_476, "range_check_9_9_c", &[9, 9]),
    (1_864_236_857, "range_check_9_9_d", &[9, 9]),
    (1_847_459_238, "range_check_9_9_e", &[9, 9]),
    (1_830_681_619, "range_check_9_9_f", &[9, 9]),
    (1_813_904_000, "range_check_9_9_g", &[9, 9]),
    (2_065_568_285, "range_check_9_9_h", &[9, 9]),
    (371_240_602, "range_check_7_2_5", &[7, 2, 5]),
    (1_005_786_011, "range_check_3_6_6_3", &[3, 6, 6, 3]),
    (1_027_333_874, "range_check_4_4_4_4", &[4, 4, 4, 4]),
    (502_259_093, "range_check_3_3_3_3_3", &[3, 3, 3, 3, 3]),
];

/// Exclusive ors, by the bits of their operands.
const XORS: &[(u32, &str, u32)] = &[
    (45_448_144, "verify_bitwise_xor_4", 4),
    (62_225_763, "verify_bitwise_xor_7", 7),
    (112_558_620, "verify_bitwise_xor_8", 8),
    (521_092_554, "verify_bitwise_xor_8_b", 8),
    (95_781_001, "verify_bitwise_xor_9", 9),
    (648_362_599, "verify_bitwise_xor_12", 12),
];

/// Values that a component computes from so many keys.
const FUNCTIONS: &[(u32, &str, usize)] = &[
    (1_139_985_212, "blake_g", 12),
    (1_805_967_942, "blake_round_sigma", 1),
    (990_559_919, "triple_xor_32", 6),
    (1_987_997_202, "cube_252", 10),
    (1_024_310_512, "poseidon_round_keys", 1),
    (1_444_721_856, "pedersen_points_table_window_bits_18", 1),
    (1_791_500_038, "pedersen_points_table_window_bits_9", 1),
    // Ids of inputs and outputs: another id may have the same value, so that no id follows from others.
    (1_551_892_206, "poseidon_aggregator", 6),
    (520_578_465, "pedersen_aggregator_window_bits_18", 3),
    (194_336_987, "pedersen_aggregator_window_bits_9", 3),
];

/// Chains, whose tuples begin with the chain's number and the step's.
const CHAINS: &[(u32, &str)] = &[
    (40_528_774, "blake_round"),
    (1_343_313_504, "poseidon_3_partial_rounds_chain"),
    (1_480_369_132, "poseidon_full_round_chain"),
    (183_619_546, "partial_ec_mul_generic"),
    (1_621_226_978, "partial_ec_mul_window_bits_18"),
    (2_038_149_019, "partial_ec_mul_window_bits_9"),
];

/// Bits of a limb, and limbs of a value.
const LIMBS: [u32; 28] = [9; 28];

/// All of them: the statement's only relation.
pub(super) fn kinds() -> Vec<TupleKind> {
    let of = |kind: u32, name: &str| TupleKind::new(0, Some(kind), name);
    let mut value = of(1_662_111_297, "memory_id_to_value").with_chosen(1).with_bits([0].into_iter().chain(LIMBS));
    value.promise.bits[0] = None;
    // pc, three offsets, flags. The three high bits of the last offset and the first flags share a limb of the word,
    // which the component splits in any way: who looks the tuple up must know that these flags are a multiple of eight.
    let mut instruction = of(1_719_106_205, "verify_instruction").with_keys(1).with_sum([(3, 1), (4, 1 << 13)]);
    instruction = instruction.with_bits([0, 16, 16, 16]);
    instruction.promise.bits[0] = None;
    let mut all = vec![
        of(428_564_188, "opcodes").with_chain(None),
        instruction,
        of(1_444_891_767, "memory_address_to_id").with_chosen(1),
        value,
    ];
    all.extend(RANGE_CHECKS.iter().map(|(kind, name, bits)| of(*kind, name).with_bits(bits.iter().copied())));
    let words = [27, 27, 27, 27, 27, 27, 27, 27, 27, 9];
    // A component that splits its words, and computes nothing else.
    all.push(of(1_090_315_331, "range_check_252_width_27").with_bits(words).with_keys(words.len()));
    all.extend(XORS.iter().map(|(kind, name, bits)| of(*kind, name).with_xor(*bits)));
    all.extend(FUNCTIONS.iter().map(|(kind, name, keys)| of(*kind, name).with_keys(*keys)));
    all.extend(CHAINS.iter().map(|(kind, name)| of(*kind, name).with_chain(Some(1))));
    all
}
