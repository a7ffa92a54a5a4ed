//! The transcript, step by step as the golden vectors log it, and its samplers against a foreign keystream and Keccak.

use field::{CanonicalBytes, ExtensionField, Field, Fp3, Goldilocks, PrimeField, TwoAdicField};
use golden::bytes;
use golden::goldilocks::vectors;
use goldilocks_proof::rounds::{Main, Work};
use goldilocks_proof::{Draw, FormatOptions, Suite, Transcript, grinding, lambdaworks, seed};
use gpu_hal::{GoldilocksStark, NonceSearch};
use proptest::prelude::*;
use serde_json::Value;
use tiny_keccak::{Hasher, Keccak};

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Keccak::v256();
    parts.iter().for_each(|part| hasher.update(part));
    let mut out = [0; 32];
    hasher.finalize(&mut out);
    out
}

fn replay<E: ExtensionField<Goldilocks> + CanonicalBytes>(log: &[Value]) -> usize {
    let mut transcript = Transcript::new(&bytes(&log[0]["bytes"]));
    for (step, entry) in log.iter().enumerate().skip(1) {
        if let Some(state) = entry.get("state_before") {
            assert_eq!(transcript.state().to_vec(), bytes(state), "state before step {step}");
        }
        match entry["op"].as_str() {
            Some("append_bytes") => transcript.append_bytes(&bytes(&entry["bytes"])),
            Some("append_field_element") => {
                let element = E::read_bytes(&bytes(&entry["bytes"])).expect("a canonical element");
                transcript.append_element(&element);
            }
            Some("sample_field_element") => {
                let mut sampled = Vec::new();
                transcript.sample_element::<E>().write_bytes(&mut sampled);
                assert_eq!(sampled, bytes(&entry["result"]), "step {step}");
            }
            Some("sample_u64") => {
                let bound = entry["bound"].as_u64().expect("a number");
                assert_eq!(transcript.sample_u64(bound), entry["result"].as_u64().expect("a number"), "step {step}");
            }
            other => panic!("step {step}: unknown operation {other:?}"),
        }
    }
    log.len()
}

#[test]
fn every_logged_step_of_every_vector() {
    for vector in vectors() {
        let log = vector.json["transcript_log"].as_array().expect("a list");
        assert_eq!(log[0]["op"], "new");
        let steps = if vector.is_base() { replay::<Goldilocks>(log) } else { replay::<Fp3>(log) };
        assert!(steps > 20, "{}: {steps} steps", vector.case.name);
    }
}

#[test]
fn nonces_of_the_vectors_are_the_smallest() {
    let mut ground = 0;
    for vector in vectors() {
        let bits = vector.json["params"]["grinding_factor"].as_u64().expect("a number") as u32;
        let Some(nonce) = vector.nonce() else {
            assert_eq!(bits, 0, "{}", vector.case.name);
            continue;
        };
        ground += 1;
        let grinding_seed: [u8; 32] = bytes(&vector.json["grinding_seed"]).try_into().expect("32 bytes");
        let search = grinding::search(&grinding_seed, bits);
        assert_eq!((0..).find(|&nonce| search.is_work(nonce)), Some(nonce), "{}", vector.case.name);
        let other = grinding::search(&grinding_seed, bits + 1);
        assert_ne!(search.prefix, other.prefix, "the factor is part of the work");
    }
    assert_eq!(ground, 11);
}

#[test]
fn grinding_bits_are_leading_zeros_of_a_big_endian_word() {
    let search = grinding::search(&[7; 32], 5);
    let inner = search.prefix;
    let prefix = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xed];
    assert_eq!(inner, keccak(&[&prefix, &[7; 32], &[5]]));
    for nonce in 0..2000u64 {
        let suite = keccak(&[&inner, &nonce.to_be_bytes()]);
        let word = u64::from_be_bytes(suite[..8].try_into().expect("8 bytes"));
        for bits in [0, 1, 5, 9, 63, 64] {
            let below = bits == 0 || u128::from(word) < 1u128 << (64 - bits);
            assert_eq!(NonceSearch { bits, ..search }.is_work(nonce), below, "nonce {nonce}, {bits} bits");
        }
    }
}

#[test]
fn integers_skip_the_top_of_the_range() {
    // With bound 2^63 + 1 the accepted zone is little more than half of the range, and it skips almost every second
    // sample.
    for bound in [1, 2, 3, 64, 1 << 31, (1 << 63) + 1, u64::MAX - 1, u64::MAX] {
        let zone = u64::MAX - u64::MAX % bound;
        let mut transcript = Transcript::new(b"integers");
        let mut state: Vec<u8> = b"integers".to_vec();
        for _ in 0..50 {
            let expected = loop {
                let mut digest = keccak(&[&state]);
                digest.reverse();
                state = digest.to_vec();
                let word = u64::from_be_bytes(digest[..8].try_into().expect("8 bytes"));
                if word < zone {
                    break word % bound;
                }
            };
            assert_eq!(transcript.sample_u64(bound), expected);
        }
    }
    assert_eq!(Transcript::new(b"").sample_u64(0), 0);
}

/// One block of ChaCha20 with a zero nonce, written from RFC 8439's description with a 64-bit counter.
fn chacha20_block(key: &[u8; 32], counter: u64) -> [u8; 64] {
    fn quarter(s: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
        for (x, y, z, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            s[x] = s[x].wrapping_add(s[y]);
            s[z] = (s[z] ^ s[x]).rotate_left(by);
        }
    }
    let mut state = [0u32; 16];
    state[..4].copy_from_slice(&[0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (word, bytes) in state[4..12].iter_mut().zip(key.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
    }
    state[12] = counter as u32;
    state[13] = (counter >> 32) as u32;
    let mut mixed = state;
    for _ in 0..10 {
        for column in 0..4 {
            quarter(&mut mixed, [column, column + 4, column + 8, column + 12]);
        }
        for diagonal in 0..4 {
            let at = |row: usize| 4 * row + (diagonal + row) % 4;
            quarter(&mut mixed, [at(0), at(1), at(2), at(3)]);
        }
    }
    let mut out = [0; 64];
    for (bytes, (a, b)) in out.chunks_exact_mut(4).zip(mixed.into_iter().zip(state)) {
        bytes.copy_from_slice(&a.wrapping_add(b).to_le_bytes());
    }
    out
}

proptest! {
    #[test]
    fn elements_are_big_endian_words_of_chacha20(seed in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut key = keccak(&[&seed]);
        key.reverse();
        let stream: Vec<u64> = (0..2)
            .flat_map(|counter| chacha20_block(&key, counter))
            .collect::<Vec<u8>>()
            .chunks_exact(8)
            .map(|word| u64::from_be_bytes(word.try_into().expect("8 bytes")))
            .filter(|&word| word < Goldilocks::ORDER)
            .collect();
        let mut transcript = Transcript::new(&seed);
        let element: Fp3 = transcript.sample_element();
        prop_assert_eq!(element.0.map(|c| c.value()).to_vec(), stream[..3].to_vec());
        prop_assert_eq!(transcript.state(), keccak(&[&key]));
        let element: Goldilocks = Transcript::new(&seed).sample_element();
        prop_assert_eq!(element.value(), stream[0]);
    }

    #[test]
    fn absorbing_is_concatenation(parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..6)) {
        let mut transcript = Transcript::new(b"");
        parts.iter().for_each(|part| transcript.append_bytes(part));
        prop_assert_eq!(transcript.state(), keccak(&[&parts.concat()]));
        prop_assert_eq!(Transcript::new(&parts.concat()).state(), transcript.state());
    }
}

#[test]
fn out_of_domain_points_avoid_both_domains() {
    let options =
        |offset: Goldilocks| lambdaworks::Options { coset_offset: offset.value(), blowup: 4, ..Default::default() };
    let is_out = |z: Goldilocks, log_rows, offset| options(offset).is_out_of_domain(z, log_rows, 1);
    // An element, and a shift that puts it into the LDE domain.
    let z = Goldilocks::new(0x1234_5678_9ABC_DEF0);
    let in_lde = z * Goldilocks::two_adic_generator(5);
    assert!(!is_out(z, 3, in_lde) && is_out(z, 2, in_lde) && is_out(z, 3, z * Goldilocks::two_adic_generator(6)));
    let log_rows = 30;
    let trace = Goldilocks::two_adic_generator(log_rows);
    for point in [Goldilocks::ONE, trace, trace.pow(12_345)] {
        assert!(!is_out(point, log_rows, Goldilocks::new(7)), "in the trace domain");
    }
    assert!(is_out(Goldilocks::two_adic_generator(log_rows + 1), log_rows, Goldilocks::new(7)));
    // With the same first coordinate, in the cubic extension, it is no base element.
    let cubic = Fp3([z, Goldilocks::ONE, Goldilocks::ZERO]);
    assert!(options(in_lde).is_out_of_domain(cubic, 3, 1) && !options(in_lde).is_out_of_domain(Fp3::from(z), 3, 1));
}

/// With the base field a sample is in a domain often enough to be seen: the transcript goes on to the next.
#[test]
fn a_point_in_a_domain_is_skipped() {
    struct None;
    impl Work for None {
        type Error = std::convert::Infallible;
        fn nonce(&mut self, _: Draw, _: &NonceSearch) -> Result<u64, Self::Error> {
            Ok(0)
        }
    }
    let point = |coset_offset: u64| {
        let options = lambdaworks::Options { coset_offset, blowup: 4, ..Default::default() };
        let Ok((auxiliary, _)) = Main::begin(b"ood", &options, 3).challenges::<Goldilocks, _>(&[1; 32], 0, &mut None);
        let Ok((composition, _)) = auxiliary.beta::<Goldilocks, _>(Option::None, &mut None);
        let Ok((_, z, _)) = composition.points::<Goldilocks, _>(&[2; 32], 1, &mut None);
        z
    };
    let mut transcript = Transcript::new(b"ood");
    transcript.append_bytes(&[1; 32]);
    let _: Goldilocks = transcript.sample_element();
    transcript.append_bytes(&[2; 32]);
    let [first, second]: [Goldilocks; 2] = std::array::from_fn(|_| transcript.sample_element());
    assert_eq!(point(3), first);
    assert_eq!(point((first * Goldilocks::two_adic_generator(5)).value()), second);
}

#[test]
fn the_default_seed_binds_everything() {
    type Cubic = GoldilocksStark<Fp3>;
    let options = lambdaworks::Options { queries: 41, ..lambdaworks::Options::default() };
    let inputs = [Goldilocks::new(5), Goldilocks::new(6)];
    let base = seed::default_seed::<Cubic>(&[1; 32], 64, &inputs, &options);
    // The encoding, spelled out.
    let be = |value: u64| value.to_be_bytes();
    let tag = b"polystark transcript seed v1";
    let mut spelled = [&be(28)[..], tag, &be(10), b"goldilocks", &be(3), &[1; 32], &be(64)].concat();
    spelled.extend([0, 0, 0, 4, 0, 0, 0, 41, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1]);
    spelled.extend([be(2), be(5), be(6)].concat());
    assert_eq!(base, keccak(&[&spelled]));

    let with = |change: fn(&mut lambdaworks::Options)| {
        let mut changed = options;
        change(&mut changed);
        seed::default_seed::<Cubic>(&[1; 32], 64, &inputs, &changed)
    };
    let mut seeds = vec![
        base,
        seed::default_seed::<GoldilocksStark<Goldilocks>>(&[1; 32], 64, &inputs, &options),
        seed::default_seed::<Cubic>(&[2; 32], 64, &inputs, &options),
        seed::default_seed::<Cubic>(&[1; 32], 128, &inputs, &options),
        seed::default_seed::<Cubic>(&[1; 32], 64, &inputs[..1], &options),
        seed::default_seed::<Cubic>(&[1; 32], 64, &[], &options),
        seed::default_seed::<Cubic>(&[1; 32], 64, &[inputs[1], inputs[0]], &options),
        with(|o| o.blowup = 8),
        with(|o| o.queries = 42),
        with(|o| o.grinding = 19),
        with(|o| o.coset_offset = 7),
        with(|o| o.suite = Suite::Poseidon2),
    ];
    let same = with(|o| o.coset_offset = 3 + Goldilocks::ORDER);
    assert_eq!(same, base, "the coset offset counts as a field element");
    seeds.sort();
    seeds.dedup();
    assert_eq!(seeds.len(), 12);
}
