//! Files of batches of GKR, over the columns that come with them (`docs/protocol/gkr.md`, section 11).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use circle_proof::Suite;
use circle_proof::gkr::{ColumnsDigest, GkrFile, MAGIC, columns_of_gate};
use field::{CanonicalBytes, ExtensionField, M31, QM31};
use proof_format::policy::{MAX_BYTES, check_length};

use crate::Refusal;

/// Bytes of an element of a column.
const BYTES: usize = M31::BYTES;

/// Whether a file begins as one of GKR does.
pub(crate) fn is_gkr(file: &[u8]) -> bool {
    file.starts_with(&MAGIC)
}

/// Verifies a file of a batch of GKR over columns: all their elements, four little-endian bytes each, column after
/// column, tree after tree, of which the file has the digest. Any sum is valid, and any product; the reader of the
/// verdict compares trees and values with the expected ones.
///
/// # Errors
/// The first check that failed.
pub fn verify_gkr(file: &[u8], channel: &str, columns: &[u8]) -> Result<GkrFile, Refusal> {
    check_length(file.len(), MAX_BYTES)?;
    check_length(columns.len(), MAX_BYTES)?;
    if columns.is_empty() {
        return Err(Refusal::NoColumns);
    }
    let expected: Suite = match channel {
        "" => Suite::default(),
        name => name.parse().map_err(Refusal::Channel)?,
    };
    let file = GkrFile::decode(file).map_err(Refusal::File)?;
    let found = file.trees.suite;
    let refused = |why: String| Err(Refusal::Gkr(why));
    if found != expected {
        return refused(format!("the channel is {found}, expected: {expected}"));
    }
    let base = read(&file, columns)?;
    let mut digest = ColumnsDigest::default();
    base.iter().flatten().for_each(|column| digest.column(column));
    if file.trees.columns != digest.finish() {
        return refused("the proof is about other columns: their digest is another".into());
    }
    let of_gate = |tree: usize| columns_of_gate(file.trees.instances[tree].kind, &base[tree]);
    match file.verify_on(of_gate) {
        Ok(()) => Ok(file),
        Err(error) => refused(format!("{error}")),
    }
}

/// The base columns of all trees. Nothing is allocated before their number is compared with the bytes.
fn read(file: &GkrFile, bytes: &[u8]) -> Result<Vec<Vec<Vec<M31>>>, Refusal> {
    let (instances, degree) = (&file.trees.instances, <QM31 as ExtensionField<M31>>::DEGREE);
    let of = |count: usize, variables: usize| (count as u64) << variables;
    let needed: u64 = instances.iter().map(|tree| of(tree.kind.base_columns(degree), tree.variables)).sum();
    if bytes.len() as u64 != needed * BYTES as u64 {
        return Err(Refusal::Columns(format!(
            "{} bytes of columns, the trees have {needed} elements of {BYTES}",
            bytes.len()
        )));
    }
    let mut elements = bytes.chunks_exact(BYTES).enumerate();
    let mut element = || match elements.next().map(|(at, bytes)| (at, M31::read_bytes(bytes))) {
        Some((_, Some(element))) => Ok(element),
        Some((at, None)) => Err(Refusal::Columns(format!("element {at} of the columns is not reduced"))),
        None => unreachable!("the elements were counted"),
    };
    let mut column = |variables: usize| (0..1usize << variables).map(|_| element()).collect::<Result<Vec<_>, _>>();
    instances.iter().map(|tree| (0..tree.kind.base_columns(degree)).map(|_| column(tree.variables)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use circle_proof::gkr::Trees;
    use sumcheck::gkr::{Layer, prove_batch};

    use super::*;
    use crate::{Class, json};

    /// A file of a product and of a sum, and the bytes of their columns.
    fn file(suite: Suite) -> (Vec<u8>, Vec<u8>) {
        let element = |at: u64| QM31([at + 1, 2 * at, 3, at * at].map(M31::reduce));
        let column: Vec<QM31> = (0..8).map(element).collect();
        let numerators: Vec<M31> = (0..4).map(M31::reduce).collect();
        let coordinates = |column: &[QM31]| -> Vec<M31> {
            (0..4).flat_map(|at| column.iter().map(move |value| value.0[at])).collect()
        };
        let base = [coordinates(&column), numerators.clone(), coordinates(&column[..4])].concat();
        let mut digest = ColumnsDigest::default();
        digest.column(&base);
        let batch = vec![
            Layer::GrandProduct(column.clone()),
            Layer::LogUpMultiplicities { numerators, denominators: column[..4].to_vec() },
        ];
        let instances = batch.iter().map(|layer| layer.instance(0).unwrap()).collect();
        let trees = Trees { suite, instances, columns: digest.finish() };
        let (proof, _) = prove_batch(batch, &mut trees.channel()).unwrap();
        let mut bytes = Vec::new();
        base.iter().for_each(|element| element.write_bytes(&mut bytes));
        (GkrFile { trees, proof }.encode(), bytes)
    }

    #[test]
    fn files_are_taken_over_their_columns_alone() {
        for suite in Suite::ALL {
            let (file, columns) = file(suite);
            let said = json(&file, suite.name(), &columns);
            assert!(
                said.starts_with(r#"{"status":"valid","exit_code":0,"protocol":"GKR","trees":[{"kind":"#),
                "{said}"
            );
            let mut others = columns.clone();
            others[40] ^= 1;
            let error = verify_gkr(&file, suite.name(), &others).unwrap_err();
            assert!(error.to_string().contains("other columns") && error.class() == Class::Invalid, "{error}");
        }
    }

    #[test]
    fn other_files_and_other_columns_are_refused() {
        let (file, columns) = file(Suite::Blake2s);
        let refused = |file: &[u8], channel: &str, columns: &[u8]| verify_gkr(file, channel, columns).unwrap_err();
        assert_eq!(refused(&file, "", b"").class(), Class::Input);
        assert_eq!(refused(&file, "", &columns[1..]).class(), Class::Input);
        assert_eq!(refused(&file, "", &[&columns[..], &[0; 4]].concat()).class(), Class::Input);
        assert_eq!(refused(&file, "blake3", &columns).class(), Class::Input);
        assert_eq!(refused(&file, "blake2s_m31", &columns).class(), Class::Invalid);
        let mut unreduced = columns.clone();
        unreduced[..4].fill(0xff);
        assert!(refused(&file, "", &unreduced).to_string().contains("not reduced"));
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(verify_gkr(&changed, "", &columns).is_err(), "byte {at}");
            assert!(verify_gkr(&file[..at], "", &columns).is_err(), "{at} bytes");
        }
        assert!(verify_gkr(&file, "", &columns).is_ok());
    }
}
