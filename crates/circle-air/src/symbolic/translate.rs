//! A tape as nodes, in which lookups are tuples.

use std::collections::BTreeMap;

use field::{Field, M31, QM31};
use gpu_hal::ir::{Kind, NodeId, ProgramBuilder};
use gpu_hal::{CircleStark, ConstraintProgram};

use super::constants::{Constant, Constants, Power};
use crate::RecordError;
use crate::framework::Recording;
use crate::framework::tape::{Entry, Value};
use crate::lower::needed;

/// A value, by the drawn elements that it depends on.
#[derive(Clone)]
enum Form {
    /// A node, which reads elements, if it does, as parameters.
    Node(NodeId),
    /// The sum of the elements of one relation, each times a node.
    Sum { relation: usize, terms: BTreeMap<Power, NodeId> },
}

/// Writes the entries of a component, recorded once for each set of elements, into a program.
pub(super) struct Translation<'a> {
    recordings: &'a [Recording],
    constants: &'a Constants,
    builder: ProgramBuilder<CircleStark>,
    draws: usize,
    /// By entry, `None` for those that are not needed.
    forms: Vec<Option<Form>>,
}

impl<'a> Translation<'a> {
    pub(super) fn new(
        recordings: &'a [Recording],
        constants: &'a Constants,
        builder: ProgramBuilder<CircleStark>,
        draws: usize,
    ) -> Self {
        Self { recordings, constants, builder, draws, forms: Vec::new() }
    }

    /// Writes all entries that the roots depend on.
    pub(super) fn translate(&mut self, roots: &[u32]) -> Result<(), RecordError> {
        let entries = &self.recordings[0].entries;
        for (index, is_needed) in needed(entries, roots).into_iter().enumerate() {
            let form = if is_needed { Some(self.entry(index)?) } else { None };
            self.forms.push(form);
        }
        Ok(())
    }

    /// The node of an entry.
    pub(super) fn node(&mut self, index: u32) -> NodeId {
        let form = self.form(index);
        self.as_node(form)
    }

    /// The node of a value of the base field: the `of`-th of this list of each recording.
    pub(super) fn base(&mut self, list: fn(&Recording) -> &[Value], of: usize) -> Result<NodeId, RecordError> {
        let form = self.value(list, of)?;
        let node = self.as_node(form);
        match self.builder.kind(node) {
            Kind::Base => Ok(node),
            Kind::Ext => Err(RecordError::LookupForm { lookup: of }),
        }
    }

    /// The relation and the values of the tuple whose denominator is the `lookup`-th of each recording.
    pub(super) fn tuple(&mut self, lookup: usize) -> Result<(usize, Vec<NodeId>), RecordError> {
        let unknown = RecordError::LookupForm { lookup };
        let Form::Sum { relation, mut terms } = self.value(|recording| &recording.denominators, lookup)? else {
            return Err(unknown);
        };
        let minus_one = self.builder.constant(-M31::ONE);
        if terms.remove(&Power::Z) != Some(minus_one) {
            return Err(unknown);
        }
        let width = terms.last_key_value().map_or(0, |(power, _)| match power {
            Power::Alpha(power) => power + 1,
            Power::Z => 0,
        });
        let zero = self.builder.constant(M31::ZERO);
        let values: Vec<NodeId> =
            (0..width).map(|power| terms.get(&Power::Alpha(power)).copied().unwrap_or(zero)).collect();
        let is_base = values.iter().all(|value| self.builder.kind(*value) == Kind::Base);
        if is_base { Ok((relation, values)) } else { Err(unknown) }
    }

    /// Declares a result.
    pub(super) fn output(&mut self, node: NodeId) -> usize {
        self.builder.output(node)
    }

    pub(super) fn finish(self) -> Result<ConstraintProgram<CircleStark>, RecordError> {
        Ok(self.builder.finish()?)
    }

    fn form(&self, index: u32) -> Form {
        self.forms[index as usize].clone().expect("roots and operands are translated before they are used")
    }

    fn value(&mut self, list: fn(&Recording) -> &[Value], of: usize) -> Result<Form, RecordError> {
        match list(&self.recordings[0])[of] {
            Value::Entry { index, .. } => Ok(self.form(index)),
            Value::Constant(_) => {
                let values = self.recordings.iter().map(|recording| match list(recording)[of] {
                    Value::Constant(value) => Some(value),
                    Value::Entry { .. } => None,
                });
                let values: Option<Vec<QM31>> = values.collect();
                self.constant(&values.ok_or(RecordError::LookupForm { lookup: of })?)
            }
        }
    }

    fn entry(&mut self, index: usize) -> Result<Form, RecordError> {
        Ok(match self.recordings[0].entries[index] {
            Entry::Constant(first) => {
                let value = |recording: &Recording| match recording.entries[index] {
                    Entry::Constant(value) => value,
                    // The recordings have one shape.
                    _ => first,
                };
                self.constant(&self.recordings.iter().map(value).collect::<Vec<_>>())?
            }
            Entry::Load { tree, column, offset } => {
                Form::Node(self.builder.load(tree as usize, column as usize, offset))
            }
            Entry::Shift => unreachable!("only constraints of lookups read the claimed sum, and they are no roots"),
            Entry::Add(a, b) => self.combined(a, b, ProgramBuilder::add),
            Entry::Sub(a, b) => self.combined(a, b, ProgramBuilder::sub),
            Entry::Mul(a, b) => self.product(a, b),
            Entry::Neg(a) => {
                let zero = Form::Node(self.builder.constant(M31::ZERO));
                let form = self.form(a);
                self.combine(zero, form, ProgramBuilder::sub)
            }
        })
    }

    fn constant(&mut self, values: &[QM31]) -> Result<Form, RecordError> {
        let made = self.constants.read(values).ok_or(RecordError::ConstantForm { value: values[0].to_string() })?;
        Ok(match made {
            Constant::Fixed(value) => Form::Node(self.builder.constant_ext(value)),
            Constant::Claim(claim) => Form::Node(self.builder.param(self.draws + claim)),
            Constant::Sum { relation, terms } => {
                let term = |(power, factor): (Power, M31)| (power, self.builder.constant(factor));
                Form::Sum { relation, terms: terms.into_iter().map(term).collect() }
            }
        })
    }

    fn combined(
        &mut self,
        a: u32,
        b: u32,
        operation: fn(&mut ProgramBuilder<CircleStark>, NodeId, NodeId) -> NodeId,
    ) -> Form {
        let (a, b) = (self.form(a), self.form(b));
        self.combine(a, b, operation)
    }

    /// A sum or a difference.
    fn combine(
        &mut self,
        a: Form,
        b: Form,
        operation: fn(&mut ProgramBuilder<CircleStark>, NodeId, NodeId) -> NodeId,
    ) -> Form {
        let of = |form: &Form| match form {
            Form::Node(_) => None,
            Form::Sum { relation, .. } => Some(*relation),
        };
        let relation = match (of(&a), of(&b)) {
            (Some(one), Some(other)) if one == other => one,
            (Some(relation), None) | (None, Some(relation)) => relation,
            _ => {
                let (a, b) = (self.as_node(a), self.as_node(b));
                return Form::Node(operation(&mut self.builder, a, b));
            }
        };
        let zero = self.builder.constant(M31::ZERO);
        let terms = |form| match form {
            Form::Node(node) => BTreeMap::from([(Power::Alpha(0), node)]),
            Form::Sum { terms, .. } => terms,
        };
        let (a, b) = (terms(a), terms(b));
        let powers: std::collections::BTreeSet<Power> = a.keys().chain(b.keys()).copied().collect();
        let term = |power: Power| {
            let of = |terms: &BTreeMap<Power, NodeId>| terms.get(&power).copied().unwrap_or(zero);
            (power, operation(&mut self.builder, of(&a), of(&b)))
        };
        let terms: BTreeMap<Power, NodeId> = powers.into_iter().map(term).filter(|(_, node)| *node != zero).collect();
        if terms.is_empty() { Form::Node(zero) } else { Form::Sum { relation, terms } }
    }

    fn product(&mut self, a: u32, b: u32) -> Form {
        let (relation, terms, factor) = match (self.form(a), self.form(b)) {
            (Form::Sum { relation, terms }, Form::Node(factor))
            | (Form::Node(factor), Form::Sum { relation, terms }) => (relation, terms, factor),
            (a, b) => {
                let (a, b) = (self.as_node(a), self.as_node(b));
                return Form::Node(self.builder.mul(a, b));
            }
        };
        let terms: BTreeMap<Power, NodeId> =
            terms.into_iter().map(|(power, node)| (power, self.builder.mul(node, factor))).collect();
        Form::Sum { relation, terms }
    }

    /// The value as a node: the elements are parameters.
    fn as_node(&mut self, form: Form) -> NodeId {
        let (relation, terms) = match form {
            Form::Node(node) => return node,
            Form::Sum { relation, terms } => (relation, terms),
        };
        let mut sum = self.builder.constant(M31::ZERO);
        for (power, node) in terms {
            let element = match power {
                Power::Z => self.builder.param(2 * relation),
                Power::Alpha(power) => {
                    let (alpha, one) = (self.builder.param(2 * relation + 1), self.builder.constant(M31::ONE));
                    (0..power).fold(one, |product, _| self.builder.mul(product, alpha))
                }
            };
            let term = self.builder.mul(element, node);
            sum = self.builder.add(sum, term);
        }
        sum
    }
}
