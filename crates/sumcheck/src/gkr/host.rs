//! Trees on the host, by their definition, on one thread.

use alloc::vec::Vec;
use core::convert::Infallible;

use field::{ExtensionField, Field};

use super::gate::Gate;
use super::layer::{Layer, LayerError};
use super::nodes::HostNodes;
use super::proof::{Instance, Proven};
use super::prove::{Layers, prove_trees};
use crate::multilinear::EqTables;
use crate::{Channel, MAX_VARIABLES};

/// Proves a batch of trees. The columns are mixed, by their commitment, before.
///
/// # Errors
/// [`LayerError`]. Nothing is mixed then.
pub fn prove_batch<F: Field, E: ExtensionField<F>>(
    batch: Vec<Layer<F, E>>,
    channel: &mut dyn Channel<E>,
) -> Result<Proven<E>, LayerError> {
    let instances: Vec<Instance> =
        batch.iter().enumerate().map(|(index, layer)| layer.instance(index)).collect::<Result<_, _>>()?;
    if instances.is_empty() {
        return Err(LayerError::Empty);
    }
    let trees = batch.into_iter().map(|layer| HostTree::new(layer.kind().gate(), layer.into_columns())).collect();
    Ok(prove_trees(&Host, &instances, trees, channel).expect("gates of degree two sum to what they made"))
}

/// The memory of the host.
struct Host;

/// The layers of a tree on the host.
#[derive(Clone, Debug)]
pub struct HostTree<E> {
    gate: Gate,
    output: Vec<E>,
    /// From below, each a list of columns; the output is none of them.
    layers: Vec<Vec<Vec<E>>>,
}

impl<E: Field> HostTree<E> {
    /// The tree above columns, which have as many values each, a power of two.
    ///
    /// # Panics
    /// If there are not as many columns as the gate has.
    pub fn new(gate: Gate, columns: Vec<Vec<E>>) -> Self {
        let (mut layers, mut last) = (Vec::new(), columns);
        while last[0].len() > 1 {
            let above = gate.above(&last);
            layers.push(core::mem::replace(&mut last, above));
        }
        Self { gate, output: last.iter().map(|column| column[0]).collect(), layers }
    }

    /// The values of the columns in layer 0.
    pub fn output(&self) -> &[E] {
        &self.output
    }

    /// The nodes of the next layer, the output first. Of no layer if all were given.
    pub fn nodes<'a>(&mut self, eq: &'a EqTables<E>, lambda: E) -> HostNodes<'a, E> {
        HostNodes::new(self.gate, self.layers.pop().unwrap_or_default(), eq, E::ONE, lambda)
    }
}

impl<E: Field> Layers<E> for Host {
    type Error = Infallible;
    type Tree = HostTree<E>;
    type Eq = EqTables<E>;
    type Nodes<'a> = HostNodes<'a, E>;

    fn output(&self, tree: &HostTree<E>) -> Result<Vec<E>, Infallible> {
        Ok(tree.output().to_vec())
    }

    fn eq(&self, point: &[E]) -> Result<EqTables<E>, Infallible> {
        Ok(EqTables::new(point, MAX_VARIABLES))
    }

    fn nodes<'a>(
        &'a self,
        tree: &mut HostTree<E>,
        eq: &'a EqTables<E>,
        lambda: E,
    ) -> Result<HostNodes<'a, E>, Infallible> {
        Ok(tree.nodes(eq, lambda))
    }
}
