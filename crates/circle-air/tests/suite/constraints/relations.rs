//! Findings of `check_trace` in several relations, and in interaction columns that are not of lookups.

use circle_air::{AirComponent, ClaimedSumError, HostColumns, Statement, check_trace, lookup_elements, secure};
use field::{Field, M31, QM31};
use stwo::core::Fraction;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use crate::constraints::check::{LIMIT, findings, number, uses};

/// Uses pairs in one relation, yields them in another, and has an interaction column that is not of lookups.
#[derive(Clone)]
struct Exchange {
    /// The relation of the used pairs, and the relation of the yielded ones.
    relations: [usize; 2],
    /// The row in which the interaction column is wrong.
    wrong: Option<usize>,
}

#[derive(Clone)]
struct Side {
    multiplicity: BaseField,
    pair: LookupElements<2>,
    /// The interaction column divided by the first main one.
    factor: Option<SecureField>,
}

impl FrameworkEval for Side {
    fn log_size(&self) -> u32 {
        2
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        3
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let pair: [E::F; 2] = std::array::from_fn(|_| eval.next_trace_mask());
        let multiplicity = E::EF::from(E::F::from(self.multiplicity));
        eval.write_logup_frac(Fraction::new(multiplicity, self.pair.combine(&pair)));
        eval.finalize_logup();
        if let Some(factor) = self.factor {
            let [given] = eval.next_extension_interaction_mask(2, [0]);
            eval.add_constraint(given - E::EF::from(factor) * pair[0].clone());
        }
        eval
    }
}

impl Statement for Exchange {
    fn name(&self) -> &str {
        "exchange"
    }
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
    fn draws(&self) -> usize {
        4
    }
    fn claims(&self) -> usize {
        1
    }
    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let side = |multiplicity, relation, factor| -> Box<dyn AirComponent> {
            Box::new(Side { multiplicity, pair: lookup_elements(&elements[..4], relation), factor })
        };
        let one = BaseField::from(1);
        vec![side(one, self.relations[0], Some(secure(elements[4]))), side(-one, self.relations[1], None)]
    }
    fn interaction(
        &self,
        drawn: &[QM31],
        main: &[Vec<Vec<M31>>],
    ) -> Result<HostColumns, Box<dyn std::error::Error + Send + Sync>> {
        assert!(main[1].is_empty());
        let rows = main[0][0].iter().map(|value| drawn[0] * *value);
        let mut rows: Vec<QM31> = rows.collect();
        if let Some(row) = self.wrong {
            *rows.get_mut(row).ok_or("there is no such row")? += QM31::ONE;
        }
        let columns = (0..4).map(|at| rows.iter().map(|row| row.0[at]).collect()).collect();
        Ok(HostColumns { columns: vec![columns], claims: vec![drawn[0]] })
    }
    fn check_claimed_sums(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        assert_eq!(claimed[2], drawn[0]);
        let total = claimed[0] + claimed[1];
        if total.is_zero() {
            return Ok(());
        }
        Err(ClaimedSumError::Value { claimed: total.to_string(), expected: "0".to_owned() })
    }
}

#[test]
fn tuples_have_a_relation_and_given_columns_are_checked() {
    let column = |at: u32| (0..4).map(|row| M31::new(10 * row + at)).collect::<Vec<_>>();
    let trace = vec![vec![column(1), column(2)]; 2];
    for relations in [[0, 0], [1, 1]] {
        let statement = Exchange { relations, wrong: None };
        assert_eq!(check_trace(&statement, &trace, LIMIT), Ok(()));
        let found = findings(check_trace(&Exchange { wrong: Some(2), ..statement.clone() }, &trace, LIMIT));
        let [violation] = &found.violations[..] else { panic!("{found:?}") };
        // The constraint behind that of the lookups.
        assert_eq!((violation.constraint, violation.row, violation.value), (1, 2, QM31::ONE));
        assert!(violation.cells.iter().any(|cell| cell.table == air::Table::Interaction && cell.column == 4));
        let failed = check_trace(&Exchange { wrong: Some(9), ..statement }, &trace, LIMIT).unwrap_err();
        assert!(failed.to_string().contains("there is no such row"), "{failed}");
    }
    for relations in [[0, 1], [1, 0]] {
        let found = findings(check_trace(&Exchange { relations, wrong: None }, &trace, LIMIT));
        let lookups = found.lookups.expect("they do not cancel");
        assert_eq!((found.violated, lookups.uncancelled), (0, 8));
        for (at, tuple) in lookups.tuples.iter().enumerate() {
            let (component, row) = (at / 4, at % 4);
            assert_eq!(tuple.relation, Some(relations[component]));
            assert_eq!(tuple.tuple, Some(vec![trace[0][0][row], trace[0][1][row]]));
            assert_eq!(uses(tuple), [(Some(component), 0, row, number(1 - 2 * component as i64))]);
        }
    }
}
