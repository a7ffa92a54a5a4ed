//! The operations of a recorder on values.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

use field::PrimeField;

use super::program::{RowEffect, RowKind, RowOp};
use super::recorder::RowRecorder;
use super::sizes::MAX_WORDS;
use super::values::{Element, Words};
use crate::program::NodeId;

impl<F: PrimeField> RowRecorder<F> {
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

    /// Requires of every row that the word is not zero. `claim` is the sentence that then holds.
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

    pub(super) fn words_of(&self, len: usize, op: RowOp<F>) -> Words<'_, F> {
        self.require((1..=MAX_WORDS).contains(&len), || format!("a value of {len} words, of at most {MAX_WORDS}"));
        let len = len.clamp(1, MAX_WORDS) as u32;
        Words { recorder: self, node: self.insert(RowKind::Words(len), op), len }
    }

    fn words_of_node(&self, of: &Words<'_, F>) -> Words<'_, F> {
        Words { recorder: self, node: of.node, len: of.len }
    }

    pub(super) fn element_of(&self, op: RowOp<F>) -> Element<'_, F> {
        Element { recorder: self, node: self.insert(RowKind::Element, op) }
    }
}
