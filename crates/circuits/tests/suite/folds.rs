//! Two proofs folded into one.

use std::sync::Arc;

use backend_cpu::Cpu;
use circuits::{CircuitVerifier, Fold, FoldError, FoldProver, Leaf, RefusedError};
use gpu_hal::{CircleStark, Digest};
use hal_conformance::slow_or_skip;
use prover_core::Silent;

use crate::examples;
use crate::proofs::{OPTIONS, Proven, proven};

/// Four whole proofs, which take half a minute of a core: two leaves, the proof in their place, and one level more,
/// where that proof is folded with itself.
#[test]
fn a_tree_of_leaves_becomes_one_proof() {
    if !slow_or_skip("proofs of circuits folded into one") {
        return;
    }
    let Proven { verifier: of_leaf, proofs, .. } = proven();
    let root = proofs[0].proof.commitments[0];
    let written = proofs.each_ref().map(|proof| of_leaf.write(proof).unwrap());
    let leaf = |number: usize| Leaf {
        verifier: &of_leaf,
        written: &written[number],
        outputs: proofs[number].outputs[..].try_into().unwrap(),
    };
    let leaves = [leaf(0), leaf(1)];
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let prover = FoldProver::new(backend.clone(), &of_leaf, &OPTIONS).unwrap();
    let folded = prover.prove(leaves, &Silent).unwrap();
    assert_eq!(folded.outputs, Fold::outputs(leaves.map(|leaf| (&root, leaf.outputs))));
    let of_fold = prover.verifier();
    of_fold.verify_written(&folded.written, &folded.outputs).unwrap();
    // The level above, of another shape.
    let above = folded.leaf(of_fold);
    let top = FoldProver::new(backend, of_fold, &OPTIONS).unwrap();
    let last = top.prove([above; 2], &Silent).unwrap();
    assert_eq!(last.outputs, Fold::outputs([(&prover.root(), folded.outputs); 2]));
    top.verifier().verify_written(&last.written, &last.outputs).unwrap();
    top.verifier().verify_written(&last.written, &folded.outputs).unwrap_err();

    let fold = prover.fold();
    let refused = fold.witness([leaves[0], above]).unwrap_err();
    assert!(matches!(refused, FoldError::OtherShape { leaf: 1 }), "{refused}");
    let swapped = Leaf { outputs: leaves[1].outputs, ..leaves[0] };
    let refused = fold.witness([swapped, leaves[1]]).unwrap_err();
    let is_work = matches!(refused, FoldError::Refused { leaf: 0, error: RefusedError::InteractionWork(_) });
    assert!(is_work, "{refused}");
    refuses_false_constraints(leaves, proofs[0].proof.commitments[0]);
}

/// A circuit that reads its wires in another order: all openings are right, the constraints are not.
fn refuses_false_constraints(leaves: [Leaf<'_>; 2], root: Digest) {
    let circuit = examples::circuit();
    let mut columns = circuit.columns().to_vec();
    let place = |id: &str| circuit.columns().iter().position(|column| column.id == id).unwrap();
    columns.swap(place("qm31_ops_add_flag"), place("qm31_ops_sub_flag"));
    let of_other = CircuitVerifier::new(columns, 2, root, &OPTIONS).unwrap();
    let of_other = leaves.map(|leaf| Leaf { verifier: &of_other, ..leaf });
    let refused = Fold::new(of_other[0].verifier).unwrap().witness(of_other).unwrap_err();
    assert!(matches!(refused, FoldError::Unsatisfied), "{refused}");
}

#[test]
fn circuits_with_other_outputs_have_no_fold() {
    let columns = examples::circuit().columns().to_vec();
    let of_three = CircuitVerifier::new(columns, 3, [0; 32], &OPTIONS).unwrap();
    let refused = Fold::new(&of_three).unwrap_err();
    assert!(matches!(refused, FoldError::Outputs { found: 3 }), "{refused}");
}
