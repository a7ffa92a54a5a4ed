//! Compact proofs: verifying a changed one never panics and accepts the original only, and a head takes little memory
//! and has one encoding.
#![no_main]

use std::sync::LazyLock;

use air::RecordedAir;
use field::Fp3;
use goldilocks_proof::Hiding;
use goldilocks_proof::compact::{AirDigest, Options, Sizes, Suite, decode_head};
use goldilocks_verifier::Policy;
use goldilocks_verifier::compact::{sizes, verify_bytes_of};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{P, bounded, edited, recorded};
use proof_format::wire::Reader;

/// A golden proof, with the digest that stands for that of its AIR.
struct Original {
    bytes: Vec<u8>,
    air: RecordedAir<P>,
    digest: [u8; 32],
    options: Options,
    sizes: Sizes,
}

/// The first vector, which hides nothing, and one that hides its witness: section 16 of goldilocks-compact.md.
static ORIGINALS: LazyLock<[Original; 2]> = LazyLock::new(|| {
    let first = Options {
        blowup: 4,
        queries: 5,
        coset_offset: 3,
        points: 1,
        folds: vec![3, 2],
        log_last: 1,
        work: vec![1, 2, 3, 0, 4, 1, 5],
        suite: Suite::Keccak256,
        hiding: Hiding::None,
    };
    let hidden = Options {
        queries: 2,
        coset_offset: 7,
        points: 2,
        folds: vec![1, 2],
        log_last: 3,
        work: vec![1, 0, 2, 0, 3, 0, 4],
        hiding: Hiding::FreeRows,
        ..first.clone()
    };
    [
        original(include_bytes!("../../corpus/compact/fibonacci-rap"), &[("steps", 63)], first),
        original(include_bytes!("../../corpus/compact/fibonacci-rap-zk"), &[("free", 49), ("steps", 14)], hidden),
    ]
});

fn original(bytes: &[u8], parameters: &[(&str, u64)], options: Options) -> Original {
    let air = recorded("fibonacci-rap", 64, parameters);
    let sizes = sizes(&air.layout(), air.log_trace_length());
    let original = Original { bytes: bytes.to_vec(), air, digest: [0x11; 32], options, sizes };
    assert!(original.accepts(bytes), "the original is accepted");
    original
}

impl Original {
    fn accepts(&self, bytes: &[u8]) -> bool {
        let digest = AirDigest::Given(&self.digest);
        verify_bytes_of(&self.air, digest, &self.options, bytes, &Policy::ANY).is_ok()
    }

    /// Whether bytes are the original's, up to the nonce before the queries: another one that does the same work may
    /// lead to the same queries.
    fn is_it(&self, bytes: &[u8]) -> bool {
        let head = self.sizes.head_length(&self.options) as usize;
        let outside = |at: usize| !(head - 8..head).contains(&at);
        let mut pairs = bytes.iter().zip(&self.bytes).enumerate();
        bytes.len() == self.bytes.len() && pairs.all(|(at, (ours, theirs))| ours == theirs || !outside(at))
    }

    fn check(&self, bytes: &[u8]) {
        let is_accepted = self.accepts(bytes);
        assert!(!is_accepted || self.is_it(bytes), "another proof is accepted");
        assert!(is_accepted || bytes != self.bytes, "the original is refused");
        // Decoded items are no longer than their bytes.
        let head = |bytes: &[u8]| decode_head::<Fp3>(&mut Reader::new(bytes), &self.sizes, &self.options);
        let _ = bounded(bytes, 2, head);
    }
}

fuzz_target!(|input: &[u8]| {
    for original in &*ORIGINALS {
        original.check(input);
        original.check(&edited(&original.bytes, input));
    }
});
