//! The machine code of a segment: a function that runs its steps for each eight rows of a run.

use iced_x86::{IcedError, Register};

use super::assembler::{Assembler, Lanes};
use super::goldilocks::Factor;
use crate::allocate::{Allocated, Home, Machine};
use crate::cut::Segment;
use crate::layout::{HEAD_WORDS, LANES, LINE_BYTES, Layout, WEIGHT_WORDS};

/// The registers of the function's arguments, in order.
const LOADS: Register = Register::RDI;
const SLOTS: Register = Register::RSI;
const POOL: Register = Register::RDX;
const WEIGHTS: Register = Register::RCX;
const SUMS: Register = Register::R8;
const SPILLS: Register = Register::R9;
const COUNT: Register = Register::R10D;

/// Registers of addresses point this far behind the first line, so that more of them are near.
const BIAS: i32 = 128 * LINE_BYTES as i32;

/// Encodes a segment.
pub(super) fn encode(segment: &Segment, allocated: &Allocated, layout: &Layout) -> Result<Vec<u8>, IcedError> {
    let mut assembler = Assembler::new();
    let degree = layout.degree as u8;
    assembler.constants();
    for base in [SLOTS, SPILLS] {
        assembler.advance(base, BIAS);
    }
    assembler.number(COUNT, (layout.rows / LANES) as u32);
    let start = assembler.here();
    if segment.group.is_some() {
        assembler.clear_sums(degree);
    }
    let mut term = 0;
    for step in &allocated.steps {
        match *step {
            Machine::Fetch { d, from } => assembler.load(d, address(from, layout)),
            Machine::Store { a, to } => {
                if let Lanes::Memory(base, at) = address(to, layout) {
                    assembler.store(a, base, at);
                }
            }
            Machine::Add { d, a, b } => assembler.add(d, a, b),
            Machine::Sub { d, a, b } => assembler.sub(d, a, b),
            Machine::Mul { d, a, b } => assembler.mul(d, a, b),
            Machine::MulPool { d, a, entry, is_short } => {
                assembler.mul_factor(d, a, Factor { base: POOL, at: pool(entry), is_short });
            }
            Machine::Neg { d, a } => assembler.neg(d, a),
            Machine::Reduce { d, a } => assembler.reduce(d, a),
            Machine::Accumulate { a } => {
                let at = term * (WEIGHT_WORDS * layout.degree * 8) as i64;
                assembler.add_products(a, degree, (WEIGHTS, at), Lanes::Broadcast(POOL, 0));
                term += 1;
            }
        }
    }
    if segment.group.is_some() {
        for k in 0..degree {
            let (sum, at) = (0, i64::from(k) * (layout.rows * 8) as i64);
            assembler.sum(sum, k);
            if !segment.is_first {
                assembler.load(sum + 1, Lanes::Memory(SUMS, at));
                assembler.reduce(sum + 1, sum + 1);
                assembler.add(sum, sum, sum + 1);
            }
            assembler.store(sum, SUMS, at);
        }
    }
    assembler.advance(LOADS, LINE_BYTES as i32);
    assembler.advance(SLOTS, (layout.slot_stride() * LINE_BYTES) as i32);
    assembler.advance(SUMS, LINE_BYTES as i32);
    assembler.repeat(COUNT, start);
    assembler.ret();
    assembler.finish()
}

fn pool(entry: u32) -> i64 {
    8 * (HEAD_WORDS as i64 + 2 * i64::from(entry))
}

fn address(home: Home, layout: &Layout) -> Lanes {
    let line = |index: u32| i64::from(index) * LINE_BYTES as i64 - i64::from(BIAS);
    match home {
        Home::Load(index) => {
            let column = Layout::column_stride(layout.rows) * LINE_BYTES;
            Lanes::Memory(LOADS, i64::from(index) * column as i64)
        }
        Home::Slot(index) => Lanes::Memory(SLOTS, line(index)),
        Home::Spill(index) => Lanes::Memory(SPILLS, line(index)),
        Home::Pool(entry) => Lanes::Broadcast(POOL, pool(entry)),
    }
}
