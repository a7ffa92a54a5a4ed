//! Random programs, run by cairo-vm, by our machine, and by one that shares no code with either: all must find the same
//! memory, steps and output.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use adversary_cairo::assembler::{BUILTINS, Compiled};
use adversary_cairo::machine::{self, Felt, Run};
use adversary_cairo::random::draw;
use cairo_run::{Cells, Loaded, Machine, Options, RunBy, State, load};
use serde_json::Value;

/// Programs that are run, unless `POLYSTARK_PROGRAMS` says how many.
const SEEDS: u64 = 64;
/// More than any of them takes.
const MAX_STEPS: usize = 1 << 20;

fn loaded(program: &Compiled) -> Loaded {
    let options = Options { max_steps: MAX_STEPS, machine: Machine::Compare, ..Options::default() };
    let loaded = load(program.json().as_bytes(), &options).unwrap();
    assert_eq!(loaded.run_by, RunBy::Own);
    loaded
}

/// pc, ap and fp of all steps, in ascending order: the runner sorts them by component.
fn steps(loaded: &Loaded) -> Vec<[u64; 3]> {
    let by_opcode = serde_json::to_value(&loaded.run.state_transitions.casm_states_by_opcode).unwrap();
    let register = |state: &Value, name: &str| state[name].as_u64().unwrap();
    let lists = by_opcode.as_object().unwrap().values().flat_map(|list| list.as_array().unwrap());
    let mut steps: Vec<_> = lists.map(|state| ["pc", "ap", "fp"].map(|name| register(state, name))).collect();
    steps.sort_unstable();
    steps
}

/// The first difference between the two.
fn difference(loaded: &Loaded, run: &Run, program: &Compiled) -> Option<String> {
    let memory = &loaded.run.memory;
    let cells = (1..memory.address_to_id.len() as u32).map(|address| Cells(memory).words(address).unwrap());
    if let Some(what) = run.memory_differs(cells) {
        return Some(what);
    }
    let (last, before) = run.trace.split_last().unwrap();
    let mut expected: Vec<_> = before.iter().map(|registers| registers.map(u64::from)).collect();
    expected.sort_unstable();
    if loaded.steps != run.steps() || steps(loaded) != expected {
        return Some(format!("{} other steps, expected {}", loaded.steps, run.steps()));
    }
    let transitions = &loaded.run.state_transitions;
    let ends = [&transitions.initial_state, &transitions.final_state].map(State::values);
    if ends != [run.trace[0], *last] {
        return Some(format!("registers {ends:?}, expected {:?} and {last:?}", run.trace[0]));
    }
    if loaded.output != run.output {
        return Some(format!("it puts out {:?}, expected {:?}", loaded.output, run.output));
    }
    let found: Vec<_> = loaded.builtins.iter().map(|(name, instances)| (name.to_str(), *instances)).collect();
    let expected = program.builtins.iter().map(|&builtin| BUILTINS[builtin]).zip(run.instances.iter().copied());
    (!expected.eq(found.iter().copied())).then(|| format!("instances {found:?}, expected {:?}", run.instances))
}

/// Counts of the parts that the programs of a test had.
#[derive(Default)]
struct Seen {
    wrong: Vec<String>,
    instances: BTreeMap<&'static str, usize>,
    opcodes: BTreeMap<&'static str, usize>,
}

impl Seen {
    fn run(&mut self, seed: u64) {
        let program = draw(seed, seed.is_multiple_of(2));
        let run = machine::run(&program, MAX_STEPS).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        let loaded = loaded(&program);
        self.wrong.extend(difference(&loaded, &run, &program).map(|what| format!("seed {seed}: {what}")));
        for (&builtin, count) in program.builtins.iter().zip(&run.instances) {
            *self.instances.entry(BUILTINS[builtin]).or_default() += count;
        }
        for (opcode, .., states) in loaded.run.state_transitions.casm_states_by_opcode.lists() {
            *self.opcodes.entry(opcode).or_default() += states.len();
        }
    }

    fn add(&mut self, other: Self) {
        self.wrong.extend(other.wrong);
        other.instances.into_iter().for_each(|(name, count)| *self.instances.entry(name).or_default() += count);
        other.opcodes.into_iter().for_each(|(name, count)| *self.opcodes.entry(name).or_default() += count);
    }
}

#[test]
fn runs_are_those_of_another_machine() {
    let programs = std::env::var("POLYSTARK_PROGRAMS").map_or(SEEDS, |number| number.parse().unwrap());
    let next = AtomicU64::new(0);
    let seen = Mutex::new(Seen::default());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let mut own = Seen::default();
                seeds.take_while(|seed| *seed < programs).for_each(|seed| own.run(seed));
                seen.lock().unwrap().add(own);
            });
        }
    });
    let Seen { wrong, instances, opcodes } = seen.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nothing was left out but what no component proves.
    let unused: Vec<_> = instances.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    assert_eq!((instances.len(), unused), (BUILTINS.len(), vec!["ecdsa", "keccak"]));
    assert!(opcodes.len() == 20 && opcodes.values().all(|count| *count > 0), "{opcodes:?}");
}

/// The comparison sees a cell, a step and a felt that are put out.
#[test]
fn a_difference_is_found() {
    let seed = (0..SEEDS).find(|&seed| machine::run(&draw(seed, false), MAX_STEPS).unwrap().output.len() > 1).unwrap();
    let program = draw(seed, false);
    let (loaded, run) = (loaded(&program), machine::run(&program, MAX_STEPS).unwrap());
    assert_eq!(difference(&loaded, &run, &program), None);
    let mut other = run.clone();
    let cells = other.memory.len();
    other.memory[cells / 2] += Felt::ONE;
    assert!(difference(&loaded, &other, &program).unwrap().starts_with(&format!("address {}", cells / 2 + 1)));
    let mut other = run.clone();
    other.memory.push(Felt::ZERO);
    assert!(difference(&loaded, &other, &program).unwrap().starts_with("1 cells are missing"));
    let mut other = run.clone();
    other.trace[1][1] += 1;
    assert!(difference(&loaded, &other, &program).unwrap().contains("other steps"));
    let mut other = run.clone();
    other.output[1] += Felt::ONE;
    assert!(difference(&loaded, &other, &program).unwrap().starts_with("it puts out"));
    let mut other = run;
    other.instances[0] += 1;
    assert!(difference(&loaded, &other, &program).unwrap().starts_with("instances"));
}
