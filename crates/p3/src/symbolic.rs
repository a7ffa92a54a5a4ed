//! From symbolic expressions of Plonky3 to constraints without selectors.

use std::collections::HashMap;

use p3_air::{BaseEntry, BaseLeaf, SymbolicExpression};

use crate::graph::{Graph, Id, Node};
use crate::selectors::{self, Form, Place, Product};
use crate::{Origin, P3Error, P3Field};

/// The counts of the columns and values that a constraint may read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) main: usize,
    pub(crate) preprocessed: usize,
    pub(crate) periodic: usize,
    pub(crate) public: usize,
}

/// `root = 0` on the rows of `place`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraint {
    pub(crate) place: Place,
    pub(crate) root: Id,
    /// The number of its assertion, in their order.
    #[cfg_attr(not(feature = "circle"), expect(dead_code, reason = "what Circle refuses is named by it"))]
    pub(crate) number: usize,
}

/// The constraints of an AIR, the constraints of one assertion next to each other.
#[derive(Clone, Debug)]
pub(crate) struct Constraints {
    pub(crate) graph: Graph,
    pub(crate) list: Vec<Constraint>,
}

impl Constraints {
    /// The constraints of the expressions that an AIR asserts to be zero. An assertion that holds on every trace, such
    /// as a product of the selectors of first and last row, gives none.
    pub(crate) fn new<F: P3Field>(asserted: &[SymbolicExpression<F>], counts: &Counts) -> Result<Self, P3Error> {
        let mut reader = Reader::new(Graph::default(), counts);
        let mut list = Vec::with_capacity(asserted.len());
        for (number, expression) in asserted.iter().enumerate() {
            let form = reader.form(expression, Origin::Constraint(number))?;
            let places = selectors::places(form).map_err(|row| P3Error::Selectors { constraint: number, row })?;
            list.extend(places.into_iter().map(|(place, root)| Constraint { place, root, number }));
        }
        Ok(Self { graph: reader.graph, list })
    }
}

type Expression<F> = SymbolicExpression<F>;

/// Expressions share their operands, so the result of each is kept by its address, which stays while they are borrowed.
pub(crate) struct Reader<'a, F> {
    pub(crate) graph: Graph,
    forms: HashMap<*const Expression<F>, Form>,
    counts: &'a Counts,
}

impl<'a, F: P3Field> Reader<'a, F> {
    /// Adds to a graph. The expressions must be borrowed as long as the reader is used.
    pub(crate) fn new(graph: Graph, counts: &'a Counts) -> Self {
        Self { graph, forms: HashMap::new(), counts }
    }

    /// The expression of an interaction, which has no selectors.
    pub(crate) fn plain(&mut self, root: &Expression<F>, interaction: usize) -> Result<Id, P3Error> {
        match self.form(root, Origin::Interaction(interaction))?.as_slice() {
            [] => Ok(self.graph.add(Node::Constant(0))),
            [(product, node)] if *product == Product::default() => Ok(*node),
            _ => Err(P3Error::InteractionSelector { interaction }),
        }
    }

    /// Operands first and without recursion: a sum may be as deep as it is long.
    fn form(&mut self, root: &Expression<F>, origin: Origin) -> Result<&Form, P3Error> {
        let mut open = vec![root];
        while let Some(&expression) = open.last() {
            let at = std::ptr::from_ref(expression);
            let missing =
                operands(expression).filter(|operand| !self.forms.contains_key(&std::ptr::from_ref(*operand)));
            let before = open.len();
            if !self.forms.contains_key(&at) {
                open.extend(missing.collect::<Vec<_>>());
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            if !self.forms.contains_key(&at) {
                let form = self.combine(expression, origin)?;
                self.forms.insert(at, form);
            }
        }
        Ok(&self.forms[&std::ptr::from_ref(root)])
    }

    /// The form of an expression whose operands have theirs.
    fn combine(&mut self, expression: &Expression<F>, origin: Origin) -> Result<Form, P3Error> {
        let Self { graph, forms, counts } = self;
        let of = |operand: &Expression<F>| &forms[&std::ptr::from_ref(operand)];
        Ok(match expression {
            Expression::Leaf(leaf) => read(leaf, graph, counts, origin)?,
            Expression::Add { x, y, .. } => selectors::sum(graph, of(x), of(y)),
            Expression::Sub { x, y, .. } => selectors::difference(graph, of(x), of(y)),
            Expression::Neg { x, .. } => selectors::negation(graph, of(x)),
            Expression::Mul { x, y, .. } => selectors::product(graph, of(x), of(y))
                .map_err(|selectors::TooHigh| P3Error::SelectorPower { origin })?,
        })
    }
}

fn operands<F>(expression: &Expression<F>) -> impl Iterator<Item = &Expression<F>> {
    let (x, y) = match expression {
        Expression::Leaf(_) => (None, None),
        Expression::Add { x, y, .. } | Expression::Sub { x, y, .. } | Expression::Mul { x, y, .. } => {
            (Some(&**x), Some(&**y))
        }
        Expression::Neg { x, .. } => (Some(&**x), None),
    };
    x.into_iter().chain(y)
}

fn read<F: P3Field>(leaf: &BaseLeaf<F>, graph: &mut Graph, counts: &Counts, origin: Origin) -> Result<Form, P3Error> {
    let selector = |graph: &mut Graph, product| vec![(product, graph.add(Node::Constant(1)))];
    Ok(match leaf {
        BaseLeaf::IsFirstRow => selector(graph, Product { first: 1, ..Product::default() }),
        BaseLeaf::IsLastRow => selector(graph, Product { last: 1, ..Product::default() }),
        BaseLeaf::IsTransition => selector(graph, Product { transition: 1, ..Product::default() }),
        BaseLeaf::Constant(value) if value.is_zero() => Form::new(),
        BaseLeaf::Constant(value) => {
            vec![(Product::default(), graph.add(Node::Constant(value.as_canonical_u64())))]
        }
        BaseLeaf::Variable(variable) => {
            let index = variable.index;
            let (what, count, offset, node) = match variable.entry {
                BaseEntry::Main { offset } => {
                    ("main column", counts.main, offset, Node::Main { column: index, offset })
                }
                BaseEntry::Preprocessed { offset } => {
                    ("preprocessed column", counts.preprocessed, offset, Node::Preprocessed { column: index, offset })
                }
                BaseEntry::Periodic => ("periodic column", counts.periodic, 0, Node::Periodic(index)),
                BaseEntry::Public => ("public value", counts.public, 0, Node::Public(index)),
            };
            if index >= count {
                return Err(P3Error::Variable { origin, what, index, count });
            }
            if offset > 1 {
                return Err(P3Error::Offset { origin, offset });
            }
            vec![(Product::default(), graph.add(node))]
        }
    })
}
