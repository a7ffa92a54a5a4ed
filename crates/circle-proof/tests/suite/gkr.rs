//! Files of batches of GKR: one encoding each, and no change of a bit is taken.

use circle_proof::Suite;
use circle_proof::gkr::{ColumnsDigest, GkrFile, Trees};
use field::{M31, QM31};
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
