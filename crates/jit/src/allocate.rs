//! Values of a segment on registers. Where there are too few, the one goes that is needed last (Belady); columns and
//! what is equal on all rows are read again, and only results that lie nowhere else are stored.

use std::collections::HashMap;

use crate::cut::{Cut, Segment};
use crate::layout::VALUE_REGISTERS;
use crate::order::{Ordered, Step};
use crate::straight::{Operation, PoolEntry, Source, Straight};

/// Where a value lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// A column of the segment.
    Load(u32),
    /// An entry of the pool.
    Pool(u32),
    /// A slot of values that cross segments.
    Slot(u32),
    /// A place of this segment alone.
    Spill(u32),
}

/// A step on registers. `d` may be one of the operands, except where they are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Machine {
    Fetch {
        d: u8,
        from: Home,
    },
    Store {
        a: u8,
        to: Home,
    },
    Add {
        d: u8,
        a: u8,
        b: u8,
    },
    Sub {
        d: u8,
        a: u8,
        b: u8,
    },
    Mul {
        d: u8,
        a: u8,
        b: u8,
    },
    /// The product with an entry of the pool, which is below 2^32 if `is_short`.
    MulPool {
        d: u8,
        a: u8,
        entry: u32,
        is_short: bool,
    },
    Neg {
        d: u8,
        a: u8,
    },
    Reduce {
        d: u8,
        a: u8,
    },
    /// The next term of the sum.
    Accumulate {
        a: u8,
    },
}

/// The steps of a segment on registers.
pub(crate) struct Allocated {
    pub(crate) steps: Vec<Machine>,
    /// The loads of the segment among all loads of the program, as it counts them.
    pub(crate) loads: Vec<u32>,
    /// Places that it spills to.
    pub(crate) spills: u32,
}

/// A source of the segment: the steps that read it, the last first, and where it is.
#[derive(Default)]
struct Place {
    uses: Vec<u32>,
    register: Option<u8>,
    home: Option<Home>,
}

struct Allocator<'c> {
    slots: &'c [Option<u32>],
    places: HashMap<Source, Place>,
    registers: Vec<Option<Source>>,
    free_spills: Vec<u32>,
    out: Allocated,
}

/// Allocates a segment to registers.
pub(crate) fn allocate(code: &Straight, ordered: &Ordered, cut: &Cut, segment: &Segment) -> Allocated {
    let steps = &ordered.steps[segment.steps.clone()];
    let mut allocator = Allocator {
        slots: &cut.slots,
        places: HashMap::new(),
        registers: vec![None; VALUE_REGISTERS.into()],
        free_spills: Vec::new(),
        out: Allocated { steps: Vec::with_capacity(2 * steps.len()), loads: Vec::new(), spills: 0 },
    };
    for (at, step) in steps.iter().enumerate().rev() {
        for source in step.sources() {
            allocator.places.entry(source).or_default().uses.push(at as u32);
        }
    }
    for step in steps {
        match *step {
            Step::Accumulate { value, .. } => {
                let a = allocator.fetch(value);
                allocator.out.steps.push(Machine::Accumulate { a });
                allocator.used(value);
            }
            Step::Compute { dst, operation } => allocator.compute(code, Source::Value(dst), operation),
        }
    }
    allocator.out
}

impl Allocator<'_> {
    fn compute(&mut self, code: &Straight, dst: Source, operation: Operation) {
        match operation {
            Operation::Mul(x, Source::Pool(entry)) | Operation::Mul(Source::Pool(entry), x) => {
                let is_short = match code.pool[entry as usize] {
                    PoolEntry::Constant(value) => value.value() >> 32 == 0,
                    PoolEntry::Uniform { .. } => false,
                };
                let a = self.fetch(x);
                self.used(Source::Pool(entry));
                self.used(x);
                let d = self.take();
                self.define(dst, d, Machine::MulPool { d, a, entry, is_short });
            }
            Operation::Add(x, y) | Operation::Sub(x, y) | Operation::Mul(x, y) => {
                let (a, b) = (self.fetch(x), self.fetch(y));
                self.used(x);
                self.used(y);
                let d = self.take();
                let step = match operation {
                    Operation::Add(..) => Machine::Add { d, a, b },
                    Operation::Sub(..) => Machine::Sub { d, a, b },
                    _ => Machine::Mul { d, a, b },
                };
                self.define(dst, d, step);
            }
            Operation::Neg(x) | Operation::Reduce(x) => {
                let a = self.fetch(x);
                self.used(x);
                let d = self.take();
                let is_neg = matches!(operation, Operation::Neg(_));
                self.define(dst, d, if is_neg { Machine::Neg { d, a } } else { Machine::Reduce { d, a } });
            }
        }
    }

    fn place(&mut self, source: Source) -> &mut Place {
        self.places.entry(source).or_default()
    }

    /// The register of a source that the current step reads: it is needed before all others, so none of them takes it.
    fn fetch(&mut self, source: Source) -> u8 {
        if let Some(register) = self.place(source).register {
            return register;
        }
        let d = self.take();
        let from = match (self.place(source).home, source) {
            (Some(home), _) => home,
            (None, Source::Load(load)) => {
                self.out.loads.push(load);
                Home::Load(self.out.loads.len() as u32 - 1)
            }
            (None, Source::Pool(entry)) => Home::Pool(entry),
            (None, Source::Value(value)) => {
                Home::Slot(self.slots[value as usize].expect("a value of another segment has a slot"))
            }
        };
        self.out.steps.push(Machine::Fetch { d, from });
        self.registers[usize::from(d)] = Some(source);
        let place = self.place(source);
        (place.home, place.register) = (Some(from), Some(d));
        d
    }

    /// A register that is free, or that of the value that is needed last.
    fn take(&mut self) -> u8 {
        if let Some(free) = self.registers.iter().position(Option::is_none) {
            return free as u8;
        }
        let next = |source: &Option<Source>| {
            let place = source.as_ref().and_then(|source| self.places.get(source));
            place.map(|place| (place.uses.last().copied(), place.home.is_some()))
        };
        let last = (0..self.registers.len()).max_by_key(|at| next(&self.registers[*at])).unwrap_or(0);
        if let Some(source) = self.registers[last].take() {
            self.leave(source, last as u8);
        }
        last as u8
    }

    /// A value loses its register while it is still needed.
    fn leave(&mut self, source: Source, register: u8) {
        self.place(source).register = None;
        if self.place(source).home.is_none() {
            let spill = self.free_spills.pop().unwrap_or_else(|| {
                self.out.spills += 1;
                self.out.spills - 1
            });
            self.place(source).home = Some(Home::Spill(spill));
            self.out.steps.push(Machine::Store { a: register, to: Home::Spill(spill) });
        }
    }

    /// The current step has read the source once.
    fn used(&mut self, source: Source) {
        let place = self.place(source);
        place.uses.pop();
        if place.uses.is_empty() {
            self.release(source);
        }
    }

    fn release(&mut self, source: Source) {
        let place = self.place(source);
        let (register, home) = (place.register.take(), place.home);
        if let Some(register) = register {
            self.registers[usize::from(register)] = None;
        }
        if let Some(Home::Spill(spill)) = home {
            self.free_spills.push(spill);
        }
    }

    fn define(&mut self, value: Source, d: u8, step: Machine) {
        self.out.steps.push(step);
        let slot = match value {
            Source::Value(value) => self.slots[value as usize],
            Source::Load(_) | Source::Pool(_) => None,
        };
        if let Some(slot) = slot {
            self.out.steps.push(Machine::Store { a: d, to: Home::Slot(slot) });
        }
        self.registers[usize::from(d)] = Some(value);
        let place = self.place(value);
        (place.register, place.home) = (Some(d), slot.map(Home::Slot));
        if place.uses.is_empty() {
            self.release(value);
        }
    }
}
