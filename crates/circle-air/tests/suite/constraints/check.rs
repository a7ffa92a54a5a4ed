//! Findings of `check_trace`: for honest traces and changed ones, compared with the recorded constraints and with the
//! change.

use air::{Findings, Uncancelled};
use circle_air::{
    AirComponent, ClaimedSumError, ComponentNames, NamedComponent, RecordedStatement, Statement, TraceError,
    check_trace, secure,
};
use field::circle::storage_to_coset_row;
use field::{Field, M31, QM31};
use golden::circle::air;
use golden::statements::{Changed, stored};
use gpu_hal::{CircleStark, EvalOrder};
use num_traits::One;
use stwo::core::Fraction;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use crate::common::{drawn, row_values, small_airs, tables};

pub(crate) const LIMIT: usize = 8;

pub(crate) fn findings(result: Result<(), TraceError>) -> Findings<CircleStark> {
    match result {
        Err(TraceError::Wrong(findings)) => *findings,
        other => panic!("{other:?}"),
    }
}

#[test]
fn honest_traces_pass_the_check() {
    let airs = small_airs().into_iter().chain([air("blake2s", 5, "s=4294967000")]);
    for air in airs {
        assert_eq!(check_trace(&*air, &air.trace(), LIMIT), Ok(()), "{}", air.name());
    }
}

/// The check lists exactly the recorded constraints that fail, with other drawn elements, and the changed cell is among
/// the cells that are read.
#[test]
fn every_violated_constraint_is_listed() {
    for air in small_airs() {
        let recorded = RecordedStatement::new(&*air, None).unwrap();
        let (drawn, mut trace) = (drawn(&*air), air.trace());
        for component in 0..trace.len() {
            // Some of many columns.
            let columns = trace[component].len();
            for column in (0..columns).step_by(columns.div_ceil(6)) {
                let row = (3 * column + 1) % trace[component][column].len();
                trace[component][column][row] += M31::ONE;
                let tables = tables(&recorded, &*air, None, trace.clone(), &drawn);
                let params = recorded.params(&*air, &drawn, &tables.claimed_sums).unwrap();
                let mut expected = Vec::new();
                for (index, of) in recorded.components.iter().enumerate() {
                    for row in 0..1 << of.log_size {
                        let groups = &tables.groups[index];
                        let values = row_values(&of.constraints, groups, &params[index], of.log_size, row);
                        let violated = values.into_iter().enumerate().filter(|(_, value)| !value.is_zero());
                        expected.extend(violated.map(|(constraint, value)| (index, constraint, row, value)));
                    }
                }
                expected.sort_by_key(|&(component, constraint, row, _)| (component, constraint, row));
                let cell = format!("{}: component {component}, column {column}, row {row}", air.name());
                match check_trace(&*air, &trace, LIMIT) {
                    // Rows that are not looked at, such as row 0 of a tree.
                    Ok(()) => assert!(expected.is_empty(), "{cell}"),
                    wrong => {
                        let found = findings(wrong);
                        assert!(found.violated > 0 || found.lookups.is_some(), "{cell}");
                        assert_eq!(found.violated, expected.len(), "{cell}");
                        let listed = found.violations.iter().map(|violation| {
                            let component = violation.component.as_ref().unwrap().index;
                            (component, violation.constraint, violation.row, violation.value)
                        });
                        expected.truncate(LIMIT);
                        assert_eq!(listed.collect::<Vec<_>>(), expected, "{cell}");
                        for violation in &found.violations {
                            let read = violation.cells.iter().find(|read| {
                                read.table == air::Table::Main && (read.column, read.row) == (column, row)
                            });
                            let value = read.unwrap_or_else(|| panic!("{cell}: {violation}")).value;
                            assert_eq!(value, trace[component][column][row].into(), "{cell}");
                        }
                    }
                }
                trace[component][column][row] -= M31::ONE;
            }
        }
    }
}

/// The same violations, on the rows that hold the same values.
#[test]
fn rows_are_those_of_the_author() {
    let air = air("fibonacci", 4, "a=3;b=5");
    let mut trace = air.trace();
    trace[0][0][6] += M31::ONE;
    let by_row = findings(check_trace(&*air, &trace, LIMIT));
    let by_index = findings(check_trace(&Changed::new(air).in_order(EvalOrder::Storage), &[stored(&trace[0])], LIMIT));
    let rows: Vec<usize> = by_row.violations.iter().map(|violation| violation.row).collect();
    assert_eq!(rows, [4, 5, 6]);
    let mut mapped = by_index.violations;
    for violation in &mut mapped {
        violation.row = storage_to_coset_row(violation.row, 4);
        violation.cells.iter_mut().for_each(|cell| cell.row = storage_to_coset_row(cell.row, 4));
    }
    mapped.sort_by_key(|violation| violation.row);
    assert_eq!(mapped, by_row.violations);
}

/// Uses by component (its number, lookup, row, multiplicity), public values first.
pub(crate) fn uses(tuple: &Uncancelled<CircleStark>) -> Vec<(Option<usize>, usize, usize, QM31)> {
    let one = |one: &air::LookupUse<CircleStark>| {
        (one.component.as_ref().map(|of| of.index), one.lookup, one.row, one.multiplicity)
    };
    tuple.uses.iter().map(one).collect()
}

pub(crate) fn number(value: i64) -> QM31 {
    M31::reduce(value.rem_euclid((1 << 31) - 1) as u64).into()
}

#[test]
fn tuples_that_do_not_cancel_are_named() {
    // x = 1 on rows 0 and 2, 1 + 3 + 5 = 9 mod 8 on row 1, and so on.
    let air = air("range-squares", 3, "table=3;s=1");
    let honest = air.trace();
    let [x, y, e] = [0, 2, 4].map(|column| honest[0][column].clone());
    let value = M31::new(5);
    let of_value = |sign: i64| {
        let mut all = Vec::new();
        for row in 0..8 {
            let lookups = [(x[row], M31::ONE), (y[row], M31::ONE), (x[row], e[row])];
            for (lookup, (looked_up, times)) in lookups.into_iter().enumerate() {
                if looked_up == value && !times.is_zero() {
                    all.push((Some(0), lookup, row, QM31::from(times)));
                }
            }
        }
        let uses: QM31 = all.iter().map(|one| one.3).sum();
        let count = all.len();
        all.push((Some(1), 0, 5, -uses - number(sign)));
        (all, count + 1)
    };
    // A wrong multiplicity.
    let mut trace = honest.clone();
    trace[1][0][5] += M31::ONE;
    let found = findings(check_trace(&*air, &trace, LIMIT));
    assert_eq!((found.violated, &found.violations[..]), (0, &[][..]));
    let lookups = found.lookups.unwrap();
    let (all, count) = of_value(1);
    assert!(count > 1 && lookups.claimed.contains("add up to"), "{}", lookups.claimed);
    let [tuple] = &lookups.tuples[..] else { panic!("{lookups}") };
    assert_eq!(tuple.tuple, Some(vec![value, M31::new(25)]));
    assert_eq!((tuple.sum, uses(tuple), tuple.used), (number(-1), all.clone(), count));
    assert!(
        tuple
            .to_string()
            .starts_with("the tuple (5, 25) has multiplicities that add up to -1, not 0: 1 by component 0, lookup "),
        "{tuple}"
    );
    // With a limit, the first of each component.
    let few = findings(check_trace(&*air, &trace, 1)).lookups.unwrap();
    assert_eq!(uses(&few.tuples[0]), [all[0], all[count - 1]]);
    assert_eq!((few.uncancelled, few.tuples[0].used), (1, count));

    // A wrong square: the looked-up row is missing, and the row in its place is not looked up.
    let mut trace = honest.clone();
    let row = y.iter().position(|y| *y == value).unwrap();
    trace[0][3][row] += M31::ONE;
    let found = findings(check_trace(&*air, &trace, LIMIT));
    assert_eq!(found.violated, 0);
    let lookups = found.lookups.unwrap();
    assert_eq!((lookups.tuples.len(), lookups.uncancelled), (2, 2));
    for tuple in &lookups.tuples {
        if tuple.sum == number(1) {
            assert_eq!(tuple.tuple, Some(vec![value, M31::new(26)]));
            assert_eq!(uses(tuple), [(Some(0), 1, row, number(1))]);
        } else {
            assert_eq!((tuple.sum, &tuple.tuple), (number(-1), &Some(vec![value, M31::new(25)])));
        }
    }
    assert_eq!(check_trace(&*air, &honest, 0), Ok(()));
    let none = findings(check_trace(&*air, &trace, 0)).lookups.unwrap();
    assert_eq!((none.tuples.len(), none.uncancelled), (0, 2));
}

/// The claimed sums of an honest trace are wrong for other public values, which are named.
#[test]
fn public_values_that_do_not_cancel_are_named() {
    let trace = air("plonk", 4, "v0=2;v1=3").trace();
    let found = findings(check_trace(&*air("plonk", 4, "v0=7;v1=3"), &trace, LIMIT));
    assert_eq!(found.violated, 0);
    let lookups = found.lookups.unwrap();
    let [of_trace, of_statement] = &lookups.tuples[..] else { panic!("{lookups}") };
    assert_eq!(of_trace.tuple, Some(vec![M31::ZERO, M31::new(2)]));
    assert_eq!((of_trace.sum, uses(of_trace)), (number(1), vec![(Some(0), 0, 0, number(1))]));
    assert_eq!(of_statement.tuple, Some(vec![M31::ZERO, M31::new(7)]));
    assert_eq!((of_statement.sum, uses(of_statement)), (number(-1), vec![(None, 0, 0, number(-1))]));
    assert!(
        lookups.to_string().ends_with("(0, 7) has multiplicities that add up to -1, not 0: -1 by public value 0"),
        "{lookups}"
    );
}

/// How a component writes the denominator of a pair.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As stwo does.
    Plain,
    /// Three times that, with three times the numerator; in Horner's form.
    Tripled,
    /// With the square of alpha's sum with z.
    Other,
}

/// Each row looks up the pair of its two columns, which differ by 7, as often as the third says.
#[derive(Clone)]
struct Pairs {
    sign: bool,
    form: Form,
    drawn: [SecureField; 2],
}

impl FrameworkEval for Pairs {
    fn log_size(&self) -> u32 {
        2
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        3
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [z, alpha] = self.drawn;
        let [a, b, times] = std::array::from_fn(|_| eval.next_trace_mask());
        let [three, seven] = [3, 7].map(BaseField::from);
        eval.add_constraint(b.clone() - a.clone() - E::F::from(seven));
        let times = if self.sign { E::EF::from(times) } else { -E::EF::from(times) };
        let pair = match self.form {
            Form::Other => E::EF::from(b) * ((z + alpha) * (z + alpha)) + E::EF::from(a) - E::EF::from(z),
            _ => E::EF::from(b) * alpha + E::EF::from(a) - E::EF::from(z),
        };
        let factor = if self.form == Form::Tripled { three } else { BaseField::one() };
        eval.write_logup_frac(Fraction::new(times * factor, pair * factor));
        eval.finalize_logup();
        eval
    }
}

/// One component that looks pairs up, one that yields them; columns in storage order.
#[derive(Clone)]
struct TwoForms {
    forms: [Form; 2],
    names: [ComponentNames; 2],
}

impl Statement for TwoForms {
    fn name(&self) -> &str {
        "two-forms"
    }
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
    fn order(&self) -> EvalOrder {
        EvalOrder::Storage
    }
    fn draws(&self) -> usize {
        2
    }
    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let one = |index: usize| -> Box<dyn AirComponent> {
            let pairs = Pairs { sign: index == 0, form: self.forms[index], drawn: [drawn[0], drawn[1]].map(secure) };
            Box::new(NamedComponent::new(pairs, self.names[index].clone()))
        };
        vec![one(0), one(1)]
    }
    fn check_claimed_sums(&self, _: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        let total = sums[0] + sums[1];
        if total == QM31::ZERO {
            return Ok(());
        }
        Err(ClaimedSumError::Value { claimed: total.to_string(), expected: "0".to_owned() })
    }
}

/// Denominators are compared by value, however they are written; names are shown; rows are in storage order.
#[test]
fn the_form_of_a_denominator_does_not_matter() {
    let column = |values: [u32; 4]| values.map(M31::new).to_vec();
    let honest = vec![
        vec![column([1, 2, 1, 0]), column([8, 9, 8, 7]), column([1, 1, 1, 1])],
        vec![column([2, 1, 5, 0]), column([9, 8, 12, 7]), column([1, 2, 0, 1])],
    ];
    let names = [ComponentNames::of("user").with_columns(["a", "b"]).with_lookups(["pair"]), ComponentNames::default()];
    let mut wrong = honest.clone();
    wrong[0][1][1] = M31::new(7);
    for form in [Form::Plain, Form::Tripled] {
        let statement = TwoForms { forms: [Form::Plain, form], names: names.clone() };
        assert_eq!(check_trace(&statement, &honest, LIMIT), Ok(()));
        let lookups = findings(check_trace(&statement, &wrong, LIMIT)).lookups.unwrap();
        let lines: Vec<String> = lookups.tuples.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "the tuple (2, 7) has multiplicities that add up to 1, not 0: 1 by component 0 `user`, lookup 0 `pair`, row 1",
                "the tuple (2, 9) has multiplicities that add up to -1, not 0: -1 by component 1, lookup 0, row 0",
            ]
        );
    }
    // One limit for the constraints of all components.
    let statement = TwoForms { forms: [Form::Plain; 2], names: names.clone() };
    let mut both = honest.clone();
    for component in &mut both {
        [1, 2].into_iter().for_each(|row: usize| component[1][row] += M31::ONE);
    }
    let found = findings(check_trace(&statement, &both, 3));
    let place = |one: &air::Violation<_>| (one.component.as_ref().map(|of| of.index), one.constraint, one.row);
    let places: Vec<_> = found.violations.iter().map(place).collect();
    assert_eq!((places, found.violated), (vec![(Some(0), 0, 1), (Some(0), 0, 2), (Some(1), 0, 1)], 4));

    // Denominators of another form are compared by their values.
    let statement = TwoForms { forms: [Form::Other; 2], names: names.clone() };
    assert_eq!(check_trace(&statement, &honest, LIMIT), Ok(()));
    let lookups = findings(check_trace(&statement, &wrong, LIMIT)).lookups.unwrap();
    let [first, second] = &lookups.tuples[..] else { panic!("{lookups}") };
    assert_eq!([&first.tuple, &second.tuple], [&None, &None]);
    assert_eq!([uses(first), uses(second)], [[(Some(0), 0, 1, number(1))], [(Some(1), 0, 0, number(-1))]]);
    assert!(first.to_string().contains("of another form"), "{first}");

    // Names beyond what there is, and tables that do not fit.
    let named = |names: ComponentNames| TwoForms { forms: [Form::Plain; 2], names: [ComponentNames::default(), names] };
    for (names, what, there) in [
        (ComponentNames::default().with_columns(["a", "b", "c", "d"]), "main columns", 3),
        (ComponentNames::default().with_constraints(["a", "b", "c"]), "constraints", 2),
        (ComponentNames::default().with_lookups(["a", "b"]), "lookups", 1),
    ] {
        let given = there + 1;
        let error = TraceError::Names { component: 1, what, given, there };
        assert_eq!(check_trace(&named(names), &honest, LIMIT), Err(error));
    }
    let statement = named(ComponentNames::default());
    let (mut short, mut narrow) = (honest.clone(), honest.clone());
    short[1][2].pop();
    narrow[0].pop();
    for (trace, given, needed) in [(&honest[..1], 1, 2), (&short, 3, 4), (&narrow, 2, 3)] {
        let refused = check_trace(&statement, trace, LIMIT);
        assert!(
            matches!(&refused, Err(TraceError::Count { given: g, needed: n, .. }) if (*g, *n) == (given, needed)),
            "{refused:?}"
        );
    }
}
