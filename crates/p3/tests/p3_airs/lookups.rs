//! Interactions of p3-lookup: proven exactly if Plonky3's constraints hold and its multisets balance.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use backend_cpu::Cpu;
use gpu_hal::CircleStark;
use p3_air::{Air, AirBuilder, BaseAir, DebugConstraintBuilder, WindowAccess, check_all_constraints};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_lookup::debug_util::{LookupDebugInstance, check_lookups};
use p3_lookup::{
    Count, IndexedLookupBuilder, InteractionBuilder, InteractionSymbolicBuilder, LookupBus, Lookups,
    PermutationCheckBus, TraceWindow,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{Origin, P3Air, P3Error, P3Field};
use prover_core::{Silent, circle};

use crate::support::{Proof, Tested, circle_options, examine, is_accepted_statement};

type Symbolic<F> = InteractionSymbolicBuilder<F>;

/// Whether p3-lookup finds all buses of these traces balanced.
fn balances<F: P3Field, A>(instances: &[(&A, &RowMajorMatrix<F>, &[F])]) -> bool
where
    A: Air<Symbolic<F>>,
{
    let made: Vec<_> =
        instances.iter().map(|(air, ..)| (Lookups::from_air::<F, _>(*air), air.preprocessed_trace())).collect();
    let instances: Vec<_> = instances
        .iter()
        .zip(&made)
        .map(|((_, main_trace, public_values), (lookups, preprocessed_trace))| LookupDebugInstance {
            main_trace,
            preprocessed_trace,
            public_values,
            lookups,
            permutation_challenges: &[],
        })
        .collect();
    catch_unwind(AssertUnwindSafe(|| check_lookups(&instances))).is_ok()
}

/// [`examine`] with Plonky3's row check and its balance of multisets as the judges.
fn bound_cells<F: Tested, A>(air: &A, matrix: &RowMajorMatrix<F>, public: &[F]) -> usize
where
    A: Air<Symbolic<F>> + for<'a> Air<DebugConstraintBuilder<'a, F>>,
{
    let rows = matrix.values.len() / matrix.width;
    let record = |public: &[F]| P3Air::with_lookups("examined", air, rows, public).expect("can be recorded");
    let is_satisfied = |matrix: &RowMajorMatrix<F>| {
        check_all_constraints(air, matrix, public, None).is_ok() && balances(&[(air, matrix, public)])
    };
    examine(&record, &is_satisfied, matrix, public)
}

/// Every `x` is a row's number, a column that both know; the second column counts how often each is used. Local.
struct RangeCheck {
    rows: usize,
}

impl<F: PrimeField64> BaseAir<F> for RangeCheck {
    fn width(&self) -> usize {
        2
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        Some(RowMajorMatrix::new((0..self.rows).map(F::from_usize).collect(), 1))
    }
}

impl<AB: InteractionBuilder<F: PrimeField64>> Air<AB> for RangeCheck {
    fn eval(&self, builder: &mut AB) {
        let (main, numbers) = (builder.main(), builder.preprocessed().clone());
        let (this, number) = (main.current_slice(), numbers.current_slice()[0]);
        let query = (vec![this[0].into()], Count::from(1));
        builder.push_local_interaction([query, (vec![number.into()], Count::provided(-this[1].into()))]);
    }
}

fn range_check<F: PrimeField64>(rows: usize) -> RowMajorMatrix<F> {
    let x = |row: usize| row * row % rows;
    let uses = |number: usize| (0..rows).filter(|row| x(*row) == number).count();
    RowMajorMatrix::new((0..rows).flat_map(|row| [x(row), uses(row)].map(F::from_usize)).collect(), 2)
}

#[test]
fn a_range_check_is_proven_and_nothing_else() {
    fn bound<F: Tested>() -> usize {
        bound_cells::<F, _>(&RangeCheck { rows: 8 }, &range_check(8), &[])
    }
    assert_eq!([bound::<Goldilocks>(), bound::<Mersenne31>()], [16, 16]);
}

/// Columns a, b, c, f, g, k, u of one AIR. Bus `pairs`: pairs of neighbours among the `a` are sent, `(b, c)` received.
/// Bus `picked`: `a` is looked up where `f` is set, `b` twice where `g` is set, of a table of `k + p` that is used `u`
/// times, with public `p`.
struct Shuffle;

const PAIRS: PermutationCheckBus<'_> = PermutationCheckBus::new("pairs");
const PICKED: LookupBus<'_> = LookupBus::new("picked");

impl<F> BaseAir<F> for Shuffle {
    fn width(&self) -> usize {
        7
    }

    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: InteractionBuilder<F: PrimeField64>> Air<AB> for Shuffle {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let next: AB::Expr = main.next_slice()[0].into();
        let [a, b, c, f, g, k, u]: [AB::Expr; 7] = std::array::from_fn(|column| main.current_slice()[column].into());
        let p: AB::Expr = builder.public_values()[0].into();
        builder.assert_bools([f.clone(), g.clone()]);
        builder.assert_zero(f.clone() * g.clone());
        PAIRS.send(builder, [a.clone(), next], 1);
        PAIRS.receive(builder, [b.clone(), c], 1);
        let branches = [(f, Count::from(1), vec![a]), (g, Count::from(2), vec![b])];
        builder.push_exclusive_interaction(PICKED.name(), branches);
        PICKED.table_entry(builder, [k + p], u);
    }
}

fn shuffle<F: PrimeField64>() -> RowMajorMatrix<F> {
    let a = [3, 1, 4, 1, 5, 9, 2, 6];
    let pairs: Vec<[u64; 2]> = (0..8).map(|row| [a[row], a[(row + 1) % 8]]).collect();
    let rows = (0..8usize).map(|row| {
        let [b, c] = pairs[(5 * row + 2) % 8];
        let (f, g) = (u64::from(row % 3 == 0), u64::from(row % 3 == 1));
        (a[row], b, c, f, g)
    });
    let rows: Vec<_> = rows.collect();
    // Public p is 1, so a key is one less than the provided value.
    const KEYS: [u64; 8] = [0, 1, 2, 3, 4, 5, 8, 6];
    let uses = |value: u64| -> u64 {
        rows.iter().map(|&(a, b, _, f, g)| f * u64::from(a == value) + 2 * g * u64::from(b == value)).sum()
    };
    let made = rows.iter().zip(KEYS).flat_map(|(&(a, b, c, f, g), k)| [a, b, c, f, g, k, uses(k + 1)]);
    RowMajorMatrix::new(made.map(F::from_u64).collect(), 7)
}

#[test]
fn permutations_and_exclusive_messages_are_proven_and_nothing_else() {
    fn bound<F: Tested>() -> usize {
        let matrix = shuffle::<F>();
        bound_cells::<F, _>(&Shuffle, &matrix, &[F::ONE])
    }
    let [goldilocks, mersenne] = [bound::<Goldilocks>(), bound::<Mersenne31>()];
    assert_eq!(goldilocks, mersenne);
    // The keys of three entries that nobody uses are free.
    assert_eq!(goldilocks, 56 - 3);
}

/// One of two tables of different length that share a bus: the first looks up its `(x, x^2 + p)`, the second provides
/// `(y, z)`, `u` times.
#[derive(Clone, Copy)]
enum Side {
    Queries,
    Table,
}

const SQUARES: LookupBus<'_> = LookupBus::new("squares");

impl<F> BaseAir<F> for Side {
    fn width(&self) -> usize {
        match self {
            Self::Queries => 1,
            Self::Table => 3,
        }
    }

    fn num_public_values(&self) -> usize {
        match self {
            Self::Queries => 1,
            Self::Table => 0,
        }
    }
}

impl<AB: InteractionBuilder<F: PrimeField64>> Air<AB> for Side {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let this = main.current_slice();
        match self {
            Self::Queries => {
                let p: AB::Expr = builder.public_values()[0].into();
                SQUARES.lookup_key(builder, [this[0].into(), this[0] * this[0] + p], 1);
                // Rows are numbered from 0 by twos.
                builder.when_first_row().assert_zero(this[0]);
                let step = main.next_slice()[0] - this[0];
                builder.when_transition().assert_eq(step, AB::Expr::TWO);
            }
            Self::Table => {
                SQUARES.table_entry(builder, [this[1], this[2]], this[0]);
            }
        }
    }
}

fn two_tables() -> [RowMajorMatrix<Mersenne31>; 2] {
    let table = (0..16u32).flat_map(|y| [u32::from(y % 2 == 0 && y < 8), y, y * y + 7]);
    let queries = (0..4u32).map(|row| Mersenne31::from_u32(2 * row)).collect();
    [RowMajorMatrix::new(queries, 1), RowMajorMatrix::new(table.map(Mersenne31::from_u32).collect(), 3)]
}

#[test]
fn tables_of_one_statement_share_buses() {
    let public = [Mersenne31::from_u32(7)];
    let record = |public: u32| {
        let public = [Mersenne31::from_u32(public)];
        let queries = P3Air::with_lookups("queries", &Side::Queries, 4, &public).expect("recorded");
        vec![queries, P3Air::with_lookups("table", &Side::Table, 16, &[]).expect("recorded")]
    };
    let statement = |public: u32| P3Air::tables("squares", record(public)).expect("features of the protocol");
    let backend = Cpu::<CircleStark>::with_threads(2).expect("a thread pool");
    let prover = circle::Prover::new(Arc::new(backend), Arc::new(statement(7)), &circle_options()).expect("provable");
    let prove = |traces: &[RowMajorMatrix<Mersenne31>; 2]| {
        let columns = record(7).into_iter().zip(traces).map(|(air, trace)| air.columns(trace).expect("fits"));
        prover.prove(&columns.collect::<Vec<_>>(), &Silent).map(Proof::from)
    };
    let honest = two_tables();
    let proof = prove(&honest).expect("an honest trace");
    let is_accepted = |public| is_accepted_statement(&statement(public), &proof);
    assert!(is_accepted(7));
    assert!(!is_accepted(8));
    let mut refused = [0; 2];
    for table in 0..2 {
        for cell in 0..honest[table].values.len() {
            let mut changed = honest.clone();
            changed[table].values[cell] += Mersenne31::TWO;
            let [queries, provided] = &changed;
            let holds = check_all_constraints(&Side::Queries, queries, &public, None).is_ok()
                && balances(&[(&Side::Queries, queries, &public), (&Side::Table, provided, &[])]);
            let made = prove(&changed);
            let is_refused =
                matches!(made, Err(circle::ProveError::Unsatisfied(_) | circle::ProveError::ClaimedSums(_)));
            assert_eq!(is_refused, !holds, "table {table}, cell {cell}: {:?}", made.err());
            refused[table] += usize::from(is_refused);
        }
    }
    // All queries; all counts; the entries that are used.
    assert_eq!(refused, [4, 16 + 2 * 4]);
}

/// An AIR of one column that pushes the given messages.
struct Pushes<F: P3Field>(fn(&mut Symbolic<F>));

impl<F: P3Field> BaseAir<F> for Pushes<F> {
    fn width(&self) -> usize {
        1
    }
}

impl<F: P3Field> Air<Symbolic<F>> for Pushes<F> {
    fn eval(&self, builder: &mut Symbolic<F>) {
        builder.assert_bool(builder.main().current_slice()[0]);
        (self.0)(builder);
    }
}

#[test]
fn interactions_that_are_not_recorded_are_named() {
    let made = |push: fn(&mut Symbolic<Mersenne31>)| P3Air::with_lookups("pushes", &Pushes(push), 8, &[]);
    let error = |push| made(push).expect_err("cannot be proven");
    let selector = error(|builder| {
        let (x, last) = (builder.main().current_slice()[0], builder.is_last_row());
        builder.push_interaction("a", [x], 1);
        builder.push_interaction("a", [x], Count::bounded(last, 1));
    });
    assert_eq!(selector, P3Error::InteractionSelector { interaction: 1 });
    let width = error(|builder| {
        let x = builder.main().current_slice()[0];
        builder.push_interaction("a", [x], 1);
        builder.push_interaction("b", [x, x], 1);
        builder.push_interaction("a", [x, x], -1);
    });
    assert_eq!(width, P3Error::BusWidth { bus: "bus a".to_owned(), expected: 1, given: 2 });
    // 2^28 - 1 queries a row are fewer than there are elements, 2^28 are not.
    let push: fn(&mut Symbolic<Mersenne31>) = |builder| {
        let x = builder.main().current_slice()[0];
        builder.push_interaction("a", [x], Count::bounded(x.into(), (1 << 28) - 1));
    };
    assert!(made(push).is_ok());
    let count = error(|builder| {
        let x = builder.main().current_slice()[0];
        builder.push_interaction("a", [x], Count::bounded(x.into(), 1 << 28));
    });
    assert_eq!(count, P3Error::Count { count: 1 << 31, characteristic: (1 << 31) - 1 });
    let indexed = error(|builder| builder.push_indexed_table("table", TraceWindow::Main, [0]));
    assert_eq!(indexed, P3Error::Indexed { reads: 0, tables: 1 });

    // Over Circle a statement has all AIRs of its buses, and degree 3 at most.
    assert_eq!(made(push).and_then(P3Air::statement).map(drop), Err(P3Error::Interactions));
    let cube: fn(&mut Symbolic<Mersenne31>) = |builder| {
        let x = builder.main().current_slice()[0];
        builder.push_interaction("a", [x * x * x], 1);
    };
    let tables = |air| P3Air::tables("tables", vec![air]).map(drop);
    let degree = P3Error::CircleDegree { origin: Origin::Interaction(0), degree: 4, most: 3 };
    assert_eq!(made(cube).and_then(tables), Err(degree));
}
