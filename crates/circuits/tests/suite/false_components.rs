//! Components that the malicious prover believes in, in the place of true ones.

use circle_air::{AirComponent, lookup_elements};
use circuit_verifier::relations::{GATE_RELATION_ID, RANGE_CHECK_16_RELATION_ID};
use field::QM31;
use num_traits::{One, Zero};
use stwo::core::Fraction;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEntry, relation};

use crate::lie::FALSE_ROW;

relation!(Tuples, 6);

/// `qm31_ops` whose gates may give anything.
pub(crate) fn loose_gates(log_size: u32, drawn: &[QM31]) -> Box<dyn AirComponent> {
    Box::new(LooseGates { log_size, tuples: Tuples(lookup_elements(drawn, 0)) })
}

/// `range_check_16` whose rows make up together for one more answer of [`FALSE_ROW`].
pub(crate) fn balanced_table(drawn: &[QM31]) -> Box<dyn AirComponent> {
    let tuples = Tuples(lookup_elements(drawn, 0));
    let tuple = [RANGE_CHECK_16_RELATION_ID, FALSE_ROW].map(BaseField::from);
    let answer: SecureField = tuples.combine(&tuple);
    let rows = SecureField::from(BaseField::from(1 << 16));
    Box::new(BalancedTable { surplus: (answer * rows).inverse(), tuples })
}

fn number<E: EvalAtRow>(value: u32) -> E::F {
    E::F::from(BaseField::from(value))
}

fn preprocessed<E: EvalAtRow>(eval: &mut E, id: &str) -> E::F {
    eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() })
}

#[derive(Clone)]
struct LooseGates {
    log_size: u32,
    tuples: Tuples,
}

impl FrameworkEval for LooseGates {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let wires: [[E::F; 4]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| eval.next_trace_mask()));
        // Four are of the results, five of the flags, which it reads all the same.
        for op in ["add", "sub", "mul", "pointwise_mul"] {
            preprocessed(&mut eval, &format!("qm31_ops_{op}_flag"));
        }
        for _ in 0..9 {
            eval.add_constraint(E::EF::zero());
        }
        let times = preprocessed(&mut eval, "qm31_ops_mults");
        let multiplicities = [E::EF::one(), E::EF::one(), -E::EF::from(times)];
        for ((wire, id), multiplicity) in wires.iter().zip(["in0", "in1", "out"]).zip(multiplicities) {
            let address = preprocessed(&mut eval, &format!("qm31_ops_{id}_address"));
            let tuple: Vec<_> = [number::<E>(GATE_RELATION_ID), address].into_iter().chain(wire.clone()).collect();
            eval.add_to_relation(RelationEntry::new(&self.tuples, multiplicity, &tuple));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}

#[derive(Clone)]
struct BalancedTable {
    tuples: Tuples,
    /// Added to the lookups of each row.
    surplus: SecureField,
}

impl FrameworkEval for BalancedTable {
    fn log_size(&self) -> u32 {
        16
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        17
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let value = preprocessed(&mut eval, "seq_16");
        let times = eval.next_trace_mask();
        let answer: E::EF = self.tuples.combine(&[number::<E>(RANGE_CHECK_16_RELATION_ID), value]);
        let numerator = answer.clone() * self.surplus - E::EF::from(times);
        eval.write_logup_frac(Fraction::new(numerator, answer));
        eval.finalize_logup_in_pairs();
        eval
    }
}
