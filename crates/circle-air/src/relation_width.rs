//! How many values the widest relation of a statement has, which the soundness of its lookups depends on.
//!
//! A component does not say. But its denominators are on the tape of a recording, and their degree in `alpha` is one
//! less than the number of values. stwo's `combine` is `sum alpha^i v_i - z`, summed in order: the tape holds powers of
//! `alpha`, each times a constant of the base field if `v_i` is one. Only the constants before the first column are one
//! constant with each other, of lower powers than that column. Another form, such as Horner's, has a degree as long as
//! it is made of such powers; any other denominator counts as [`UNKNOWN`], so that nobody takes it for narrow, and so
//! does a denominator that is made of the elements of two relations.

use std::collections::HashMap;

use field::{Field, QM31};

use crate::framework::tape::{Entry, Value};
use crate::template::Template;

/// The powers that are always looked for. A tuple of more values has about as many parameters.
const MOST: usize = 1024;

/// Wider than any relation: the width of a relation of unknown form.
const UNKNOWN: usize = usize::MAX;

/// Knowledge of a value: the relation whose elements it is made of, if of any, and its degree in the relation's
/// `alpha`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Degree {
    relation: Option<usize>,
    degree: usize,
}

impl Degree {
    /// The degree of a column or a public value.
    const NONE: Self = Self { relation: None, degree: 0 };

    /// The degree of both together, made of theirs. `None` if they are of two relations.
    fn with(self, other: Self, degree: fn(usize, usize) -> usize) -> Option<Self> {
        let relation = match (self.relation, other.relation) {
            (Some(one), Some(another)) if one != another => return None,
            (one, another) => one.or(another),
        };
        Some(Self { relation, degree: degree(self.degree, other.degree) })
    }
}

/// The directions of `z` and of the powers of `alpha` of all relations, which statements are recorded with: the same
/// for all components.
pub(crate) struct Relations {
    alphas: Vec<QM31>,
    degrees: HashMap<[u32; 4], Degree>,
}

/// Powers of the `alpha` of a relation from `first` on, by direction.
fn powers(relation: usize, alpha: QM31, first: usize, end: usize) -> impl Iterator<Item = ([u32; 4], Degree)> {
    let powers = std::iter::successors(Some(alpha.pow(first as u64)), move |power| Some(*power * alpha));
    let of_power = move |(power, degree)| Some((direction(power)?, Degree { relation: Some(relation), degree }));
    powers.zip(first..end).filter_map(of_power)
}

impl Relations {
    /// From pairs of `z` and `alpha`.
    pub(crate) fn new(drawn: impl Iterator<Item = [QM31; 2]>) -> Self {
        let (mut alphas, mut degrees) = (Vec::new(), HashMap::new());
        for (relation, [z, alpha]) in drawn.enumerate() {
            // The power 0 is one, as public values may be.
            degrees.extend(powers(relation, alpha, 1, MOST));
            degrees.extend(direction(z).map(|z| (z, Degree { relation: Some(relation), degree: 0 })));
            alphas.push(alpha);
        }
        Self { alphas, degrees }
    }

    /// One more than the largest degree of a denominator in the `alpha` of its relation; 0 if there is none.
    pub(crate) fn width(&self, template: &Template) -> usize {
        let recording = &template.recording;
        if recording.denominators.is_empty() {
            return 0;
        }
        // Parameters that a component of more parameters may have in addition.
        let count = template.varying.iter().flatten().count() + 2;
        let further =
            self.alphas.iter().enumerate().flat_map(|(relation, alpha)| powers(relation, *alpha, MOST, count));
        let further: HashMap<_, Degree> = further.collect();
        let of_constant = |value| match direction(value) {
            None | Some([1, 0, 0, 0]) => Some(Degree::NONE),
            Some(direction) => further.get(&direction).or_else(|| self.degrees.get(&direction)).copied(),
        };

        let is_constant = |index: u32| matches!(recording.entries.get(index as usize), Some(Entry::Constant(_)));
        let mut degrees: Vec<Option<Degree>> = Vec::with_capacity(recording.entries.len());
        for (entry, varying) in recording.entries.iter().zip(&template.varying) {
            let of = |index: u32| degrees.get(index as usize).copied().flatten();
            degrees.push(match *entry {
                Entry::Constant(value) if varying.is_some() => of_constant(value),
                Entry::Constant(_) | Entry::Load { .. } | Entry::Shift => Some(Degree::NONE),
                Entry::Neg(a) => of(a),
                Entry::Mul(a, b) => of(a).zip(of(b)).and_then(|(a, b)| a.with(b, usize::saturating_add)),
                Entry::Add(a, b) | Entry::Sub(a, b) => match (of(a), of(b)) {
                    (Some(a), Some(b)) => a.with(b, usize::max),
                    // Constants before the first column.
                    (None, Some(power)) if power.degree > 0 && is_constant(a) => Some(power),
                    _ => None,
                },
            });
        }
        let widths = recording.denominators.iter().map(|denominator| {
            let degree = match *denominator {
                Value::Constant(value) => of_constant(value),
                Value::Entry { index, .. } => degrees.get(index as usize).copied().flatten(),
            };
            degree.map_or(UNKNOWN, |known| known.degree.saturating_add(1))
        });
        widths.max().unwrap_or(0)
    }
}

/// The multiple of an element whose last coordinate that is not zero is one. Zero has none.
pub(crate) fn direction(value: QM31) -> Option<[u32; 4]> {
    let scale = value.0.iter().rev().find_map(|coordinate| coordinate.inverse())?;
    Some(value.0.map(|coordinate| (coordinate * scale).value()))
}

#[cfg(test)]
mod tests {
    use num_traits::Zero;
    use stwo::core::Fraction;
    use stwo::core::fields::m31::BaseField;
    use stwo_constraint_framework::logup::LookupElements;
    use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

    use super::*;
    use crate::{AirComponent, RecordedStatement, airs, lookup_elements};

    #[test]
    fn of_the_shipped_airs() {
        let expected = [0, 0, 2, 2, 9, 66, 9];
        for (info, expected) in airs::all().iter().zip(expected) {
            let params: Vec<_> = info
                .params
                .iter()
                .map(|param| (param.name.to_owned(), param.default.unwrap_or(4).to_string()))
                .collect();
            let air = airs::build(info.name, 5, &params).unwrap();
            assert_eq!(RecordedStatement::new(&*air, None).unwrap().relation_width, expected, "{}", info.name);
        }
    }

    /// How a denominator is made of a tuple.
    #[derive(Clone, Copy)]
    enum Form {
        Powers,
        Horner,
        /// With the square of the sum of both elements.
        Other,
        /// A value of another relation.
        Second,
        /// With the `z` of another relation.
        Mixed,
    }

    /// Looks up a tuple, constants or a column where there is none, in the first of two relations.
    #[derive(Clone)]
    struct Eval<const N: usize>([LookupElements<N>; 2], Form, [Option<u32>; N]);

    impl<const N: usize> FrameworkEval for Eval<N> {
        fn log_size(&self) -> u32 {
            4
        }

        fn max_constraint_log_degree_bound(&self) -> u32 {
            5
        }

        fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
            let Self([elements, second], form, tuple) = self;
            let (z, alpha) = (elements.z, elements.alpha);
            let column = eval.next_trace_mask();
            let tuple = tuple.map(|value| value.map_or(column.clone(), |value| E::F::from(BaseField::from(value))));
            let denominator = match form {
                Form::Powers => elements.combine::<E::F, E::EF>(&tuple),
                Form::Horner => {
                    let sum = |sum: E::EF, value: &E::F| sum * alpha + E::EF::from(value.clone());
                    tuple.iter().rev().fold(E::EF::zero(), sum) - E::EF::from(z)
                }
                Form::Other => E::EF::from(tuple[0].clone()) * ((z + alpha) * (z + alpha)) - E::EF::from(z),
                Form::Second => second.combine(&tuple),
                Form::Mixed => elements.combine::<E::F, E::EF>(&tuple) + z - E::EF::from(second.z),
            };
            eval.write_logup_frac(Fraction::new(E::EF::from(column), denominator));
            eval.finalize_logup();
            eval
        }
    }

    fn width<const N: usize>(form: Form, tuple: [Option<u32>; N]) -> usize {
        let component = |seed: u32| {
            let seeds = [seed, seed + 1, 2 * seed, 2 * seed + 3];
            let drawn = seeds.map(|seed| QM31([seed, seed + 1, seed + 2, seed * seed].map(field::M31::new)));
            (Eval([0, 1].map(|relation| lookup_elements(&drawn, relation)), form, tuple), drawn)
        };
        let ((first, [z, alpha, other_z, other_alpha]), (second, _)) = (component(11), component(1234));
        let template = Template::new(first.recording().unwrap(), &second.recording().unwrap()).unwrap();
        Relations::new([[z, alpha], [other_z, other_alpha]].into_iter()).width(&template)
    }

    #[test]
    fn constants_count_where_they_have_a_power_of_their_own() {
        // The last that is not zero stands at alpha^4.
        assert_eq!(width(Form::Powers, [Some(1), Some(7), None, Some(3), Some(5), Some(0)]), 5);
        assert_eq!(width(Form::Powers, [None]), 1);
    }

    #[test]
    fn a_tuple_may_be_wider_than_what_is_always_looked_for() {
        assert_eq!(width(Form::Powers, [None; MOST + 500]), MOST + 500);
        // Without parameters in between, the power of the column is not found.
        let mut tuple = [Some(1); MOST + 500];
        tuple[MOST + 499] = None;
        assert_eq!(width(Form::Powers, tuple), UNKNOWN);
    }

    #[test]
    fn every_relation_has_powers_of_its_own() {
        assert_eq!(width(Form::Second, [Some(1), None, None, Some(0)]), 3);
        assert_eq!(width(Form::Second, [None; MOST + 2]), MOST + 2);
    }

    #[test]
    fn a_form_that_is_not_known_is_never_narrow() {
        assert_eq!(width(Form::Horner, [None; 6]), 6);
        assert_eq!(width(Form::Other, [None; 6]), UNKNOWN);
        assert_eq!(width(Form::Mixed, [None; 6]), UNKNOWN);
        // A constant in all rows.
        assert_eq!(width(Form::Powers, [Some(1), Some(7), Some(2), Some(3), Some(5), Some(9)]), UNKNOWN);
    }
}
