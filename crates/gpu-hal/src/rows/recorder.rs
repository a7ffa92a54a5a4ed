//! Recording a row program from ordinary Rust.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr, Sub};

use field::PrimeField;

use super::valid::validate;
use super::{FELT_WORDS, MAX_WORDS, RowEffect, RowKind, RowList, RowNode, RowOp, RowProgram};
use crate::NodeId;

/// A wrong use of the recorder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RowError(pub(super) String);

/// Records a [`RowProgram`]: operations on [`Words`] and [`Element`]s become nodes. Equal expressions become one node. The first wrong use
/// is the error of [`Self::finish`].
pub struct RowRecorder<F> {
    state: RefCell<State<F>>,
}

struct State<F> {
    program: RowProgram<F>,
    known: HashMap<RowOp<F>, NodeId>,
    error: Option<RowError>,
}

/// A vector of words inside a program.
pub struct Words<'r, F> {
    recorder: &'r RowRecorder<F>,
    node: NodeId,
    len: u32,
}

/// An element of the base field inside a program.
pub struct Element<'r, F> {
    recorder: &'r RowRecorder<F>,
    node: NodeId,
}

impl<F> Clone for Words<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Words<'_, F> {}

impl<F> Clone for Element<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Element<'_, F> {}

impl<F> fmt::Debug for Words<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({}; {})", self.node.0, self.len)
    }
}

impl<F> fmt::Debug for Element<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Element({})", self.node.0)
    }
}

impl<F: PrimeField> RowRecorder<F> {
    /// A program whose source entries have `inputs` values.
    pub fn new(inputs: usize) -> Self {
        let program = RowProgram {
            inputs: inputs as u32,
            tables: Vec::new(),
            lists: Vec::new(),
            counters: 0,
            modulus: None,
            nodes: Vec::new(),
            effects: Vec::new(),
            claims: Vec::new(),
        };
        Self { state: RefCell::new(State { program, known: HashMap::new(), error: None }) }
    }

    /// Names the prime of the operations on felts: odd, least significant word first. That it is prime is the caller's promise.
    #[must_use]
    pub fn with_modulus(self, modulus: [u32; FELT_WORDS]) -> Self {
        self.state.borrow_mut().program.modulus = Some(modulus);
        self
    }

    /// The program.
    ///
    /// # Errors
    /// The first wrong use of the recorder; also a site of a list that gets no entry or two, and a value of another recorder.
    pub fn finish(self) -> Result<RowProgram<F>, RowError> {
        let State { program, error, .. } = self.state.into_inner();
        match error {
            Some(error) => Err(error),
            None => validate(&program).map(|()| program),
        }
    }

    /// A table of `width` columns. Returns its number.
    pub fn table(&self, width: usize) -> usize {
        let tables = &mut self.state.borrow_mut().program.tables;
        tables.push(width as u32);
        tables.len() - 1
    }

    /// A counter. Returns its number.
    pub fn counter(&self) -> usize {
        let counters = &mut self.state.borrow_mut().program.counters;
        *counters += 1;
        *counters as usize - 1
    }

    /// The row's number.
    pub fn row(&self) -> Words<'_, F> {
        self.words_of(1, RowOp::Row)
    }

    /// Value `k` of the source entry.
    pub fn input(&self, k: usize) -> Words<'_, F> {
        let inputs = self.state.borrow().program.inputs;
        self.require((k as u64) < u64::from(inputs), || format!("input {k} of {inputs}"));
        self.words_of(1, RowOp::Input(k as u32))
    }

    /// All values of the source entry from `from` on, as one vector.
    pub fn inputs(&self, from: usize, len: usize) -> Words<'_, F> {
        let parts: Vec<_> = (from..from + len).map(|k| self.input(k)).collect();
        self.pack(&parts)
    }

    /// A constant word.
    pub fn word(&self, value: u32) -> Words<'_, F> {
        self.words(&[value])
    }

    /// Constant words.
    pub fn words(&self, values: &[u32]) -> Words<'_, F> {
        self.words_of(values.len(), RowOp::Words(values.into()))
    }

    /// A constant element.
    pub fn element(&self, value: F) -> Element<'_, F> {
        self.element_of(RowOp::Element(value))
    }

    /// Row `index` of a column of a table.
    pub fn read(&self, table: usize, column: usize, index: Words<'_, F>) -> Words<'_, F> {
        self.read_of(table, column, index, None)
    }

    /// As [`Self::read`], where `when` is not zero; else zero.
    pub fn read_if(&self, table: usize, column: usize, index: Words<'_, F>, when: Words<'_, F>) -> Words<'_, F> {
        self.require(when.len == 1, || "the condition of a read has several words".to_owned());
        self.read_of(table, column, index, Some(when.node))
    }

    fn read_of(&self, table: usize, column: usize, index: Words<'_, F>, when: Option<NodeId>) -> Words<'_, F> {
        let width = self.state.borrow().program.tables.get(table).copied().unwrap_or(0);
        self.require((column as u64) < u64::from(width), || {
            format!("column {column} of table {table}, which has {width}")
        });
        self.require(index.len == 1, || "an index has several words".to_owned());
        self.words_of(1, RowOp::Read { table: table as u32, column: column as u32, index: index.node, when })
    }

    /// The words of all these values, one after the other.
    pub fn pack(&self, parts: &[Words<'_, F>]) -> Words<'_, F> {
        let len = parts.iter().map(|part| part.len as usize).sum();
        match parts {
            [one] => self.words_of_node(one),
            _ => self.words_of(len, RowOp::Pack(parts.iter().map(|part| part.node).collect())),
        }
    }

    /// The first value if the condition is not zero, else the second.
    pub fn select(&self, condition: Words<'_, F>, a: Words<'_, F>, b: Words<'_, F>) -> Words<'_, F> {
        self.require(condition.len == 1 && a.len == b.len, || "a choice between values of two lengths".to_owned());
        self.words_of(a.len as usize, RowOp::Select(condition.node, a.node, b.node))
    }

    /// The next column gets this element.
    pub fn column(&self, value: Element<'_, F>) {
        self.state.borrow_mut().program.effects.push(RowEffect::Column(value.node));
    }

    /// The next columns get these words, as unsigned numbers.
    pub fn columns(&self, values: Words<'_, F>) {
        values.iter().for_each(|word| self.column(word.element()));
    }

    /// The next columns get these words, as signed numbers.
    pub fn signed_columns(&self, values: Words<'_, F>) {
        values.iter().for_each(|word| self.column(word.signed()));
    }

    /// A list with entries of `width` words, `sites` for each row. Returns its number.
    pub fn list(&self, width: usize, sites: usize) -> usize {
        let lists = &mut self.state.borrow_mut().program.lists;
        lists.push(RowList { width: width as u32, sites: sites as u32 });
        lists.len() - 1
    }

    /// An entry of a list, for one of its call sites. Each site of each list gets one.
    pub fn emit(&self, list: usize, site: usize, entry: Words<'_, F>) {
        let known = self.state.borrow().program.lists.get(list).copied();
        let fits = known.is_some_and(|list| list.width == entry.len && (site as u64) < u64::from(list.sites));
        self.require(fits, || format!("{} words for site {site} of list {list}: {known:?}", entry.len));
        let effect = RowEffect::Emit { list: list as u32, site: site as u32, value: entry.node };
        self.state.borrow_mut().program.effects.push(effect);
    }

    /// Adds one at each of these places of a counter.
    pub fn count(&self, counter: usize, places: Words<'_, F>) {
        self.count_of(counter, places, None);
    }

    /// As [`Self::count`] where `when` is not zero.
    pub fn count_if(&self, counter: usize, places: Words<'_, F>, when: Words<'_, F>) {
        self.require(when.len == 1, || "the condition of a count has several words".to_owned());
        self.count_of(counter, places, Some(when.node));
    }

    fn count_of(&self, counter: usize, places: Words<'_, F>, when: Option<NodeId>) {
        let counters = self.state.borrow().program.counters;
        self.require((counter as u64) < u64::from(counters), || format!("counter {counter} of {counters}"));
        let effect = RowEffect::Count { counter: counter as u32, places: places.node, when };
        self.state.borrow_mut().program.effects.push(effect);
    }

    /// Requires of every row that the word is not zero. `claim` says what then holds.
    pub fn assert(&self, claim: &str, holds: Words<'_, F>) {
        self.require(holds.len == 1, || "an assertion about several words".to_owned());
        let program = &mut self.state.borrow_mut().program;
        let known = program.claims.iter().position(|other| other == claim);
        let index = known.unwrap_or_else(|| {
            program.claims.push(claim.to_owned());
            program.claims.len() - 1
        });
        program.effects.push(RowEffect::Assert { claim: index as u32, holds: holds.node });
    }

    fn require(&self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.state.borrow_mut().error.get_or_insert_with(|| RowError(otherwise()));
        }
    }

    fn insert(&self, kind: RowKind, op: RowOp<F>) -> NodeId {
        let state = &mut *self.state.borrow_mut();
        let nodes = &mut state.program.nodes;
        *state.known.entry(op).or_insert_with_key(|op| {
            nodes.push(RowNode { kind, op: op.clone() });
            NodeId(nodes.len() as u32 - 1)
        })
    }

    fn words_of(&self, len: usize, op: RowOp<F>) -> Words<'_, F> {
        self.require((1..=MAX_WORDS).contains(&len), || format!("a value of {len} words, of at most {MAX_WORDS}"));
        let len = len.clamp(1, MAX_WORDS) as u32;
        Words { recorder: self, node: self.insert(RowKind::Words(len), op), len }
    }

    fn words_of_node(&self, of: &Words<'_, F>) -> Words<'_, F> {
        Words { recorder: self, node: of.node, len: of.len }
    }

    fn element_of(&self, op: RowOp<F>) -> Element<'_, F> {
        Element { recorder: self, node: self.insert(RowKind::Element, op) }
    }
}

type Binary<F> = fn(NodeId, NodeId) -> RowOp<F>;

#[allow(clippy::len_without_is_empty, reason = "there is no empty value")]
impl<'r, F: PrimeField> Words<'r, F> {
    /// Number of words.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// The recorder that it belongs to.
    pub fn recorder(self) -> &'r RowRecorder<F> {
        self.recorder
    }

    /// Word `index`.
    pub fn at(self, index: usize) -> Self {
        self.slice(index, 1)
    }

    /// `len` words from `from` on.
    pub fn slice(self, from: usize, len: usize) -> Self {
        self.recorder.require(from + len <= self.len(), || format!("words {from}..{} of {}", from + len, self.len));
        if (from, len) == (0, self.len()) {
            return self;
        }
        self.recorder.words_of(len, RowOp::Slice { of: self.node, from: from as u32, len: len as u32 })
    }

    /// Its words.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        (0..self.len()).map(move |index| self.at(index))
    }

    fn vector(self, other: Self, op: Binary<F>) -> Self {
        let fits = self.len == other.len || self.len == 1 || other.len == 1;
        self.recorder.require(fits, || format!("an operation on {} and {} words", self.len, other.len));
        self.recorder.words_of(self.len().max(other.len()), op(self.node, other.node))
    }

    /// Shift to the right that keeps the sign.
    pub fn sar(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Sar)
    }

    fn shift(self, bits: u32, op: fn(NodeId, u32) -> RowOp<F>) -> Self {
        self.recorder.require(bits < 32, || format!("a shift by {bits}"));
        self.recorder.words_of(self.len(), op(self.node, bits))
    }

    /// 1 where words are equal, else 0.
    pub fn equal(self, other: Self) -> Self {
        self.vector(other, RowOp::Eq)
    }

    /// 1 where words are this one, else 0.
    pub fn is(self, value: u32) -> Self {
        self.equal(self.recorder.word(value))
    }

    /// 1 where words are less, unsigned, else 0.
    pub fn less(self, other: Self) -> Self {
        self.vector(other, RowOp::Lt)
    }

    /// 1 if all words are equal, else 0.
    pub fn same(self, other: Self) -> Self {
        let differing = self.equal(other).sum();
        differing.is(self.len.max(other.len))
    }

    /// Sum of all words.
    pub fn sum(self) -> Self {
        if self.len == 1 { self } else { self.recorder.words_of(1, RowOp::Sum(self.node)) }
    }

    /// Product of polynomials.
    pub fn convolve(self, other: Self) -> Self {
        self.recorder.words_of(self.len() + other.len() - 1, RowOp::Convolve(self.node, other.node))
    }

    /// Digits in base `2^bits`.
    pub fn split(self, bits: u32, count: usize) -> Self {
        self.recorder.require((1..=32).contains(&bits), || format!("digits of {bits} bits"));
        self.recorder.words_of(count, RowOp::Split { of: self.node, bits, count: count as u32 })
    }

    /// The integer of these digits in base `2^bits`.
    pub fn join(self, bits: u32, words: usize) -> Self {
        self.recorder.require((1..=32).contains(&bits), || format!("digits of {bits} bits"));
        self.recorder.words_of(words, RowOp::Join { of: self.node, bits, words: words as u32 })
    }

    fn same_length(self, other: Self) {
        self.recorder.require(self.len == other.len, || format!("integers of {} and {} words", self.len, other.len));
    }

    /// Sum of integers.
    pub fn int_add(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(self.len() + 1, RowOp::IntAdd(self.node, other.node))
    }

    /// Difference of integers.
    pub fn int_sub(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(self.len(), RowOp::IntSub(self.node, other.node))
    }

    /// Whether an integer is less.
    pub fn int_less(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(1, RowOp::IntLt(self.node, other.node))
    }

    /// Product of integers.
    pub fn int_mul(self, other: Self) -> Self {
        self.recorder.words_of(self.len() + other.len(), RowOp::IntMul(self.node, other.node))
    }

    /// Quotient and remainder of integers.
    pub fn int_div_rem(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.len(), other.len());
        let both = self.recorder.words_of(a + b, RowOp::IntDivRem(self.node, other.node));
        (both.slice(0, a), both.slice(a, b))
    }

    fn felt(self, other: Self, op: Binary<F>) -> Self {
        let known = self.recorder.state.borrow().program.modulus.is_some();
        self.recorder.require(known, || "felts in a program without a modulus".to_owned());
        let lengths = [self.len(), other.len()];
        self.recorder.require(lengths == [FELT_WORDS; 2], || format!("felts of {lengths:?} words"));
        self.recorder.words_of(FELT_WORDS, op(self.node, other.node))
    }

    /// Sum of felts.
    pub fn felt_add(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltAdd)
    }

    /// Difference of felts.
    pub fn felt_sub(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltSub)
    }

    /// Product of felts.
    pub fn felt_mul(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltMul)
    }

    /// Inverse of a felt.
    pub fn felt_inverse(self) -> Self {
        self.felt(self, |a, _| RowOp::FeltInv(a))
    }

    /// The element that the word is.
    pub fn element(self) -> Element<'r, F> {
        self.recorder.require(self.len == 1, || "an element of several words".to_owned());
        self.recorder.element_of(RowOp::FromWord(self.node))
    }

    /// The element that the word is, as a signed number.
    pub fn signed(self) -> Element<'r, F> {
        self.recorder.require(self.len == 1, || "an element of several words".to_owned());
        self.recorder.element_of(RowOp::FromSigned(self.node))
    }
}

impl<'r, F: PrimeField> Element<'r, F> {
    /// The word that the element is.
    pub fn word(self) -> Words<'r, F> {
        self.recorder.words_of(1, RowOp::ToWord(self.node))
    }

    /// Its inverse; zero's is zero.
    pub fn inverse(self) -> Self {
        self.recorder.element_of(RowOp::FieldInv(self.node))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident),+) => {$(
        impl<'r, F: PrimeField> $operator for Words<'r, F> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.vector(other, RowOp::$op)
            }
        }

        impl<'r, F: PrimeField> $operator<u32> for Words<'r, F> {
            type Output = Self;

            fn $method(self, other: u32) -> Self {
                self.vector(self.recorder.word(other), RowOp::$op)
            }
        }
    )+};
}

operators!(Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl<F: PrimeField> Shl<u32> for Words<'_, F> {
    type Output = Self;

    fn shl(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Shl)
    }
}

impl<F: PrimeField> Shr<u32> for Words<'_, F> {
    type Output = Self;

    fn shr(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Shr)
    }
}

macro_rules! element_operators {
    ($($operator:ident $method:ident $op:ident),+) => {$(
        impl<'r, F: PrimeField> $operator for Element<'r, F> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.recorder.element_of(RowOp::$op(self.node, other.node))
            }
        }
    )+};
}

element_operators!(Add add FieldAdd, Sub sub FieldSub, Mul mul FieldMul);
