//! The prover of batches (section 5): what is mixed and drawn when, wherever the layers are.

use alloc::vec::Vec;

use field::Field;

use super::proof::{Artifact, BatchProof, Instance, Mask, Proven};
use crate::multilinear;
use crate::univariate::horner;
use crate::{Channel, Polynomial, ProveError, SumcheckProof, prove};

/// Keeps the layers of trees, and gives them as polynomials, from the outputs on.
pub trait Layers<E> {
    /// Why it cannot.
    type Error;
    /// The layers of a tree that were not given yet.
    type Tree;
    /// Tables of `eq` of a point, which the trees of a step share.
    type Eq;
    /// Nodes of a layer.
    type Nodes<'a>: Nodes<E, Error = Self::Error>
    where
        Self: 'a;

    /// The values of a tree's columns in layer 0.
    ///
    /// # Errors
    /// Of a device.
    fn output(&self, tree: &Self::Tree) -> Result<Vec<E>, Self::Error>;

    /// Tables of `eq` of a point.
    ///
    /// # Errors
    /// Of a device.
    fn eq(&self, point: &[E]) -> Result<Self::Eq, Self::Error>;

    /// The nodes of the next layer of a tree, the outputs first: `eq(x, y) (v_0(x) + lambda v_1(x))`, where `y` are the
    /// last coordinates of the point.
    ///
    /// # Errors
    /// Of a device.
    fn nodes<'a>(&'a self, tree: &mut Self::Tree, eq: &'a Self::Eq, lambda: E) -> Result<Self::Nodes<'a>, Self::Error>;
}

/// The nodes of a layer as a polynomial by the values of their children.
pub trait Nodes<E>: Polynomial<E> {
    /// The values of the children, once all variables are fixed.
    ///
    /// # Errors
    /// Of a device.
    fn mask(self) -> Result<Mask<E>, Self::Error>;
}

/// Proves a batch of trees of these shapes. The columns are mixed, by their commitment, before.
///
/// # Errors
/// [`ProveError`]: of `layers`; or its nodes are not those of its outputs.
///
/// # Panics
/// If there are not as many trees as shapes, or a shape has no variables.
pub fn prove_trees<E: Field, L: Layers<E>>(
    layers: &L,
    instances: &[Instance],
    mut trees: Vec<L::Tree>,
    channel: &mut dyn Channel<E>,
) -> Result<Proven<E>, ProveError<L::Error>> {
    assert_eq!(trees.len(), instances.len(), "a tree of each shape");
    let failed = ProveError::Polynomial;
    let steps = instances.iter().map(|instance| instance.variables).max().ok_or(ProveError::Empty)?;
    let outputs = trees.iter().map(|tree| layers.output(tree)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut claims = alloc::vec![Vec::new(); instances.len()];
    let mut masks = alloc::vec![Vec::new(); instances.len()];
    let (mut sumchecks, mut point) = (Vec::with_capacity(steps), Vec::new());
    for step in 0..steps {
        // The smaller a tree, the later it takes part.
        let active: Vec<usize> = (0..instances.len()).filter(|at| steps - instances[*at].variables <= step).collect();
        for index in active.iter().copied() {
            if steps - instances[index].variables == step {
                claims[index].clone_from(&outputs[index]);
            }
            channel.mix(&claims[index]);
        }
        let (alpha, lambda) = (channel.draw(), channel.draw());
        let eq = layers.eq(&point).map_err(failed)?;
        let sums: Vec<E> = active.iter().map(|index| horner(&claims[*index], lambda)).collect();
        let mut nodes = Vec::with_capacity(active.len());
        for index in &active {
            nodes.push(layers.nodes(&mut trees[*index], &eq, lambda).map_err(failed)?);
        }
        let SumcheckProof { rounds, point: mut next, values } = prove(&sums, &mut nodes, alpha, channel)?;
        let ends = nodes.into_iter().map(Nodes::mask).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        // A verifier sees the sum of these over all trees.
        for (polynomial, (index, mask)) in active.iter().zip(&ends).enumerate() {
            let Instance { kind, variables } = instances[*index];
            let value = kind.gate().combined(&mask.child(false), &mask.child(true), lambda);
            let used = steps - variables;
            if multilinear::eq(&point[used..], &next[used..]) * value != values[polynomial] {
                return Err(ProveError::End { polynomial });
            }
        }
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
