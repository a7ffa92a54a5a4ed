//! A Cairo machine of our own.
//!
//! It decodes an instruction once, keeps memory as a list of cells for each segment, and writes the states of each
//! component's steps, with their final addresses, as it goes. It knows programs that end, and stops at anything else:
//! a program that fails, or that does what this machine lacks, is run by cairo-vm, which says what is wrong and where.

pub(crate) mod blake;
mod builtins;
mod cell;
mod code;
mod compute;
mod decode;
mod fetch;
pub(crate) mod keccak;
mod log;
mod memory;
mod other;
mod simulate;
mod simulated;
mod step;
mod stop;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use builtins::Builtins;
pub(crate) use builtins::{BUILTINS, segment_of};
pub(crate) use cell::{Cell, Pointer};
use code::Code;
pub(crate) use code::FIRST_WINDOW;
use decode::{LISTS, list};
use log::Log;
use memory::STACK;
pub(crate) use memory::{Memory, PROGRAM, Segment};
pub(crate) use stop::Stop;

use crate::run::states::StatesByOpcode;
use crate::{MAX_ADDRESSES, State, StateTransitions};

/// Cells of the segment of zeros that circuits have.
const ZEROS: usize = 4;
/// Cells of the stack before the pointers of builtins: the frame, and 0 for the address to return to.
const BEFORE_POINTERS: usize = 2;

/// The hints and the bounds of a run.
pub(crate) trait Hints {
    /// How many steps may follow, one at least, when so many were made.
    ///
    /// # Errors
    /// The run has taken more than it may.
    fn steps(&mut self, memory: &Memory, made: usize) -> Result<usize, Stop>;

    /// Runs the hints of the instruction at the pc.
    ///
    /// # Errors
    /// A hint that fails.
    fn run(&mut self, machine: &mut Machine) -> Result<(), Stop>;
}

/// A program.
pub(crate) struct Program<'a> {
    /// Its words.
    pub(crate) words: Vec<Cell>,
    /// Where it begins.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// The segments of the builtins that `main` takes; one that the run does not have has the pointer 0.
    pub(crate) builtins: &'a [Option<usize>],
    /// Whether hints run before a word; shorter than the words if none does from there on.
    pub(crate) hinted: Vec<bool>,
}

/// A run that has ended.
pub(crate) struct Ended {
    /// Its memory: each segment up to its last cell, those of builtins with whole instances.
    pub(crate) memory: Memory,
    /// Its states. The pc of one outside of the program is in a window.
    pub(crate) states: StateTransitions,
    /// The first addresses of all windows, in ascending order, and their segments.
    pub(crate) windows: Vec<(u32, usize)>,
    /// How many different instructions were executed.
    pub(crate) instructions: usize,
    /// The cells of the stack where `main` has left the pointers of its builtins.
    pub(crate) returned: Range<usize>,
    /// Pointers were taken for small operands of sums, which is so if no more addresses than these are before 2^29.
    pub(crate) reach: u64,
}

/// The state of a run.
pub(crate) struct Machine {
    pub(crate) memory: Memory,
    pub(crate) pc: usize,
    pub(crate) ap: usize,
    pub(crate) fp: usize,
    steps: usize,
    builtins: Builtins,
    /// Where the instruction is, and where others were.
    code: Code,
    left: HashMap<usize, Code>,
    windows: Vec<(u32, usize)>,
    next_window: u32,
    words: usize,
    hinted: Vec<bool>,
    /// The cells outside of the program before whose instructions hints run.
    hinted_outside: HashSet<Pointer>,
    lists: [Log; LISTS],
    state_at_end: State,
    /// The address of the first cell of the stack.
    stack_base: u32,
    instructions: usize,
    reach: u64,
}

fn no_states() -> [Log; LISTS] {
    std::array::from_fn(|_| Log::default())
}

/// Runs a program to its end. Offsets in each segment stay below `most`. Returns the number of steps, too.
///
/// # Errors
/// Whatever cairo-vm has to look at.
pub(crate) fn run(program: Program<'_>, most: usize, hints: &mut dyn Hints) -> Result<(Ended, usize), Stop> {
    let (end, builtins) = (program.end, program.builtins.to_vec());
    let mut machine = Machine::new(program, most)?;
    let start = machine.state()?;
    machine.run(end, hints)?;
    let steps = machine.steps;
    Ok((machine.ended(start, &builtins)?, steps))
}

impl Machine {
    fn new(program: Program<'_>, most: usize) -> Result<Self, Stop> {
        let words = program.words.len();
        let stack_base = u32::try_from(words + 1).ok().filter(|base| *base < MAX_ADDRESSES);
        let stack_base = stack_base.ok_or(Stop::Fails("the program is too long"))?;
        let most = most.min((MAX_ADDRESSES - stack_base) as usize);
        let mut memory = Memory::new(most);
        let [code, stack] = [memory.add(), memory.add_behind(words)];
        for _ in BUILTINS {
            memory.add();
        }
        let zeros = memory.add();
        let mut write = |start: Pointer, cells: &[Cell]| {
            let places = (0..).map(|offset| Pointer { offset, ..start });
            places.zip(cells).try_for_each(|(at, cell)| memory.write(at, *cell))
        };
        write(code, &program.words)?;
        let frame = Pointer { offset: BEFORE_POINTERS as u64, ..stack };
        let start = |segment: usize| Cell::pointer(Pointer { segment: segment as i64, offset: 0 });
        let pointers = program.builtins.iter().map(|segment| segment.map_or(Cell::small(0), start));
        write(stack, &[Cell::pointer(frame), Cell::small(0)].into_iter().chain(pointers).collect::<Vec<_>>())?;
        write(zeros, &[Cell::small(0); ZEROS])?;
        Ok(Self {
            memory,
            pc: program.start,
            ap: BEFORE_POINTERS,
            fp: BEFORE_POINTERS,
            steps: 0,
            builtins: Builtins::default(),
            code: Code::of_program(words),
            left: HashMap::new(),
            windows: Vec::new(),
            next_window: FIRST_WINDOW,
            words,
            hinted: program.hinted,
            hinted_outside: HashSet::new(),
            lists: no_states(),
            state_at_end: State::default(),
            stack_base,
            instructions: 0,
            reach: 0,
        })
    }

    /// Completes the memory, and reads where `main` has left its pointers.
    fn ended(mut self, start: State, builtins: &[Option<usize>]) -> Result<Ended, Stop> {
        self.memory.settle()?;
        // By now a temporary segment that went into another has the place of that one added.
        self.reach = self.reach.saturating_add(self.memory.highest_move());
        for segment in &mut self.memory.segments {
            let (used, taken) = (segment.used(), segment.taken);
            segment.cells.cut(used, taken);
        }
        if self.memory.segments[PROGRAM].cells.len() != self.words {
            return Err(Stop::Fails("the program writes behind its last word"));
        }
        self.builtins.complete(&mut self.memory)?;
        let returned = self.returned(builtins)?;
        let mut by_opcode = StatesByOpcode::default();
        let lists: Vec<_> = by_opcode.lists().iter().map(|(_, opcode, variant, _)| (*opcode, *variant)).collect();
        for (opcode, variant) in lists {
            *by_opcode.list_mut(opcode, variant) = std::mem::take(&mut self.lists[list(opcode, variant)]).states();
        }
        let states =
            StateTransitions { initial_state: start, final_state: self.state_at_end, casm_states_by_opcode: by_opcode };
        let (windows, instructions, reach) = (self.windows, self.instructions, self.reach);
        Ok(Ended { memory: self.memory, states, windows, instructions, returned, reach })
    }

    /// Checks the pointers that `main` has left, the last one below `ap`, against what was used.
    fn returned(&self, builtins: &[Option<usize>]) -> Result<Range<usize>, Stop> {
        const NONE: Stop = Stop::Fails("main does not hand back a pointer of a builtin");
        let mut at = self.ap;
        for segment in builtins.iter().rev() {
            at = at.checked_sub(1).ok_or(NONE)?;
            let found = self.memory.get(Pointer { segment: STACK as i64, offset: at as u64 });
            let expected = match *segment {
                Some(segment) => {
                    let used = self.memory.segments[segment].cells.len();
                    Cell::pointer(Pointer { segment: segment as i64, offset: used as u64 })
                }
                None => Cell::small(0),
            };
            if found != expected {
                return Err(NONE);
            }
        }
        // All of them are cells.
        Ok(at..self.ap)
    }
}
