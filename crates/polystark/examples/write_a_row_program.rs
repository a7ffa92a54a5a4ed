//! A trace that a device makes from a row program, from the program to a verified proof: the third program of
//! docs/write-an-air.md.
//!
//! `cargo run --release -p polystark --example write_a_row_program`
#![allow(missing_docs, reason = "stwo's macro for relations writes no documentation")]

use std::error::Error;
use std::sync::Arc;

use num_traits::One;
use polystark::backend_cpu::Cpu;
use polystark::circle_air::{AirComponent, PreProcessedColumnId, PreprocessedColumn, Statement, base, lookup_elements};
use polystark::circle_proof::{self, CircleOptions, Policy};
use polystark::field::{M31, QM31};
use polystark::hal::ir::{RowProgramError, RowRecorder};
use polystark::hal::{CircleStark, Columns, RowProgram, RowRun, StarkBackend};
use polystark::prover::circle::{CircleProof, ProveError, Prover, TraceMaker};
use polystark::prover::{ModeOn, Silent};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry, relation};

relation!(Bytes, 1);

/// Says that `zeros` of the bytes of `2^log_rows` secret words of 32 bits are zero.
#[derive(Clone)]
struct ZeroBytes {
    log_rows: u32,
    zeros: u32,
}

/// Log2 of the number of bytes that there are.
const LOG_TABLE: u32 = 8;

/// The four bytes of a word in each row.
#[derive(Clone)]
struct Words {
    log_rows: u32,
    bytes: Bytes,
}

impl FrameworkEval for Words {
    fn log_size(&self) -> u32 {
        self.log_rows
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_rows + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        for _ in 0..4 {
            let byte = eval.next_trace_mask();
            eval.add_to_relation(RelationEntry::new(&self.bytes, E::EF::one(), &[byte]));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}

/// All bytes, and how often each is used.
#[derive(Clone)]
struct Table {
    zeros: u32,
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
        let [byte, is_zero] = ["byte", "is_zero"].map(|id| eval.get_preprocessed_column(column_id(id)));
        let uses = eval.next_trace_mask();
        eval.add_constraint(is_zero * (uses.clone() - E::F::from(base(M31::new(self.zeros)))));
        eval.add_to_relation(RelationEntry::new(&self.bytes, -E::EF::from(uses), &[byte]));
        eval.finalize_logup();
        eval
    }
}

fn column_id(id: &str) -> PreProcessedColumnId {
    PreProcessedColumnId { id: id.to_owned() }
}

impl Statement for ZeroBytes {
    fn name(&self) -> &str {
        "zero-bytes"
    }

    fn words(&self) -> Vec<u32> {
        // A number that no other family of statements has, then all that this one depends on.
        vec![1001, self.log_rows, self.zeros]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        ["byte", "is_zero"].map(|id| PreprocessedColumn::new(id, LOG_TABLE)).into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let bytes = 0..1u32 << LOG_TABLE;
        vec![bytes.clone().map(M31::new).collect(), bytes.map(|byte| M31::new(u32::from(byte == 0))).collect()]
    }

    /// Lookups draw `z` and `alpha`.
    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let bytes = Bytes(lookup_elements(drawn, 0));
        let words = Words { log_rows: self.log_rows, bytes: bytes.clone() };
        vec![Box::new(words), Box::new(Table { zeros: self.zeros, bytes })]
    }

    /// With another number everywhere, so that compiled kernels serve every number.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        Some(Box::new(Self { zeros: self.zeros + 1, ..self.clone() }))
    }
}

/// The program of a row: it takes the halves of a word, writes its bytes, and counts them.
fn program() -> Result<RowProgram<M31>, RowProgramError> {
    let row = RowRecorder::new(2);
    let uses = row.counter();
    let halves = row.inputs(0, 2);
    row.assert("each half has 16 bits", (halves >> 16).sum().is(0));
    // An integer of two digits of 16 bits is four digits of 8.
    let bytes = halves.join(16, 1).split(8, 4);
    row.columns(bytes);
    row.count(uses, bytes);
    row.finish()
}

/// Secret words, and the program that makes the trace of them.
struct Maker<'a> {
    words: &'a [u32],
    program: RowProgram<M31>,
}

impl TraceMaker for Maker<'_> {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let log_height = self.words.len().ilog2();
        // Field elements have 31 bits, so a word is uploaded in halves.
        let half = |shift: u32| self.words.iter().map(move |word| M31::new(word >> shift & 0xffff));
        let halves = || Ok::<_, ProveError>(half(0).chain(half(16)).collect());
        let source = mode.upload(backend, Columns::new((), 2, log_height), halves)?;
        let zeros = || Ok::<_, ProveError>(vec![M31::new(0); 1 << LOG_TABLE].into());
        let mut uses = mode.upload(backend, Columns::new((), 1, LOG_TABLE), zeros)?;
        let source = [source.as_ref()];
        let run = RowRun { program: &self.program, source: &source, period: 1, tables: &[], log_height };
        let made = backend.rows(&run, &mut [uses.as_mut()])?;
        Ok(vec![made.columns, uses])
    }
}

fn prove(statement: &ZeroBytes, words: &[u32]) -> Result<CircleProof, Box<dyn Error>> {
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let maker = Maker { words, program: program()? };
    let options = CircleOptions::for_rows(1 << statement.log_rows);
    // The preprocessed tree is lower than the others: all are lifted to one height, so that any queries can be opened.
    let options = CircleOptions { lifting: Some(statement.log_rows + options.log_blowup), ..options };
    let prover = Prover::with_maker(backend, Arc::new(statement.clone()), &options, maker, None)?;
    println!("plan: {}", prover.plan());
    Ok(prover.prove_made(&Silent)?)
}

/// The verifier, which is stwo's, builds the statement itself, from the number that it believes in.
fn verify(statement: &ZeroBytes, made: &CircleProof) -> Result<(), Box<dyn Error>> {
    let bytes = circle_proof::encode(&made.proof);
    circle_proof::verify(statement, &made.claimed_sums, &bytes, &Policy::default())?;
    println!("a valid proof of {} bytes", bytes.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (statement, words) = example();
    let made = prove(&statement, &words)?;
    verify(&statement, &made)
}

fn example() -> (ZeroBytes, Vec<u32>) {
    let words: Vec<u32> = (0..1u32 << 10).map(|i| i.wrapping_mul(i).wrapping_mul(i)).collect();
    let zeros = words.iter().flat_map(|word| word.to_le_bytes()).filter(|byte| *byte == 0).count();
    (ZeroBytes { log_rows: 10, zeros: zeros as u32 }, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_runs() {
        main().expect("an honest trace");
    }

    #[test]
    fn another_number_has_no_proof() {
        let (statement, words) = example();
        let other = ZeroBytes { zeros: statement.zeros + 1, ..statement.clone() };
        let error = prove(&other, &words).expect_err("a wrong number");
        assert!(matches!(error.downcast_ref(), Some(ProveError::Unsatisfied(_))), "{error}");
        let made = prove(&statement, &words).expect("an honest trace");
        assert!(verify(&other, &made).is_err());
    }
}
