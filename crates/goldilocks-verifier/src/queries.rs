//! The queries: DEEP quotient, folds, Merkle paths (section 11, checks 4 and 5).
//!
//! Query `iota` opens the points `x = h W^br(2 iota)` and `-x` of the LDE domain.

use alloc::vec::Vec;

use air::RecordedAir;
use field::{ExtensionField, Field, Goldilocks, batch_inverse};
use goldilocks_proof::lambdaworks::layout;
use goldilocks_proof::merkle::{Claim, leaf_digest, verify_paths};
use goldilocks_proof::{DeepOpening, FriDecommitment, Opening, Part, Proof, lambdaworks};
use gpu_hal::{CosetProtocol, Digest};

use crate::VerifyError;
use crate::deep::Deep;
use crate::fold::folded_pair;
use crate::replay::Challenges;

/// Checks all queries of a proof whose shape was checked: first the arithmetic, then the paths.
pub(crate) fn check<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    proof: &Proof<P>,
    challenges: &Challenges<P>,
) -> Result<(), VerifyError> {
    let log_lde = options.log_lde(air.log_trace_length());
    let Challenges { z, gamma, .. } = *challenges;
    let deep = Deep::new(air, (z, &proof.trace_ood.data), &proof.composition_ood, None, gamma);
    let domain = options.lde_domain(air.log_trace_length());
    let xs: Vec<Goldilocks> = domain.points_at(challenges.queries.iter().map(|&query| 2 * query as usize)).collect();
    let inverses = denominators(&deep, &xs)?;
    let mut x_inverses = xs;
    batch_inverse(&mut x_inverses);

    let layers = proof.fri_roots.len();
    // Values that the folds arrive at, layer after layer, for each query.
    let mut folded = Vec::with_capacity(layers * x_inverses.len());
    let per_point = deep.points().len();
    for (query, (opening, decommitment)) in proof.deep_openings.iter().zip(&proof.fri_decommitments).enumerate() {
        let inverses = &inverses[2 * query * per_point..][..2 * per_point];
        let (at_x, at_minus_x) = quotients(&deep, opening, inverses);
        let last = fold(at_x, at_minus_x, x_inverses[query], &challenges.zetas, decommitment, &mut folded);
        if last != proof.fri_last_value {
            return Err(VerifyError::LastValue { query });
        }
    }
    check_paths(options, log_lde, proof, &challenges.queries, &folded)
}

/// `1/(x - point)` for each query, first at `x`, then at `-x`, for every point of the DEEP quotient.
fn denominators<P: CosetProtocol>(deep: &Deep<P>, xs: &[Goldilocks]) -> Result<Vec<P::Ext>, VerifyError> {
    let mut denominators = Vec::with_capacity(2 * xs.len() * deep.points().len());
    for (query, &x) in xs.iter().enumerate() {
        for x in [x, -x] {
            let x = P::Ext::from(x);
            denominators.extend(deep.points().iter().map(|&point| x - point));
        }
        let new = denominators.len() - 2 * deep.points().len();
        if denominators[new..].iter().any(Field::is_zero) {
            return Err(VerifyError::PointOutOfDomain { query });
        }
    }
    batch_inverse(&mut denominators);
    Ok(denominators)
}

fn quotients<P: CosetProtocol>(deep: &Deep<P>, opening: &DeepOpening<P>, inverses: &[P::Ext]) -> (P::Ext, P::Ext) {
    let (at_x, at_minus_x) = inverses.split_at(deep.points().len());
    let (main, parts) = (&opening.main, &opening.composition);
    let aux = opening.aux.as_ref();
    let aux_at = aux.map_or(&[][..], |aux| &aux.evaluations);
    let aux_sym = aux.map_or(&[][..], |aux| &aux.evaluations_sym);
    (
        deep.quotient(&main.evaluations, aux_at, &parts.evaluations, at_x),
        deep.quotient(&main.evaluations_sym, aux_sym, &parts.evaluations_sym, at_minus_x),
    )
}

/// Folds from the DEEP quotient down, `v` with the value at the opposite point and with `x^(2^k)`.
/// Appends the value of each layer, returns that after the last fold.
fn fold<E: ExtensionField<Goldilocks>>(
    at_x: E,
    at_minus_x: E,
    x_inverse: Goldilocks,
    zetas: &[E],
    decommitment: &FriDecommitment<E>,
    folded: &mut Vec<E>,
) -> E {
    let mut inverse = x_inverse;
    let mut value = at_x;
    let opposites = core::iter::once(&at_minus_x).chain(&decommitment.values);
    for (layer, (&opposite, &zeta)) in opposites.zip(zetas).enumerate() {
        if layer > 0 {
            folded.push(value);
        }
        value = folded_pair(value, opposite, zeta, inverse);
        inverse = inverse.square();
    }
    value
}

/// Checks every path of the proof, tree after tree.
fn check_paths<P: CosetProtocol>(
    options: &lambdaworks::Options,
    log_lde: u32,
    proof: &Proof<P>,
    queries: &[u64],
    folded: &[P::Ext],
) -> Result<(), VerifyError> {
    let hash = options.suite.tree();
    let check = |part, root: &Digest, claims: Vec<Claim<'_>>| {
        verify_paths(hash, root, layout::log_leaves(part, log_lde), &claims).map_err(|(claim, error)| {
            let query = claim * queries.len() / claims.len();
            VerifyError::Path { query, part, error }
        })
    };
    let openings = || proof.deep_openings.iter().zip(queries.iter().copied());

    let main = openings().flat_map(|(opening, query)| claims(options, Part::Main, query, &opening.main));
    check(Part::Main, &proof.main_root, main.collect())?;
    if let Some(root) = &proof.aux_root {
        let aux = openings().filter_map(|(opening, query)| Some((opening.aux.as_ref()?, query)));
        check(Part::Aux, root, aux.flat_map(|(aux, query)| claims(options, Part::Aux, query, aux)).collect())?;
    }
    let parts = openings().flat_map(|(opening, query)| claims(options, Part::Composition, query, &opening.composition));
    check(Part::Composition, &proof.composition_root, parts.collect())?;

    let layers = proof.fri_roots.len();
    for (layer, root) in proof.fri_roots.iter().enumerate() {
        let part = Part::Fri(layer + 1);
        let openings = proof.fri_decommitments.iter().zip(queries).zip(folded.chunks_exact(layers));
        let claims = openings.map(|((decommitment, &query), values)| {
            let places = layout::places(part, query);
            let (value, opposite) = (&values[layer], &decommitment.values[layer]);
            let is_first = places.rows.start & 1 == 0;
            let leaf = leaf_digest(hash, if is_first { [opposite, value] } else { [value, opposite] });
            Claim { index: places.leaves.start, leaf, path: &decommitment.paths[layer] }
        });
        check(part, root, claims.collect())?;
    }
    Ok(())
}

/// The leaves of the points `x` and `-x` in a tree. The check of the shape compared both paths of a leaf that holds
/// both points.
fn claims<'p, E: ExtensionField<Goldilocks>>(
    options: &lambdaworks::Options,
    part: Part,
    query: u64,
    opening: &'p Opening<E>,
) -> impl Iterator<Item = Claim<'p>> + use<'p, E> {
    let hash = options.suite.tree();
    let (at_x, at_minus_x) = (opening.evaluations.as_slice(), opening.evaluations_sym.as_slice());
    let leaves = match layout::rows_per_leaf(part) {
        1 => [Some(leaf_digest(hash, at_x)), Some(leaf_digest(hash, at_minus_x))],
        _ => [Some(leaf_digest(hash, at_x.iter().chain(at_minus_x))), None],
    };
    let paths = [&opening.path, &opening.path_sym];
    let indices = layout::places(part, query).leaves;
    indices.zip(leaves.into_iter().flatten()).zip(paths).map(|((index, leaf), path)| Claim { index, leaf, path })
}

#[cfg(test)]
mod tests {
    use gpu_hal::GoldilocksStark;

    use super::*;

    /// A transcript draws such a point with a chance of 2^-128: no proof in a file has it.
    #[test]
    fn a_point_in_the_domain_is_refused() {
        type E = <GoldilocksStark as gpu_hal::Protocol>::Ext;
        let at = |point: u64| {
            Deep::<GoldilocksStark>::at([point, 100].map(|point| E::from(Goldilocks::new(point))).to_vec())
        };
        let xs = [3, 5].map(Goldilocks::new);
        assert_eq!(denominators(&at(7), &xs).map(|inverses| inverses.len()), Ok(8));
        assert_eq!(denominators(&at(5), &xs), Err(VerifyError::PointOutOfDomain { query: 1 }));
        let opposite = denominators(&at((-Goldilocks::new(3)).value()), &xs);
        assert_eq!(opposite, Err(VerifyError::PointOutOfDomain { query: 0 }));
    }
}
