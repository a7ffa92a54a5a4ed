//! Row programs, node by node on every row, as [`RowOp`] defines them. Integers and felts are big integers.

use std::iter::repeat_n;

use field::{Field, PrimeField};
use gpu_hal::ir::{FELT_WORDS, NodeId, RowEffect, RowFault, RowKind, RowOp};
use gpu_hal::{Columns, HalError, Operation, Result, RowRun, RowsOutput};
use num_bigint::BigUint;

use crate::CpuReference;
use crate::memory::{Memory, ReferenceBuffer};
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table, base};

/// A node's value in a row.
#[derive(Clone, Debug)]
enum Value<F> {
    Words(Vec<u32>),
    Element(F),
}

/// [`gpu_hal::StarkBackend::rows`].
pub(crate) fn run<P: ReferenceProtocol>(
    memory: &Memory,
    args: &RowRun<'_, CpuReference<P>>,
    counters: &mut [Columns<&mut ReferenceBuffer<P::Base>>],
) -> Result<RowsOutput<CpuReference<P>>> {
    let program = args.program;
    let mut columns = memory.columns(Operation::Rows, program.width(), args.log_height)?;
    let lists = program.lists().iter().map(|list| memory.columns(Operation::Rows, list.columns(), args.log_height));
    let mut lists = lists.collect::<Result<Vec<NewTable<P>>>>()?;
    let entries = args.entries();
    for row in 0..1usize << args.log_height {
        let entry = if row < entries { row } else { row % args.period.max(1) };
        let values =
            Row { args, row, entry, values: Vec::new() }.evaluate().map_err(|fault| HalError::of_row(row, fault))?;
        let mut column = 0;
        for effect in program.effects() {
            let words = |node: &NodeId| words_of(&values, *node);
            match effect {
                RowEffect::Column(node) => {
                    columns.data.values[(column << args.log_height) + row] = element_of(&values, *node);
                    column += 1;
                }
                RowEffect::Emit { list, site, value } => {
                    let (width, table) = (program.lists()[*list as usize].width, &mut lists[*list as usize]);
                    for (word, value) in (0..).zip(words(value)) {
                        let Some(element) = P::Base::from_canonical(u64::from(*value)) else {
                            let fault = RowFault::Entry { list: *list, site: *site, word, value: *value };
                            return Err(HalError::of_row(row, fault));
                        };
                        let column = (width * site + word) as usize;
                        table.data.values[(column << args.log_height) + row] = element;
                    }
                }
                RowEffect::Count { counter, places, when } => {
                    if when.as_ref().is_some_and(|when| words(when)[0] == 0) {
                        continue;
                    }
                    let elements = &mut counters[*counter as usize].data.values;
                    let count = elements.len();
                    for place in words(places) {
                        let Some(element) = elements.get_mut(*place as usize) else {
                            let fault = RowFault::Place { counter: *counter, place: *place, places: count };
                            return Err(HalError::of_row(row, fault));
                        };
                        *element += P::Base::ONE;
                    }
                }
                RowEffect::Assert { claim, holds } => {
                    if words(holds)[0] == 0 {
                        return Err(HalError::of_row(row, RowFault::Claim(&program.claims()[*claim as usize])));
                    }
                }
            }
        }
    }
    Ok(RowsOutput { lists, columns })
}

/// A node that is words: the program's kinds say so.
fn words_of<F>(values: &[Value<F>], node: NodeId) -> &[u32] {
    match &values[node.index()] {
        Value::Words(words) => words,
        Value::Element(_) => unreachable!("kinds fit in a program that the recorder finished"),
    }
}

/// A node that is an element.
fn element_of<F: Copy>(values: &[Value<F>], node: NodeId) -> F {
    match &values[node.index()] {
        Value::Words(_) => unreachable!("kinds fit in a program that the recorder finished"),
        Value::Element(element) => *element,
    }
}

/// One row while it is evaluated.
struct Row<'a, P: ReferenceProtocol> {
    args: &'a RowRun<'a, CpuReference<P>>,
    row: usize,
    /// Number of its source entry.
    entry: usize,
    values: Vec<Value<P::Base>>,
}

impl<'a, P: ReferenceProtocol> Row<'a, P> {
    /// The values of all nodes.
    fn evaluate(mut self) -> Result<Vec<Value<P::Base>>, RowFault<'a>> {
        for (index, node) in self.args.program.nodes().iter().enumerate() {
            let value = match node.kind {
                RowKind::Words(words) => {
                    let value = self.words_of(NodeId(index as u32), &node.op, words as usize)?;
                    debug_assert_eq!(value.len(), words as usize, "{:?}", node.op);
                    Value::Words(value)
                }
                RowKind::Element => Value::Element(self.element_of(&node.op)),
            };
            self.values.push(value);
        }
        Ok(self.values)
    }

    fn words(&self, node: NodeId) -> &[u32] {
        words_of(&self.values, node)
    }

    fn word(&self, node: NodeId) -> u32 {
        self.words(node)[0]
    }

    fn integer(&self, node: NodeId) -> BigUint {
        BigUint::from_slice(self.words(node))
    }

    fn element_of(&self, op: &RowOp<P::Base>) -> P::Base {
        let element = |node: NodeId| element_of(&self.values, node);
        match *op {
            RowOp::Element(value) => value,
            RowOp::FromWord(a) => P::Base::from_u64(u64::from(self.word(a))),
            RowOp::FromSigned(a) => match self.word(a) as i32 {
                negative @ ..0 => -P::Base::from_u64(u64::from(negative.unsigned_abs())),
                other => P::Base::from_u64(u64::from(other.unsigned_abs())),
            },
            RowOp::FieldAdd(a, b) => element(a) + element(b),
            RowOp::FieldSub(a, b) => element(a) - element(b),
            RowOp::FieldMul(a, b) => element(a) * element(b),
            RowOp::FieldInv(a) => element(a).inverse_or_zero(),
            _ => unreachable!("kinds fit in a program that the recorder finished"),
        }
    }

    /// The value of an operation of `len` words.
    fn words_of(&self, node: NodeId, op: &RowOp<P::Base>, len: usize) -> Result<Vec<u32>, RowFault<'a>> {
        let each = |a: NodeId, of: &dyn Fn(u32) -> u32| self.words(a).iter().map(|word| of(*word)).collect();
        Ok(match op {
            RowOp::Row => vec![self.row as u32],
            RowOp::Input(k) => vec![self.input(*k)?],
            RowOp::Words(words) => words.to_vec(),
            RowOp::Read { table, column, index, when } => {
                let reads = when.is_none_or(|when| self.word(when) != 0);
                vec![if reads { self.read(*table, *column, self.word(*index))? } else { 0 }]
            }
            RowOp::Pack(parts) => parts.iter().flat_map(|part| self.words(*part)).copied().collect(),
            RowOp::Slice { of, from, len } => self.words(*of)[*from as usize..][..*len as usize].to_vec(),
            RowOp::Add(a, b) => self.vector(*a, *b, u32::wrapping_add),
            RowOp::Sub(a, b) => self.vector(*a, *b, u32::wrapping_sub),
            RowOp::Mul(a, b) => self.vector(*a, *b, u32::wrapping_mul),
            RowOp::And(a, b) => self.vector(*a, *b, |a, b| a & b),
            RowOp::Or(a, b) => self.vector(*a, *b, |a, b| a | b),
            RowOp::Xor(a, b) => self.vector(*a, *b, |a, b| a ^ b),
            RowOp::Eq(a, b) => self.vector(*a, *b, |a, b| u32::from(a == b)),
            RowOp::Lt(a, b) => self.vector(*a, *b, |a, b| u32::from(a < b)),
            RowOp::Shl(a, bits) => each(*a, &|word| word << bits),
            RowOp::Shr(a, bits) => each(*a, &|word| word >> bits),
            RowOp::Sar(a, bits) => each(*a, &|word| (word as i32 >> bits) as u32),
            RowOp::Select(c, a, b) => self.words(if self.word(*c) != 0 { *a } else { *b }).to_vec(),
            RowOp::Sum(a) => vec![self.words(*a).iter().fold(0, |sum, word| sum.wrapping_add(*word))],
            RowOp::Convolve(a, b) => convolve(self.words(*a), self.words(*b)),
            RowOp::Split { of, bits, count } => {
                let (integer, digit) = (self.integer(*of), power(*bits));
                (0..*count).map(|k| word(&((&integer >> (bits * k)) % &digit))).collect()
            }
            RowOp::Join { of, bits, .. } => {
                let digits = self.words(*of).iter().map(|word| BigUint::from(*word) % power(*bits));
                to_words(&(0..).zip(digits).map(|(k, digit): (u32, _)| digit << (bits * k)).sum(), len)
            }
            RowOp::IntAdd(a, b) => to_words(&(self.integer(*a) + self.integer(*b)), len),
            RowOp::IntSub(a, b) => to_words(&(self.integer(*a) + power(32 * len as u32) - self.integer(*b)), len),
            RowOp::IntLt(a, b) => vec![u32::from(self.integer(*a) < self.integer(*b))],
            RowOp::IntMul(a, b) => to_words(&(self.integer(*a) * self.integer(*b)), len),
            RowOp::IntDivRem(a, b) => {
                let (dividend, divisor, zero) = (self.integer(*a), self.integer(*b), BigUint::ZERO);
                let by_zero = divisor == zero;
                let quotient = if by_zero { zero.clone() } else { &dividend / &divisor };
                let remainder = if by_zero { zero } else { &dividend % &divisor };
                [to_words(&quotient, self.words(*a).len()), to_words(&remainder, self.words(*b).len())].concat()
            }
            RowOp::FeltAdd(a, b) => self.felt(node, [*a, *b], |a, b, p| (a + b) % p)?,
            RowOp::FeltSub(a, b) => self.felt(node, [*a, *b], |a, b, p| (a + p - b) % p)?,
            RowOp::FeltMul(a, b) => self.felt(node, [*a, *b], |a, b, p| (a * b) % p)?,
            // `a^(p - 2)`: zero for zero, as `p - 2` is not zero.
            RowOp::FeltInv(a) => self.felt(node, [*a, *a], |a, _, p| a.modpow(&(p - 2u32), p))?,
            RowOp::ToWord(a) => {
                let element = element_of(&self.values, *a).as_u64();
                vec![u32::try_from(element).map_err(|_| RowFault::Word(element))?]
            }
            _ => unreachable!("kinds fit in a program that the recorder finished"),
        })
    }

    fn vector(&self, a: NodeId, b: NodeId, of: impl Fn(u32, u32) -> u32) -> Vec<u32> {
        let (a, b) = (self.words(a), self.words(b));
        let at = |words: &[u32], k: usize| if words.len() == 1 { words[0] } else { words[k] };
        (0..a.len().max(b.len())).map(|k| of(at(a, k), at(b, k))).collect()
    }

    /// Value `k` of the source entry.
    fn input(&self, k: u32) -> Result<u32, RowFault<'a>> {
        let (width, mut entry) = (self.args.program.inputs(), self.entry);
        for part in self.args.source {
            let entries = (part.width / width) << part.log_height;
            if entry < entries {
                let (site, row) = (entry >> part.log_height, entry & (part.height() - 1));
                let element = base(part, width * site + k as usize, row).as_u64();
                return u32::try_from(element).map_err(|_| RowFault::Input { k, element });
            }
            entry -= entries;
        }
        unreachable!("the check has seen that the entry is in a part")
    }

    fn read(&self, table: u32, column: u32, index: u32) -> Result<u32, RowFault<'a>> {
        let from: &Table<'_, P> = &self.args.tables[table as usize];
        if index as usize >= from.height() {
            return Err(RowFault::Beyond { table, index, height: from.height() });
        }
        let element = base(from, column as usize, index as usize).as_u64();
        u32::try_from(element).map_err(|_| RowFault::Read { table, column, index, element })
    }

    /// An operation modulo the program's prime.
    fn felt(
        &self,
        node: NodeId,
        operands: [NodeId; 2],
        of: impl Fn(BigUint, BigUint, &BigUint) -> BigUint,
    ) -> Result<Vec<u32>, RowFault<'a>> {
        let modulus = BigUint::from_slice(self.args.program.modulus().unwrap_or(&[0; FELT_WORDS]));
        let [a, b] = operands.map(|operand| self.integer(operand));
        if a >= modulus || b >= modulus {
            return Err(RowFault::Felt(node));
        }
        Ok(to_words(&of(a, b, &modulus), FELT_WORDS))
    }
}

fn convolve(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut product = vec![0u32; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] = product[i + j].wrapping_add(x.wrapping_mul(*y));
        }
    }
    product
}

/// `2^bits`.
fn power(bits: u32) -> BigUint {
    BigUint::from(1u32) << bits
}

/// An integer below `2^32`.
fn word(integer: &BigUint) -> u32 {
    integer.iter_u32_digits().next().unwrap_or(0)
}

/// The lowest `len` words of an integer.
fn to_words(integer: &BigUint, len: usize) -> Vec<u32> {
    integer.iter_u32_digits().chain(repeat_n(0, len)).take(len).collect()
}
