//! Row programs: random ones, and every fault.

use field::PrimeField;
use gpu_hal::ir::{RowRecorder, Words};
use gpu_hal::{DeferredFault, ErrorKind, Operation, Protocol, Result, StarkBackend};

use super::MAX_LOG;
use crate::failure::ensure;
use crate::{Failure, HostTable, Random, RowCase, RowResult, Suite, TestProtocol, random_rows};

/// [`StarkBackend::rows`]: random programs of all operations over sources in parts with padding, tables, lists and
/// counters, which are compared with the reference's; and a fault of each kind, in the same row and in the same words.
pub fn rows<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Rows;
    if !suite.has(op) {
        return suite.refuses(op, random_rows(&mut Random::new(1), 2, 5).run(suite.backend()));
    }
    suite.check(0..=MAX_LOG, 1..=6, op, |case| {
        let random = &mut suite.programs(&case).0;
        // The reference is slow, and a program that is right for 2^10 rows is for more.
        let steps = if case.log <= 10 { 10 * case.width } else { 2 * case.width };
        let right = random_rows::<P::Base>(random, case.log, steps);
        right.run(&suite.dual)?;
        let (backend, mut verdict) = (suite.backend(), DeferredFault::default());
        let ahead = right.run_ahead(backend, &mut verdict)?;
        ensure(!backend.had_fault(&verdict)?, || "a right run that nobody waited for had a fault".into())?;
        let same = elements(backend, &right.run(backend)?)? == elements(backend, &ahead)?;
        ensure(same, || "a run that nobody waited for made something else".into())?;
        let Some(faulty) = fault(random.below(KINDS), (case.log, random.below(1 << case.log))) else { return Ok(()) };
        // The verdict of more than one run.
        let told = faulty.case.run_ahead(backend, &mut verdict).map(drop);
        let is_told = match told {
            Err(error) => error.kind == ErrorKind::InvalidArgument,
            Ok(()) => backend.had_fault(&verdict)?,
        };
        ensure(is_told, || format!("a run that nobody waited for had no fault: {}", faulty.words))?;
        let both = (refused(&faulty, suite.backend())?, refused(&faulty, suite.dual.right())?);
        match both {
            (here, there) if here != there => Err(Failure::new(format!("'{here}' for '{there}'"))),
            (here, _) if !here.contains(&faulty.words) => {
                Err(Failure::new(format!("'{here}' does not say '{}'", faulty.words)))
            }
            _ => Ok(()),
        }
    });
}

/// All that a run made, on the host.
fn elements<F, B: StarkBackend>(backend: &B, (made, counters): &RowResult<B>) -> Result<Vec<Vec<F>>>
where
    B::P: Protocol<Base = F>,
{
    let tables = std::iter::once(&made.columns).chain(&made.lists).chain(counters);
    tables.map(|table| backend.download(table.as_ref(), 0..table.height())).collect()
}

/// A run that finds a fault, and the text of its error.
struct Faulty<F> {
    case: RowCase<F>,
    words: String,
}

/// The text of the error.
fn refused<F: PrimeField, B: StarkBackend>(faulty: &Faulty<F>, backend: &B) -> std::result::Result<String, Failure>
where
    B::P: Protocol<Base = F>,
{
    let result: Result<_> = faulty.case.run(backend).map(drop);
    match result {
        Err(error) if error.kind == ErrorKind::InvalidArgument => Ok(error.detail),
        other => Err(Failure::new(format!("not '{}' but {other:?}", faulty.words))),
    }
}

/// A program that finds a fault in row `first` and in all behind it, where the word that `record` gets is not zero, and
/// then another in the same rows, which is not reported. Its source has one part of zeros, table 0 has four zeros,
/// counter 0 eight places and list 0 one entry of a word.
fn faulty<F: PrimeField>(
    (log_height, first): (u32, usize),
    words: &str,
    record: impl for<'r> FnOnce(&'r RowRecorder<F>, Words<'r, F>),
) -> Faulty<F> {
    let zeros = |log_height: u32| HostTable { elements: vec![F::ZERO; 1 << log_height], width: 1, log_height };
    let recorder = RowRecorder::new(1).with_modulus([3, 0, 0, 0, 0, 0, 0, 0]);
    recorder.table(1);
    recorder.counter();
    recorder.list(1, 1);
    let is_wrong = recorder.word(1) - recorder.row().less(recorder.word(first as u32));
    record(&recorder, is_wrong);
    recorder.assert("nothing was wrong before", is_wrong.is(0));
    let program = recorder.finish().expect("a small program");
    let (source, tables, counters) = (vec![zeros(log_height)], vec![zeros(2)], vec![zeros(3)]);
    let case = RowCase { program, source, period: 1, tables, counters, log_height };
    Faulty { case, words: format!("row {first}: {words}") }
}

/// Every kind of fault.
const KINDS: usize = 11;

/// A fault of a kind; `None` if the field has none such.
fn fault<F: PrimeField>(kind: usize, at: (u32, usize)) -> Option<Faulty<F>> {
    let (first, is_large) = (at.1, F::ORDER >> 32 != 0);
    let emit_zero = |r: &RowRecorder<F>| r.emit(0, 0, r.word(0));
    let beyond = (1u64 << 32) + first as u64;
    let no_word = |words: &str, record: fn(&RowRecorder<F>, Words<'_, F>)| faulty(at, words, record);
    Some(match kind {
        0 => faulty(at, "'it is early' does not hold", |r, is_wrong| {
            emit_zero(r);
            r.assert("it is there", r.word(1));
            r.assert("it is early", is_wrong.is(0));
        }),
        // A node's fault comes before the faults of effects.
        1 => faulty(at, &format!("reads row {} of table 0, which has 4", 4 + first), |r, is_wrong| {
            r.assert("it is early", is_wrong.is(0));
            emit_zero(r);
            r.read_if(0, 0, r.row() + 4, is_wrong);
        }),
        2 => faulty(at, "reads row 4294967295 of table 0, which has 4", |r, is_wrong| {
            emit_zero(r);
            r.read(0, 0, r.word(0) - is_wrong);
        }),
        3 => faulty(at, "counts at place 8 of counter 0, which has 8", |r, is_wrong| {
            emit_zero(r);
            r.count(0, r.pack(&[r.word(7), is_wrong << 3]));
        }),
        4 => faulty(at, "an operand of the felt operation of node ", |r, is_wrong| {
            emit_zero(r);
            let felt = r.pack(&[is_wrong * 3, r.words(&[0; 7])]);
            r.words(&[1, 0, 0, 0, 0, 0, 0, 0]).felt_add(felt);
        }),
        5 => faulty(at, "an operand of the felt operation of node ", |r, is_wrong| {
            emit_zero(r);
            r.pack(&[r.words(&[0; 7]), is_wrong]).felt_inverse();
        }),
        6 if !is_large => {
            faulty(at, "word 0 for site 0 of list 0 is 4294967295: no canonical element", |r, is_wrong| {
                r.emit(0, 0, r.word(0) - is_wrong);
            })
        }
        // The least that is none.
        10 if !is_large => {
            faulty(at, &format!("word 0 for site 0 of list 0 is {}: no canonical element", F::ORDER), |r, is_wrong| {
                r.emit(0, 0, is_wrong * F::ORDER as u32);
            })
        }
        7 if is_large => faulty(at, "the element 4294967296 is no word of 32 bits", |r, is_wrong| {
            emit_zero(r);
            (is_wrong.element() * r.element(F::from_u64(1 << 32))).word();
        }),
        8 if is_large => {
            let mut faulty = no_word(&format!("value 0 of the source entry is {beyond}: no word"), |r, _| {
                r.emit(0, 0, r.input(0));
            });
            faulty.case.source[0].elements[first..].fill(F::from_u64(beyond));
            faulty
        }
        9 if is_large => {
            let words = format!("column 0, row 0 of table 0 is {beyond}: no word");
            let mut faulty = no_word(&words, |r, is_wrong| r.emit(0, 0, r.read_if(0, 0, r.word(0), is_wrong)));
            faulty.case.tables[0].elements[0] = F::from_u64(beyond);
            faulty
        }
        _ => return None,
    })
}
