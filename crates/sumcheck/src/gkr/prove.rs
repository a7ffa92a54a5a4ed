//! The prover of batches (section 5), by its definition, on one thread.

use alloc::vec::Vec;

use field::{ExtensionField, Field};

use super::gate::Gate;
use super::layer::{Layer, LayerError};
use super::proof::{Artifact, BatchProof, Instance, Mask};
use crate::multilinear::{EqTables, bind, line};
use crate::univariate::horner;
use crate::{Channel, Polynomial, Proved, Univariate, prove};

/// Proves a batch of trees. The columns are mixed, by their commitment, before.
///
/// # Errors
/// [`LayerError`]. Nothing is mixed then.
pub fn prove_batch<F: Field, E: ExtensionField<F>>(
    batch: Vec<Layer<F, E>>,
    channel: &mut dyn Channel<E>,
) -> Result<(BatchProof<E>, Artifact<E>), LayerError> {
    let instances: Vec<Instance> =
        batch.iter().enumerate().map(|(index, layer)| layer.instance(index)).collect::<Result<_, _>>()?;
    let layers = instances.iter().map(|instance| instance.variables).max().ok_or(LayerError::Empty)?;
    // From below: the last of each is the output.
    let mut trees: Vec<Vec<Vec<Vec<E>>>> =
        batch.into_iter().zip(&instances).map(|(layer, of)| tree(of.kind.gate(), layer.into_columns())).collect();
    let outputs: Vec<Vec<E>> = trees.iter_mut().map(|tree| output(tree.pop())).collect();
    let mut claims = alloc::vec![Vec::new(); instances.len()];
    let mut masks = alloc::vec![Vec::new(); instances.len()];
    let (mut sumchecks, mut point) = (Vec::with_capacity(layers), Vec::new());
    for layer in 0..layers {
        // The smaller a tree, the later it takes part.
        let active: Vec<usize> = (0..instances.len()).filter(|at| layers - instances[*at].variables <= layer).collect();
        for index in active.iter().copied() {
            if layers - instances[index].variables == layer {
                claims[index].clone_from(&outputs[index]);
            }
            channel.mix(&claims[index]);
        }
        let (alpha, lambda) = (channel.draw(), channel.draw());
        let eq = EqTables::new(&point);
        let sums: Vec<E> = active.iter().map(|index| horner(&claims[*index], lambda)).collect();
        let mut nodes: Vec<Nodes<'_, E>> = active
            .iter()
            .map(|index| {
                let columns = trees[*index].pop().unwrap_or_default();
                Nodes { gate: instances[*index].kind.gate(), columns, eq: &eq, factor: E::ONE, lambda }
            })
            .collect();
        let proved = prove(&sums, &mut nodes, alpha, channel);
        let Proved { rounds, point: mut next, .. } = proved.expect("gates of degree two sum to what they made");
        let ends: Vec<Mask<E>> = nodes.into_iter().map(Nodes::mask).collect();
        for mask in &ends {
            channel.mix(mask.0.as_flattened());
        }
        let challenge = channel.draw();
        next.push(challenge);
        for (index, mask) in active.into_iter().zip(ends) {
            claims[index] = mask.at(challenge);
            masks[index].push(mask);
        }
        sumchecks.push(rounds);
        point = next;
    }
    let variables = instances.iter().map(|instance| instance.variables).collect();
    Ok((BatchProof { sumchecks, masks, outputs }, Artifact { point, claims, variables }))
}

/// All layers of a tree, from below: each a list of columns.
fn tree<E: Field>(gate: Gate, columns: Vec<Vec<E>>) -> Vec<Vec<Vec<E>>> {
    let mut layers = alloc::vec![columns];
    while let Some(below) = layers.last().filter(|below| below[0].len() > 1) {
        let mut above = alloc::vec![Vec::with_capacity(below[0].len() / 2); gate.columns()];
        for at in (0..below[0].len()).step_by(2) {
            let node = gate.node(&row(below, at), &row(below, at + 1));
            above.iter_mut().zip(node).for_each(|(column, value)| column.push(value));
        }
        layers.push(above);
    }
    layers
}

fn row<E: Field>(columns: &[Vec<E>], at: usize) -> Vec<E> {
    columns.iter().map(|column| column[at]).collect()
}

/// The values of a layer of one node.
fn output<E: Field>(layer: Option<Vec<Vec<E>>>) -> Vec<E> {
    layer.unwrap_or_default().iter().map(|column| column[0]).collect()
}

/// The nodes of a layer as a polynomial by the values of their children: `eq(x, y) (v_0(x) + lambda v_1(x))`. The last
/// variable of a column tells a node's children apart, and is none of the polynomial's.
struct Nodes<'a, E> {
    gate: Gate,
    columns: Vec<Vec<E>>,
    /// Of the point `y`; a smaller tree takes its last coordinates.
    eq: &'a EqTables<E>,
    /// `eq` of the fixed variables.
    factor: E,
    lambda: E,
}

impl<E: Field> Nodes<'_, E> {
    /// The values of the children, once all variables are fixed.
    fn mask(self) -> Mask<E> {
        Mask(self.columns.iter().map(|column| [column[0], column[1]]).collect())
    }

    /// The values of a child of node `at` if the first variable is `x`, by their values at 0 and 1.
    fn child(&self, at: usize, right: usize, x: E) -> Vec<E> {
        let half = self.columns[0].len() / 2;
        let index = 2 * at + right;
        self.columns.iter().map(|column| line(column[index], column[half + index], x)).collect()
    }
}

impl<E: Field> Polynomial<E> for Nodes<'_, E> {
    fn variables(&self) -> usize {
        self.columns[0].len().ilog2() as usize - 1
    }

    fn sum(&self, _claim: E) -> Univariate<E> {
        let others = self.variables() - 1;
        let two = E::ONE.double();
        // Without the factor of the first variable the sum has degree two.
        let [at_0, at_1, at_2] = [E::ZERO, E::ONE, two].map(|x| {
            let terms = self.eq.table(others).iter().enumerate();
            let value = |at| self.gate.combined(&self.child(at, 0, x), &self.child(at, 1, x), self.lambda);
            terms.map(|(at, eq)| *eq * value(at)).sum::<E>()
        });
        let square = (at_2 - at_1.double() + at_0) * two.inverse_or_zero();
        let linear = at_1 - at_0 - square;
        // eq(x, y) = (1 - y) + (2 y - 1) x.
        let y = self.eq.coordinate(others);
        let (constant, slope) = (self.factor * (E::ONE - y), self.factor * (y.double() - E::ONE));
        let coefficients =
            [constant * at_0, constant * linear + slope * at_0, constant * square + slope * linear, slope * square];
        Univariate::trimmed(coefficients.to_vec())
    }

    fn bind(&mut self, challenge: E) {
        self.factor *= crate::multilinear::eq(&[challenge], &[self.eq.coordinate(self.variables() - 1)]);
        for column in &mut self.columns {
            *column = bind(column, challenge);
        }
    }
}
