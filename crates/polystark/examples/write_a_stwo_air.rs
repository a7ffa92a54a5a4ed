//! A stwo component of one's own, from the trace to a verified proof: the second program of docs/write-an-air.md.
//!
//! `cargo run --release -p polystark --example write_a_stwo_air`
#![allow(missing_docs, reason = "stwo's macro for relations writes no documentation")]

use std::error::Error;
use std::sync::Arc;

use num_traits::One;
use polystark::circle::{Airs, Device, Expect, Policy};
use polystark::circle_air::{
    AirComponent, ComponentNames, NamedComponent, PreProcessedColumnId, PreprocessedColumn, Statement, TraceError,
    base, check_trace, lookup_elements,
};
use polystark::field::{Field, M31, QM31};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX, RelationEntry, relation};

relation!(Bytes, 1);

/// There are `2^log_rows` secret bytes with this sum.
#[derive(Clone)]
struct ByteSum {
    log_rows: u32,
    total: M31,
}

/// Log2 of the number of bytes that there are.
const LOG_TABLE: u32 = 8;

/// One byte a row, and the sum of the bytes up to it.
#[derive(Clone)]
struct Summands {
    log_rows: u32,
    total: M31,
    bytes: Bytes,
}

impl FrameworkEval for Summands {
    fn log_size(&self) -> u32 {
        self.log_rows
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_rows + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [is_first, is_last] = ["is_first", "is_last"].map(|id| eval.get_preprocessed_column(column_id(id)));
        let byte = eval.next_trace_mask();
        // The row before the first is the last: rows count in a circle.
        let [before, sum] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [-1, 0]);
        eval.add_constraint(sum.clone() - byte.clone() - (E::F::one() - is_first) * before);
        eval.add_constraint(is_last * (sum - E::F::from(base(self.total))));
        // Every byte is looked up once.
        eval.add_to_relation(RelationEntry::new(&self.bytes, E::EF::one(), &[byte]));
        eval.finalize_logup();
        eval
    }
}

/// All bytes, and how often each is used.
#[derive(Clone)]
struct Table {
    bytes: Bytes,
}

impl FrameworkEval for Table {
    fn log_size(&self) -> u32 {
        LOG_TABLE
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        LOG_TABLE + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let byte = eval.get_preprocessed_column(column_id("byte"));
        let uses = eval.next_trace_mask();
        eval.add_to_relation(RelationEntry::new(&self.bytes, -E::EF::from(uses), &[byte]));
        eval.finalize_logup();
        eval
    }
}

fn column_id(id: &str) -> PreProcessedColumnId {
    PreProcessedColumnId { id: id.to_owned() }
}

impl Statement for ByteSum {
    fn name(&self) -> &str {
        "byte-sum"
    }

    fn words(&self) -> Vec<u32> {
        // A number that no other family of statements has, then all that this one depends on.
        vec![1000, self.log_rows, self.total.value()]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        [("is_first", self.log_rows), ("is_last", self.log_rows), ("byte", LOG_TABLE)]
            .map(|(id, log_size)| PreprocessedColumn::new(id, log_size))
            .into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let rows = 1 << self.log_rows;
        let flag = |only: usize| (0..rows).map(|row| M31::new(u32::from(row == only))).collect();
        vec![flag(0), flag(rows - 1), (0..1 << LOG_TABLE).map(M31::new).collect()]
    }

    /// Each relation draws two elements, and there is one.
    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let bytes = Bytes(lookup_elements(drawn, 0));
        let summands = Summands { log_rows: self.log_rows, total: self.total, bytes: bytes.clone() };
        // Names help in a search for a mistake. No proof depends on them.
        let names =
            ComponentNames::of("summands").with_columns(["byte", "sum"]).with_constraints(["sum so far", "total"]);
        let summands = NamedComponent::new(summands, names.with_lookups(["byte"]));
        let table = NamedComponent::new(Table { bytes }, ComponentNames::of("table").with_columns(["uses"]));
        vec![Box::new(summands), Box::new(table)]
    }

    /// With another total everywhere, so that compiled kernels serve every total.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        Some(Box::new(Self { total: self.total + M31::ONE, ..self.clone() }))
    }
}

/// The main columns of both components.
fn trace(bytes: &[u8]) -> Vec<Vec<Vec<M31>>> {
    let mut sum = M31::ZERO;
    let sums = bytes.iter().map(|byte| {
        sum += M31::new(u32::from(*byte));
        sum
    });
    let sums = sums.collect();
    let mut uses = vec![M31::ZERO; 1 << LOG_TABLE];
    bytes.iter().for_each(|byte| uses[usize::from(*byte)] += M31::ONE);
    vec![vec![bytes.iter().map(|byte| M31::new(u32::from(*byte))).collect(), sums], vec![uses]]
}

/// Looks at every row, and at all lookups: no proof, no device.
fn check(statement: &ByteSum, trace: &[Vec<Vec<M31>>]) -> Result<(), TraceError> {
    check_trace(statement, trace, 10)
}

fn prove(statement: &ByteSum, trace: Vec<Vec<Vec<M31>>>) -> Result<Vec<u8>, polystark::Error> {
    let proven = Device::open("auto", None)?.prove_air(statement, &trace.into())?;
    println!("plan: {}", proven.plan);
    Ok(proven.file)
}

/// The verifier, which is stwo's, builds the statement itself, from the total that it believes in.
fn verify(statement: &ByteSum, file: &[u8]) -> Result<(), polystark::Error> {
    let airs = Airs::of(Arc::new(statement.clone()));
    let report = airs.verify_file(file, &Policy::default(), &Expect::default())?;
    println!("a valid proof of {} bytes", report.proof().len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (statement, trace) = example();
    check(&statement, &trace)?;
    let file = prove(&statement, trace)?;
    verify(&statement, &file)?;
    Ok(())
}

fn example() -> (ByteSum, Vec<Vec<Vec<M31>>>) {
    let bytes: Vec<u8> = (0..1u32 << 10).map(|i| (i * i % 251) as u8).collect();
    let total = bytes.iter().map(|byte| M31::new(u32::from(*byte))).sum();
    (ByteSum { log_rows: 10, total }, trace(&bytes))
}

#[cfg(test)]
mod tests {
    use polystark::circle::CircleError;
    use polystark::prover::circle::ProveError;

    use super::*;

    #[test]
    fn the_program_runs() {
        main().expect("an honest trace");
    }

    #[test]
    fn what_is_no_byte_has_no_proof() {
        let (statement, mut trace) = example();
        // The sums stay right.
        trace[0][0][5] += M31::new(256);
        trace[0][0][6] -= M31::new(256);
        let mut sum = M31::ZERO;
        let [bytes, sums] = trace[0].as_mut_slice() else { panic!("two columns") };
        for (byte, partial) in bytes.iter().zip(sums) {
            sum += *byte;
            *partial = sum;
        }
        assert_eq!(sum, statement.total);
        let text = check(&statement, &trace).expect_err("281 is no byte").to_string();
        let named = "the tuple (281) has multiplicities that add up to 1, not 0: 1 by component 0 `summands`, lookup 0 `byte`, row 5";
        assert!(text.lines().any(|line| line == named), "{text}");
        let refused = prove(&statement, trace);
        let refused = refused.expect_err("the sums do not cancel");
        assert!(matches!(refused.specific(), Some(CircleError::Prove(ProveError::ClaimedSums(_)))), "{refused}");
    }

    #[test]
    fn a_wrong_sum_has_no_proof() {
        let (statement, mut trace) = example();
        let sum = trace[0][1][7];
        trace[0][1][7] += M31::ONE;
        let text = check(&statement, &trace).expect_err("it is one too many").to_string();
        let [first, second] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        let cells =
            format!("is_first[7] = 0, byte[7] = 49, sum[6] = {}, sum[7] = {}", sum - M31::new(49), sum + M31::ONE);
        assert_eq!(first, format!("component 0 `summands`, constraint 0 `sum so far` is 1 on row 7, not 0: {cells}"));
        assert!(second.contains(" on row 8, not 0: is_first[8] = 0, byte[8] = 64, sum[7] = "), "{second}");
        let refused = prove(&statement, trace);
        let refused = refused.expect_err("a row is wrong");
        assert!(matches!(refused.specific(), Some(CircleError::Prove(ProveError::Unsatisfied(_)))), "{refused}");
    }

    #[test]
    fn a_proof_is_of_its_total_only() {
        let (statement, trace) = example();
        let file = prove(&statement, trace.clone()).expect("an honest trace");
        verify(&statement, &file).expect("a proof of this statement");
        let other = ByteSum { total: statement.total + M31::ONE, ..statement };
        assert!(prove(&other, trace).is_err());
        assert!(verify(&other, &file).is_err());
    }
}
