//! Files of batches of GKR: one encoding each, and no change of a bit is taken.

use circle_proof::Suite;
use circle_proof::gkr::{ColumnsDigest, GkrFile, RefusedError, Trees};
use field::{Field, M31, QM31};
use sumcheck::gkr::{Layer, prove_batch};

fn file(suite: Suite) -> GkrFile {
    let element = |at: u64| QM31([at * at + 3, at + 1, 5, 7 * at].map(M31::reduce));
    let factors: Vec<QM31> = (0..8).map(element).collect();
    let numerators: Vec<M31> = (0..4).map(M31::reduce).collect();
    let mut columns = ColumnsDigest::default();
    columns.column(&numerators);
    let batch = vec![
        Layer::GrandProduct(factors.clone()),
        Layer::LogUpMultiplicities { numerators, denominators: factors[..4].to_vec() },
    ];
    let instances = batch.iter().map(|layer| layer.instance(0).unwrap()).collect();
    let trees = Trees { suite, instances, columns: columns.finish() };
    let proof = prove_batch(batch, &mut trees.channel()).unwrap().0;
    GkrFile { trees, proof }
}

#[test]
fn files_are_read_as_they_were_written() {
    for suite in Suite::ALL {
        let file = file(suite);
        assert!(file.verify().is_ok());
        let bytes = file.encode();
        assert_eq!(GkrFile::decode(&bytes).as_ref(), Ok(&file));
        assert_eq!(GkrFile::decode(&[&bytes[..], &[0]].concat()).unwrap_err().offset, bytes.len());
        for end in 0..bytes.len() {
            let error = GkrFile::decode(&bytes[..end]).unwrap_err();
            assert!(error.offset <= end, "{end} bytes: {error}");
        }
    }
}

#[test]
fn no_changed_bit_is_taken() {
    let bytes = file(Suite::Blake2s).encode();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let taken = GkrFile::decode(&changed).is_ok_and(|file| file.verify().is_ok());
            assert!(!taken, "bit {bit} of byte {at}");
        }
    }
}

/// The digest is of the elements alone, however columns are cut.
#[test]
fn digests_of_columns_are_those_of_their_bytes() {
    use blake2::{Blake2s256, Digest as _};
    let column: Vec<M31> = (0..40_000).map(M31::reduce).collect();
    let mut digest = ColumnsDigest::default();
    digest.column(&column[..7]);
    digest.column(&column[7..]);
    let bytes: Vec<u8> = (0..40_000u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(digest.finish(), <[u8; 32]>::from(Blake2s256::digest(bytes)));
}

/// One tree of fractions; the digest of the columns plays no part.
fn fractions(numerators: Vec<QM31>, denominators: Vec<QM31>) -> GkrFile {
    let layer = Layer::<M31, _>::LogUp { numerators, denominators };
    let instances = vec![layer.instance(0).unwrap()];
    let trees = Trees { suite: Suite::Blake2s, instances, columns: [0; 32] };
    let proof = prove_batch(vec![layer], &mut trees.channel()).unwrap().0;
    GkrFile { trees, proof }
}

fn column(values: [u64; 4]) -> Vec<QM31> {
    values.map(|value| M31::reduce(value).into()).to_vec()
}

#[test]
fn fractions_over_zero_have_no_sum() {
    // With one such row the numerator stays; with two it is 0 as well, and the proof says that 0/0 is the sum.
    for denominators in [[1, 0, 3, 4], [1, 0, 3, 0]] {
        let file = fractions(column([5, 6, 7, 8]), column(denominators));
        assert_eq!(file.verify(), Err(RefusedError::Denominator { tree: 0 }), "{denominators:?}");
    }
    assert_eq!(fractions(column([5, 6, 7, 8]), column([1, 0, 3, 0])).proof.outputs, [[QM31::ZERO; 2]]);
    // A product may be 0.
    let layer = Layer::<M31, QM31>::GrandProduct(column([1, 0, 3, 0]));
    let trees = Trees { suite: Suite::Blake2s, instances: vec![layer.instance(0).unwrap()], columns: [0; 32] };
    let proof = prove_batch(vec![layer], &mut trees.channel()).unwrap().0;
    let file = GkrFile { trees, proof };
    assert!(file.verify().is_ok());
    assert_eq!(file.expect_zero_sums(), Ok(()));
}

#[test]
fn sums_are_zero_for_those_who_expect_it() {
    let minus_one = u64::from(i32::MAX as u32) - 1;
    let sum = |numerators| fractions(column(numerators), column([2, 3, 2, 3]));
    let (zero, other) = (sum([1, 5, minus_one, minus_one - 4]), sum([1, 5, minus_one, minus_one]));
    assert!(zero.verify().is_ok() && other.verify().is_ok());
    assert_eq!(zero.expect_zero_sums(), Ok(()));
    assert_eq!(other.expect_zero_sums(), Err(RefusedError::NotZero { tree: 0 }));
}

/// A proof by a device whose copy of a column is spoiled is right by itself, and about other columns.
#[test]
fn claims_are_those_of_the_columns() {
    let (numerators, denominators) = (column([5, 6, 7, 8]), column([1, 2, 3, 4]));
    let file = fractions(numerators.clone(), denominators.clone());
    assert_eq!(file.verify_on(|_| vec![numerators.clone(), denominators.clone()]), Ok(()));
    for (index, row) in [(0, 0), (0, 3), (1, 2)] {
        let mut spoiled = [numerators.clone(), denominators.clone()];
        spoiled[index][row] += QM31::ONE;
        let [p, q] = spoiled;
        let file = fractions(p, q);
        assert!(file.verify().is_ok());
        let refused = file.verify_on(|_| vec![numerators.clone(), denominators.clone()]);
        assert_eq!(refused, Err(RefusedError::Values { tree: 0 }), "column {index}, row {row}");
    }
}
