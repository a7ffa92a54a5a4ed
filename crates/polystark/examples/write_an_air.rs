//! An AIR of one's own, from the trace to a verified proof: the program of docs/write-an-air.md.
//!
//! `cargo run --release -p polystark --example write_an_air`

use std::error::Error;
use std::sync::Arc;

use polystark::Goldilocks3;
use polystark::air::{self, Air, AirBuilder, Column, Layout, Rows, Scan, Trace};
use polystark::field::{Field, Fp3, Goldilocks};
use polystark::goldilocks::{Airs, Device, Expect, Policy};

/// Two books list the same payments, each in an order of its own. The first also keeps the balance, which goes from a
/// public opening value to a public closing value.
#[derive(Clone)]
struct TwoBooks {
    log_rows: u32,
    opening: Goldilocks,
    closing: Goldilocks,
}

// Main columns.
const PAYMENT: usize = 0;
const BALANCE: usize = 1;
const OTHER_BOOK: usize = 2;

impl Air<Goldilocks3> for TwoBooks {
    fn name(&self) -> &str {
        "two-books"
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 3, aux_columns: 1, frame_rows: 2, challenges: 1, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<Goldilocks3>) {
        let payment = |row| builder.main(PAYMENT, row);
        let balance = |row| builder.main(BALANCE, row);
        let other = |row| builder.main(OTHER_BOOK, row);

        // Names help in a search for a mistake. No proof depends on them.
        for (column, name) in [(PAYMENT, "payment"), (BALANCE, "balance"), (OTHER_BOOK, "other book")] {
            builder.name_main(column, name);
        }

        // Transition 0: a payment changes the balance of the next row. The last row has no next one.
        builder.named("payments", || {
            builder.transition(balance(1) - balance(0) - payment(0), Rows::all().except_last(1));
        });

        // The product of (payment + gamma)/(other + gamma) over the rows above. The device builds this column.
        let gamma = builder.challenge(0);
        let ratio = [payment(0) + gamma, other(0) + gamma];
        let product = builder.named("product", || builder.running_product(ratio[0], ratio[1], Scan::Exclusive));

        // Transition 1: it is that product, on every row. The row after the last is row 0, where it is 1: so the
        // product over all rows is 1, and the two lists have the same entries (up to a chance of 2n/p^3).
        let z = |row| builder.aux(0, row);
        builder.named("permutation", || builder.transition(z(1) * ratio[1] - z(0) * ratio[0], Rows::all()));

        let last = (1 << self.log_rows) - 1;
        builder.named("opening", || builder.boundary(Column::Main(BALANCE), 0, self.opening));
        builder.named("closing", || builder.boundary(Column::Main(BALANCE), last, self.closing));
        // The payment of the last row changes no balance, so it must be nothing.
        builder.boundary(Column::Main(PAYMENT), last, Goldilocks::ZERO);
        builder.boundary(product, 0, Goldilocks::ONE);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![self.opening, self.closing]
    }
}

/// The trace: `payments` are one fewer than the rows.
fn trace(opening: Goldilocks, payments: &[Goldilocks]) -> Result<Trace<Goldilocks>, air::AirError> {
    let mut first: Vec<Goldilocks> = payments.to_vec();
    first.push(Goldilocks::ZERO);
    let mut balance = opening;
    let balances = first.iter().map(|payment| {
        let before = balance;
        balance += *payment;
        before
    });
    let balances = balances.collect();
    // Any order will do; this one is the reverse.
    let second = first.iter().rev().copied().collect();
    Trace::from_columns(vec![first, balances, second])
}

fn main() -> Result<(), Box<dyn Error>> {
    let opening = Goldilocks::new(1000);
    let payments: Vec<Goldilocks> = (0..1023).map(|i| Goldilocks::new(i * i % 97)).collect();
    let closing = opening + payments.iter().copied().sum();
    let air = TwoBooks { log_rows: 10, opening, closing };
    let trace = trace(opening, &payments)?;

    check(&air, &trace)?;
    let file = prove(&air, &trace)?;
    println!("a file of {} bytes", file.len());
    verify(&air, &file)?;
    Ok(())
}

/// Records the AIR and looks at every row: no proof, no device.
fn check(air: &TwoBooks, trace: &Trace<Goldilocks>) -> Result<(), Box<dyn Error>> {
    let recorded = air::record(air)?;
    // Any challenges will do to find a mistake; a proof draws its own.
    let gamma = Fp3::new(Goldilocks::new(3), Goldilocks::new(1), Goldilocks::new(4));
    air::check_trace(&recorded, air, trace, &[gamma], 10)?;
    Ok(())
}

/// Proves on a GPU where there is one, else on the processor.
fn prove(air: &TwoBooks, trace: &Trace<Goldilocks>) -> Result<Vec<u8>, polystark::Error> {
    let proven = Device::open("auto", None)?.prove_air(air, trace)?;
    println!("plan: {}", proven.plan);
    Ok(proven.file)
}

/// The verifier builds the AIR itself, from the public inputs that it believes in.
fn verify(air: &TwoBooks, file: &[u8]) -> Result<(), polystark::Error> {
    let airs = Airs::of(Arc::new(air.clone()));
    let security = airs.verify_file(file, &Policy::default(), &Expect::default())?.security;
    println!("valid: {} bits conjectured, {} provable", security.conjectured.bits, security.provable.bits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use polystark::goldilocks::GoldilocksError;
    use polystark::prover::goldilocks::ProveError;

    use super::*;

    fn statement(rows: u64) -> (TwoBooks, Trace<Goldilocks>) {
        let opening = Goldilocks::new(1000);
        let payments: Vec<Goldilocks> = (1..rows).map(Goldilocks::new).collect();
        let closing = opening + payments.iter().copied().sum();
        let air = TwoBooks { log_rows: rows.ilog2(), opening, closing };
        (air, trace(opening, &payments).expect("columns of one length"))
    }

    fn complaint(air: &TwoBooks, trace: &Trace<Goldilocks>) -> String {
        check(air, trace).expect_err("the trace is wrong").to_string()
    }

    #[test]
    fn the_program_runs() {
        main().expect("an honest trace");
    }

    #[test]
    fn a_wrong_balance_is_named_with_all_that_it_breaks() {
        let (air, mut trace) = statement(16);
        let [before, paid, after] = [trace.get(5, BALANCE), trace.get(5, PAYMENT), trace.get(6, BALANCE)];
        trace.set(5, BALANCE, Goldilocks::ZERO);
        let text = complaint(&air, &trace);
        let [first, second] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(
            first.starts_with("transition constraint 0 `payments` is ") && first.ends_with("balance[5] = 0"),
            "{text}"
        );
        let cells = format!("payment[5] = {paid}, balance[5] = 0, balance[6] = {after}");
        assert_eq!(second, format!("transition constraint 0 `payments` is {before} on row 5, not 0: {cells}"));
    }

    #[test]
    fn books_that_differ_are_named_by_constraint_and_row() {
        let (air, mut trace) = statement(16);
        trace.set(3, OTHER_BOOK, Goldilocks::new(77));
        let text = complaint(&air, &trace);
        assert!(text.starts_with("transition constraint 1 `permutation` is "), "{text}");
        assert!(text.contains(" on row 15, not 0: payment[15] = 0, other book[15] = "), "{text}");
        assert!(text.ends_with("product[0] = 1") && text.lines().count() == 1, "{text}");
    }

    #[test]
    fn another_closing_balance_is_named() {
        let (mut air, trace) = statement(16);
        let closing = air.closing;
        air.closing += Goldilocks::ONE;
        let text = format!("is {} on row 15, not 0: balance[15] = {closing}", -Goldilocks::ONE);
        assert_eq!(complaint(&air, &trace), format!("boundary constraint 1 `closing` {text}"));
    }

    #[test]
    fn a_wrong_trace_has_no_proof() {
        for (row, column) in [(5, BALANCE), (3, OTHER_BOOK), (15, PAYMENT), (0, PAYMENT)] {
            let (air, mut trace) = statement(16);
            trace.set(row, column, Goldilocks::new(77));
            let refused = prove(&air, &trace).expect_err("a cell is wrong");
            let is_unsatisfied = matches!(refused.specific(), Some(GoldilocksError::Prove(ProveError::Unsatisfied(_))));
            assert!(is_unsatisfied, "row {row}, column {column}: {refused}");
        }
    }

    #[test]
    fn a_proof_is_of_its_public_inputs_only() {
        let (air, trace) = statement(16);
        let bytes = prove(&air, &trace).expect("an honest trace");
        verify(&air, &bytes).expect("a proof of this statement");
        for (opening, closing) in [(1, 0), (0, 1), (1, 1)] {
            let other = TwoBooks {
                log_rows: air.log_rows,
                opening: air.opening + Goldilocks::new(opening),
                closing: air.closing + Goldilocks::new(closing),
            };
            assert!(verify(&other, &bytes).is_err(), "opening + {opening}, closing + {closing}");
        }
        let longer = TwoBooks { log_rows: 5, ..air };
        assert!(verify(&longer, &bytes).is_err());
    }
}
