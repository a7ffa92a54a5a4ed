//! How many values the widest relation of a statement has, which the soundness of its lookups depends on.
//!
//! A component does not say. But its denominators are on the tape of a recording, and their degree in `alpha` is one less than the number
//! of values. stwo's `combine` is `sum alpha^i v_i - z`, summed in order: what stands on the tape are powers of `alpha`, each times a
//! constant of the base field if `v_i` is one. Only the constants before the first column are one constant with each other, of lower
//! powers than that column. Another form, such as Horner's, has a degree as long as it is made of such powers; what is not counts as
//! [`UNKNOWN`], so that nobody takes it for narrow.

use std::collections::HashMap;

use field::{Field, QM31};

use crate::tape::{Entry, Value};
use crate::template::Template;

/// The powers that are always looked for. A tuple of more values has about as many parameters.
const MOST: usize = 1024;

/// Wider than any relation: what a relation of unknown form counts as.
const UNKNOWN: usize = usize::MAX;

/// The directions of the powers of `alpha`, and of `z`, which statements are recorded with: the same for all components.
pub(crate) struct Relations {
    alpha: QM31,
    z: Option<[u32; 4]>,
    degrees: HashMap<[u32; 4], usize>,
}

/// Powers from `first` on.
fn powers(alpha: QM31, first: u64) -> impl Iterator<Item = QM31> {
    std::iter::successors(Some(alpha.pow(first)), move |power| Some(*power * alpha))
}

impl Relations {
    pub(crate) fn new(z: QM31, alpha: QM31) -> Self {
        let degrees = powers(alpha, 0).take(MOST).enumerate();
        let degrees = degrees.filter_map(|(degree, power)| Some((direction(power)?, degree))).collect();
        Self { alpha, z: direction(z), degrees }
    }

    /// One more than the largest degree of a denominator in `alpha`; 0 if there is none.
    pub(crate) fn width(&self, template: &Template) -> usize {
        let recording = &template.recording;
        if recording.denominators.is_empty() {
            return 0;
        }
        // Those that a component of more parameters may have beside.
        let count = template.varying.iter().flatten().count() + 2;
        let further = powers(self.alpha, MOST as u64).zip(MOST..count);
        let further: HashMap<_, usize> =
            further.filter_map(|(power, degree)| Some((direction(power)?, degree))).collect();
        let of_constant = |value| match direction(value) {
            None => Some(0),
            same if same == self.z => Some(0),
            Some(direction) => further.get(&direction).or_else(|| self.degrees.get(&direction)).copied(),
        };

        let is_constant = |index: u32| matches!(recording.entries.get(index as usize), Some(Entry::Constant(_)));
        let mut degrees: Vec<Option<usize>> = Vec::with_capacity(recording.entries.len());
        for (entry, varying) in recording.entries.iter().zip(&template.varying) {
            let of = |index: u32| degrees.get(index as usize).copied().flatten();
            degrees.push(match *entry {
                Entry::Constant(value) if varying.is_some() => of_constant(value),
                Entry::Constant(_) | Entry::Load { .. } | Entry::Shift => Some(0),
                Entry::Neg(a) => of(a),
                Entry::Mul(a, b) => of(a).zip(of(b)).map(|(a, b)| a.saturating_add(b)),
                Entry::Add(a, b) | Entry::Sub(a, b) => match (of(a), of(b)) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    // Constants before the first column.
                    (None, Some(power)) if power > 0 && is_constant(a) => Some(power),
                    _ => None,
                },
            });
        }
        let widths = recording.denominators.iter().map(|denominator| {
            let degree = match *denominator {
                Value::Constant(value) => of_constant(value),
                Value::Entry { index, .. } => degrees.get(index as usize).copied().flatten(),
            };
            degree.map_or(UNKNOWN, |degree| degree.saturating_add(1))
        });
        widths.max().unwrap_or(0)
    }
}

/// The multiple of an element whose last coordinate that is not zero is one. Zero has none.
fn direction(value: QM31) -> Option<[u32; 4]> {
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
    use crate::convert::{qm31, secure};
    use crate::{AirComponent, RecordedStatement, airs};

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
    }

    /// Looks up a tuple: constants, or a column where there is none.
    #[derive(Clone)]
    struct Eval<const N: usize>(LookupElements<N>, Form, [Option<u32>; N]);

    impl<const N: usize> FrameworkEval for Eval<N> {
        fn log_size(&self) -> u32 {
            4
        }

        fn max_constraint_log_degree_bound(&self) -> u32 {
            5
        }

        fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
            let Self(elements, form, tuple) = self;
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
            };
            eval.write_logup_frac(Fraction::new(E::EF::from(column), denominator));
            eval.finalize_logup();
            eval
        }
    }

    fn width<const N: usize>(form: Form, tuple: [Option<u32>; N]) -> usize {
        let component = |z: u32, alpha: u32| {
            let [z, alpha] =
                [z, alpha].map(|seed| secure(QM31([seed, seed + 1, seed + 2, seed * seed].map(field::M31::new))));
            let mut power = secure(QM31::ONE);
            let alpha_powers = std::array::from_fn(|_| {
                let current = power;
                power *= alpha;
                current
            });
            (Eval(LookupElements { z, alpha, alpha_powers }, form, tuple), z, alpha)
        };
        let ((first, z, alpha), (second, ..)) = (component(11, 12), component(1234, 5678));
        let template = Template::new(first.recording().unwrap(), &second.recording().unwrap()).unwrap();
        Relations::new(qm31(z), qm31(alpha)).width(&template)
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
    fn a_form_that_is_not_known_is_never_narrow() {
        assert_eq!(width(Form::Horner, [None; 6]), 6);
        assert_eq!(width(Form::Other, [None; 6]), UNKNOWN);
        // A constant in all rows.
        assert_eq!(width(Form::Powers, [Some(1), Some(7), Some(2), Some(3), Some(5), Some(9)]), UNKNOWN);
    }
}
