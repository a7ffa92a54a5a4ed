//! AIRs of ours proven by the Circle protocol, accepted by stwo's verifier, and AIRs that cannot be proven.

use std::sync::Arc;

use air::{Air, AirBuilder, Column, Layout, Rows, Scan, Trace, TraceProgram};
use circle_air::{LowerError, Statement, lower_air};
use circle_proof::{CircleOptions, Policy, encode, verify};
use field::{Field, M31, QM31};
use golden::backends::reference;
use golden::circle::options;
use gpu_hal::{CircleStark, LinearRecurrence};
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

const LOG_ROWS: u32 = 4;
const ROWS: usize = 1 << LOG_ROWS;

/// Deposits earn a rate that repeats every four rows; the balance is public at both ends. Every fourth deposit is a
/// Fibonacci number, and each has its cube beside it.
struct Deposits {
    opening: M31,
    closing: M31,
    rates: [M31; 4],
}

const DEPOSIT: usize = 0;
const BALANCE: usize = 1;
const CUBE: usize = 2;
const COUNT: usize = 3;

impl Air<CircleStark> for Deposits {
    fn name(&self) -> &str {
        "deposits"
    }

    fn log_trace_length(&self) -> u32 {
        LOG_ROWS
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 4, aux_columns: 0, frame_rows: 3, challenges: 0, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<CircleStark>) {
        let (deposit, balance) = (|row| builder.main(DEPOSIT, row), |row| builder.main(BALANCE, row));
        let rate = builder.periodic(&self.rates);
        // It has degree 2, 3 with the selector; the rate of the next row counts.
        let earned = deposit(0) * builder.periodic_at(rate, 1);
        builder.transition(balance(1) - balance(0) - earned, Rows::all().except_last(1));
        // It has degree 3, on all rows.
        builder.transition(builder.main(CUBE, 0) - deposit(0) * deposit(0) * deposit(0), Rows::all());
        let count = |row| builder.main(COUNT, row);
        builder.transition(count(2) - count(1) - count(0), Rows::all().except_last(2));
        // On rows 2, 6, 10, 14.
        builder.transition(deposit(0) - count(0), Rows::all().every(4).from(2));
        builder.boundary(Column::Main(BALANCE), 0, self.opening);
        builder.boundary(Column::Main(BALANCE), ROWS - 1, self.closing);
        builder.boundary(Column::Main(COUNT), 0, M31::ONE);
        builder.boundary(Column::Main(COUNT), 1, M31::ONE);
    }

    fn public_inputs(&self) -> Vec<M31> {
        vec![self.opening, self.closing]
    }
}

fn honest() -> (Deposits, Trace<M31>) {
    let rates = [2, 3, 5, 7].map(M31::new);
    let mut count = vec![M31::ONE; ROWS];
    (2..ROWS).for_each(|row| count[row] = count[row - 1] + count[row - 2]);
    let deposit: Vec<M31> =
        (0..ROWS).map(|row| if row % 4 == 2 { count[row] } else { M31::new(100 + row as u32) }).collect();
    let mut balance = vec![M31::new(1000)];
    (1..ROWS).for_each(|row| balance.push(balance[row - 1] + deposit[row - 1] * rates[row % 4]));
    let cube = deposit.iter().map(|deposit| *deposit * *deposit * *deposit).collect();
    let air = Deposits { opening: balance[0], closing: balance[ROWS - 1], rates };
    (air, Trace::from_columns(vec![deposit, balance, cube, count]).expect("columns of one length"))
}

fn columns(trace: &Trace<M31>) -> Vec<Vec<Vec<M31>>> {
    vec![(0..trace.width()).map(|column| trace.column(column).to_vec()).collect()]
}

#[test]
fn a_proof_is_accepted_for_its_statement_only() {
    let (air, trace) = honest();
    let air = Arc::new(air);
    let backend = Arc::new(reference::<CircleStark>());
    let statement = Arc::new(lower_air(air.clone()).expect("features that the protocol has"));
    for options in [options(), CircleOptions { fold_step: 2, log_blowup: 2, ..options() }] {
        let prover = Prover::new(backend.clone(), statement.clone(), &options).expect("provable");
        let made = prover.prove(&columns(&trace), &Silent).expect("an honest trace");
        let bytes = encode(&made.proof);
        verify(&*statement, &[], &bytes, &Policy::ANY).expect("a right proof");
        let others = [
            Deposits { opening: air.opening + M31::ONE, ..*air },
            Deposits { closing: air.closing + M31::ONE, ..*air },
            Deposits { rates: [2, 3, 5, 8].map(M31::new), ..*air },
        ];
        for other in others {
            let other = lower_air(Arc::new(other)).expect("the same features");
            assert_ne!(other.words(), statement.words());
            assert!(verify(&other, &[], &bytes, &Policy::ANY).is_err());
        }
    }
    // A column at three offsets cannot be lifted.
    let lifted = CircleOptions { lifting: Some(8), ..options() };
    assert!(matches!(Prover::new(backend.clone(), statement.clone(), &lifted), Err(ProveError::Config(_))));
}

#[test]
fn what_the_row_by_row_check_refuses_has_no_proof() {
    let (air, trace) = honest();
    let air = Arc::new(air);
    let recorded = air::record(&*air).expect("a sound AIR");
    let backend = Arc::new(reference::<CircleStark>());
    let statement = Arc::new(lower_air(air.clone()).expect("features that the protocol has"));
    let prover = Prover::new(backend.clone(), statement.clone(), &options()).expect("provable");
    let mut refused = 0;
    for (row, column) in (0..ROWS).flat_map(|row| (0..trace.width()).map(move |column| (row, column))) {
        let mut changed = trace.clone();
        changed.set(row, column, changed.get(row, column) + M31::new(5));
        let satisfied = air::check_trace(&recorded, &*air, &changed, &[], 1).is_ok();
        match prover.prove(&columns(&changed), &Silent) {
            Ok(_) => assert!(satisfied, "a proof with row {row}, column {column} wrong"),
            Err(ProveError::Unsatisfied(_)) => {
                assert!(!satisfied, "row {row}, column {column} is in no constraint");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, 4 * ROWS, "no cell is free: the cube has the last deposit");
}

/// An AIR of one kind or another.
struct Sample(fn(&AirBuilder<CircleStark>), Layout);

impl Air<CircleStark> for Sample {
    fn name(&self) -> &str {
        "sample"
    }

    fn log_trace_length(&self) -> u32 {
        LOG_ROWS
    }

    fn layout(&self) -> Layout {
        self.1
    }

    fn define(&self, builder: &AirBuilder<CircleStark>) {
        self.0(builder);
    }

    fn trace_program(&self) -> Option<TraceProgram<M31>> {
        let coefficients = vec![M31::new(3)];
        Some(TraceProgram {
            columns: vec![LinearRecurrence {
                coefficients,
                initial: vec![M31::ONE],
                restarts: vec![],
                log_height: LOG_ROWS,
            }],
        })
    }
}

const ONE_COLUMN: Layout =
    Layout { main_columns: 1, aux_columns: 0, frame_rows: 5, challenges: 0, composition_parts: 4 };

fn geometric(builder: &AirBuilder<CircleStark>) {
    builder.transition(builder.main(0, 1) - builder.main(0, 0) * 3, Rows::all().except_last(1));
}

#[test]
fn a_trace_program_serves_both_protocols() {
    let (air, backend) = (Arc::new(Sample(geometric, ONE_COLUMN)), Arc::new(reference::<CircleStark>()));
    let statement = Arc::new(lower_air(air.clone()).expect("features that the protocol has"));
    for lifting in [None, Some(8)] {
        let options = CircleOptions { lifting, ..options() };
        let prover = Prover::new(backend.clone(), statement.clone(), &options).expect("provable");
        let made = prover.prove_generated(&Silent).expect("an honest trace");
        verify(&*statement, &[], &encode(&made.proof), &Policy::ANY).expect("a right proof");
    }
}

#[test]
fn what_has_no_counterpart_is_named() {
    let error = |define, layout| lower_air(Arc::new(Sample(define, layout))).map(|_| ()).expect_err("no counterpart");
    let product: fn(&AirBuilder<CircleStark>) = |builder| {
        builder.running_product(builder.main(0, 0), builder.main(0, 1), Scan::Exclusive);
        geometric(builder);
    };
    let auxiliary = error(product, Layout { aux_columns: 1, ..ONE_COLUMN });
    assert_eq!(auxiliary, LowerError::Auxiliary { aux_columns: 1, challenges: 0 });
    let offsets: fn(&AirBuilder<CircleStark>) = |builder| {
        let sum = (1..5).fold(builder.main(0, 0), |sum, row| sum + builder.main(0, row));
        builder.transition(sum, Rows::all());
    };
    assert_eq!(error(offsets, ONE_COLUMN), LowerError::Offsets { column: 0, offsets: 5 });
    let extension: fn(&AirBuilder<CircleStark>) = |builder| {
        let [a, b, c, d] = [1, 2, 3, 4].map(M31::new);
        builder.transition(builder.main(0, 0) * builder.constant_ext(QM31([a, b, c, d])), Rows::all());
    };
    assert_eq!(error(extension, ONE_COLUMN), LowerError::Extension { transition: 0 });
    let parts = error(geometric, Layout { composition_parts: 0, ..ONE_COLUMN });
    assert!(matches!(parts, LowerError::Air(_)), "{parts}");
    // It has degree 4 with the selector: the recorder of statements refuses it.
    let cubic: fn(&AirBuilder<CircleStark>) =
        |builder| builder.transition(builder.main(0, 1) - builder.main(0, 0).pow(3), Rows::all().except_last(1));
    let air = Arc::new(Sample(cubic, ONE_COLUMN));
    let statement = Arc::new(lower_air(air.clone()).expect("features that the protocol has"));
    let backend = Arc::new(reference::<CircleStark>());
    match Prover::new(backend.clone(), statement.clone(), &options()) {
        Err(error @ ProveError::Statement(_)) => assert!(error.to_string().contains("degree 4"), "{error}"),
        other => panic!("{:?}", other.map(|_| "a prover")),
    }
}
