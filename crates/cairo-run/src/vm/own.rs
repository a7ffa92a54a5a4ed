//! The machine of this crate as a producer of runs: the choice between the machines, hints and bounds, and what the
//! statement and the witness take of its memory.

mod at;
mod bounded;
mod place;
mod words;

use std::borrow::Cow;

use cairo_vm::types::builtin_name::BuiltinName as VmBuiltin;
use cairo_vm::types::program::Program;

use super::adapt::{Adapted, no_memory, relocated_builtins};
use super::bounds::ADDRESS_BYTES;
use super::layout::{Builtins, Layout, SegmentCells, Value};
use super::options::{Machine, Options};
use super::run::supported;
use crate::machine::{self, BUILTINS, Cell, Ended, FIRST_WINDOW, PROGRAM, Segment, Stop, segment_of};
use crate::{BuiltinName, MAX_ADDRESSES, Problem, PublicSegmentContext, Run, RunBy, StateTransitions, caught};
use bounded::Bounded;
pub(super) use bounded::NumberedHints;
use place::relocatable;

/// Why our machine has made no run.
pub(super) enum NoRun {
    /// The program fails, takes more than it may, or no proof can state it.
    Fails(&'static str),
    /// The machine lacks something.
    Lacks(Cow<'static, str>),
}

impl From<Stop> for NoRun {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fails(why) => Self::Fails(why),
            Stop::Lacks(why) => Self::Lacks(why.into()),
        }
    }
}

/// Runs a program in the machine that is asked for: in ours, or in cairo-vm.
pub(super) fn choose(
    options: &Options,
    own: impl FnOnce() -> Result<Adapted, NoRun>,
    vm: impl FnOnce() -> Result<Adapted, Problem>,
) -> Result<Adapted, Problem> {
    if options.machine == Machine::CairoVm {
        return vm();
    }
    let no_run = match own() {
        Ok(adapted) if options.machine == Machine::Compare => {
            let vm = vm();
            // Nobody wants to know any more: that cairo-vm was stopped is no difference.
            if vm.is_err() && options.stop.is_stopped() {
                return Err(Problem::Cancelled);
            }
            return compared(adapted, vm);
        }
        Ok(adapted) => return Ok(adapted),
        Err(_) if options.stop.is_stopped() => return Err(Problem::Cancelled),
        Err(no_run) => no_run,
    };
    // A program that fails in both is refused by what cairo-vm says of it.
    let adapted = vm()?;
    let because = match no_run {
        NoRun::Fails(why) if options.machine == Machine::Compare => {
            return Err(Problem::Machines(format!("cairo-vm runs the program, but ours stops: {why}")));
        }
        NoRun::Fails(why) => why.into(),
        NoRun::Lacks(why) => why,
    };
    Ok(Adapted { run_by: RunBy::CairoVm { because }, ..adapted })
}

/// Our run, if it is cairo-vm's.
fn compared(own: Adapted, vm: Result<Adapted, Problem>) -> Result<Adapted, Problem> {
    let difference = match vm {
        Ok(vm) => own.difference(&vm),
        Err(problem) => Some(format!("ours runs the program, but cairo-vm stops: {problem}")),
    };
    difference.map_or(Ok(own), |difference| Err(Problem::Machines(difference)))
}

impl Adapted {
    /// The first difference from another machine's run of the same program.
    fn difference(&self, vm: &Self) -> Option<String> {
        if self.words.len() != vm.words.len() {
            return Some(format!("{} cells of memory, and {} in cairo-vm", self.words.len(), vm.words.len()));
        }
        if let Some(index) = (0..self.words.len()).find(|index| self.words[*index] != vm.words[*index]) {
            let (own, vm) = (self.words[index], vm.words[index]);
            return Some(format!("address {} has the words {own:x?}, and {vm:x?} in cairo-vm", index + 1));
        }
        let [own, others] = [&self.run, &vm.run].map(|run| &run.state_transitions);
        let ends = |run: &Run| [run.state_transitions.initial_state, run.state_transitions.final_state];
        if ends(&self.run) != ends(&vm.run) {
            return Some(format!("the states {:?}, and {:?} in cairo-vm", ends(&self.run), ends(&vm.run)));
        }
        let lists = own.casm_states_by_opcode.lists().into_iter().zip(others.casm_states_by_opcode.lists());
        for ((name, .., own), (.., vm)) in lists {
            if let Some(step) = (0..own.len().max(vm.len())).find(|step| own.get(*step) != vm.get(*step)) {
                let (own, vm) = (own.get(step), vm.get(step));
                return Some(format!("step {step} of {name} is {own:?}, and {vm:?} in cairo-vm"));
            }
        }
        let rest = |adapted: &Self| {
            let Run { pc_count, public_memory_addresses, builtin_segments, public_segment_context, .. } = &adapted.run;
            let segments = BuiltinName::PUBLIC.map(|name| builtin_segments.get(name));
            let present = public_segment_context.present;
            let (holes, tasks) = (adapted.output_holes.clone(), adapted.tasks.clone());
            (*pc_count, public_memory_addresses.clone(), segments, present, holes, tasks)
        };
        const REST: &str = "the number of instructions, the public addresses, the builtins, the holes of the output or \
                            the output of a bootloader beside it";
        (rest(self) != rest(vm)).then(|| REST.into())
    }
}

/// A program that has been parsed.
pub(super) struct Job<'a> {
    pub(super) program: &'a Program,
    /// The words where it begins and ends.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The builtins that `main` takes.
    pub(super) builtins: &'a [VmBuiltin],
}

/// Runs a program in our machine, with the numbers of the hints that run before each word.
pub(super) fn run(
    job: &Job<'_>,
    hints: &mut dyn NumberedHints,
    at: &[Vec<usize>],
    options: &Options,
) -> Result<Adapted, Stop> {
    if options.secure || options.resources {
        return Err(Stop::Lacks("it is asked for what cairo-vm alone checks or counts"));
    }
    let run = || run_within(job, Bounded::new(hints, at, options.bounds()), options);
    caught(run).unwrap_or(Err(Stop::Fails("it stopped unexpectedly")))
}

fn run_within(job: &Job<'_>, mut with: Bounded<'_>, options: &Options) -> Result<Adapted, Stop> {
    let builtins: Vec<BuiltinName> = job.builtins.iter().map(|name| (*name).into()).collect();
    if supported(job.builtins).is_err() || !builtins.is_sorted_by(|a, b| a < b) {
        return Err(Stop::Fails("main takes builtins that no run has, or in another order"));
    }
    let words: Option<Vec<Cell>> = job.program.iter_data().map(|word| Some(Cell::felt(word.get_int_ref()?))).collect();
    let words = words.ok_or(Stop::Lacks("a word of the program is a pointer"))?;
    let hinted = with.hinted();
    with.begin(words.len())?;
    let segments: Vec<Option<usize>> =
        builtins.iter().map(|name| segment_of(*name).filter(|_| options.layout.has(*name))).collect();
    let program = machine::Program { words, start: job.start, end: job.end, builtins: &segments, hinted };
    let bounds = options.bounds();
    let most = bounds.memory.map_or(usize::MAX, |bytes| usize::try_from(bytes / ADDRESS_BYTES).unwrap_or(usize::MAX));
    let (ended, steps) = machine::run(program, bounds.addresses.min(most), &mut with)?;
    with.count(steps)?;
    with.settle(&ended.memory)?;
    adapt(ended, &builtins)
}

/// The run of the machine, as far as it has no ids.
fn adapt(mut ended: Ended, builtins: &[BuiltinName]) -> Result<Adapted, Stop> {
    let refused = |_| Stop::Fails("no proof can state the run");
    let names: Builtins = BUILTINS.iter().filter_map(|name| Some((segment_of(*name)?, *name))).collect();
    let segments = &ended.memory.segments;
    let layout = Layout::new(segments, &names).map_err(refused)?;
    // Below this a pointer is a small operand of a sum.
    if u64::from(layout.end()).saturating_add(ended.reach) >= u64::from(MAX_ADDRESSES) {
        return Err(Stop::Lacks("a pointer goes far beyond its segment"));
    }
    let mut states = ended.states;
    if !ended.windows.is_empty() {
        leave_windows(&mut states, &ended.windows, &layout);
    }
    let output = segment_of(BuiltinName::Output).unwrap_or_default();
    let holes = (0..segments[output].length()).filter(|offset| !segments[output].get(*offset).is_known());
    let stack = layout.range(PROGRAM + 1).start;
    let on_stack = |offset: usize| stack + offset as u32;
    // The program, the safe call's two cells, and the pointers that main takes; those that it returns; the output.
    let mut public: Vec<u32> = (1..on_stack(2 + builtins.len())).collect();
    public.extend(ended.returned.clone().map(on_stack));
    public.extend(layout.range(output));
    public.sort_unstable();
    let output_holes = holes.collect();
    let words = words::of(&mut ended.memory, &layout)?;
    let run = Run {
        state_transitions: states,
        pc_count: ended.instructions,
        memory: no_memory(),
        public_memory_addresses: public,
        builtin_segments: relocated_builtins(&layout, &names),
        public_segment_context: PublicSegmentContext::new(builtins),
    };
    Ok(Adapted { run, words, output_holes, run_by: RunBy::Own, resources: None, tasks: None })
}

/// Gives states outside of the program their addresses.
fn leave_windows(states: &mut StateTransitions, windows: &[(u32, usize)], layout: &Layout) {
    let by_opcode = &mut states.casm_states_by_opcode;
    let lists: Vec<_> = by_opcode.lists().iter().map(|(_, opcode, variant, _)| (*opcode, *variant)).collect();
    for (opcode, variant) in lists {
        for state in by_opcode.list_mut(opcode, variant).iter_mut().filter(|state| state.pc >= FIRST_WINDOW) {
            let before = windows.partition_point(|(base, _)| *base <= state.pc);
            let (base, segment) = windows[before - 1];
            state.pc = layout.range(segment).start + (state.pc - base);
        }
    }
}

impl SegmentCells for Segment {
    fn length(&self) -> usize {
        self.length()
    }

    fn value(&self, offset: usize) -> Option<Value> {
        let cell = self.get(offset);
        cell.to_words().map(Value::Number).or_else(|| cell.to_pointer().map(|at| Value::Pointer(relocatable(at))))
    }

    fn hole(&self) -> Option<usize> {
        self.cells().iter().position(|cell| !cell.is_known())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::pages::Pages;
    use crate::vm::compiled;

    fn run(machine: Machine) -> Adapted {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo/programs/fib_10.json");
        let options = Options { machine, ..Options::default() };
        compiled::run(&std::fs::read(path).unwrap(), &options, &mut String::new()).unwrap()
    }

    #[test]
    fn a_difference_is_found() {
        let vm = run(Machine::CairoVm);
        assert_eq!(run(Machine::Own).difference(&vm), None);
        let differs = |change: fn(&mut Adapted), what: &str| {
            let mut own = run(Machine::Own);
            change(&mut own);
            let found = own.difference(&vm).unwrap_or_default();
            assert!(found.contains(what), "{found}");
        };
        differs(|own| own.words[6][0] ^= 1, "address 7 ");
        differs(|own| own.words = Pages::zeroed(9), "9 cells");
        differs(|own| own.run.state_transitions.final_state.ap += 1, "the states");
        differs(|own| own.run.state_transitions.casm_states_by_opcode.ret_opcode.truncate(0), "ret_opcode is None");
        differs(|own| own.run.pc_count += 1, "instructions");
        differs(|own| own.output_holes.push(0), "holes");
    }

    #[test]
    fn a_run_of_one_machine_alone_is_no_agreement() {
        let stop = || Err(NoRun::Fails("something"));
        let vm = || Ok(run(Machine::CairoVm));
        let with = |machine| Options { machine, ..Options::default() };
        let one = choose(&with(Machine::Own), stop, vm).unwrap();
        assert_eq!(one.run_by, RunBy::CairoVm { because: "something".into() });
        assert!(matches!(choose(&with(Machine::Compare), stop, vm), Err(Problem::Machines(_))));
        let lacks = || Err(NoRun::Lacks("something".into()));
        assert!(choose(&with(Machine::Compare), lacks, vm).is_ok());
        let failed = || Err(Problem::Unforeseen(String::new()));
        assert!(matches!(choose(&with(Machine::Compare), || Ok(run(Machine::Own)), failed), Err(Problem::Machines(_))));
        assert!(matches!(choose(&with(Machine::Compare), stop, failed), Err(Problem::Unforeseen(_))));
    }

    #[test]
    fn a_stop_while_cairo_vm_runs_is_no_difference() {
        let options = Options { machine: Machine::Compare, ..Options::default() };
        let stopped = || {
            options.stop.stop();
            Err(Problem::Cancelled)
        };
        let ran = choose(&options, || Ok(run(Machine::Own)), stopped);
        assert!(matches!(ran, Err(Problem::Cancelled)));
    }
}
