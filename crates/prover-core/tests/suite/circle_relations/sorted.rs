//! A list and the same list sorted. An argument by products, in interaction columns that the statement gives, shows
//! that they have the same pairs; one by lookups, whose columns are between them, shows that the second is sorted.

use std::error::Error;
use std::sync::Arc;

use circle_air::{
    AirComponent, ClaimedSumError, HostColumns, HostColumnsError, PreProcessedColumnId, PreprocessedColumn, Statement,
    base, lookup_elements, qm31, secure,
};
use circle_proof::{Policy, encode, security, verify};
use field::{Field, M31, QM31};
use golden::backends::reference;
use gpu_hal::{CircleStark, StarkBackend};
use num_traits::One;
use prover_core::Silent;
use prover_core::circle::{Keep, ProveError, Prover};
use stwo::core::channel::Blake2sChannel;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEntry, relation};

use super::{is_everywhere, is_verified, no_cell_is_free, only, options, prover, verify_by_stwo};

relation!(Byte, 1);
relation!(Pair, 2);

const LOG_TABLE: u32 = 8;

/// Pairs of a key and a value, the list as it is; the largest key is public. Keys are less than 256 apart.
#[derive(Clone)]
struct Sorted {
    pairs: Vec<[u32; 2]>,
    wrong: Wrong,
}

/// The fault of the given columns.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    /// A cell of a given column: component, column.
    Cell(usize, usize),
    /// Both claims, alike.
    Claims,
    /// One claim less.
    FewClaims,
    Width,
    Height,
    Fails,
}

/// The product of `z - key - alpha value` over the rows so far, and the required value of its last row.
#[derive(Clone)]
struct Product {
    pair: Pair,
    claim: SecureField,
}

impl Product {
    /// The first coordinate of the product.
    fn evaluate<E: EvalAtRow>(&self, eval: &mut E, [is_first, is_last]: &[E::F; 2], pair: &[E::F; 2]) -> E::F {
        let columns: [[E::F; 2]; 4] = std::array::from_fn(|_| eval.next_interaction_mask(2, [-1, 0]));
        let [before, product] = [0, 1].map(|row| E::combine_ef(columns.clone().map(|column| column[row].clone())));
        let combined: E::EF = self.pair.combine(pair);
        let start = before * (E::F::one() - is_first.clone()) + is_first.clone();
        eval.add_constraint(product.clone() + start * combined);
        eval.add_constraint((product - E::EF::from(self.claim)) * is_last.clone());
        let [[_, first], ..] = columns;
        first
    }
}

fn ends<E: EvalAtRow>(eval: &mut E) -> [E::F; 2] {
    ["is_first", "is_last"].map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }))
}

#[derive(Clone)]
struct List {
    log_size: u32,
    product: Product,
}

impl FrameworkEval for List {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let ends = ends(&mut eval);
        let pair = std::array::from_fn(|_| eval.next_trace_mask());
        self.product.evaluate(&mut eval, &ends, &pair);
        eval
    }
}

#[derive(Clone)]
struct InOrder {
    log_size: u32,
    product: Product,
    byte: Byte,
    largest: u32,
}

impl FrameworkEval for InOrder {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [is_first, is_last] = ends(&mut eval);
        let [key, next] = eval.next_interaction_mask(1, [0, 1]);
        let [value, difference] = [(); 2].map(|()| eval.next_trace_mask());
        let largest = E::F::from(BaseField::from(self.largest));
        eval.add_constraint(is_last.clone() * (key.clone() - largest));
        eval.add_constraint((E::F::one() - is_last.clone()) * (next - key.clone() - difference.clone()));
        let first = self.product.evaluate(&mut eval, &[is_first, is_last], &[key, value]);
        eval.add_to_relation(RelationEntry::new(&self.byte, E::EF::one(), &[difference]));
        eval.finalize_logup();
        let [square] = eval.next_interaction_mask(2, [0]);
        eval.add_constraint(square - first.clone() * first);
        eval
    }
}

#[derive(Clone)]
struct Table {
    log_size: u32,
    byte: Byte,
}

impl FrameworkEval for Table {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let byte = eval.get_preprocessed_column(PreProcessedColumnId { id: "byte".to_owned() });
        let uses = eval.next_trace_mask();
        eval.add_to_relation(RelationEntry::new(&self.byte, -E::EF::from(uses), &[byte]));
        eval.finalize_logup();
        eval
    }
}

impl Sorted {
    fn log_size(&self) -> u32 {
        self.pairs.len().ilog2()
    }

    fn in_order(&self) -> Vec<[u32; 2]> {
        let mut pairs = self.pairs.clone();
        pairs.sort_unstable();
        pairs
    }

    fn largest(&self) -> u32 {
        self.in_order()[self.pairs.len() - 1][0]
    }

    fn of(&self, byte: &Byte, pair: &Pair, claims: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let log_size = self.log_size();
        let product = |which: usize| Product { pair: pair.clone(), claim: secure(claims[which]) };
        let (largest, byte) = (self.largest(), byte.clone());
        vec![
            Box::new(List { log_size, product: product(0) }),
            Box::new(InOrder { log_size, product: product(1), byte: byte.clone(), largest }),
            Box::new(Table { log_size: LOG_TABLE, byte }),
        ]
    }

    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let column = |pairs: &[[u32; 2]], which: usize| pairs.iter().map(|pair| M31::new(pair[which])).collect();
        let sorted = self.in_order();
        let mut difference: Vec<u32> = sorted.windows(2).map(|pairs| pairs[1][0] - pairs[0][0]).collect();
        difference.push(0);
        let mut uses = vec![M31::ZERO; 1 << LOG_TABLE];
        difference.iter().for_each(|byte| uses[*byte as usize] += M31::ONE);
        let list = vec![column(&self.pairs, 0), column(&self.pairs, 1)];
        let difference = difference.into_iter().map(M31::new).collect();
        vec![list, vec![column(&sorted, 0), column(&sorted, 1), difference], vec![uses]]
    }
}

impl Statement for Sorted {
    fn name(&self) -> &str {
        "sorted"
    }

    fn words(&self) -> Vec<u32> {
        vec![2005, self.log_size(), self.largest()]
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        let log_size = self.log_size();
        [("is_first", log_size), ("is_last", log_size), ("byte", LOG_TABLE)]
            .map(|(id, log_size)| PreprocessedColumn::new(id, log_size))
            .into()
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        let (log_size, last) = (self.log_size(), self.pairs.len() - 1);
        let columns = [only(0, log_size), only(last, log_size), (0..1 << LOG_TABLE).collect()];
        columns.map(|column| column.into_iter().map(M31::new).collect()).into()
    }

    fn draws(&self) -> usize {
        4
    }

    fn claims(&self) -> usize {
        2
    }

    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        self.of(&Byte(lookup_elements(elements, 0)), &Pair(lookup_elements(elements, 1)), &elements[4..])
    }

    fn interaction(&self, drawn: &[QM31], main: &[Vec<Vec<M31>>]) -> Result<HostColumns, Box<dyn Error + Send + Sync>> {
        if self.wrong == Wrong::Fails {
            return Err("no such list".into());
        }
        assert!(main[2].is_empty(), "the table gives nothing");
        let pair = Pair(lookup_elements(drawn, 1));
        let mut given = HostColumns::default();
        for (component, table) in main[..2].iter().enumerate() {
            let mut product = QM31::ONE;
            let rows: Vec<QM31> = table[0]
                .iter()
                .zip(&table[1])
                .map(|(key, value)| {
                    let combined: SecureField = pair.combine(&[base(*key), base(*value)]);
                    product *= -qm31(combined);
                    product
                })
                .collect();
            let mut columns: Vec<Vec<M31>> = (0..4).map(|at| rows.iter().map(|row| row.0[at]).collect()).collect();
            if component == 1 {
                columns.push(columns[0].iter().map(|value| value.square()).collect());
            }
            given.columns.push(columns);
            given.claims.push(product);
        }
        given.columns.push(Vec::new());
        match self.wrong {
            Wrong::Nothing | Wrong::Fails => {}
            Wrong::Cell(component, column) => given.columns[component][column][3] += M31::ONE,
            Wrong::Claims => given.claims.iter_mut().for_each(|claim| *claim += QM31::ONE),
            Wrong::FewClaims => drop(given.claims.pop()),
            Wrong::Width => drop(given.columns[0].pop()),
            Wrong::Height => drop(given.columns[1][4].pop()),
        }
        Ok(given)
    }

    /// Products with one factor of degree one for each pair.
    fn interaction_degree(&self) -> Option<u64> {
        Some(self.pairs.len() as u64)
    }

    /// The lookups cancel, and both products are one.
    fn check_claimed_sums(&self, _: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        let &[first, second, one, other] = claimed else {
            return Err(ClaimedSumError::Count { given: claimed.len(), needed: 4 });
        };
        match (first + second == QM31::ZERO, one == other) {
            (false, _) => {
                Err(ClaimedSumError::Value { claimed: (first + second).to_string(), expected: "0".to_owned() })
            }
            (_, false) => Err(ClaimedSumError::Value { claimed: one.to_string(), expected: other.to_string() }),
            _ => Ok(()),
        }
    }

    /// With another largest key.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let mut other = self.clone();
        other.pairs.iter_mut().for_each(|pair| pair[0] += 1);
        Some(Box::new(other))
    }
}

fn sorted() -> Sorted {
    let pairs = (0..32u32).map(|i| [(i * i * 7 + 11 * i) % 400, 1_000_000 + i * 12345]).collect();
    Sorted { pairs, wrong: Wrong::Nothing }
}

fn by_stwo(statement: &Sorted) -> impl Fn(&mut Blake2sChannel, &[QM31]) -> Vec<Box<dyn AirComponent>> {
    |channel, claims| {
        let (byte, pair) = (Byte::draw(channel), Pair::draw(channel));
        statement.of(&byte, &pair, claims)
    }
}

#[test]
fn given_columns_are_proven_beside_those_of_lookups() {
    let (statement, trace) = (sorted(), sorted().trace());
    let prover = prover(reference::<CircleStark>(), &statement);
    let made = prover.prove(&trace, &Silent).expect("an honest trace");
    assert_eq!(made.claimed_sums.len(), 4);
    is_verified(&statement, &made, by_stwo(&statement));
    is_everywhere(&statement, &trace, &made);
    no_cell_is_free(&prover, &statement, &trace);

    // Other claims of which the statement takes the pair, one that it does not take, and too few.
    let check = |claimed: &[QM31]| verify(&statement, claimed, &encode(&made.proof), &Policy::ANY);
    let mut changed = made.clone();
    changed.claimed_sums[2..].iter_mut().for_each(|claim| *claim += QM31::ONE);
    assert!(check(&changed.claimed_sums).is_err());
    assert!(verify_by_stwo(&statement, &changed, by_stwo(&statement)).is_err());
    changed.claimed_sums[2] += QM31::ONE;
    assert!(check(&changed.claimed_sums).is_err());
    assert!(check(&made.claimed_sums[..3]).is_err());

    // A pair that only one of both lists has: each component is satisfied, and the products differ.
    let mut other = trace.clone();
    other[0][1][5] += M31::ONE;
    assert!(matches!(prover.prove(&other, &Silent), Err(ProveError::ClaimedSums(_))));
}

#[test]
fn given_columns_that_are_wrong_are_refused() {
    let prove = |wrong| {
        let statement = Sorted { wrong, ..sorted() };
        prover(reference::<CircleStark>(), &statement).prove(&statement.trace(), &Silent).map(|_| ())
    };
    assert!(prove(Wrong::Nothing).is_ok());
    for (component, columns) in [(0, 4), (1, 5)] {
        for column in 0..columns {
            let refused = prove(Wrong::Cell(component, column));
            assert!(matches!(refused, Err(ProveError::Unsatisfied(_))), "{component}, {column}: {refused:?}");
        }
    }
    assert!(matches!(prove(Wrong::Claims), Err(ProveError::Unsatisfied(_))));
    let few = prove(Wrong::FewClaims);
    assert!(matches!(few, Err(ProveError::Given(HostColumnsError::Claims { given: 1, expected: 2 }))), "{few:?}");
    let narrow = prove(Wrong::Width);
    assert!(
        matches!(narrow, Err(ProveError::Given(HostColumnsError::Shape { component: 0, columns: 3, width: 4, .. }))),
        "{narrow:?}"
    );
    let low = prove(Wrong::Height);
    assert!(matches!(low, Err(ProveError::Given(HostColumnsError::Shape { component: 1, rows: 31, .. }))), "{low:?}");
    let failed = prove(Wrong::Fails).expect_err("no list");
    assert!(
        matches!(failed, ProveError::Given(HostColumnsError::Statement(_)))
            && failed.to_string().contains("no such list"),
        "{failed}"
    );
}

#[test]
fn the_plan_counts_given_columns() {
    let statement = sorted();
    for keep in Keep::ALL {
        let backend = Arc::new(reference::<CircleStark>());
        let prover = Prover::new(backend.clone(), Arc::new(statement.clone()), &options(&statement)).expect("provable");
        let prover = prover.keeping(keep).expect("a plan");
        prover.prove(&statement.trace(), &Silent).expect("an honest trace");
        let plan = prover.plan();
        let planned = plan.peak_bytes.max(plan.preparation_bytes);
        assert_eq!(backend.memory().expect("counted").peak, planned, "{plan}");
        // 2 + 3 main columns, 4 + 5 given ones of 32 rows; the table's uses.
        assert_eq!(plan.upload_bytes, 4 * (14 * 32 + 256));
    }
}

/// A degree that nobody states counts as the largest there is.
#[test]
fn the_degree_of_given_columns_counts() {
    struct Silent(Sorted);
    #[rustfmt::skip]
    impl Statement for Silent {
        fn name(&self) -> &str { self.0.name() }
        fn words(&self) -> Vec<u32> { self.0.words() }
        fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> { self.0.preprocessed(lifting) }
        fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> { self.0.preprocessed_values(lifting) }
        fn draws(&self) -> usize { self.0.draws() }
        fn claims(&self) -> usize { self.0.claims() }
        fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> { self.0.components(elements) }
        fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> { Ok(()) }
    }
    let many = circle_proof::CircleOptions { queries: 100, ..options(&sorted()) };
    let bits = |statement: &dyn Statement| security(statement, &many).expect("provable").claimed.bits;
    // 124 - 64, less a little.
    assert_eq!(bits(&Silent(sorted())), 59);
    assert!(bits(&sorted()) > 100);
}
