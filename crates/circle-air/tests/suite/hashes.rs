//! The claims of the hash AIRs, computed with implementations that are not ours.

use blake2::{Blake2s256, Digest};

use crate::common::{drawn, row_values, tables, violated};
use circle_air::airs::{Blake2s, Poseidon2, RpoM31, ShippedAir};
use circle_air::{RecordedStatement, Statement};
use field::{Field, M31, QM31};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_mersenne_31::{Mersenne31, default_mersenne31_poseidon2_16};
use p3_symmetric::{PseudoCompressionFunction, TruncatedPermutation};

#[test]
fn roots_are_those_of_plonky3_trees() {
    let poseidon2 = TruncatedPermutation::<_, 2, 8, 16>::new(default_mersenne31_poseidon2_16());
    let start = 2_147_483_600u32;
    let element = |index: u32| Mersenne31::from_u32(start) + Mersenne31::from_u32(index);
    let leaf = |node: u32| [0, 8].map(|first| std::array::from_fn(|j| element(16 * node + first + j as u32)));
    // The digests of RPO are from p3-rescue 0.8.0 in the same tree: `TruncatedPermutation::<_, 2, 8, 24>` of
    // `RpoMersenne31::from_standard_constants`. The eight elements behind the two digests are zero.
    let rpo = [
        [275169922, 118812876, 1531505381, 403064678, 1326724086, 953203300, 836713059, 1630571628],
        [524020559, 487422763, 97608343, 1625868307, 856448268, 1498834789, 708895539, 223448950],
        [681429004, 1161554290, 1907975568, 1737109821, 1850431892, 278189401, 422531860, 395728575],
        [511006095, 1373666069, 237966517, 1312755212, 541764978, 2095575148, 989837362, 1187473436],
        [1756457056, 1886822289, 303493481, 944568853, 580127626, 250813218, 719781614, 1630581834],
    ];
    for log_size in 1..6 {
        let half = 1u32 << (log_size - 1);
        let mut layer: Vec<[Mersenne31; 8]> = (half..2 * half).map(|node| poseidon2.compress(leaf(node))).collect();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|pair| poseidon2.compress([pair[0], pair[1]])).collect();
        }
        let root = Poseidon2::new(log_size, M31::new(start)).unwrap().root();
        assert_eq!(root.map(M31::value), layer[0].map(|value| value.as_canonical_u32()), "2^{log_size}");
        let root = RpoM31::new(log_size, M31::new(start)).unwrap().root();
        assert_eq!(root.map(M31::value), rpo[log_size as usize - 1], "2^{log_size}");
    }
}

/// Two rows: one leaf of `start + 16 .. start + 32`. Digests from a program of 20 lines in Python, which takes the
/// round constants from `hashlib.shake_256`.
#[test]
fn known_digests_of_rpo_m31() {
    for (start, digest) in [
        (0, [1007154381, 1166778421, 1066315095, 1780690249, 414119073, 2145724624, 482696139, 1110330505]),
        (2_147_483_646, [964622138, 658133439, 1054072155, 306511750, 264086666, 129756529, 879048324, 2060838572]),
    ] {
        let root = RpoM31::new(1, M31::new(start)).unwrap().root();
        assert_eq!(root.map(M31::value), digest, "from {start}");
    }
}

/// A forger who may choose one cell of a hash, and computes all behind it as the constraints want it, violates the
/// constraint on that cell and no other: each is needed.
#[test]
fn a_wrong_cell_of_rpo_m31_violates_one_constraint() {
    const COUNT: usize = 7 * 72;
    let air = RpoM31::new(1, M31::new(5)).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let drawn = drawn(&air);
    let constraints = &recorded.components[0].constraints;
    // Constraint k is about column 16 + k. In a round 24 squares, then 24 pairs of a root and its square: the first
    // constraint of a pair is on the square, the second on the root.
    for forged in [0, 23, 24, 25, 70, 71, 72, 240, 280, 281, COUNT - 72, COUNT - 2, COUNT - 1] {
        let mut tables = tables(&recorded, &air, None, air.trace(), &drawn);
        let params = recorded.params(&air, &drawn, &tables.claimed_sums).unwrap();
        let is_power = |k: usize| k % 72 < 24;
        let forged_column = 16 + if is_power(forged) { forged } else { forged ^ 1 };
        tables.groups[0][1][forged_column][1] += M31::ONE;
        for layer in (0..COUNT).step_by(24).filter(|layer| layer % 72 != 48) {
            let values = row_values(constraints, &tables.groups[0], &params[0], 1, 1);
            let columns = &mut tables.groups[0][1][16..];
            if is_power(layer) {
                for k in (layer..layer + 24).filter(|&k| k != forged) {
                    columns[k][1] -= values[k].0[0];
                }
                continue;
            }
            for k in (layer..layer + 48).step_by(2) {
                let (root, square) = (columns[k][1], columns[k + 1][1]);
                let power = square.square() * root - values[k + 1].0[0];
                // The square of a wrong root, the root that a wrong square asks for, or both right.
                if forged == k {
                    columns[k][1] = power * square.square().inverse().unwrap();
                } else {
                    columns[k][1] = if forged == k + 1 { root } else { power.pow(1_717_986_917) };
                    columns[k + 1][1] = columns[k][1].square();
                }
            }
        }
        let trace = vec![tables.groups[0][1].clone()];
        let tables = crate::common::tables(&recorded, &air, None, trace, &drawn);
        let params = recorded.params(&air, &drawn, &tables.claimed_sums).unwrap();
        let values = row_values(constraints, &tables.groups[0], &params[0], 1, 1);
        let found: Vec<usize> = (0..values.len()).filter(|&k| !values[k].is_zero()).collect();
        assert_eq!(found, [forged]);
        assert_eq!(violated(&recorded, &tables, &params), [(0, 1)]);
        assert!(air.check_claimed_sums(&drawn, &tables.claimed_sums).is_err(), "another root, {forged}");
    }
}

#[test]
fn the_blake2s_root_is_that_of_a_tree_of_hashes() {
    for log_size in 5..10 {
        let start = 0xFFFF_FFC0u32;
        let air = Blake2s::new(log_size, start).unwrap();
        let count = air.node_count();
        assert!(count % 2 == 1 && count <= (1 << log_size) / 10 && count + 2 > (1 << log_size) / 10);
        let mut digests = vec![[0u8; 32]; count + 1];
        for node in (1..=count).rev() {
            let leaf = (0..16).flat_map(|j| start.wrapping_add(16 * node as u32 + j).to_le_bytes());
            let block = if 2 * node < count { digests[2 * node..2 * node + 2].concat() } else { leaf.collect() };
            digests[node] = Blake2s256::digest(block).into();
        }
        assert_eq!(air.root().map(u32::to_le_bytes).concat(), digests[1], "2^{log_size}");
    }
}

/// A forged root: the last rotation of the root's hash gets "top bits" that are none, so that its result is what the
/// forger likes. All lookups are right and the claimed sums belong to the forged root; only the constraint on the bits
/// objects.
#[test]
fn a_forged_blake2s_root_needs_bits_that_are_none() {
    let air = Blake2s::new(5, 7).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let mut trace = air.trace();
    let [rounds, nodes, table] = &mut trace[..] else { panic!("three components") };
    // In the last round of node 1 the last mixing makes word 4; with z the bytes before the rotation, t the bits:
    // b_i = t_i + 2 (z_{i+1} - 128 t_{i+1}). Any b is possible, by t_0 = sum 256^i (b_i - 2 z_{i+1}) / (1 - 256^4).
    let (row, word, forged) = (9, 4, [1u8, 2, 3, 4]);
    let z: [M31; 4] = std::array::from_fn(|i| rounds[424 + i][row]);
    let wanted: [M31; 4] = std::array::from_fn(|i| M31::new(forged[i].into()) - z[(i + 1) % 4].double());
    let shift = M31::new(256);
    let sum = wanted.iter().rev().fold(M31::ZERO, |sum, &value| sum * shift + value);
    let mut bit = sum * (M31::ONE - shift.pow(4)).inverse().unwrap();
    for i in (0..4).rev() {
        bit = wanted[i] + shift * bit;
        rounds[428 + i][row] = bit;
    }
    let byte = |nodes: &[Vec<M31>], column: usize| nodes[column][1].value() as usize;
    for (i, &value) in forged.iter().enumerate() {
        let (place, value) = (4 * word + i, usize::from(value));
        let (own, other, mixed) = (byte(nodes, 96 + place), byte(nodes, 128 + place), byte(nodes, 160 + place));
        let chain = mixed ^ byte(nodes, 192 + place);
        for (pair, change) in [
            ((own, other), -M31::ONE),
            ((mixed, chain), -M31::ONE),
            ((value, other), M31::ONE),
            ((value ^ other, chain), M31::ONE),
        ] {
            table[0][pair.0 << 8 | pair.1] += change;
        }
        nodes[96 + place][1] = M31::new(value as u32);
        nodes[160 + place][1] = M31::new((value ^ other) as u32);
        nodes[192 + place][1] = M31::new((value ^ other ^ chain) as u32);
    }
    let root: Vec<u32> = (0..16).map(|i| (byte(nodes, 192 + 2 * i) | byte(nodes, 193 + 2 * i) << 8) as u32).collect();
    let (z, alpha) = (QM31([3, 1, 4, 1].map(M31::new)), QM31([2, 7, 1, 8].map(M31::new)));
    let drawn = [z, alpha];
    let tables = tables(&recorded, &air, None, trace, &drawn);
    // The tuple (4, 1, root): kind, node, digest.
    let tuple = [4, 1].into_iter().chain(root);
    let denominator = tuple.enumerate().fold(-z, |sum, (i, value)| sum + alpha.pow(i as u64) * M31::new(value));
    let sum: QM31 = tables.claimed_sums.iter().copied().sum();
    assert_eq!(sum, -denominator.inverse().unwrap());
    assert!(air.check_claimed_sums(&drawn, &tables.claimed_sums).is_err());
    let params = recorded.params(&air, &drawn, &tables.claimed_sums).unwrap();
    assert_eq!(violated(&recorded, &tables, &params), [(0, row)]);
}

/// Sums of bytes that are `2^16` times too small: of two words and a carry it may be once, with a word of the message
/// twice.
#[test]
fn carries_of_blake2s_are_small() {
    let air = Blake2s::new(5, 7).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let drawn = drawn(&air);
    // In the first mixing of a round: the columns of the summands, low halves of words by their bytes, then of the sum,
    // and the number of the constraint, after the 64 on the state that a hash begins with.
    let with_message: (&[(usize, u32)], usize, usize) = (&[(0, 1), (1, 256), (16, 1), (17, 256), (64, 1)], 96, 64);
    let without: (&[(usize, u32)], usize, usize) = (&[(32, 1), (33, 256), (102, 1), (103, 256)], 104, 66);
    for ((added, sum, constraint), values) in [(with_message, [0, 0, 0, 6]), (without, [0, 0, 2, 6])] {
        for (carry, expected) in values.into_iter().enumerate() {
            let mut trace = air.trace();
            let rounds = &mut trace[0];
            let excess: M31 = added.iter().map(|&(column, weight)| rounds[column][0] * M31::new(weight)).sum();
            rounds[sum][0] = excess - M31::new((carry as u32) << 16);
            rounds[sum + 1][0] = M31::ZERO;
            let tables = tables(&recorded, &air, None, trace, &drawn);
            let params = recorded.params(&air, &drawn, &tables.claimed_sums).unwrap();
            let found = row_values(&recorded.components[0].constraints, &tables.groups[0], &params[0], 5, 0);
            assert_eq!(found[constraint], M31::new(expected).into(), "constraint {constraint}, a carry of {carry}");
        }
    }
}

#[test]
fn hash_airs_have_the_expected_shape() {
    let air = Poseidon2::new(3, M31::new(1)).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let component = &recorded.components[0];
    // 16 inputs; two columns and constraints for each of 8 * 16 + 14 S-boxes; two batches of lookups.
    assert_eq!((component.width(1), component.width(2), component.constraint_count()), (300, 8, 286));
    assert_eq!(air.trace()[0].len(), 300);
    assert_eq!((component.max_offsets(), recorded.preprocessed.len()), (2, 3));
    let air = RpoM31::new(3, M31::new(1)).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let component = &recorded.components[0];
    // 16 inputs; in 7 rounds of 24 elements a column and constraint for x^5, two for x^(1/5); two batches of lookups.
    assert_eq!((component.width(1), component.width(2), component.constraint_count()), (520, 8, 506));
    assert_eq!(air.trace()[0].len(), 520);
    let air = Blake2s::new(5, 1).unwrap();
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let trace = air.trace();
    let widths = recorded.components.iter().zip(&trace).map(|(component, trace)| {
        assert_eq!(component.width(1), trace.len());
        (component.width(1), component.width(2), component.constraint_count())
    });
    // Rounds: 2 * 64 constraints on states, 12 a mixing, 146 lookups in pairs. Nodes: 110 lookups in pairs.
    assert_eq!(widths.collect::<Vec<_>>(), [(432, 292, 128 + 96 + 73), (224, 220, 55), (1, 4, 1)]);
}
