//! The commit phase of FRI: goldilocks.md, section 9.

use field::{ExtensionField, Goldilocks};
use gpu_hal::{CosetProtocol, Digest, HashFn, LeafLayout, Protocol, StarkBackend};
use proof::Transcript;

use crate::domains::Domains;
use crate::prover::{Ext, Table};
use crate::{Observer, ProveError};

/// A committed layer.
pub(crate) struct Layer<B: StarkBackend> {
    pub(crate) values: Table<B>,
    pub(crate) tree: B::Tree,
    pub(crate) root: Digest,
}

/// Layers 1 to log n - 1, and the value of the constant last one.
pub(crate) struct Fri<B: StarkBackend> {
    pub(crate) layers: Vec<Layer<B>>,
    pub(crate) last_value: Ext<B>,
}

/// Folds the DEEP quotient to a constant: `log n` challenges and folds, `log n - 1` committed layers.
pub(crate) fn commit<B: StarkBackend<P: CosetProtocol>>(
    backend: &B,
    quotient: Table<B>,
    domains: &Domains,
    hash: HashFn,
    transcript: &mut Transcript,
    observer: &dyn Observer<Ext<B>>,
) -> Result<Fri<B>, ProveError> {
    let mut domain = domains.lde;
    let mut layers: Vec<Layer<B>> = Vec::with_capacity(domains.log_trace as usize - 1);
    let mut quotient = Some(quotient);
    let mut fold = |previous: &Table<B>, transcript: &mut Transcript| -> Result<Table<B>, ProveError> {
        let zeta: Ext<B> = transcript.sample_element();
        observer.values("fri_zeta", &[zeta]);
        let folded = backend.fri_fold(previous.as_ref(), domain, zeta)?;
        domain = B::P::folded(&domain).expect("the fold was accepted, so the domain has a half");
        Ok(folded)
    };
    for _ in 1..domains.log_trace {
        let previous = layers.last().map(|layer| &layer.values).or(quotient.as_ref());
        let values = fold(previous.expect("the quotient is kept until a layer follows it"), transcript)?;
        // Nothing of the quotient is opened: the verifier rebuilds it.
        quotient = None;
        let tree = backend.merkle(&[values.as_ref()], LeafLayout::new(2), hash)?;
        let root = backend.root(&tree)?;
        observer.root("fri", &root);
        transcript.append_bytes(&root);
        layers.push(Layer { values, tree, root });
    }
    let previous = layers.last().map(|layer| &layer.values).or(quotient.as_ref());
    let last = fold(previous.expect("a trace has at least four rows, so there is a layer"), transcript)?;
    let height = last.height();
    let values = backend.download(last.as_ref(), 0..height)?;
    let at = |row: usize| {
        let coordinates: Vec<Goldilocks> = (0..<B::P as Protocol>::DEGREE).map(|c| values[c * height + row]).collect();
        Ext::<B>::from_coordinates(&coordinates).expect("one coordinate per base column")
    };
    let last_value = at(0);
    if (1..height).any(|row| at(row) != last_value) {
        return Err(ProveError::Unsatisfied("the last FRI layer is not constant"));
    }
    observer.values("fri_last_value", &[last_value]);
    transcript.append_element(&last_value);
    Ok(Fri { layers, last_value })
}
