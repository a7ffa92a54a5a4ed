//! The queries of a compact proof: trees, DEEP quotient, folds, last layer (section 9, steps 7 to 10).

use alloc::vec::Vec;

use air::RecordedAir;
use field::{ExtensionField, Field, Goldilocks, TwoAdicField, batch_inverse, bit_reverse};
use goldilocks_proof::Part;
use goldilocks_proof::compact::limits::MAX_STEP;
use goldilocks_proof::compact::opening::root;
use goldilocks_proof::compact::{Head, Opening, Openings, Options, Sizes};
use goldilocks_proof::merkle::leaf_digest;
use gpu_hal::{CosetProtocol, Digest, HashFn};

use crate::VerifyError;
use crate::deep::Deep;
use crate::fold::folded_pair;
use crate::replay::Challenges;

/// Leaves whose denominators are inverted together: the memory of a query of many rows is bounded by them.
const BATCH: usize = 64;

/// Checks the openings of a proof whose lengths are right.
pub(super) fn check<P: CosetProtocol>(
    air: &RecordedAir<P>,
    (sizes, options): (&Sizes, &Options),
    (head, openings): (&Head<P::Ext>, &Openings<P>),
    challenges: &Challenges<P>,
    parts: &[P::Ext],
    positions: &[Vec<u64>],
) -> Result<(), VerifyError> {
    let (hash, domain) = (options.suite.tree(), options.lde_domain(sizes.log_rows));
    let leaves = &positions[0];
    let log_leaf = options.log_leaf();
    let depth = domain.log_size - log_leaf;
    let shape = (hash, depth, options.salts());
    check_rows(shape, (Part::Main, &head.main_root), &openings.main, leaves)?;
    if let Some((root, aux)) = head.aux_root.as_ref().zip(openings.aux.as_ref()) {
        check_rows(shape, (Part::Aux, root), aux, leaves)?;
    }
    check_rows(shape, (Part::Composition, &head.composition_root), &openings.composition, leaves)?;

    let folds = Folds::new();
    let mut values = first_layer(air, (sizes, options), (head, openings), challenges, (parts, leaves), &folds);
    for (layer, domain) in (1..options.folds.len()).zip(options.layer_domains(sizes.log_rows)) {
        let (step, opening) = (options.folds[layer], &openings.layers[layer - 1]);
        let all = merged(&positions[layer - 1], &values, &positions[layer], step, &opening.values);
        let of_leaf = |(leaf, values): (&u64, &[P::Ext])| (*leaf, leaf_digest(hash, values));
        let digests = positions[layer].iter().zip(all.chunks_exact(1 << step)).map(of_leaf);
        if root(hash, digests, domain.log_size - step, &opening.digests) != Some(head.layers[layer - 1]) {
            return Err(VerifyError::Root { part: Part::Fri(layer) });
        }
        let xs = domain.points_at(positions[layer].iter().map(|leaf| (leaf << step) as usize));
        let of_leaf = |(x, values): (Goldilocks, &[P::Ext])| {
            folds.fold(values.to_vec(), x.inverse_or_zero(), challenges.zetas[layer])
        };
        values = xs.zip(all.chunks_exact(1 << step)).map(of_leaf).collect();
    }

    let last = options.layer_domains(sizes.log_rows).last().unwrap_or(domain);
    let ends = positions.last().map_or(&[][..], |ends| ends);
    let xs = last.points_at(ends.iter().map(|position| *position as usize));
    for ((&position, value), x) in ends.iter().zip(&values).zip(xs) {
        if head.last.iter().rev().fold(P::Ext::ZERO, |sum, &coefficient| sum * x + coefficient) != *value {
            return Err(VerifyError::LastLayer { position });
        }
    }
    Ok(())
}

/// Checks that rows are the leaves of a tree.
fn check_rows<E: ExtensionField<Goldilocks>>(
    (hash, depth, salts): (HashFn, u32, usize),
    (part, expected): (Part, &Digest),
    opening: &Opening<E>,
    leaves: &[u64],
) -> Result<(), VerifyError> {
    let rows = opening.leaves(leaves.len(), salts);
    let digests = leaves.iter().zip(rows).map(|(leaf, elements)| (*leaf, hash.leaf(elements)));
    let found = root(hash, digests, depth, &opening.digests);
    if found.as_ref() == Some(expected) { Ok(()) } else { Err(VerifyError::Root { part }) }
}

/// The first layer at the leaves: the DEEP quotient of their rows, folded.
fn first_layer<P: CosetProtocol>(
    air: &RecordedAir<P>,
    (sizes, options): (&Sizes, &Options),
    (head, openings): (&Head<P::Ext>, &Openings<P>),
    challenges: &Challenges<P>,
    (parts, leaves): (&[P::Ext], &[u64]),
    folds: &Folds,
) -> Vec<P::Ext> {
    let (frame, rest) = head.out_of_domain.split_at(sizes.frame());
    let second = challenges.second.map(|point| (point, &rest[..sizes.anchors(options)]));
    let deep = Deep::<P>::new(air, (challenges.z, frame), parts, second, challenges.gamma);
    let (domain, log_leaf) = (options.lde_domain(sizes.log_rows), options.log_leaf());
    let (per_point, masks) = (deep.points().len(), options.mask_words());
    let row = |leaf: usize, row: usize| {
        let at = (leaf << log_leaf) + row;
        let aux = openings.aux.as_ref().map_or(&[][..], |aux| &aux.values[at * sizes.aux..][..sizes.aux]);
        let main = &openings.main.values[at * sizes.main..][..sizes.main];
        let (parts, rest) = openings.composition.values[at * (sizes.parts + masks)..].split_at(sizes.parts);
        (main, aux, parts, &rest[..masks])
    };
    let mut values = Vec::with_capacity(leaves.len());
    for batch in leaves.chunks(BATCH) {
        let xs: Vec<Goldilocks> = domain.points_at(batch.iter().map(|leaf| (leaf << log_leaf) as usize)).collect();
        let mut inverses: Vec<P::Ext> = xs
            .iter()
            .flat_map(|&x| folds.points(x, log_leaf))
            .flat_map(|x| deep.points().iter().map(move |&point| P::Ext::from(x) - point))
            .collect();
        // No point is in the domain: their powers are not in the base field.
        batch_inverse(&mut inverses);
        for (&x, inverses) in xs.iter().zip(inverses.chunks_exact(per_point << log_leaf)) {
            let leaf = values.len();
            let quotient = |(number, inverses): (usize, &[P::Ext])| {
                let (main, aux, parts, mask) = row(leaf, number);
                let quotient = deep.quotient(main, aux, parts, inverses);
                mask.first().map_or(quotient, |mask| deep.masked(*mask, quotient))
            };
            let quotients = inverses.chunks_exact(per_point).enumerate().map(quotient).collect();
            values.push(folds.fold(quotients, x.inverse_or_zero(), challenges.zetas[0]));
        }
    }
    values
}

/// The values of the leaves of a layer: those at known positions, and the others, which are sent. All are in the order
/// of positions.
fn merged<E: Copy>(known: &[u64], values: &[E], leaves: &[u64], step: u32, sent: &[E]) -> Vec<E> {
    let mut known = known.iter().zip(values).peekable();
    let mut sent = sent.iter();
    let all = leaves.iter().flat_map(|leaf| leaf << step..(leaf + 1) << step);
    all.filter_map(|position| match known.next_if(|(known, _)| **known == position) {
        Some((_, value)) => Some(*value),
        None => sent.next().copied(),
    })
    .collect()
}

/// Folds of the values of a leaf.
struct Folds {
    /// `root^br(i)`, with the root of the largest leaf, for the first of each pair of its points; those of a smaller
    /// leaf are the first of them.
    roots: Vec<Goldilocks>,
    /// Their inverses.
    inverses: Vec<Goldilocks>,
}

impl Folds {
    fn new() -> Self {
        let root = Goldilocks::two_adic_generator(MAX_STEP);
        let exponents = (0..1 << (MAX_STEP - 1)).map(|pair| bit_reverse(pair, MAX_STEP - 1) as u64);
        let roots: Vec<Goldilocks> = exponents.map(|exponent| root.pow(exponent)).collect();
        let mut inverses = roots.clone();
        batch_inverse(&mut inverses);
        Self { roots, inverses }
    }

    /// The points of a leaf whose first is x, in order.
    fn points(&self, x: Goldilocks, log_leaf: u32) -> impl Iterator<Item = Goldilocks> {
        let pairs = self.roots.iter().map(move |&root| x * root);
        pairs.flat_map(|x| [x, -x]).take(1 << log_leaf)
    }

    /// Folds the values of a leaf down to one: `v := (v + s) + zeta (v - s)/x` of each two, then with the squares of x
    /// and of zeta. `x_inverse` is of the first point.
    fn fold<E: ExtensionField<Goldilocks>>(&self, mut values: Vec<E>, mut x_inverse: Goldilocks, mut zeta: E) -> E {
        while values.len() > 1 {
            let pairs = values.as_chunks::<2>().0.iter().zip(&self.inverses);
            values = pairs.map(|(&[v, s], &root)| folded_pair(v, s, zeta, x_inverse * root)).collect();
            x_inverse = x_inverse.square();
            zeta = zeta.square();
        }
        values.first().copied().unwrap_or(E::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use field::Fp3;
    use gpu_hal::CosetDomain;

    use super::*;

    /// A fold of `X^i f_i(X^16)` with constant `f_i` is `16 sum of zeta^i f_i`.
    #[test]
    fn a_fold_takes_a_polynomial_apart() {
        let folds = Folds::new();
        let coefficients: [u64; 16] = core::array::from_fn(|i| 3 * i as u64 + 5);
        let (x, zeta) = (Goldilocks::new(11), Fp3([1, 1, 0].map(Goldilocks::new)));
        for log in 0..=MAX_STEP {
            let domain = CosetDomain::new(x, log);
            let coefficients = coefficients[..1 << log].iter().map(|&c| Fp3::from(Goldilocks::new(c)));
            let at = |x: Fp3| coefficients.clone().rev().fold(Fp3::ZERO, |sum, c| sum * x + c);
            let points: Vec<Goldilocks> = folds.points(x, log).collect();
            let expected: Vec<Goldilocks> = domain.points_at(0..1 << log).collect();
            assert_eq!(points, expected);
            let values = points.iter().map(|&x| at(Fp3::from(x))).collect();
            let scale = Fp3::from(Goldilocks::new(1 << log));
            assert_eq!(folds.fold(values, x.inverse_or_zero(), zeta), scale * at(zeta));
        }
    }

    #[test]
    fn known_and_sent_values_are_in_order() {
        assert_eq!(merged(&[1, 4, 5], &[10, 40, 50], &[0, 2], 1, &[0]), [0, 10, 40, 50]);
    }
}
