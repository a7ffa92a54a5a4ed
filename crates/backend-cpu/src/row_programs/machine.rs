//! The instructions of a program, for a block of rows.

use field::{PrimeField, batch_inverse};
use gpu_hal::ir::lowered::{FieldOp, Form, Instruction, Op, Schedule};
use gpu_hal::ir::{NodeId, RowFault};
use gpu_hal::{Columns, RowProgram};

use super::counters::Tally;
use super::felts::{Felts, Modulus};
use super::source::{Entries, Source};
use super::words::{LANES, Lanes, at};
use super::{integers, words};
use crate::memory::CpuBuffer;
use crate::simd::{Isa, Kernel};

/// Elements for each row of a block.
type Elements<F> = [F; LANES];

/// The registers of a thread.
pub(super) struct Machine<F> {
    words: Vec<Lanes>,
    felts: Vec<Felts>,
    elements: Vec<Elements<F>>,
}

/// The data that all threads read.
pub(super) struct Run<'a, F> {
    pub(super) program: &'a RowProgram<F>,
    pub(super) schedule: &'a Schedule<F>,
    pub(super) modulus: Option<&'a Modulus>,
    pub(super) source: Source<'a, F>,
    pub(super) tables: &'a [Columns<&'a CpuBuffer<F>>],
}

/// A fault, and where it is: in the first row of all that have one, the first there.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedFault<'a> {
    pub(super) row: usize,
    pub(super) order: u32,
    pub(super) fault: RowFault<'a>,
}

impl LocatedFault<'_> {
    /// The first of the two.
    pub(super) fn first<'a>(
        one: Option<LocatedFault<'a>>,
        other: Option<LocatedFault<'a>>,
    ) -> Option<LocatedFault<'a>> {
        one.into_iter().chain(other).min_by_key(|found| (found.row, found.order))
    }
}

/// One block: `rows` rows from `first` on, at most [`LANES`]. Lanes behind them compute the last row, and nothing of it
/// is kept.
pub(super) struct Block<'b, 'c, 'a, F> {
    pub(super) run: &'b Run<'a, F>,
    pub(super) machine: &'b mut Machine<F>,
    pub(super) tallies: &'b mut [Tally<'c>],
    pub(super) first: usize,
    pub(super) rows: usize,
    /// Rows of columns and lists before the block.
    pub(super) offset: usize,
    pub(super) columns: &'b mut [&'c mut [F]],
    /// Columns of each list.
    pub(super) lists: &'b mut [Vec<&'c mut [F]>],
    pub(super) found: &'b mut Option<LocatedFault<'a>>,
}

impl<F: PrimeField> Machine<F> {
    /// Registers for a schedule, with the registers of constants set.
    pub(super) fn new(schedule: &Schedule<F>, modulus: Option<&Modulus>) -> Self {
        let [words, felts, elements] = schedule.registers;
        let mut machine = Self {
            words: vec![Lanes::splat(0); words],
            felts: vec![[[0; 4]; LANES]; felts],
            elements: vec![[F::ZERO; LANES]; elements],
        };
        for (register, word) in &schedule.words {
            machine.words[at(*register)] = Lanes::splat(*word);
        }
        for (register, element) in &schedule.elements {
            machine.elements[at(*register)] = [*element; LANES];
        }
        for (register, felt) in &schedule.felts {
            if let Some(modulus) = modulus {
                machine.felts[at(*register)] = [modulus.montgomery(felt); LANES];
            }
        }
        machine
    }
}

/// The element of a word below the order: a field of this crate is its representative in memory.
#[inline(always)]
fn small<F: PrimeField>(word: u32) -> F {
    if size_of::<F>() == size_of::<u32>() { bytemuck::cast(word) } else { bytemuck::cast(u64::from(word)) }
}

#[inline(always)]
fn element<F: PrimeField>(word: u32, form: Form) -> F {
    match form {
        Form::Small => small(word),
        Form::Unsigned => F::from_u64(u64::from(word)),
        Form::Signed => {
            let size = F::from_u64(u64::from((word as i32).unsigned_abs()));
            if word >> 31 == 0 { size } else { -size }
        }
    }
}

/// Elements of words, in a loop for each form.
#[inline(always)]
fn convert<F: PrimeField>(words: &[u32], form: Form, to: &mut [F]) {
    match form {
        Form::Small => to.iter_mut().zip(words).for_each(|(to, word)| *to = element(*word, Form::Small)),
        Form::Unsigned => to.iter_mut().zip(words).for_each(|(to, word)| *to = element(*word, Form::Unsigned)),
        Form::Signed => to.iter_mut().zip(words).for_each(|(to, word)| *to = element(*word, Form::Signed)),
    }
}

impl<F: PrimeField> Kernel for Block<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let run = self.run;
        let entries = run.source.entries(self.first, self.rows);
        for instruction in &run.schedule.instructions {
            self.step(instruction, entries.as_ref());
        }
    }
}

impl<'a, F: PrimeField> Block<'_, '_, 'a, F> {
    #[inline(always)]
    fn step(&mut self, instruction: &Instruction, entries: Option<&Entries>) {
        let Instruction { op, order, operands, results, .. } = instruction;
        let machine = &mut *self.machine;
        let registers = &mut machine.words[..];
        match op {
            Op::Row => {
                let (first, last) = (self.first, self.rows - 1);
                let lanes = registers[at(results[0])].words_mut().iter_mut().enumerate();
                lanes.for_each(|(lane, word)| *word = (first + lane.min(last)) as u32);
            }
            Op::Input(k) => self.input(*k, results[0], *order, entries),
            Op::Read { table, column } => self.read([*table, *column], operands, results[0], *order),
            Op::Vector(op) => words::vector(registers, *op, operands, results),
            Op::Shift(op, bits) => words::shift(registers, *op, *bits, operands, results),
            Op::Select => words::select(registers, operands, results),
            Op::Sum => words::sum(registers, operands, results[0]),
            Op::Convolve(first) => words::convolve(registers, *first, operands, results),
            Op::Digit(digit) => words::digit(registers, *digit, operands, results[0]),
            Op::Join(parts) => words::join(registers, parts, operands, results[0]),
            Op::IntAdd => integers::add(registers, operands, results),
            Op::IntSub => integers::sub(registers, operands, results),
            Op::IntLt => integers::less(registers, operands, results[0]),
            Op::IntMul(first) => integers::mul(registers, *first, operands, results),
            Op::IntDivRem(first) => integers::div_rem(registers, *first, operands, results),
            Op::FeltFrom | Op::FeltTo | Op::Felt(_) | Op::FeltInv => self.felt(op, operands, results, *order),
            Op::FromWord(form) => {
                let words = registers[at(operands[0])].words();
                convert(words, *form, &mut machine.elements[at(results[0])]);
            }
            Op::ToWord => self.element_to_word(operands[0], results[0], *order),
            Op::Field(op) => {
                let (a, b) = (machine.elements[at(operands[0])], machine.elements[at(operands[1])]);
                let made = machine.elements[at(results[0])].iter_mut().zip(a.iter().zip(&b));
                match op {
                    FieldOp::Add => made.for_each(|(made, (a, b))| *made = *a + *b),
                    FieldOp::Sub => made.for_each(|(made, (a, b))| *made = *a - *b),
                    FieldOp::Mul => made.for_each(|(made, (a, b))| *made = *a * *b),
                }
            }
            Op::FieldInv => {
                machine.elements[at(results[0])] = machine.elements[at(operands[0])];
                batch_inverse(&mut machine.elements[at(results[0])]);
            }
            Op::Column(column) => {
                let rows = &machine.elements[at(operands[0])][..self.rows];
                self.columns[*column][self.offset..][..self.rows].copy_from_slice(rows);
            }
            Op::ColumnOfWord(column, form) => {
                let words = registers[at(operands[0])].words();
                convert(words, *form, &mut self.columns[*column][self.offset..][..self.rows]);
            }
            Op::Emit { list, site, checked } => self.emit([*list, *site], *checked, operands, *order),
            Op::Count { counter, conditional } => self.count(*counter, *conditional, operands, *order),
            Op::Assert { claim } => {
                let holds = &registers[at(operands[0])].words()[..self.rows];
                if let Some(lane) = holds.iter().position(|word| *word == 0) {
                    let program: &'a RowProgram<F> = self.run.program;
                    self.report(lane, *order, RowFault::Claim(&program.claims()[at(*claim)]));
                }
            }
        }
    }

    /// Keeps a fault unless there is one before it.
    #[cold]
    fn report(&mut self, lane: usize, order: u32, fault: RowFault<'a>) {
        // A lane behind the last row repeats the last row.
        if lane < self.rows {
            let found = LocatedFault { row: self.first + lane, order, fault };
            *self.found = LocatedFault::first(*self.found, Some(found));
        }
    }

    /// The first row whose element is no word.
    fn no_word(elements: &[u64]) -> Option<usize> {
        elements.iter().position(|element| element >> 32 != 0)
    }

    #[inline(always)]
    fn input(&mut self, k: u32, result: u32, order: u32, entries: Option<&Entries>) {
        let Some(entries) = entries else { return };
        let (mut all, words) = (0, self.machine.words[at(result)].words_mut());
        self.run.source.values(entries, k, |lane, element| {
            let element = element.as_u64();
            all |= element;
            words[lane] = element as u32;
        });
        if all >> 32 != 0 {
            let mut elements = [0; LANES];
            self.run.source.values(entries, k, |lane, element| elements[lane] = element.as_u64());
            if let Some(lane) = Self::no_word(&elements) {
                self.report(lane, order, RowFault::Input { k, element: elements[lane] });
            }
        }
    }

    /// A lane that does not read reads row 0 and drops it.
    #[inline(always)]
    fn read(&mut self, [table, column]: [u32; 2], operands: &[u32], result: u32, order: u32) {
        let (run, registers) = (self.run, &mut self.machine.words);
        let from = &run.tables[at(table)];
        let height = from.height();
        let values = &from.data.values()[at(column) << from.log_height..][..height];
        let mut indices = registers[at(operands[0])];
        if let Some(when) = operands.get(1) {
            for (index, when) in indices.words_mut().iter_mut().zip(registers[at(*when)].words()) {
                *index &= 0u32.wrapping_sub(u32::from(*when != 0));
            }
        }
        let (mut highest, mut all) = (0, 0);
        for (made, index) in registers[at(result)].words_mut().iter_mut().zip(indices.words()) {
            highest = highest.max(*index);
            let element = values[*index as usize & (height - 1)].as_u64();
            all |= element;
            *made = element as u32;
        }
        if let Some(when) = operands.get(1) {
            let when = registers[at(*when)];
            for (made, when) in registers[at(result)].words_mut().iter_mut().zip(when.words()) {
                *made &= 0u32.wrapping_sub(u32::from(*when != 0));
            }
        }
        if highest as usize >= height || all >> 32 != 0 {
            self.unread([table, column], operands, order);
        }
    }

    /// Keeps the first fault of a read.
    #[cold]
    fn unread(&mut self, [table, column]: [u32; 2], operands: &[u32], order: u32) {
        let (registers, from) = (&self.machine.words, &self.run.tables[at(table)]);
        let (height, when) = (from.height(), operands.get(1).map(|when| registers[at(*when)].words()));
        let fault = |(lane, index): (usize, &u32)| {
            if when.is_some_and(|when| when[lane] == 0) {
                return None;
            }
            if *index as usize >= height {
                return Some((lane, RowFault::Beyond { table, index: *index, height }));
            }
            let element = from.data.values()[(at(column) << from.log_height) + *index as usize].as_u64();
            (element >> 32 != 0).then_some((lane, RowFault::Read { table, column, index: *index, element }))
        };
        if let Some((lane, fault)) = registers[at(operands[0])].words().iter().enumerate().find_map(fault) {
            self.report(lane, order, fault);
        }
    }

    fn element_to_word(&mut self, operand: u32, result: u32, order: u32) {
        let elements = self.machine.elements[at(operand)].map(PrimeField::as_u64);
        let words = self.machine.words[at(result)].words_mut();
        words.iter_mut().zip(&elements).for_each(|(word, element)| *word = *element as u32);
        if let Some(lane) = Self::no_word(&elements) {
            self.report(lane, order, RowFault::Word(elements[lane]));
        }
    }

    fn felt(&mut self, op: &Op, operands: &[u32], results: &[u32], order: u32) {
        let Some(modulus) = self.run.modulus else { return };
        let Machine { words, felts, .. } = &mut *self.machine;
        match op {
            Op::FeltFrom => {
                if let Some(lane) = modulus.read_words(words, &mut felts[at(results[0])], operands) {
                    self.report(lane, order, RowFault::Felt(NodeId(order)));
                }
            }
            Op::FeltTo => modulus.write_words(&felts[at(operands[0])], words, results),
            Op::Felt(op) => modulus.binary(felts, *op, operands, results[0]),
            _ => modulus.invert(felts, operands[0], results[0]),
        }
    }

    fn emit(&mut self, [list, site]: [u32; 2], checked: bool, operands: &[u32], order: u32) {
        let (rows, offset, first) = (self.rows, self.offset, at(site) * operands.len());
        for (word, operand) in operands.iter().enumerate() {
            let words = &self.machine.words[at(*operand)].words()[..rows];
            let wrong = if checked { words.iter().position(|word| u64::from(*word) >= F::ORDER) } else { None };
            if let Some(lane) = wrong {
                let fault = RowFault::Entry { list, site, word: word as u32, value: words[lane] };
                self.report(lane, order, fault);
                // Values outside the field are not written.
                continue;
            }
            convert(words, Form::Small, &mut self.lists[at(list)][first + word][offset..][..rows]);
        }
    }

    fn count(&mut self, counter: u32, conditional: bool, operands: &[u32], order: u32) {
        let (places, when) = operands.split_at(operands.len() - usize::from(conditional));
        for place in places {
            let registers = &self.machine.words;
            let words = &registers[at(*place)].words()[..self.rows];
            let when = when.first().map(|when| registers[at(*when)].words());
            let tally = &mut self.tallies[at(counter)];
            if let Some(lane) = tally.count(F::ORDER, words, when) {
                let fault = RowFault::Place { counter, place: words[lane], places: tally.len() };
                self.report(lane, order, fault);
            }
        }
    }
}
