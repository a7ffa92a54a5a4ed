//! The layers of FRI (circle.md, section 11).

use circle_proof::CircleOptions;
use circle_proof::positions::is_packed;
use circle_proof::rounds::Folding;
use field::{Field, QM31, bit_reverse};
use gpu_hal::{Basis, CircleDomain, CircleStark, Digest, EvalOrder, LeafLayout, StarkBackend};

use super::ProveError;
use crate::folding;
use crate::mode::ModeOn;
use crate::observer::{Observer, Phase, go_on};
use crate::table::{Table, download};

/// A committed layer.
pub(crate) struct Layer<B: StarkBackend> {
    pub(crate) values: Table<B>,
    pub(crate) tree: B::Tree,
    pub(crate) root: Digest,
    /// How often it is folded.
    pub(crate) step: u32,
}

/// The layers, and the coefficients of the last one in stored order.
pub(crate) struct Folded<B: StarkBackend> {
    pub(crate) layers: Vec<Layer<B>>,
    pub(crate) last: Vec<QM31>,
}

/// Commits and folds until the last layer.
pub(crate) fn fold<B: StarkBackend<P = CircleStark>>(
    mode: impl ModeOn<B>,
    backend: &B,
    quotient: Table<B>,
    options: &CircleOptions,
    transcript: &mut Folding,
    observer: &dyn Observer<QM31>,
) -> Result<Folded<B>, ProveError> {
    let mut domain = CircleDomain::canonic(quotient.log_height);
    let mut layers: Vec<Layer<B>> = Vec::new();
    let mut values = quotient;
    for step in options.fold_steps(values.log_height) {
        go_on(observer, Phase::Fri)?;
        let rows_per_leaf = if is_packed(values.log_height, step) { 4 } else { 1 };
        let tree = backend.merkle(&[values.as_ref()], LeafLayout::new(rows_per_leaf), options.suite.tree())?;
        let root = backend.root(&tree)?;
        let next;
        (next, domain) = folding::fold(backend, values.as_ref(), domain, transcript.layer(root), step)?;
        layers.push(Layer { values: std::mem::replace(&mut values, next), tree, root, step });
    }
    let last = last_layer(mode, backend, values, domain, options.log_last)?;
    Ok(Folded { layers, last })
}

/// The coefficients of the last layer, bit-reversed.
fn last_layer<B: StarkBackend<P = CircleStark>>(
    mode: impl ModeOn<B>,
    backend: &B,
    mut values: Table<B>,
    domain: CircleDomain,
    log_last: u32,
) -> Result<Vec<QM31>, ProveError> {
    let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
    backend.ntt(values.as_mut(), from, Basis::Coefficients)?;
    let coefficients = download(backend, &values)?;
    let is_low = || coefficients[1 << log_last..].iter().all(Field::is_zero);
    if !mode.either(is_low, || true) {
        return Err(ProveError::Unsatisfied("the last FRI layer has too high a degree"));
    }
    Ok((0..1 << log_last).map(|index| coefficients[bit_reverse(index, log_last)]).collect())
}
