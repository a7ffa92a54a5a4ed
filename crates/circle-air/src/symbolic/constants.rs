//! The constants of a recording, told by the drawn elements that they are made of.
//!
//! A component is recorded under several sets of elements. A constant that is the same in all is one; another one is a
//! multiple of a power of a relation's `alpha`, or a sum of such multiples and of `z`, as stwo's `combine` makes of
//! constants that stand before the first column of a tuple. Its coefficients are the solution of linear equations.

use std::collections::HashMap;

use field::{Field, M31, QM31};

use crate::linear::solution;
use crate::recorded::sentinels;
use crate::relation_width::direction;

/// The powers that a single multiple is looked for among.
const MOST: usize = 1024;
/// The powers that a sum is made of.
const SUM: usize = 16;
/// The sets: four equations each for the coefficients of the powers and of `z`, and one set to check.
pub(super) const SETS: usize = (SUM + 1).div_ceil(4) + 1;

/// An element that coefficients belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Power {
    /// This power of the relation's `alpha`.
    Alpha(usize),
    /// The relation's `z`.
    Z,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// The same for all drawn elements.
    Fixed(QM31),
    /// A sum of multiples.
    Sum { relation: usize, terms: Vec<(Power, M31)> },
    /// A claim, by its number.
    Claim(usize),
}

/// The sets of elements, and where powers are found by.
pub(super) struct Constants {
    /// By set: the drawn elements, then the claims.
    pub(super) sets: Vec<Vec<QM31>>,
    draws: usize,
    /// Relation and power, by the direction that the power has in the first set.
    powers: HashMap<[u32; 4], (usize, Power)>,
}

impl Constants {
    pub(super) fn new(draws: usize, claims: usize) -> Self {
        let sets: Vec<Vec<QM31>> = (0..SETS).map(|set| sentinels(set as u64, draws + claims)).collect();
        let mut powers = HashMap::new();
        for (relation, pair) in sets[0][..draws].chunks_exact(2).enumerate() {
            let of_alpha = field::powers(pair[1]).take(MOST).enumerate().skip(1);
            let all = of_alpha.map(|(power, value)| (Power::Alpha(power), value)).chain([(Power::Z, pair[0])]);
            powers.extend(all.filter_map(|(power, value)| Some((direction(value)?, (relation, power)))));
        }
        Self { sets, draws, powers }
    }

    /// The constant that has these values under the sets; `None` if it is of another form.
    pub(super) fn read(&self, values: &[QM31]) -> Option<Constant> {
        if values.iter().all(|value| *value == values[0]) {
            return Some(Constant::Fixed(values[0]));
        }
        let is_claim = |claim: &usize| self.sets.iter().zip(values).all(|(set, value)| set[*claim] == *value);
        if let Some(claim) = (self.draws..self.sets[0].len()).find(is_claim) {
            return Some(Constant::Claim(claim - self.draws));
        }
        self.multiple(values).or_else(|| self.sum(values))
    }

    /// `z` and `alpha` of a relation in each set.
    fn pairs(&self, relation: usize) -> impl Iterator<Item = [QM31; 2]> + '_ {
        self.sets.iter().map(move |set| [set[2 * relation], set[2 * relation + 1]])
    }

    fn multiple(&self, values: &[QM31]) -> Option<Constant> {
        let (relation, power) = *self.powers.get(&direction(values[0])?)?;
        let element = |[z, alpha]: [QM31; 2]| match power {
            Power::Alpha(power) => alpha.pow(power as u64),
            Power::Z => z,
        };
        let factors: Vec<QM31> =
            self.pairs(relation).zip(values).map(|(pair, value)| *value * element(pair).inverse_or_zero()).collect();
        let is_one = factors.iter().all(|factor| *factor == factors[0]);
        let [factor, rest @ ..] = factors[0].0;
        (is_one && rest.iter().all(Field::is_zero)).then(|| Constant::Sum { relation, terms: vec![(power, factor)] })
    }

    fn sum(&self, values: &[QM31]) -> Option<Constant> {
        (0..self.draws / 2).find_map(|relation| {
            let equations = self.pairs(relation).zip(values).flat_map(|([z, alpha], value)| {
                let columns: Vec<QM31> = field::powers(alpha).take(SUM).chain([z, *value]).collect();
                (0..4).map(move |coordinate| columns.iter().map(|column| column.0[coordinate]).collect())
            });
            let solved = solution(equations.collect(), SUM + 1)?;
            let powers = (0..SUM).map(Power::Alpha).chain([Power::Z]);
            let terms = powers.zip(solved).filter(|(_, coefficient)| !coefficient.is_zero()).collect();
            Some(Constant::Sum { relation, terms })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_told_by_what_they_are_made_of() {
        let constants = Constants::new(4, 1);
        let values = |of: &dyn Fn(&[QM31]) -> QM31| constants.sets.iter().map(|set| of(set)).collect::<Vec<_>>();
        let read = |of: &dyn Fn(&[QM31]) -> QM31| constants.read(&values(of));
        let [one, seven] = [1, 7].map(M31::new);
        assert_eq!(read(&|_| QM31::from(seven)), Some(Constant::Fixed(QM31::from(seven))));
        assert_eq!(read(&|set| set[4]), Some(Constant::Claim(0)));
        let single = |relation, power, factor| Some(Constant::Sum { relation, terms: vec![(power, factor)] });
        assert_eq!(read(&|set| set[3].pow(65) * seven), single(1, Power::Alpha(65), seven));
        assert_eq!(read(&|set| -set[0]), single(0, Power::Z, -one));
        let sum = vec![(Power::Alpha(0), seven), (Power::Alpha(2), one), (Power::Z, -one)];
        let made = read(&|set| QM31::from(seven) + set[3] * set[3] - set[2]);
        assert_eq!(made, Some(Constant::Sum { relation: 1, terms: sum }));
        // Elements of two relations, products with z, and factors of the extension have no such form.
        assert_eq!(read(&|set| set[0] + set[2]), None);
        assert_eq!(read(&|set| set[0] * set[1]), None);
        assert_eq!(read(&|set| set[1] * QM31([M31::ZERO, one, one, one])), None);
    }
}
