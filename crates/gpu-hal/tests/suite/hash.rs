//! Definitions of hash functions, next to other libraries and to written values.

use field::{Field, Goldilocks, M31};
use gpu_hal::hash::{Nonces, poseidon2, random_block};
use gpu_hal::{Digest, HashFn, LOG_WINDOW, NonceSearch};
use sha3::Digest as _;

fn hex(digest: &Digest) -> String {
    gpu_hal::Hex(digest).to_string()
}

#[test]
fn leaves_are_the_hashes_of_their_elements() {
    // Hashes of no data: the published values of Keccak-256 and Blake2s-256.
    let nothing = std::iter::empty::<Goldilocks>();
    assert_eq!(
        hex(&HashFn::Keccak256.leaf(nothing)),
        "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    );
    assert_eq!(
        hex(&HashFn::Blake2s.leaf(std::iter::empty::<M31>())),
        "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"
    );

    let element = Goldilocks::new(0x6100_0000_0000_0000);
    assert_eq!(HashFn::Keccak256.leaf([element]), HashFn::Keccak256.leaf([element, element][..1].iter().copied()));
    assert_ne!(HashFn::Keccak256.leaf([element]), HashFn::Keccak256.leaf([element, Goldilocks::ZERO]));
    let elements = [1, 2, 3].map(Goldilocks::new);
    assert_eq!(HashFn::Poseidon2.leaf(elements), poseidon2::to_bytes(poseidon2::hash(elements)));
}

#[test]
fn fields_have_their_hash_functions() {
    let of = |takes: fn(HashFn) -> bool| HashFn::ALL.into_iter().filter(|hash| takes(*hash)).collect::<Vec<_>>();
    assert_eq!(of(HashFn::takes::<Goldilocks>), [HashFn::Keccak256, HashFn::Poseidon2]);
    assert!(of(HashFn::takes::<M31>).contains(&HashFn::Blake2s));
}

#[test]
fn parents_are_made_of_digests() {
    for hash in HashFn::ALL {
        let [left, right] = [[1; 32], [2; 32]];
        assert!(hash.is_digest(&left) && hash.is_digest(&right), "{hash}");
        let parent = hash.parent(&left, &right).expect("of digests");
        assert!(hash.is_digest(&parent) && hash.parent(&right, &left) != Some(parent), "{hash}: the order counts");
        let other = [0xff; 32];
        assert_eq!(hash.is_digest(&other), hash.parent(&left, &other).is_some(), "{hash}");
        assert_eq!(hash.is_digest(&other), hash.parent(&other, &left).is_some(), "{hash}");
    }
    assert!(!HashFn::Poseidon2.is_digest(&[0xff; 32]), "no element of Goldilocks");
}

/// The only nodes that trees have otherwise than verifiers: a word of the hash is `2^32 - 2` or `2^32 - 1`.
#[test]
fn large_trees_have_two_words_that_are_not_reduced() {
    let hash = HashFn::Blake2sM31;
    // The number of the word in the digest, and what verifiers and large trees have there.
    let word = |digest: Digest, at: usize| u32::from_le_bytes(*digest.as_chunks().0.get(at).expect("eight words"));
    for (element, at, exact, wide) in [(1_755_014_235, 1, 0, 0x7fff_fffe), (1_209_039_381, 3, 1, 0x7fff_ffff)] {
        let leaf = |is_wide| hash.tree_leaf([M31::new(element)], is_wide);
        assert_eq!((word(leaf(false), at), word(leaf(true), at)), (exact, wide));
        assert_eq!(leaf(false), hash.leaf([M31::new(element)]));
        assert_eq!(hash.is_digest(&leaf(true)), wide < 0x7fff_ffff);
    }
    let leaf = |element| hash.leaf([M31::new(element)]);
    for (element, at, exact, wide) in [(400_577_733, 5, 0, 0x7fff_fffe), (10_237_472, 1, 1, 0x7fff_ffff)] {
        let parent = |is_wide| hash.tree_parent(&leaf(0), &leaf(element), is_wide);
        let words = [false, true].map(|is_wide| parent(is_wide).map(|digest| word(digest, at)));
        assert_eq!(words, [Some(exact), Some(wide)]);
        assert_eq!(parent(false), hash.parent(&leaf(0), &leaf(element)));
    }
    for other in [HashFn::Blake2s, HashFn::Poseidon252] {
        let [leaf, right] = [1, 2].map(|element| other.leaf([M31::new(element)]));
        assert_eq!(other.tree_leaf([M31::new(1)], true), leaf);
        assert_eq!(other.tree_parent(&leaf, &right, true), other.parent(&leaf, &right));
    }
}

#[test]
fn names_are_read_back() {
    for hash in HashFn::ALL {
        assert_eq!(hash.name().parse(), Ok(hash));
    }
    let error = "sha256".parse::<HashFn>().expect_err("no such hash");
    assert!(error.starts_with("no hash function 'sha256': keccak256, poseidon2"), "{error}");
}

#[test]
fn tries_are_numbered_in_the_order_of_the_search() {
    for (nonces, log_low) in
        [(Nonces::ascending(), 32), (Nonces::low_words_below(20), 20), (Nonces::low_words_below(14), 14)]
    {
        assert_eq!(nonces.log_low(), log_low);
        assert_eq!(nonces.windows(), 1 << (32 + log_low - LOG_WINDOW));
        let last = u64::MAX >> (32 - log_low);
        for number in [0, 1, (1 << log_low) - 1, 1 << log_low, (5 << log_low) + 3, last] {
            let nonce = nonces.nonce(number);
            assert_eq!((nonce >> 32, nonce & 0xffff_ffff), (number >> log_low, number & ((1 << log_low) - 1)));
            assert_eq!(nonces.number(nonce), number);
        }
    }
    assert_eq!(HashFn::Keccak256.nonces().nonce(u64::MAX), u64::MAX);
    assert_eq!(HashFn::Blake2s.nonces(), Nonces::low_words_below(20));
    assert_eq!(HashFn::Poseidon252.nonces(), Nonces::low_words_below(14));
}

#[test]
fn work_is_as_many_bits_as_a_search_asks_for() {
    for hash in HashFn::ALL {
        let work = |nonce| hash.work(&[7; 32], nonce);
        assert_eq!(hash.has_work(), work(0).is_some(), "{hash}");
        let mut most = 0;
        for nonce in 0..200 {
            let Some(bits) = work(nonce) else { continue };
            let search = |bits| NonceSearch { hash, prefix: [7; 32], bits };
            assert!(search(0).is_work(nonce) && search(bits).is_work(nonce) && !search(bits + 1).is_work(nonce));
            most = most.max(bits);
        }
        assert!(!hash.has_work() || (4..20).contains(&most), "{hash}: {most} bits in 200 tries");
    }
}

/// A block begins with the digest of what it is of, and its words differ by key, stream, column and number.
#[test]
fn a_random_block_begins_with_the_digest_of_its_numbers() {
    let key: Digest = core::array::from_fn(|at| at as u8);
    let block = random_block(&key, 1, 2, 3);
    let mut message = key.to_vec();
    [1u64, 2, 3].iter().for_each(|number| message.extend(number.to_be_bytes()));
    assert_eq!(block[..32], sha3::Keccak256::digest(&message)[..]);
    // From the Python of goldilocks-verifier's tests, which shares nothing with this.
    let rest = concat!(
        "9e7e4890aeeb48686b9552e51735d012912ccd43b485254235ecc796790d553f",
        "c5c76602ab97671e8a1420d9a4047eceb9c98a4bf9b44519fc951651a145f739",
        "5944d55e0fb715714b3fba5e01643b3fe77522fbcdc3ecc346e7c805960f0ca2"
    );
    assert_eq!(gpu_hal::Hex(&block[32..]).to_string(), rest);
    let others = [random_block(&[0; 32], 1, 2, 3), random_block(&key, 0, 2, 3), random_block(&key, 1, 3, 2)];
    assert!(
        others.iter().all(|other| other.as_chunks::<8>().0.iter().all(|word| !block.as_chunks::<8>().0.contains(word)))
    );
}
