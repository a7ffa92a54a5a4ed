//! The loop over steps. Here is what nearly all steps do; [`super::other`] has the rest.

use super::cell::{Cell, Pointer};
use super::decode::{Decoded, Kind, Source};
use super::{Hints, Machine, PROGRAM, STACK, Stop, no_states};
use crate::State;

/// Steps between two looks at the budget.
const BURST: usize = 1 << 16;

impl Machine {
    /// Runs up to the instruction at `end`, and executes that one, which is no step of the proof.
    pub(super) fn run(&mut self, end: usize, hints: &mut dyn Hints) -> Result<(), Stop> {
        while self.pc != end || self.code.segment != PROGRAM {
            let most = hints.steps(&self.memory, self.steps)?.min(BURST);
            self.burst(most, end, hints)?;
        }
        let instruction = self.decoded(end)?;
        if instruction.has_hints {
            hints.run(self)?;
        }
        self.state_at_end = self.state()?;
        // The last state is none that a step of the proof begins with.
        let lists = std::mem::replace(&mut self.lists, no_states());
        self.other()?;
        self.lists = lists;
        Ok(())
    }

    /// Runs at most so many steps.
    fn burst(&mut self, most: usize, end: usize, hints: &mut dyn Hints) -> Result<(), Stop> {
        for _ in 0..most {
            let pc = self.pc;
            let mut decoded = self.code.table.get(pc).copied().unwrap_or_default();
            if decoded.kind == Kind::Undecoded {
                // The instruction at the end stays undecoded up to then.
                if pc == end && self.code.segment == PROGRAM {
                    return Ok(());
                }
                decoded = self.decoded(pc)?;
                self.instructions += 1;
            }
            if decoded.has_hints {
                hints.run(self)?;
            }
            self.steps += 1;
            self.step(&decoded)?;
        }
        Ok(())
    }

    /// The registers, as the proof has them.
    #[inline(always)]
    pub(super) fn state(&self) -> Result<State, Stop> {
        if self.ap >= self.memory.most || self.fp >= self.memory.most {
            return Err(Stop::Fails("a register is beyond the addresses of a run"));
        }
        let on_stack = |offset: usize| self.stack_base + offset as u32;
        Ok(State { pc: self.pc as u32 + self.code.base, ap: on_stack(self.ap), fp: on_stack(self.fp) })
    }

    /// Logs a state in the list of its component.
    #[inline(always)]
    pub(super) fn log(&mut self, list: usize) -> Result<(), Stop> {
        let state = self.state()?;
        self.lists[list].push(state);
        Ok(())
    }

    #[inline(always)]
    fn step(&mut self, decoded: &Decoded) -> Result<(), Stop> {
        let registers = [self.ap, self.fp, 0, 0];
        let at = |operand: usize| {
            registers[usize::from(decoded.registers[operand]) & 3]
                .wrapping_add_signed(isize::from(decoded.offsets[operand]))
        };
        let [dst_at, op0_at, op1_at] = [at(0), at(1), at(2)];
        // An offset below 0 is a very high one.
        self.memory.take_stack(dst_at.max(op0_at).max(op1_at))?;
        let stack = &self.memory.segments[STACK].cells;
        let (dst, op0) = (self.plain(stack[dst_at]), self.plain(stack[op0_at]));
        let op1 = match decoded.source {
            Source::Stack => self.plain(stack[op1_at]),
            Source::Immediate => self.code.immediate(self.pc),
            Source::Pointer => match op0.to_place() {
                Some((segment, offset)) => {
                    let offset = offset.wrapping_add_signed(isize::from(decoded.behind));
                    self.behind(segment, offset)?
                }
                None => Cell::default(),
            },
        };
        let list = usize::from(decoded.list);
        match decoded.kind {
            Kind::AssertEq if op1.is_known() && op0.is_known() => {
                self.set_or_compare(dst_at, dst, op1)?;
                self.log(list)?;
            }
            // A value that is written where a pointer points.
            Kind::AssertEq if decoded.source == Source::Pointer && dst.is_known() => {
                let at =
                    op0.to_place().map(|(segment, offset)| Pointer { segment: segment as i64, offset: offset as u64 });
                match at.and_then(|at| at.at(i64::from(decoded.behind))) {
                    Some(at) if !self.builtins.is_result(at) => self.memory.write(at, dst)?,
                    _ => return self.other(),
                }
                self.log(list)?;
            }
            Kind::Add if op1.is_known() && op0.is_known() => {
                let sum = op0.plus(op1).ok_or(Stop::Fails("a sum of two pointers"))?;
                self.set_or_compare(dst_at, dst, sum)?;
                self.log_sum(list, [sum, op0, op1])?;
            }
            Kind::Add if op1.is_known() && dst.is_known() => {
                let op0 = dst.minus(op1).ok_or(Stop::Fails("a difference of pointers"))?;
                self.memory.segments[STACK].cells[op0_at] = op0;
                self.log_sum(list, [dst, op0, op1])?;
            }
            Kind::Mul if op1.is_known() && op0.is_known() => {
                let product = op0.times(op1).ok_or(Stop::Fails("a product of pointers"))?;
                self.set_or_compare(dst_at, dst, product)?;
                self.log(list + usize::from(op0.is_small_factor() && op1.is_small_factor()))?;
            }
            Kind::Jnz if dst.is_known() && op0.is_known() => {
                let is_taken = !dst.is_zero();
                self.log(list + usize::from(is_taken))?;
                if is_taken {
                    self.pc = self.jumped(op1)?;
                    self.ap += usize::from(decoded.advances);
                    return Ok(());
                }
            }
            Kind::Jump if op0.is_known() && dst.is_known() => {
                self.log(list)?;
                self.pc = self.jumped(op1)?;
                self.ap += usize::from(decoded.advances);
                return Ok(());
            }
            Kind::Call if !op0.is_known() && !dst.is_known() => {
                let after = self.pc + usize::from(decoded.size);
                let frame = Pointer { segment: STACK as i64, offset: self.fp as u64 };
                let stack = &mut self.memory.segments[STACK].cells;
                stack[dst_at] = Cell::pointer(frame);
                stack[op0_at] = Cell::pointer(Pointer { segment: self.code.segment as i64, offset: after as u64 });
                self.log(list)?;
                self.pc = self.jumped(op1)?;
                self.ap += 2;
                self.fp = self.ap;
                return Ok(());
            }
            Kind::Ret if op0.is_known() => match (dst.to_place(), op1.to_place()) {
                (Some((_, fp)), Some((segment, pc))) if segment == self.code.segment => {
                    self.log(list)?;
                    (self.pc, self.fp) = (pc, fp);
                    return Ok(());
                }
                _ => return self.other(),
            },
            _ => return self.other(),
        }
        self.pc += usize::from(decoded.size);
        self.ap += usize::from(decoded.advances);
        Ok(())
    }

    /// A cell as it is read.
    #[inline(always)]
    fn plain(&self, cell: Cell) -> Cell {
        if cell.is_temporary() { self.memory.resolved(cell) } else { cell }
    }

    /// The cell where a pointer points.
    #[inline(always)]
    fn behind(&mut self, segment: usize, offset: usize) -> Result<Cell, Stop> {
        let at = Pointer { segment: segment as i64, offset: offset as u64 };
        self.memory.take(at)?;
        Ok(self.memory.get(at))
    }

    /// Writes a cell of the stack that was read, or compares it.
    #[inline(always)]
    fn set_or_compare(&mut self, at: usize, found: Cell, value: Cell) -> Result<(), Stop> {
        if !found.is_known() {
            self.memory.segments[STACK].cells[at] = value;
        } else if found != value {
            return Err(Stop::Fails("an assertion fails"));
        }
        Ok(())
    }

    /// Logs the state of a sum of these operands.
    #[inline(always)]
    fn log_sum(&mut self, list: usize, operands: [Cell; 3]) -> Result<(), Stop> {
        let is_small = operands.iter().all(|operand| operand.is_small_summand());
        for operand in operands {
            self.reach(operand);
        }
        self.log(list + usize::from(is_small))
    }

    /// Sees an operand of a sum: whether it is small is known once it is known how many addresses there are.
    #[inline(always)]
    pub(super) fn reach(&mut self, operand: Cell) {
        if let Some(pointer) = operand.to_pointer() {
            self.reach = self.reach.max(pointer.offset);
        }
    }

    /// The pc behind a relative jump.
    #[inline(always)]
    pub(super) fn jumped(&self, by: Cell) -> Result<usize, Stop> {
        let pc = Cell::small(self.pc as u64);
        let to = by.is_number().then(|| pc.plus(by)).flatten().and_then(Cell::to_u64);
        to.map(|pc| pc as usize).ok_or(Stop::Fails("a jump by no number, or out of all addresses"))
    }
}
