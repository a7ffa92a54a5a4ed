//! Straight-line code over the base field: what a schedule says, with every coordinate of the extension a value of its
//! own.

use std::collections::HashMap;

use field::protocol::Protocol;
use field::{ExtensionField, Field, Goldilocks};
use ir::{Instruction, Kind, Operand, Schedule};

/// Where a base element comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// Result of an operation, by its number.
    Value(u32),
    /// An entry of [`Straight::loads`].
    Load(u32),
    /// An entry of [`Straight::pool`]: equal on all rows.
    Pool(u32),
}

/// An operation on base elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Sum.
    Add(Source, Source),
    /// Difference.
    Sub(Source, Source),
    /// Product.
    Mul(Source, Source),
    /// Opposite.
    Neg(Source),
    /// The same element as a word below the modulus.
    Reduce(Source),
}

impl Operation {
    /// The sources that it reads.
    pub(crate) fn sources(self) -> impl Iterator<Item = Source> {
        let (a, b) = match self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (a, Some(b)),
            Self::Neg(a) | Self::Reduce(a) => (a, None),
        };
        std::iter::once(a).chain(b)
    }
}

/// A base column at a row offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// The table, as the program counts its groups of columns.
    pub table: u32,
    /// The base column of the table.
    pub column: u32,
    /// Rows ahead.
    pub offset: i32,
}

/// A value that is equal on all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PoolEntry {
    /// Known.
    Constant(Goldilocks),
    /// A coordinate of an entry of [`Schedule::uniforms`].
    Uniform { index: u32, coordinate: u32 },
}

/// A program as operations on base elements, operands before their users.
#[derive(Debug, Default)]
pub(crate) struct Straight {
    /// The result of operation `i` is value `i`.
    pub(crate) operations: Vec<Operation>,
    pub(crate) loads: Vec<Load>,
    pub(crate) pool: Vec<PoolEntry>,
    /// Coordinates of each output: one, or as many as the extension has.
    pub(crate) outputs: Vec<Vec<Source>>,
}

/// The registers of a schedule while it is read: the coordinates of what each holds.
struct Registers {
    base: Vec<Source>,
    ext: Vec<Vec<Source>>,
}

/// Makes [`Straight`].
struct Lowering<'s> {
    code: Straight,
    loads: HashMap<Load, u32>,
    pool: HashMap<PoolEntry, u32>,
    constants: &'s [Goldilocks],
    /// Coordinates of the product of basis elements `i` and `j`, at `[i][j]`.
    products: Vec<Vec<Vec<Goldilocks>>>,
}

impl Straight {
    /// The operations of a schedule.
    pub(crate) fn new<P: Protocol<Base = Goldilocks>>(schedule: &Schedule<P>) -> Self {
        let basis = <P::Ext as ExtensionField<Goldilocks>>::basis;
        let row = |i| (0..P::DEGREE).map(|j| (basis(i) * basis(j)).coordinates().to_vec()).collect();
        let mut lowering = Lowering {
            code: Self { outputs: vec![Vec::new(); schedule.program().outputs().len()], ..Self::default() },
            loads: HashMap::new(),
            pool: HashMap::new(),
            constants: &schedule.constants,
            products: (0..P::DEGREE).map(row).collect(),
        };
        // A register is written before it is read.
        let nothing = Source::Load(u32::MAX);
        let mut registers = Registers {
            base: vec![nothing; schedule.base_registers as usize],
            ext: vec![vec![nothing; P::DEGREE]; schedule.ext_registers as usize],
        };
        for instruction in &schedule.instructions {
            let (dst, value) = match *instruction {
                Instruction::Load { dst, group, column, offset } => {
                    let width = if dst.kind() == Kind::Ext { P::DEGREE as u32 } else { 1 };
                    let load = |k| Load { table: group, column: column * width + k, offset };
                    (dst, (0..width).map(|k| lowering.load(load(k))).collect())
                }
                Instruction::Output { index, src } => {
                    lowering.code.outputs[index as usize] = lowering.operand(src, &registers);
                    continue;
                }
                Instruction::Neg { dst, a } => {
                    let a = lowering.operand(a, &registers);
                    (dst, a.into_iter().map(|a| lowering.push(Operation::Neg(a))).collect())
                }
                Instruction::Add { dst, a, b } | Instruction::Sub { dst, a, b } | Instruction::Mul { dst, a, b } => {
                    let (a, b) = (lowering.operand(a, &registers), lowering.operand(b, &registers));
                    let value = match instruction {
                        Instruction::Add { .. } => lowering.add(&a, &b),
                        Instruction::Sub { .. } => lowering.sub(&a, &b),
                        _ => lowering.mul(&a, &b),
                    };
                    (dst, value)
                }
            };
            match dst {
                Operand::Base(register) => registers.base[register as usize] = value[0],
                Operand::Ext(register) => registers.ext[register as usize] = value,
                Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
            }
        }
        lowering.code
    }
}

impl Lowering<'_> {
    fn push(&mut self, operation: Operation) -> Source {
        self.code.operations.push(operation);
        Source::Value(self.code.operations.len() as u32 - 1)
    }

    fn load(&mut self, load: Load) -> Source {
        let loads = &mut self.code.loads;
        Source::Load(*self.loads.entry(load).or_insert_with(|| {
            loads.push(load);
            loads.len() as u32 - 1
        }))
    }

    fn pool(&mut self, entry: PoolEntry) -> Source {
        let pool = &mut self.code.pool;
        Source::Pool(*self.pool.entry(entry).or_insert_with(|| {
            pool.push(entry);
            pool.len() as u32 - 1
        }))
    }

    /// The coordinates of an operand: one for a base value.
    fn operand(&mut self, operand: Operand, registers: &Registers) -> Vec<Source> {
        match operand {
            Operand::Base(register) => vec![registers.base[register as usize]],
            Operand::Ext(register) => registers.ext[register as usize].clone(),
            Operand::Constant(index) => vec![self.pool(PoolEntry::Constant(self.constants[index as usize]))],
            Operand::Uniform(index) => {
                let entry = |coordinate| PoolEntry::Uniform { index, coordinate };
                (0..self.products.len() as u32).map(|k| self.pool(entry(k))).collect()
            }
        }
    }

    fn add(&mut self, a: &[Source], b: &[Source]) -> Vec<Source> {
        let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
        let mut sum = long.to_vec();
        for (x, y) in sum.iter_mut().zip(short) {
            *x = self.push(Operation::Add(*x, *y));
        }
        sum
    }

    fn sub(&mut self, a: &[Source], b: &[Source]) -> Vec<Source> {
        let difference = |k: usize| match (a.get(k), b.get(k)) {
            (Some(x), Some(y)) => self.push(Operation::Sub(*x, *y)),
            (None, Some(y)) => self.push(Operation::Neg(*y)),
            // Coordinates beyond that of a base value stay.
            (Some(x), None) => *x,
            (None, None) => unreachable!("a coordinate is of one of the operands"),
        };
        (0..a.len().max(b.len())).map(difference).collect()
    }

    /// Squares of coordinates, and for each pair of them `(ai + aj)(bi + bj) - ai bi - aj bj`.
    fn mul(&mut self, a: &[Source], b: &[Source]) -> Vec<Source> {
        if let ([x], many) | (many, [x]) = (a, b) {
            return many.iter().map(|y| self.push(Operation::Mul(*x, *y))).collect();
        }
        let degree = a.len();
        let own: Vec<Source> = (0..degree).map(|i| self.push(Operation::Mul(a[i], b[i]))).collect();
        let mut product = vec![None; degree];
        for i in 0..degree {
            self.spread(&mut product, own[i], (i, i));
            for j in i + 1..degree {
                let (x, y) = (self.push(Operation::Add(a[i], a[j])), self.push(Operation::Add(b[i], b[j])));
                let both = self.push(Operation::Mul(x, y));
                let one = self.push(Operation::Sub(both, own[i]));
                let cross = self.push(Operation::Sub(one, own[j]));
                self.spread(&mut product, cross, (i, j));
            }
        }
        let zero = self.pool(PoolEntry::Constant(Goldilocks::ZERO));
        product.into_iter().map(|coordinate| coordinate.unwrap_or(zero)).collect()
    }

    /// Adds a factor of the product of two basis elements to the coordinates that this product has.
    fn spread(&mut self, product: &mut [Option<Source>], factor: Source, (i, j): (usize, usize)) {
        for (k, sum) in product.iter_mut().enumerate() {
            let by = self.products[i][j][k];
            let term = if by.is_zero() {
                continue;
            } else if by == Goldilocks::ONE {
                factor
            } else if by == Goldilocks::ONE.double() {
                self.push(Operation::Add(factor, factor))
            } else {
                let by = self.pool(PoolEntry::Constant(by));
                self.push(Operation::Mul(factor, by))
            };
            *sum = Some(sum.map_or(term, |sum| self.push(Operation::Add(sum, term))));
        }
    }
}
