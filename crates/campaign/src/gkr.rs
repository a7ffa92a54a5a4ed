//! Files of batches of GKR: one that is read has one encoding, and no changed one is valid over the columns.

use std::sync::LazyLock;

use circle_proof::Suite;
use circle_proof::gkr::{ColumnsDigest, GkrFile, Trees};
use field::{Field, M31, QM31};
use sumcheck::gkr::{Layer, prove_batch};

use crate::Outcome;
use crate::mutate::raw;
use crate::script::Script;

/// Batches of a suite.
const BATCHES: usize = 6;

/// A file, and the columns of its gates.
struct Case {
    file: GkrFile,
    bytes: Vec<u8>,
    columns: Vec<Vec<Vec<QM31>>>,
}

/// The file of a batch; `None` where a sum is over 0, so that it is none.
fn case(suite: Suite, seed: u64) -> Option<Case> {
    let batch = adversary::gkr::draw(seed);
    let columns: Vec<_> = batch.iter().cloned().map(columns).collect();
    let instances = batch.iter().map(|layer| layer.instance(0).expect("a layer")).collect();
    let mut digest = ColumnsDigest::default();
    let base = columns.iter().flatten().flatten().flat_map(|value| value.0).collect::<Vec<M31>>();
    digest.column(&base);
    let trees = Trees { suite, instances, columns: digest.finish() };
    let (proof, _) = prove_batch(batch, &mut trees.channel()).expect("layers");
    let file = GkrFile { trees, proof };
    let case = Case { bytes: file.encode(), file, columns };
    case.accepts(&case.file).then_some(case)
}

fn columns(layer: Layer<M31, QM31>) -> Vec<Vec<QM31>> {
    match layer {
        Layer::GrandProduct(values) => vec![values],
        Layer::LogUp { numerators, denominators } => vec![numerators, denominators],
        Layer::LogUpSingles { denominators } => vec![vec![QM31::ONE; denominators.len()], denominators],
        Layer::LogUpMultiplicities { numerators, denominators } => {
            vec![numerators.into_iter().map(QM31::from).collect(), denominators]
        }
    }
}

impl Case {
    /// Whether a verifier that knows the trees and their columns takes a file.
    fn accepts(&self, file: &GkrFile) -> bool {
        file.trees == self.file.trees && file.verify_on(|tree| self.columns[tree].clone()).is_ok()
    }
}

/// A changed file of a suite.
pub fn file(suite: Suite, data: &[u8]) -> Outcome {
    static ALL: LazyLock<Vec<Vec<Case>>> = LazyLock::new(|| {
        let of = |suite| (0..).filter_map(|seed| case(suite, seed)).take(BATCHES).collect();
        Suite::ALL.into_iter().map(of).collect()
    });
    let (cases, script) = (&ALL[suite as usize], &mut Script::new(data));
    let [case, other] = [&cases[script.below(BATCHES)], &cases[script.below(BATCHES)]];
    let bytes = raw(&case.bytes, &other.bytes, script);
    let Ok(file) = GkrFile::decode(&bytes) else { return Outcome::Passed };
    assert_eq!(file.encode(), bytes, "a file has one encoding");
    // Trees that nobody asked for, too, are refused or not without harm.
    let verdict = file.verify();
    match case.accepts(&file) {
        _ if bytes == case.bytes => Outcome::Original,
        true => Outcome::Accepted,
        // A splice can be the whole other file.
        false if verdict.is_ok() && bytes != other.bytes => Outcome::Accepted,
        false => Outcome::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_original_is_accepted_and_one_over_other_columns_is_not() {
        let [first, second] = [0, 1].map(|at| (at * 100..).find_map(|seed| case(Suite::Blake2s, seed)).expect("a sum"));
        assert!(first.accepts(&first.file) && !first.accepts(&second.file));
        let mut other = Case { columns: first.columns.clone(), bytes: Vec::new(), file: first.file.clone() };
        other.columns[0][0][0] += QM31::ONE;
        assert!(!other.accepts(&first.file));
    }
}
