//! Runs a schedule over a run of rows: every register is an array with a word for each row of the run.

use field::{ExtensionField, M31, QM31};
use gpu_hal::{CircleStark, Instruction, Kind, Operand, Schedule};

use super::loads::Loads;
use crate::circle::m31::{LANES, Lanes, Packed4, QLanes};

type Program = Schedule<CircleStark>;

/// A base value for every row of a run: word `step * row` from `at` on; step 0 for a value equal on all rows, of which 16 copies are
/// there.
#[derive(Clone, Copy)]
pub(super) struct BaseSource {
    at: *const u32,
    step: usize,
}

/// An extension value for every row of a run, in the same way.
#[derive(Clone, Copy)]
pub(super) struct ExtSource {
    at: Packed4,
    step: usize,
}

impl BaseSource {
    const NOWHERE: Self = Self { at: std::ptr::null(), step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// The source must be that of a run of at least `row + 16` rows that is being executed.
    #[inline(always)]
    pub(super) unsafe fn lanes<V: Lanes>(self, row: usize) -> V {
        // SAFETY: the caller's promise.
        unsafe { V::load(self.at.add(row * self.step)) }
    }
}

impl ExtSource {
    const NOWHERE: Self = Self { at: [std::ptr::null(); 4], step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// As for [`BaseSource::lanes`].
    #[inline(always)]
    pub(super) unsafe fn lanes<V: Lanes>(self, row: usize) -> QLanes<V> {
        // SAFETY: the caller's promise.
        unsafe { QLanes::load(self.at, row * self.step) }
    }
}

/// Where the outputs of a program go: output `index` to the array of `rows` words at `slots[index] * rows`, an extension value to four
/// arrays.
pub(super) struct Outputs<'a> {
    /// First array of each output that is wanted.
    pub(super) slots: &'a [Option<usize>],
    /// Whether outputs over the base are wanted over the extension.
    pub(super) widen: bool,
    pub(super) arrays: *mut u32,
}

/// A schedule with its inputs.
pub(super) struct Executable<'a> {
    schedule: &'a Program,
    loads: &'a Loads<'a>,
    constants: Vec<[u32; LANES]>,
    uniforms: Vec<[[u32; LANES]; 4]>,
}

/// Registers, one thread's.
pub(super) struct Machine {
    scratch: Vec<u32>,
    base: Vec<BaseSource>,
    ext: Vec<ExtSource>,
}

/// Words of scratch that a machine takes for every row of a run.
pub(super) fn registers_per_row(schedule: &Program) -> usize {
    schedule.base_registers as usize + schedule.ext_registers as usize * 4
}

impl<'a> Executable<'a> {
    /// Splats what is equal on all rows.
    pub(super) fn new(schedule: &'a Program, loads: &'a Loads<'a>, params: &[QM31]) -> Self {
        let constants = schedule.constants.iter().map(|c| [c.value(); LANES]).collect();
        let splat = |uniform: &QM31| uniform.0.map(|c| [c.value(); LANES]);
        let uniforms = schedule.uniforms(params).iter().map(splat).collect();
        Self { schedule, loads, constants, uniforms }
    }

    /// Registers for this program.
    pub(super) fn machine(&self) -> Machine {
        Machine {
            scratch: vec![0; registers_per_row(self.schedule) * self.loads.run_length()],
            base: vec![BaseSource::NOWHERE; self.schedule.base_registers as usize],
            ext: vec![ExtSource::NOWHERE; self.schedule.ext_registers as usize],
        }
    }

    /// Executes the program on run `run`, a whole number of registers long.
    ///
    /// # Safety
    /// The arrays of `outputs` must be writable for all its slots.
    #[inline(always)]
    pub(super) unsafe fn run<V: Lanes>(&self, run: usize, machine: &mut Machine, outputs: &Outputs<'_>) {
        let rows = self.loads.run_length();
        assert_eq!(rows % LANES, 0, "a run is a whole number of registers");
        assert_eq!(machine.scratch.len(), registers_per_row(self.schedule) * rows, "the machine is this program's");
        let scratch = machine.scratch.as_mut_ptr();
        let mut frame = Frame { executable: self, rows, scratch, base: &mut machine.base, ext: &mut machine.ext };
        for instruction in &self.schedule.instructions {
            match *instruction {
                Instruction::Load { dst, group, column, offset } => frame.load(run, dst, group, column, offset),
                Instruction::Add { dst, a, b } => frame.binary::<V, Plus>(dst, a, b),
                Instruction::Sub { dst, a, b } => frame.binary::<V, Minus>(dst, a, b),
                Instruction::Mul { dst, a, b } => frame.binary::<V, Times>(dst, a, b),
                Instruction::Neg { dst, a } => frame.negate::<V>(dst, a),
                Instruction::Output { index, src } => {
                    if let Some(slot) = outputs.slots[index as usize] {
                        // SAFETY: the caller's promise.
                        unsafe { frame.output::<V>(src, outputs.arrays.add(slot * rows), outputs.widen) };
                    }
                }
            }
        }
    }
}

/// The state of one execution. Register `r` of the base has `rows` words at `r * rows` of the scratch; coordinate `k` of extension
/// register `r` at `(base registers + 4 r + k) * rows`.
struct Frame<'f, 'a> {
    executable: &'f Executable<'a>,
    rows: usize,
    scratch: *mut u32,
    base: &'f mut [BaseSource],
    ext: &'f mut [ExtSource],
}

impl Frame<'_, '_> {
    /// # Safety
    /// `register` must be a base register of the schedule.
    #[inline(always)]
    unsafe fn base_target(&self, register: u32) -> *mut u32 {
        // SAFETY: the scratch has room for all registers.
        unsafe { self.scratch.add(register as usize * self.rows) }
    }

    /// # Safety
    /// `register` must be an extension register of the schedule.
    #[inline(always)]
    unsafe fn ext_target(&self, register: u32) -> [*mut u32; 4] {
        // SAFETY: the scratch has room for all registers.
        let first = unsafe { self.scratch.add((self.base.len() + 4 * register as usize) * self.rows) };
        coordinates(first, self.rows)
    }

    fn base_source(&self, operand: Operand) -> BaseSource {
        match operand {
            Operand::Base(register) => self.base[register as usize],
            Operand::Constant(index) => BaseSource { at: self.executable.constants[index as usize].as_ptr(), step: 0 },
            Operand::Ext(_) | Operand::Uniform(_) => unreachable!("the schedule types its operands"),
        }
    }

    fn ext_source(&self, operand: Operand) -> ExtSource {
        match operand {
            Operand::Ext(register) => self.ext[register as usize],
            Operand::Uniform(index) => {
                ExtSource { at: self.executable.uniforms[index as usize].each_ref().map(|c| c.as_ptr()), step: 0 }
            }
            Operand::Base(_) | Operand::Constant(_) => unreachable!("the schedule types its operands"),
        }
    }

    fn load(&mut self, run: usize, dst: Operand, group: u32, column: u32, offset: i32) {
        let (group, column) = (group as usize, column as usize);
        let fetch = |column: usize, target: *mut u32| {
            // SAFETY: the target is a register of `rows` words, and nothing else refers to it here.
            let slot = unsafe { std::slice::from_raw_parts_mut(target, self.rows) };
            self.executable.loads.fetch(group, column, offset, run, slot)
        };
        match dst {
            Operand::Base(register) => {
                // SAFETY: a register of the schedule.
                let at = fetch(column, unsafe { self.base_target(register) });
                self.base[register as usize] = BaseSource { at, step: 1 };
            }
            Operand::Ext(register) => {
                // SAFETY: a register of the schedule.
                let targets = unsafe { self.ext_target(register) };
                let degree = <QM31 as ExtensionField<M31>>::DEGREE;
                let at = std::array::from_fn(|k| fetch(column * degree + k, targets[k]));
                self.ext[register as usize] = ExtSource { at, step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn binary<V: Lanes, O: Binary>(&mut self, dst: Operand, a: Operand, b: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let (a, b) = (self.base_source(a), self.base_source(b));
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: sources and target have `rows` words, a multiple of 16. They may be the same.
                    unsafe { O::base::<V>(a.lanes(row), b.lanes(row)).store(target.add(row)) };
                    row += LANES;
                }
                self.base[register as usize] = BaseSource { at: target, step: 1 };
            }
            Operand::Ext(register) => {
                // SAFETY: a register of the schedule.
                let target = unsafe { self.ext_target(register) };
                match (a.kind(), b.kind()) {
                    (Kind::Ext, Kind::Ext) => {
                        let (a, b) = (self.ext_source(a), self.ext_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe { O::ext::<V>(a.lanes(row), b.lanes(row)).store(target, row) };
                            row += LANES;
                        }
                    }
                    (Kind::Ext, Kind::Base) => {
                        let (a, b) = (self.ext_source(a), self.base_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe { O::ext_base::<V>(a.lanes(row), b.lanes(row)).store(target, row) };
                            row += LANES;
                        }
                    }
                    (Kind::Base, Kind::Ext) => {
                        let (a, b) = (self.base_source(a), self.ext_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe { O::base_ext::<V>(a.lanes(row), b.lanes(row)).store(target, row) };
                            row += LANES;
                        }
                    }
                    (Kind::Base, Kind::Base) => unreachable!("the schedule types its destinations"),
                }
                self.ext[register as usize] = ExtSource { at: target.map(<*mut u32>::cast_const), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn negate<V: Lanes>(&mut self, dst: Operand, a: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let a = self.base_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: source and target have `rows` words, a multiple of 16.
                    unsafe { a.lanes::<V>(row).neg().store(target.add(row)) };
                    row += LANES;
                }
                self.base[register as usize] = BaseSource { at: target, step: 1 };
            }
            Operand::Ext(register) => {
                let a = self.ext_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.ext_target(register) };
                while row < self.rows {
                    // SAFETY: as above.
                    unsafe { a.lanes::<V>(row).neg().store(target, row) };
                    row += LANES;
                }
                self.ext[register as usize] = ExtSource { at: target.map(<*mut u32>::cast_const), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    /// # Safety
    /// `array` must be writable for one array of `rows` words, or four.
    #[inline(always)]
    unsafe fn output<V: Lanes>(&self, src: Operand, array: *mut u32, widen: bool) {
        let targets = coordinates(array, self.rows);
        let mut row = 0;
        while row < self.rows {
            // SAFETY: a scheduled operand was computed before, for all rows of the run; the targets are the caller's promise.
            unsafe {
                match src.kind() {
                    Kind::Ext => self.ext_source(src).lanes::<V>(row).store(targets, row),
                    Kind::Base if widen => {
                        QLanes::from_base(self.base_source(src).lanes::<V>(row)).store(targets, row);
                    }
                    Kind::Base => self.base_source(src).lanes::<V>(row).store(array.add(row)),
                }
            }
            row += LANES;
        }
    }
}

/// Four arrays of `rows` words, one after the other.
#[inline(always)]
pub(super) fn coordinates(first: *mut u32, rows: usize) -> [*mut u32; 4] {
    [first, first.wrapping_add(rows), first.wrapping_add(2 * rows), first.wrapping_add(3 * rows)]
}

/// An operation with two operands, in every combination of fields.
trait Binary {
    fn base<V: Lanes>(a: V, b: V) -> V;
    fn ext<V: Lanes>(a: QLanes<V>, b: QLanes<V>) -> QLanes<V>;
    fn ext_base<V: Lanes>(a: QLanes<V>, b: V) -> QLanes<V>;
    fn base_ext<V: Lanes>(a: V, b: QLanes<V>) -> QLanes<V>;
}

struct Plus;
struct Minus;
struct Times;

impl Binary for Plus {
    #[inline(always)]
    fn base<V: Lanes>(a: V, b: V) -> V {
        a.add(b)
    }
    #[inline(always)]
    fn ext<V: Lanes>(a: QLanes<V>, b: QLanes<V>) -> QLanes<V> {
        a.add(b)
    }
    #[inline(always)]
    fn ext_base<V: Lanes>(a: QLanes<V>, b: V) -> QLanes<V> {
        a.add_base(b)
    }
    #[inline(always)]
    fn base_ext<V: Lanes>(a: V, b: QLanes<V>) -> QLanes<V> {
        b.add_base(a)
    }
}

impl Binary for Minus {
    #[inline(always)]
    fn base<V: Lanes>(a: V, b: V) -> V {
        a.sub(b)
    }
    #[inline(always)]
    fn ext<V: Lanes>(a: QLanes<V>, b: QLanes<V>) -> QLanes<V> {
        a.sub(b)
    }
    #[inline(always)]
    fn ext_base<V: Lanes>(a: QLanes<V>, b: V) -> QLanes<V> {
        a.add_base(b.neg())
    }
    #[inline(always)]
    fn base_ext<V: Lanes>(a: V, b: QLanes<V>) -> QLanes<V> {
        QLanes::from_base(a).sub(b)
    }
}

impl Binary for Times {
    #[inline(always)]
    fn base<V: Lanes>(a: V, b: V) -> V {
        a.mul(b)
    }
    #[inline(always)]
    fn ext<V: Lanes>(a: QLanes<V>, b: QLanes<V>) -> QLanes<V> {
        a.mul(b)
    }
    #[inline(always)]
    fn ext_base<V: Lanes>(a: QLanes<V>, b: V) -> QLanes<V> {
        a.mul_base(b)
    }
    #[inline(always)]
    fn base_ext<V: Lanes>(a: V, b: QLanes<V>) -> QLanes<V> {
        b.mul_base(a)
    }
}
