//! The recorded constraints at a random mask, weighted and divided as the protocol says, are what stwo's verifier
//! computes.

use crate::common::{drawn, element, small_airs};
use circle_air::{
    AirComponent, ClaimedSumError, PreProcessedColumnId, PreprocessedColumn, RecordedStatement, Statement,
    TraceLocationAllocator, qm31, secure,
};
use field::{Field, M31, QM31};
use num_traits::One;
use stwo::core::air::accumulation::PointEvaluationAccumulator;
use stwo::core::circle::CirclePoint;
use stwo::core::constraints::coset_vanishing;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::TreeVec;
use stwo::core::poly::circle::CanonicCoset;
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEFTraitBound, RelationEntry};

fn check(statement: &dyn Statement) {
    let recorded = RecordedStatement::new(statement, None).unwrap();
    let drawn = drawn(statement);
    let logups = recorded.components.iter().filter(|c| c.logup.is_some()).count();
    let sums: Vec<QM31> = (0..logups).map(|i| element(500 + i as u32)).collect();
    let params = recorded.params(statement, &drawn, &sums).unwrap();
    let ids: Vec<_> =
        recorded.preprocessed.iter().map(|column| PreProcessedColumnId { id: column.id.clone() }).collect();
    let mut allocator = TraceLocationAllocator::new_with_preprocessed_columns(&ids);
    let mut seed = 1000;
    let mut mask = |offsets: &Vec<isize>| -> Vec<SecureField> {
        offsets
            .iter()
            .map(|_| {
                seed += 1;
                secure(element(seed))
            })
            .collect()
    };
    let of_tree = |tree: usize| recorded.components.iter().flat_map(move |c| &c.offsets[tree]);
    let mut masks = vec![
        (0..ids.len()).map(|_| mask(&vec![0])).collect(),
        of_tree(1).map(&mut mask).collect(),
        of_tree(2).map(&mut mask).collect::<Vec<_>>(),
    ];
    if statement.draws() == 0 {
        masks.pop();
    }
    let masks: TreeVec<Vec<Vec<SecureField>>> = TreeVec::new(masks);

    let point = CirclePoint::<SecureField>::get_point(987_654_321_987_654_321);
    let (log_size, alpha) = (recorded.max_log_size(), element(7));
    let mut accumulator = PointEvaluationAccumulator::new(secure(alpha));
    let spread = recorded.spread(&sums).unwrap();
    for (component, sum) in statement.components(&drawn).iter().zip(spread) {
        let component = component.verifier_component(&mut allocator, sum);
        component.evaluate_constraint_quotients_at_point(point, &masks, &mut accumulator, log_size);
    }

    let inverse = coset_vanishing(CanonicCoset::new(log_size).coset, point).inverse();
    let mut first = [0; 3];
    let mut combined = QM31::ZERO;
    for (index, component) in recorded.components.iter().enumerate() {
        let values = component.constraints.evaluate(&params[index], |group, column, offset| {
            let place = component.offsets[group][column].iter().position(|&o| o == offset as isize).unwrap();
            let column = if group == 0 { recorded.preprocessed_indices[index][column] } else { first[group] + column };
            qm31(masks[group][column][place])
        });
        (1..3).for_each(|tree| first[tree] += component.width(tree));
        combined = values.into_iter().fold(combined, |sum, value| sum * alpha + value * qm31(inverse));
    }
    assert_eq!(combined, qm31(accumulator.finalize()), "{}", statement.name());
}

#[test]
fn shipped_airs() {
    small_airs().iter().for_each(|air| check(&**air));
    check(&*golden::circle::air("blake2s", 16, "s=1"));
}

/// How the lookups are finalised.
#[derive(Clone, Copy)]
enum Batching {
    Single,
    Pairs,
    As(&'static [usize]),
}

/// A component that uses everything that an evaluator has.
#[derive(Clone)]
struct Everything {
    drawn: [SecureField; 2],
    batching: Batching,
}

struct Pair([SecureField; 2]);

impl<F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Pair {
    fn combine(&self, values: &[F]) -> EF {
        let [z, alpha] = self.0;
        LookupElements::<2> { z, alpha, alpha_powers: [SecureField::one(), alpha] }.combine(values)
    }

    fn get_name(&self) -> &str {
        "Pair"
    }

    fn get_size(&self) -> usize {
        2
    }
}

impl FrameworkEval for Everything {
    fn log_size(&self) -> u32 {
        5
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        6
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [a, b, again] =
            ["a", "b", "a"].map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let [behind, here, ahead] = eval.next_interaction_mask(1, [-2, 0, 1]);
        let wide: [E::EF; 2] = eval.next_extension_interaction_mask(1, [0, 1]);
        let [z, alpha] = self.drawn;
        let three = BaseField::from(3);
        let mut sum = a.clone() + again.clone() * three + alpha * SecureField::from(0u32);
        sum += wide[0].clone() * alpha + z;
        eval.add_constraint(sum.clone() * (here.clone() * three.inverse()) - wide[1].clone() * wide[0].clone());
        eval.add_constraint(-sum + b.clone() * alpha - SecureField::one());
        let mut base = E::F::one() + E::F::from(three) * behind.pow(3) - ahead.square() * b.clone();
        base += three;
        base *= E::F::from(three.inverse());
        let base = eval.add_intermediate(base);
        eval.add_constraint(base + here.clone() - -again);
        let wide = eval.add_extension_intermediate(wide[0].clone() - wide[1].clone());
        eval.add_constraint(wide + E::EF::from(here.clone()) + three);
        // Interaction columns before the lookup columns, and behind them.
        let [own] = eval.next_interaction_mask(2, [0]);
        eval.add_constraint(own.clone() * here.clone() - own);
        let relation = Pair(self.drawn);
        for (multiplicity, first, second) in
            [(E::EF::one(), &here, &a), (-E::EF::from(b.clone()), &ahead, &here), (E::EF::from(alpha), &behind, &b)]
        {
            eval.add_to_relation(RelationEntry::new(&relation, multiplicity, &[first.clone(), second.clone()]));
        }
        match self.batching {
            Batching::Single => eval.finalize_logup(),
            Batching::Pairs => eval.finalize_logup_in_pairs(),
            Batching::As(batching) => eval.finalize_logup_batched(&batching.to_vec()),
        }
        let [before, own]: [E::EF; 2] = eval.next_extension_interaction_mask(2, [-1, 0]);
        eval.add_constraint(own - before * alpha);
        eval
    }
}

impl Statement for Batching {
    fn name(&self) -> &str {
        "everything"
    }
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        ["b", "unused", "a"].map(|id| PreprocessedColumn::new(id, 5)).into()
    }
    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        vec![vec![M31::ZERO; 32]; 3]
    }
    fn draws(&self) -> usize {
        2
    }
    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let one = Everything { drawn: [drawn[0], drawn[1]].map(secure), batching: *self };
        vec![Box::new(one.clone()), Box::new(one)]
    }
    fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> {
        Ok(())
    }
    /// One is multiplied by a drawn element.
    fn has_bounded_multiplicities(&self) -> bool {
        true
    }
}

#[test]
fn everything_that_an_evaluator_has() {
    for batching in [
        Batching::Single,
        Batching::Pairs,
        Batching::As(&[1, 0, 1]),
        Batching::As(&[0, 1, 1]),
        Batching::As(&[2, 0, 1]),
    ] {
        check(&batching);
    }
}
