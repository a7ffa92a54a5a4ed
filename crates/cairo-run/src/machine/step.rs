//! The loop over steps. Here is what nearly all steps do; [`super::other`] has the rest.
//!
//! The loop holds the registers, the stack and the decoded code. A step that needs more lets it pause, before anything
//! of the step is done: a cell gets room or the value of a builtin's result, and the step is made then.

use super::builtins::Builtins;
use super::cell::{Cell, Pointer};
use super::code::Code;
use super::decode::{Decoded, Kind, LISTS, Source};
use super::log::Log;
use super::memory::{Open, Segment};
use super::stop::NO_COMPONENT;
use super::{Hints, Machine, PROGRAM, STACK, Stop, no_states};
use crate::State;

/// Steps between two looks at the budget.
const BURST: usize = 1 << 16;

/// Why the loop pauses before a step.
enum Pause {
    /// As many steps were made as may be.
    Rest,
    /// The instruction was not decoded yet.
    Undecoded,
    /// Hints run before the instruction.
    Hints,
    /// There is no room for a cell.
    Room(Pointer),
    /// A cell without a value is the second operand: it may be the result of a builtin.
    Unknown(Pointer),
    /// The loop does not know the step.
    Other,
    /// The program fails.
    Fails(&'static str),
}

impl Machine {
    /// Runs up to the instruction at `end`, and executes that one, which is no step of the proof.
    pub(super) fn run(&mut self, end: usize, hints: &mut dyn Hints) -> Result<(), Stop> {
        while self.pc != end || self.code.segment != PROGRAM {
            let most = hints.steps(&self.memory, self.steps)?.min(BURST);
            self.burst(most, end, hints)?;
        }
        // No step of the proof begins with the last state, so its instruction needs no component.
        let unproven = |stop| if stop == NO_COMPONENT { Stop::Lacks("the last instruction is unusual") } else { stop };
        let instruction = self.decoded(end).map_err(unproven)?;
        if instruction.has_hints {
            hints.run(self)?;
        }
        self.state_at_end = self.state()?;
        let lists = std::mem::replace(&mut self.lists, no_states());
        self.other()?;
        self.lists = lists;
        Ok(())
    }

    /// Runs at most so many steps.
    fn burst(&mut self, most: usize, end: usize, hints: &mut dyn Hints) -> Result<(), Stop> {
        let last = self.steps.saturating_add(most);
        // Whether the hints before the instruction at the pc have run.
        let mut have_run = false;
        loop {
            let before = self.steps;
            let pause = self.simple_steps(last, have_run)?;
            have_run &= self.steps == before;
            let is_other = match pause {
                Pause::Rest => return Ok(()),
                // The instruction at the end stays undecoded up to then.
                Pause::Undecoded if self.pc == end && self.code.segment == PROGRAM => return Ok(()),
                Pause::Undecoded => {
                    self.decoded(self.pc)?;
                    self.instructions += 1;
                    false
                }
                Pause::Hints => {
                    hints.run(self)?;
                    have_run = true;
                    false
                }
                Pause::Room(at) => {
                    self.memory.make_room(at)?;
                    false
                }
                Pause::Unknown(at) => match self.builtins.deduce(&self.memory, at)? {
                    Some(value) => {
                        self.memory.write(at, value)?;
                        false
                    }
                    None => true,
                },
                Pause::Other => true,
                Pause::Fails(why) => return Err(Stop::Fails(why)),
            };
            if is_other {
                self.steps += 1;
                self.other()?;
                have_run = false;
            }
        }
    }

    /// Makes steps up to a pause, and `last` of the run at most. `have_run` are the hints before the first one.
    fn simple_steps(&mut self, last: usize, have_run: bool) -> Result<Pause, Stop> {
        // Without temporary segments no cell points into one.
        if self.memory.temporary.is_empty() {
            self.steps_with::<false>(last, have_run)
        } else {
            self.steps_with::<true>(last, have_run)
        }
    }

    /// The same; `TEMPORARY` says whether cells may point into temporary segments.
    fn steps_with<const TEMPORARY: bool>(&mut self, last: usize, mut have_run: bool) -> Result<Pause, Stop> {
        let Open { stack, taken, program, others, moves } = self.memory.open()?;
        let mut steps = Steps {
            stack,
            taken: *taken,
            program,
            others,
            moves,
            code: &self.code,
            builtins: &self.builtins,
            lists: &mut self.lists,
            stack_base: self.stack_base,
            pc: self.pc,
            ap: self.ap,
            fp: self.fp,
            reach: self.reach,
        };
        let mut made = self.steps;
        let pause = loop {
            if made >= last {
                break Pause::Rest;
            }
            let Some(decoded) = steps.code.table.get(steps.pc).filter(|decoded| decoded.kind != Kind::Undecoded) else {
                break Pause::Undecoded;
            };
            if decoded.has_hints && !have_run {
                break Pause::Hints;
            }
            if let Err(pause) = steps.step::<TEMPORARY>(decoded) {
                break pause;
            }
            made += 1;
            have_run = false;
        };
        let Steps { taken: end, pc, ap, fp, reach, .. } = steps;
        *taken = end;
        (self.pc, self.ap, self.fp, self.reach, self.steps) = (pc, ap, fp, reach, made);
        Ok(pause)
    }

    /// The registers, as the proof has them.
    pub(super) fn state(&self) -> Result<State, Stop> {
        if self.ap >= self.memory.most || self.fp >= self.memory.most {
            return Err(Stop::Fails("a register is beyond the addresses of a run"));
        }
        let on_stack = |offset: usize| self.stack_base + offset as u32;
        Ok(State { pc: self.pc as u32 + self.code.base, ap: on_stack(self.ap), fp: on_stack(self.fp) })
    }

    /// Logs a state in the list of its component.
    pub(super) fn log(&mut self, list: usize) -> Result<(), Stop> {
        let state = self.state()?;
        self.lists[list].push(state);
        Ok(())
    }

    /// Sees an operand of a sum: whether it is small is known once it is known how many addresses there are.
    pub(super) fn reach(&mut self, operand: Cell) {
        self.reach = self.reach.max(reach(operand));
    }

    /// The pc behind a relative jump.
    pub(super) fn jumped(&self, by: Cell) -> Result<usize, Stop> {
        jumped(self.pc, by).ok_or(Stop::Fails(NO_JUMP))
    }
}

const NO_JUMP: &str = "a jump by no number, or out of all addresses";

/// A register moved by a number, as a felt; `None` if it has no 64 bits then.
#[inline(always)]
fn jumped(from: usize, by: Cell) -> Option<usize> {
    let to = by.is_number().then(|| Cell::small(from as u64).plus(by)).flatten();
    to.and_then(Cell::to_u64).map(|to| to as usize)
}

/// The offset of a pointer, 0 of a number.
#[inline(always)]
fn reach(operand: Cell) -> u64 {
    operand.to_pointer().map_or(0, |pointer| pointer.offset)
}

/// All that the loop holds.
struct Steps<'a> {
    /// The cells that there is room for.
    stack: &'a mut [Cell],
    /// The end of the stack's cells that were read or written.
    taken: usize,
    program: &'a mut Segment,
    /// The segments behind the stack.
    others: &'a mut [Segment],
    /// Where temporary segments go.
    moves: &'a [Option<Pointer>],
    code: &'a Code,
    builtins: &'a Builtins,
    lists: &'a mut [Log; LISTS],
    stack_base: u32,
    pc: usize,
    ap: usize,
    fp: usize,
    reach: u64,
}

impl Steps<'_> {
    #[inline(always)]
    fn step<const TEMPORARY: bool>(&mut self, decoded: &Decoded) -> Result<(), Pause> {
        let at = |operand: usize| {
            let register = if decoded.is_fp[operand] { self.fp } else { self.ap };
            register.wrapping_add_signed(isize::from(decoded.offsets[operand]))
        };
        let [dst_at, op0_at, op1_at] = [at(0), at(1), at(2)];
        // An offset below 0 is a very high one.
        let highest = dst_at.max(op0_at).max(op1_at);
        let most = highest.max(self.ap).max(self.fp);
        if most >= self.stack.len() {
            return Err(Pause::Room(Pointer { segment: STACK as i64, offset: most as u64 }));
        }
        self.taken = self.taken.max(highest + 1);
        let (dst, op0) = (self.plain::<TEMPORARY>(self.stack[dst_at]), self.plain::<TEMPORARY>(self.stack[op0_at]));
        let mut place = None;
        let op1 = match decoded.source {
            Source::Stack => self.plain::<TEMPORARY>(self.stack[op1_at]),
            Source::Immediate => self.code.immediate(self.pc),
            Source::Pointer => {
                let (segment, offset) = op0.to_place().ok_or(Pause::Other)?;
                let offset = offset.wrapping_add_signed(isize::from(decoded.behind)) as u64;
                let at = Pointer { segment: segment as i64, offset };
                place = Some(at);
                let cell = *self.taken_cell(at)?;
                self.plain::<TEMPORARY>(cell)
            }
        };
        let list = usize::from(decoded.list);
        if !op1.is_known() {
            let at = place.ok_or(Pause::Other)?;
            // A value that is written where a pointer points.
            if decoded.kind != Kind::AssertEq || !dst.is_known() || self.builtins.is_result(at) {
                return Err(Pause::Unknown(at));
            }
            *self.taken_cell(at)? = dst;
            self.log(list);
        } else {
            match decoded.kind {
                Kind::AssertEq if op0.is_known() => {
                    self.set_or_compare(dst_at, dst, op1)?;
                    self.log(list);
                }
                Kind::Add if op0.is_known() => {
                    let sum = op0.plus(op1).ok_or(Pause::Fails("a sum of two pointers"))?;
                    self.set_or_compare(dst_at, dst, sum)?;
                    self.log_sum(list, [sum, op0, op1]);
                }
                Kind::Add if dst.is_known() => {
                    let op0 = dst.minus(op1).ok_or(Pause::Fails("a difference of pointers"))?;
                    self.stack[op0_at] = op0;
                    self.log_sum(list, [dst, op0, op1]);
                }
                Kind::Mul if op0.is_known() => {
                    let product = op0.times(op1).ok_or(Pause::Fails("a product of pointers"))?;
                    self.set_or_compare(dst_at, dst, product)?;
                    self.log(list + usize::from(op0.is_small_factor() && op1.is_small_factor()));
                }
                Kind::Jnz if dst.is_known() && op0.is_known() => {
                    let is_taken = !dst.is_zero();
                    let to = if is_taken { Some(jumped(self.pc, op1).ok_or(Pause::Fails(NO_JUMP))?) } else { None };
                    self.log(list + usize::from(is_taken));
                    if let Some(pc) = to {
                        self.pc = pc;
                        self.ap += usize::from(decoded.advances);
                        return Ok(());
                    }
                }
                Kind::Jump if op0.is_known() && dst.is_known() => {
                    let pc = jumped(self.pc, op1).ok_or(Pause::Fails(NO_JUMP))?;
                    self.log(list);
                    self.pc = pc;
                    self.ap += usize::from(decoded.advances);
                    return Ok(());
                }
                Kind::AddAp if op0.is_known() && dst.is_known() => {
                    let ap = jumped(self.ap, op1).ok_or(Pause::Fails("ap leaves all addresses"))?;
                    self.log(list);
                    self.pc += usize::from(decoded.size);
                    self.ap = ap;
                    return Ok(());
                }
                Kind::Call if !op0.is_known() && !dst.is_known() => {
                    let pc = jumped(self.pc, op1).ok_or(Pause::Fails(NO_JUMP))?;
                    let after = self.pc + usize::from(decoded.size);
                    let pointer = |segment: usize, offset: usize| {
                        Cell::pointer(Pointer { segment: segment as i64, offset: offset as u64 })
                    };
                    self.stack[dst_at] = pointer(STACK, self.fp);
                    self.stack[op0_at] = pointer(self.code.segment, after);
                    self.log(list);
                    self.pc = pc;
                    self.ap += 2;
                    self.fp = self.ap;
                    return Ok(());
                }
                Kind::Ret if op0.is_known() => match (dst.to_place(), op1.to_place()) {
                    (Some((_, fp)), Some((segment, pc))) if segment == self.code.segment => {
                        self.log(list);
                        (self.pc, self.fp) = (pc, fp);
                        return Ok(());
                    }
                    _ => return Err(Pause::Other),
                },
                _ => return Err(Pause::Other),
            }
        }
        self.pc += usize::from(decoded.size);
        self.ap += usize::from(decoded.advances);
        Ok(())
    }

    /// A cell as it is read.
    #[inline(always)]
    fn plain<const TEMPORARY: bool>(&self, cell: Cell) -> Cell {
        if TEMPORARY && cell.is_temporary() { cell.resolved(self.moves) } else { cell }
    }

    /// The cell at a place, whose address is taken.
    #[inline(always)]
    fn taken_cell(&mut self, at: Pointer) -> Result<&mut Cell, Pause> {
        let (index, offset) = (at.segment as usize, at.offset as usize);
        let (cells, taken) = match index {
            STACK => (&mut *self.stack, &mut self.taken),
            PROGRAM => self.program.open(),
            _ => self.others.get_mut(index - STACK - 1).ok_or(Pause::Other)?.open(),
        };
        let cell = cells.get_mut(offset).ok_or(Pause::Room(at))?;
        *taken = (*taken).max(offset + 1);
        Ok(cell)
    }

    /// Writes a cell of the stack that was read, or compares it.
    #[inline(always)]
    fn set_or_compare(&mut self, at: usize, found: Cell, value: Cell) -> Result<(), Pause> {
        if !found.is_known() {
            self.stack[at] = value;
        } else if found != value {
            return Err(Pause::Fails("an assertion fails"));
        }
        Ok(())
    }

    /// Logs the state in the list of its component.
    #[inline(always)]
    fn log(&mut self, list: usize) {
        let on_stack = |offset: usize| self.stack_base + offset as u32;
        let state = State { pc: self.pc as u32 + self.code.base, ap: on_stack(self.ap), fp: on_stack(self.fp) };
        self.lists[list].push(state);
    }

    /// Logs the state of a sum of these operands.
    #[inline(always)]
    fn log_sum(&mut self, list: usize, operands: [Cell; 3]) {
        let [sum, left, right] = operands;
        // As most are.
        if sum.is_below_2_29() && left.is_below_2_29() && right.is_below_2_29() {
            return self.log(list + 1);
        }
        let is_small = sum.is_small_summand() && left.is_small_summand() && right.is_small_summand();
        self.reach = self.reach.max(reach(sum)).max(reach(left)).max(reach(right));
        self.log(list + usize::from(is_small));
    }
}
