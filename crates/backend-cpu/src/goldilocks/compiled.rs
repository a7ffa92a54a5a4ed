//! Constraint programs as machine code: made once a program has run on enough rows in all, compared with the
//! interpreter, and kept with the program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use field::{Goldilocks, PrimeField, SplitMix64};
use gpu_hal::ir::Schedule;
use gpu_hal::{ErrorKind, GoldilocksStark, HalError, Operation, Result};
use jit::{Compiled, Uniforms, Workspace};

use super::lanes::LaneField;
use super::sums::Interpreted;
use crate::loads::Loads;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// The rows of a run of compiled code, as a logarithm.
pub(super) const LOG_RUN: u32 = 8;
/// Log2 of the rows of the tables that code is shown first: lower than a run, in which their rows come again.
const LOG_CHECKED: u32 = 5;

/// The code of a program for each way in which its outputs are combined.
#[derive(Default)]
pub struct Programs(Mutex<HashMap<Groups, Kept>>);

/// The state of one way.
enum Kept {
    /// It was interpreted on so many rows so far.
    Rows(u64),
    /// A thread compiles it. Others interpret it meanwhile.
    Compiling,
    /// It was compiled, or cannot be.
    Code(Option<Arc<Compiled>>),
}

/// The outputs of each group.
type Groups = Vec<Vec<usize>>;

/// Outputs of each group with their weights.
type Terms<E> = [Vec<(usize, E)>];

/// Code with the values of one statement that are equal on all rows.
pub(super) struct Run {
    compiled: Arc<Compiled>,
    uniforms: Uniforms,
}

impl Run {
    fn new<E: LaneField>(
        compiled: Arc<Compiled>,
        schedule: &Schedule<GoldilocksStark<E>>,
        terms: &Terms<E>,
        params: &[E],
    ) -> Self {
        let weights: Vec<Vec<E>> = terms.iter().map(|group| group.iter().map(|term| term.1).collect()).collect();
        let uniforms = compiled.uniforms(schedule, params, &weights);
        Self { compiled, uniforms }
    }

    /// One thread's memory.
    pub(super) fn workspace(&self) -> Workspace {
        self.compiled.workspace()
    }

    /// The sums of a run of the columns.
    pub(super) fn run<E: LaneField>(
        &self,
        loads: &Loads<'_, GoldilocksStark<E>>,
        run: usize,
        workspace: &mut Workspace,
        sums: &mut [u64],
    ) {
        self.compiled.run(&self.uniforms, workspace, sums, |load, words| {
            loads.fetch(load.table as usize, load.column as usize, load.offset, run, words)
        });
    }
}

impl Programs {
    /// The code for these terms, which are about to be evaluated on so many rows, or `None` where they are to be
    /// interpreted. Code is made, and checked, when it is asked for on `least` rows in all.
    ///
    /// # Errors
    /// [`ErrorKind::Backend`] if the code does not do what the interpreter does.
    pub(super) fn run<E: LaneField>(
        &self,
        schedule: &Schedule<GoldilocksStark<E>>,
        terms: &Terms<E>,
        params: &[E],
        (rows, least): (u64, u64),
    ) -> Result<Option<Run>> {
        let groups: Groups = terms.iter().map(|group| group.iter().map(|term| term.0).collect()).collect();
        let compiled = match self.known(&groups, rows, least) {
            Known::Interpreted => None,
            Known::Code(compiled) => Some(compiled),
            Known::Due(before) => {
                // Threads share the work of compiling, and one that waits for another may take up a proof of this very
                // program: nothing is locked here.
                // Why there is none was said when the backend was opened.
                let compiled = Compiled::new(schedule, &groups, 1 << LOG_RUN).ok().map(Arc::new);
                let checked = compiled.as_ref().map_or(Ok(()), |compiled| check(compiled, schedule, &groups));
                let kept = if checked.is_ok() { Kept::Code(compiled.clone()) } else { Kept::Rows(before) };
                self.lock().insert(groups, kept);
                checked?;
                compiled
            }
        };
        Ok(compiled.map(|compiled| Run::new(compiled, schedule, terms, params)))
    }

    /// Counts the rows, and says who is to compile.
    fn known(&self, groups: &Groups, rows: u64, least: u64) -> Known {
        let mut known = self.lock();
        let kept = known.entry(groups.clone()).or_insert(Kept::Rows(0));
        match kept {
            Kept::Compiling | Kept::Code(None) => Known::Interpreted,
            Kept::Code(Some(compiled)) => Known::Code(Arc::clone(compiled)),
            Kept::Rows(before) => {
                let (before, all) = (*before, before.saturating_add(rows));
                if all < least {
                    *kept = Kept::Rows(all);
                    return Known::Interpreted;
                }
                *kept = Kept::Compiling;
                Known::Due(before)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Groups, Kept>> {
        // A panic elsewhere leaves the map whole: each entry is changed by one assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way in which a program is run now.
enum Known {
    Interpreted,
    Code(Arc<Compiled>),
    /// The caller compiles it. It was interpreted on so many rows before.
    Due(u64),
}

/// Draws elements, the same every time, so that a failure can be seen again; one in eight is at an end of the range.
fn element(random: &mut SplitMix64) -> Goldilocks {
    match random.word() % 24 {
        0 => Goldilocks::new(0),
        1 => Goldilocks::new(1),
        2 => Goldilocks::new(Goldilocks::ORDER - 1),
        _ => Goldilocks::new(random.word()),
    }
}

/// Compares code with the interpreter on a run of random rows.
fn check<E: LaneField>(
    compiled: &Arc<Compiled>,
    schedule: &Schedule<GoldilocksStark<E>>,
    groups: &[Vec<usize>],
) -> Result<()> {
    let program = schedule.program();
    let mut random = SplitMix64::new(schedule.instructions.len() as u64);
    let tables: Vec<Vec<Goldilocks>> = (0..program.groups().len())
        .map(|group| (0..program.base_width(group) << LOG_CHECKED).map(|_| element(&mut random)).collect())
        .collect();
    let loads = Loads::of(tables.iter().map(|table| (&table[..], LOG_CHECKED)).collect(), LOG_RUN);
    let mut extension = || (0..E::DEGREE).map(|k| E::basis(k) * element(&mut random)).sum::<E>();
    let params: Vec<E> = (0..program.params()).map(|_| extension()).collect();
    let terms: Vec<Vec<(usize, E)>> =
        groups.iter().map(|group| group.iter().map(|output| (*output, extension())).collect()).collect();
    let rows = 1 << LOG_RUN;
    let mut expected = vec![0; groups.len() * E::DEGREE * rows];
    let interpreted = Interpreted::new(schedule, &loads, &params, &terms);
    dispatch(SimdLevel::detect(), Expected { interpreted: &interpreted, sums: &mut expected });
    let run = Run::new(Arc::clone(compiled), schedule, &terms, &params);
    let mut found = vec![0; expected.len()];
    run.run(&loads, 0, &mut run.workspace(), &mut found);
    let pairs = found.iter().zip(&expected);
    let differ = |(found, expected): (&u64, &u64)| Goldilocks::new(*found) != Goldilocks::new(*expected);
    if let Some(at) = pairs.into_iter().position(differ) {
        let detail = format!(
            "the machine code of a program of {} instructions differs from the interpreter in row {} of random ones: \
             POLYSTARK_JIT=off has programs interpreted; please report it",
            schedule.instructions.len(),
            at % rows
        );
        return Err(HalError::new(ErrorKind::Backend, Operation::ConstraintEval, detail));
    }
    Ok(())
}

/// The interpreter's sums of a run.
struct Expected<'s, 'a, E: LaneField> {
    interpreted: &'s Interpreted<'a, E>,
    sums: &'s mut [u64],
}

impl<E: LaneField> Kernel for Expected<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.interpreted.run::<I>(0, &mut self.interpreted.machine(), self.sums);
    }
}

#[cfg(test)]
mod tests {
    use field::{Field, Fp3};
    use gpu_hal::ConstraintProgram;
    use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
    use rayon::prelude::*;

    use super::*;

    type Builder = ProgramBuilder<GoldilocksStark>;

    /// A program of two columns.
    fn program(output: impl FnOnce(&mut Builder, NodeId, NodeId) -> NodeId) -> ConstraintProgram<GoldilocksStark> {
        let mut builder = Builder::new(vec![Group { width: 2, kind: Kind::Base }], 0);
        let (x, y) = (builder.load(0, 0, 0), builder.load(0, 1, 1));
        let output = output(&mut builder, x, y);
        builder.output(output);
        builder.finish().expect("two columns are declared")
    }

    #[test]
    fn code_that_is_not_the_programs_is_an_error() {
        let (product, sum) = (program(|builder, x, y| builder.mul(x, y)), program(|builder, x, y| builder.add(x, y)));
        let groups = vec![vec![0]];
        let Ok(compiled) = Compiled::new(&Schedule::new(&product), &groups, 1 << LOG_RUN) else {
            return println!("left out: no code is made here");
        };
        let compiled = Arc::new(compiled);
        check(&compiled, &Schedule::new(&product), &groups).expect("its own code");
        let error = check(&compiled, &Schedule::new(&sum), &groups).expect_err("another program's code");
        assert_eq!(error.kind, ErrorKind::Backend);
        assert!(error.detail.contains("differs from the interpreter in row 0"), "{error}");
        assert!(error.detail.contains("POLYSTARK_JIT=off"), "{error}");
    }

    #[test]
    fn code_is_made_once_for_each_way_to_combine() {
        let schedule = Schedule::new(&program(|builder, x, y| builder.sub(x, y)));
        let programs = Programs::default();
        let weight = |value| vec![vec![(0, Fp3::from(Goldilocks::new(value)))]];
        let code = |terms: &Terms<Fp3>| {
            programs.run(&schedule, terms, &[], (1, 1)).expect("right code").map(|run| run.compiled)
        };
        let (Some(first), Some(again)) = (code(&weight(2)), code(&weight(3))) else {
            return println!("left out: no code is made here");
        };
        assert!(Arc::ptr_eq(&first, &again), "weights are no part of the code");
        let twice = code(&[weight(2), weight(3)].concat()).expect("made here");
        assert!(!Arc::ptr_eq(&first, &twice), "two groups are other code");
    }

    /// Threads of one pool prove with one program, while it is compiled in parts by the same pool.
    #[test]
    fn threads_that_compile_do_not_wait_for_themselves() {
        let long = |builder: &mut Builder, x, y| {
            let squared = |product, _: i32| {
                let square = builder.mul(product, product);
                builder.add(square, y)
            };
            (0..6000).fold(x, squared)
        };
        let schedule = Schedule::new(&program(long));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        for round in 0..8 {
            let programs = Programs::default();
            let ways: Vec<Vec<Vec<(usize, Fp3)>>> =
                (0..2).map(|more| vec![vec![(0, Fp3::from(Goldilocks::new(round)))]; 1 + more]).collect();
            pool.install(|| {
                let run =
                    |way: usize| programs.run(&schedule, &ways[way % 2], &[], (1, 1)).expect("right code").is_some();
                let _: usize = (0..16).into_par_iter().filter(|way| run(*way)).count();
            });
            assert_eq!(
                programs.run(&schedule, &ways[0], &[], (1, 1)).expect("right code").is_some(),
                jit::available().is_ok()
            );
        }
    }

    #[test]
    fn code_is_made_when_it_pays() {
        let schedule = Schedule::new(&program(|builder, x, y| builder.mul(x, y)));
        let programs = Programs::default();
        let terms = [vec![(0, Fp3::ONE)]];
        let is_compiled = |rows| programs.run(&schedule, &terms, &[], (rows, 100)).expect("right code").is_some();
        assert!(!is_compiled(60) && !is_compiled(39));
        assert_eq!(is_compiled(1), jit::available().is_ok());
        assert_eq!(is_compiled(1), jit::available().is_ok(), "it stays");
    }
}
