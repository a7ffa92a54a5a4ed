//! A proof as the felts that the verifier in Cairo takes.

use cairo_air::CairoProof;
use stwo::core::vcs_lifted::MerkleHasherLifted;
use stwo_cairo_serialize::CairoSerialize;

use super::Proof;
use super::files::{FileHasher, of};
use crate::encoding::FileError;

/// The felts in hexadecimal. A digest of Blake2s is eight of them, one of Poseidon252 is one. Auxiliary data are none.
pub(super) fn felts<H>(proof: &Proof) -> Result<Vec<String>, FileError>
where
    H: FileHasher + MerkleHasherLifted<Hash: CairoSerialize>,
{
    check_queried(proof).map_err(FileError::Queried)?;
    let mut felts = Vec::new();
    CairoSerialize::serialize(&CairoProof::from(of::<H>(proof)?), &mut felts);
    Ok(felts.into_iter().map(|felt| format!("{felt:#x}")).collect())
}

/// Whether there is a queried value of each column for each query: the reference counts on it when it puts them in
/// another order.
fn check_queried(proof: &Proof) -> Result<(), &'static str> {
    let queried = &proof.stark_proof.queried_values;
    let [preprocessed, main, interaction, _] = &queried[..] else { return Err("there are not four trees") };
    let sizes = proof.claim.log_sizes();
    if preprocessed.is_empty() || [main.len(), interaction.len()] != [sizes[0].len(), sizes[1].len()] {
        return Err("a tree has another number of columns");
    }
    let queries = preprocessed[0].len();
    if queried.iter().flatten().any(|column| column.len() != queries) {
        return Err("columns have different numbers of values");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use stwo::core::fields::m31::BaseField;
    use stwo::core::pcs::TreeVec;

    use super::*;
    use crate::verify::tests::fib_10;

    /// Its columns, each with a value for each query.
    type Tree = Vec<Vec<BaseField>>;

    #[test]
    fn each_query_has_a_value_of_each_column() {
        let mut proof = fib_10();
        let sizes = proof.claim.log_sizes();
        let columns = |count: usize| vec![vec![BaseField::from(1); 3]; count];
        let whole = vec![columns(2), columns(sizes[0].len()), columns(sizes[1].len()), columns(8)];
        let mut check = |change: &dyn Fn(&mut Vec<Tree>)| {
            let mut queried = whole.clone();
            change(&mut queried);
            proof.stark_proof.0.queried_values = TreeVec(queried);
            check_queried(&proof).is_ok()
        };
        assert!(check(&|_| {}));
        assert!(!check(&|trees| trees.truncate(3)));
        assert!(!check(&|trees| trees[0].clear()));
        for tree in 0..4 {
            assert!(!check(&|trees| trees[tree][1].truncate(2)), "a value of tree {tree}");
        }
        for tree in [1, 2] {
            assert!(!check(&|trees| trees[tree].truncate(1)), "columns of tree {tree}");
        }
    }
}
