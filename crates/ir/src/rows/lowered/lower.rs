//! From nodes to instructions on single words: a node that only names other words (packing, slices, constants) is no
//! instruction.

mod words;

use alloc::vec;
use alloc::vec::Vec;
use std::collections::HashMap;

use field::PrimeField;

use super::instruction::{Class, FeltOp, FieldOp, Form, Instruction, Op};
use crate::program::NodeId;
use crate::rows::program::{RowEffect, RowOp, RowProgram};
use crate::rows::sizes::FELT_WORDS;

/// Instructions on values that are numbered in the order in which they are made, words, felts and elements each by
/// themselves.
pub(super) struct Lowered<F> {
    pub(super) instructions: Vec<Instruction>,
    /// Values that are equal in all rows, by their numbers.
    pub(super) constants: Constants<F>,
    /// How many values there are of each class.
    pub(super) counts: [usize; 3],
}

/// Values that are equal in all rows, with their numbers.
pub(super) struct Constants<F> {
    pub(super) words: HashMap<u32, u32>,
    pub(super) felts: HashMap<[u32; FELT_WORDS], u32>,
    pub(super) elements: HashMap<F, u32>,
}

/// Knowledge of a node's value.
#[derive(Clone, Default)]
struct Value {
    words: Option<Vec<u32>>,
    felt: Option<u32>,
    element: Option<u32>,
}

struct Lowering<'a, F> {
    program: &'a RowProgram<F>,
    /// Log2 of the rows of every table.
    tables: &'a [u32],
    log_height: u32,
    out: Lowered<F>,
    values: Vec<Value>,
    /// The most that a word can be.
    most: Vec<u32>,
    /// The order of faults of the instructions that are made now.
    order: u32,
}

/// The instructions of a program that is run for `2^log_height` rows on tables of these heights. Effects come as soon
/// as their inputs are there. A fault of a node has its number as its order, one of an effect the number of nodes and
/// its own.
pub(super) fn lower<F: PrimeField>(program: &RowProgram<F>, tables: &[u32], log_height: u32) -> Lowered<F> {
    let nodes = program.nodes().len();
    let mut effects: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes];
    let mut column = 0;
    for (index, effect) in program.effects().iter().enumerate() {
        let last = effect.operands().map(NodeId::index).max().unwrap_or(0);
        effects[last].push((index, column));
        column += usize::from(matches!(effect, RowEffect::Column(_)));
    }
    let constants = Constants { words: HashMap::new(), felts: HashMap::new(), elements: HashMap::new() };
    let out = Lowered { instructions: Vec::new(), constants, counts: [0; 3] };
    let values = vec![Value::default(); nodes];
    let mut lowering = Lowering { program, tables, log_height, out, values, most: Vec::new(), order: 0 };
    for (index, effects) in effects.iter().enumerate() {
        lowering.order = index as u32;
        lowering.node(index);
        for (effect, column) in effects {
            lowering.order = (nodes + effect) as u32;
            lowering.effect(&program.effects()[*effect], *column);
        }
    }
    lowering.out
}

impl<F: PrimeField> Lowering<'_, F> {
    fn new_value(&mut self, class: Class) -> u32 {
        let count = &mut self.out.counts[class as usize];
        *count += 1;
        *count as u32 - 1
    }

    fn new_word(&mut self, most: u32) -> u32 {
        self.most.push(most);
        self.new_value(Class::Word)
    }

    fn constant(&mut self, word: u32) -> u32 {
        if let Some(known) = self.out.constants.words.get(&word) {
            return *known;
        }
        let number = self.new_word(word);
        self.out.constants.words.insert(word, number);
        number
    }

    fn push(&mut self, op: Op, operands: Vec<u32>, results: Vec<u32>, acts: bool) {
        let (order, operands, results) = (self.order, operands.into(), results.into());
        self.out.instructions.push(Instruction { op, order, operands, results, acts });
    }

    /// An instruction that makes words, of which the most is known.
    fn make(&mut self, op: Op, operands: Vec<u32>, most: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let results: Vec<u32> = most.into_iter().map(|most| self.new_word(most)).collect();
        self.push(op, operands, results.clone(), false);
        results
    }

    /// The words of a node.
    fn words(&mut self, node: NodeId) -> Vec<u32> {
        if let Some(words) = &self.values[node.index()].words {
            return words.clone();
        }
        let felt = self.values[node.index()].felt.unwrap_or_default();
        let words = self.make(Op::FeltTo, vec![felt], [u32::MAX; FELT_WORDS]);
        self.values[node.index()].words = Some(words.clone());
        words
    }

    fn word(&mut self, node: NodeId) -> u32 {
        self.words(node)[0]
    }

    fn most_of(&self, words: &[u32]) -> Vec<u32> {
        words.iter().map(|word| self.most[*word as usize]).collect()
    }

    fn element(&self, node: NodeId) -> u32 {
        self.values[node.index()].element.unwrap_or_default()
    }

    /// The Montgomery form of a node.
    fn felt(&mut self, node: NodeId) -> u32 {
        if let Some(felt) = self.values[node.index()].felt {
            return felt;
        }
        let words = self.words(node);
        let known = self.constant_felt(&words);
        let felt = known.and_then(|constant| self.out.constants.felts.get(&constant).copied());
        let felt = felt.unwrap_or_else(|| self.new_value(Class::Felt));
        match known {
            Some(constant) => {
                self.out.constants.felts.insert(constant, felt);
            }
            None => self.push(Op::FeltFrom, words, vec![felt], true),
        }
        self.values[node.index()].felt = Some(felt);
        felt
    }

    /// The words if all of them are constant and below the modulus.
    fn constant_felt(&self, words: &[u32]) -> Option<[u32; FELT_WORDS]> {
        let value = |word: &u32| {
            let most = self.most[*word as usize];
            (self.out.constants.words.get(&most) == Some(word)).then_some(most)
        };
        let values: Vec<u32> = words.iter().map(value).collect::<Option<_>>()?;
        let values: [u32; FELT_WORDS] = values.try_into().ok()?;
        let modulus = self.program.modulus()?;
        values.iter().rev().lt(modulus.iter().rev()).then_some(values)
    }

    fn node(&mut self, index: usize) {
        let program = self.program;
        let op = &program.nodes()[index].op;
        let value = match *op {
            RowOp::Element(_) | RowOp::FromWord(_) | RowOp::FromSigned(_) | RowOp::FieldInv(_) => self.element_node(op),
            RowOp::FieldAdd(..) | RowOp::FieldSub(..) | RowOp::FieldMul(..) => self.element_node(op),
            RowOp::FeltAdd(a, b) => self.felt_node(Op::Felt(FeltOp::Add), &[a, b]),
            RowOp::FeltSub(a, b) => self.felt_node(Op::Felt(FeltOp::Sub), &[a, b]),
            RowOp::FeltMul(a, b) => self.felt_node(Op::Felt(FeltOp::Mul), &[a, b]),
            RowOp::FeltInv(a) => self.felt_node(Op::FeltInv, &[a]),
            _ => Value { words: Some(self.words_node(op)), ..Value::default() },
        };
        self.values[index] = value;
    }

    fn felt_node(&mut self, op: Op, operands: &[NodeId]) -> Value {
        let operands = operands.iter().map(|node| self.felt(*node)).collect();
        let felt = self.new_value(Class::Felt);
        self.push(op, operands, vec![felt], false);
        Value { felt: Some(felt), ..Value::default() }
    }

    fn element_node(&mut self, op: &RowOp<F>) -> Value {
        if let RowOp::Element(value) = *op {
            let known = self.out.constants.elements.get(&value).copied();
            let element = known.unwrap_or_else(|| self.new_value(Class::Element));
            self.out.constants.elements.insert(value, element);
            return Value { element: Some(element), ..Value::default() };
        }
        let (op, operands) = match *op {
            RowOp::FromWord(a) => {
                let word = self.word(a);
                (Op::FromWord(self.form(word, false)), vec![word])
            }
            RowOp::FromSigned(a) => {
                let word = self.word(a);
                (Op::FromWord(self.form(word, true)), vec![word])
            }
            RowOp::FieldAdd(a, b) => (Op::Field(FieldOp::Add), vec![self.element(a), self.element(b)]),
            RowOp::FieldSub(a, b) => (Op::Field(FieldOp::Sub), vec![self.element(a), self.element(b)]),
            RowOp::FieldMul(a, b) => (Op::Field(FieldOp::Mul), vec![self.element(a), self.element(b)]),
            RowOp::FieldInv(a) => (Op::FieldInv, vec![self.element(a)]),
            _ => unreachable!("the caller names these operations"),
        };
        let element = self.new_value(Class::Element);
        self.push(op, operands, vec![element], false);
        Value { element: Some(element), ..Value::default() }
    }

    fn form(&self, word: u32, is_signed: bool) -> Form {
        let most = self.most[word as usize];
        match (u64::from(most) < F::ORDER && (!is_signed || most >> 31 == 0), is_signed) {
            (true, _) => Form::Small,
            (false, false) => Form::Unsigned,
            (false, true) => Form::Signed,
        }
    }

    fn effect(&mut self, effect: &RowEffect, column: usize) {
        let (op, operands) = match effect {
            RowEffect::Column(node) => match self.program.nodes()[node.index()].op {
                RowOp::FromWord(a) => {
                    let word = self.word(a);
                    (Op::ColumnOfWord(column, self.form(word, false)), vec![word])
                }
                RowOp::FromSigned(a) => {
                    let word = self.word(a);
                    (Op::ColumnOfWord(column, self.form(word, true)), vec![word])
                }
                _ => (Op::Column(column), vec![self.element(*node)]),
            },
            RowEffect::Emit { list, site, value } => {
                let words = self.words(*value);
                let checked = self.most_of(&words).into_iter().any(|most| u64::from(most) >= F::ORDER);
                (Op::Emit { list: *list, site: *site, checked }, words)
            }
            RowEffect::Count { counter, places, when } => {
                let mut operands = self.words(*places);
                operands.extend(when.map(|when| self.word(when)));
                (Op::Count { counter: *counter, conditional: when.is_some() }, operands)
            }
            RowEffect::Assert { claim, holds } => (Op::Assert { claim: *claim }, vec![self.word(*holds)]),
        };
        self.push(op, operands, Vec::new(), true);
    }
}
