//! Files of products and sums by GKR: nothing panics, reading takes little memory, a file has one encoding, and a
//! changed one is refused.
#![no_main]

use std::sync::LazyLock;

use circle_proof::Suite;
use circle_proof::gkr::{ColumnsDigest, GkrFile, Trees, columns_of_gate};
use field::{M31, SplitMix64};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{bounded, edited};
use sumcheck::gkr::{Instance, Kind, Layer, prove_batch};

/// Heap bytes per input byte that reading a file may take: a tree of 30 variables is two bytes, and so is a round
/// polynomial without coefficients, of which a list has the header.
const PER_BYTE: usize = 200;

/// Trees of every kind and of several sizes.
const TREES: [Instance; 4] = [
    Instance { kind: Kind::LogUpSingles, variables: 1 },
    Instance { kind: Kind::GrandProduct, variables: 4 },
    Instance { kind: Kind::LogUp, variables: 3 },
    Instance { kind: Kind::LogUpMultiplicities, variables: 2 },
];

/// The base columns of each tree.
static COLUMNS: LazyLock<Vec<Vec<Vec<M31>>>> = LazyLock::new(|| {
    let random = &mut SplitMix64::new(1);
    let mut column =
        |of: &Instance| -> Vec<M31> { (0..1 << of.variables).map(|_| M31::reduce(random.word())).collect() };
    TREES.iter().map(|of| (0..of.kind.base_columns(4)).map(|_| column(of)).collect()).collect()
});

/// A file, and its bytes.
static ORIGINAL: LazyLock<(GkrFile, Vec<u8>)> = LazyLock::new(|| {
    let mut digest = ColumnsDigest::default();
    COLUMNS.iter().flatten().for_each(|column| digest.column(column));
    let trees = Trees { suite: Suite::default(), instances: TREES.to_vec(), columns: digest.finish() };
    // The parts of a layer do not matter to a proof: the columns of its gate do.
    let layers = TREES.iter().zip(&*COLUMNS).map(|(of, base)| {
        let mut columns = columns_of_gate(of.kind, base).into_iter();
        let (first, second) = (columns.next().expect("a column"), columns.next());
        match second {
            None => Layer::GrandProduct(first),
            Some(denominators) => Layer::LogUp { numerators: first, denominators },
        }
    });
    let (proof, _) = prove_batch::<M31, _>(layers.collect(), &mut trees.channel()).expect("layers");
    let file = GkrFile { trees, proof };
    let bytes = file.encode();
    (file, bytes)
});

fn check(bytes: &[u8]) {
    let Ok(file) = bounded(bytes, PER_BYTE, GkrFile::decode) else { return };
    assert_eq!(file.encode(), bytes, "a file has one encoding");
    // Trees that nobody asked for, too, are refused or not without harm.
    let verdict = file.verify();
    let (original, of_original) = &*ORIGINAL;
    if file.trees == original.trees {
        let of_columns = file.verify_on(|tree| columns_of_gate(TREES[tree].kind, &COLUMNS[tree]));
        assert!(verdict.is_ok() || of_columns.is_err(), "the columns make no proof");
        assert_eq!(of_columns.is_ok(), bytes == of_original, "exactly the original is accepted: {of_columns:?}");
    }
}

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&edited(&ORIGINAL.1, input));
    // The first bytes need not be found by chance: those of the trees and of their columns.
    let head = ORIGINAL.1.len() - sumcheck::gkr::encode(&ORIGINAL.0.proof).len();
    check(&[&ORIGINAL.1[..head], input].concat());
});
