//! How many values the widest relation of a statement has, which the soundness of its lookups depends on.
//!
//! A component does not say. But the denominator of a tuple is `sum alpha^i v_i - z`, summed in order, so that `alpha^i`, or
//! `alpha^i v_i` for a constant `v_i` after the first column, stands on the tape of a recording.

use std::collections::HashSet;

use field::{Field, QM31};

use crate::tape::Entry;
use crate::template::Template;

/// Values of the widest tuple that is looked for.
const MOST: usize = 1024;

/// One more than the largest `i` for which a parameter is a multiple of `alpha^i` by an element of the base field; 0 if there is
/// none. `alpha` is what the template was recorded with.
pub(crate) fn relation_width(template: &Template, alpha: QM31) -> usize {
    let parameters = template.recording.entries.iter().zip(&template.varying).filter_map(|pair| match pair {
        (Entry::Constant(value), Some(_)) => direction(*value),
        _ => None,
    });
    let parameters: HashSet<[u32; 4]> = parameters.collect();
    if parameters.is_empty() {
        return 0;
    }
    let mut power = QM31::ONE;
    let mut width = 0;
    for index in 1..MOST {
        power *= alpha;
        if direction(power).is_some_and(|power| parameters.contains(&power)) {
            width = index + 1;
        }
    }
    width
}

/// The multiple of an element whose last coordinate that is not zero is one. Zero has none.
fn direction(value: QM31) -> Option<[u32; 4]> {
    let scale = value.0.iter().rev().find_map(|coordinate| coordinate.inverse())?;
    Some(value.0.map(|coordinate| (coordinate * scale).value()))
}

#[cfg(test)]
mod tests {
    use stwo::core::fields::m31::BaseField;
    use stwo_constraint_framework::logup::LookupElements;
    use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEFTraitBound, RelationEntry};

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

    #[derive(Clone)]
    struct Elements(LookupElements<6>);

    impl<F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Elements {
        fn combine(&self, values: &[F]) -> EF {
            self.0.combine(values)
        }

        fn get_name(&self) -> &str {
            "Elements"
        }

        fn get_size(&self) -> usize {
            6
        }
    }

    /// Looks up a column between constants, the last of which is zero.
    #[derive(Clone)]
    struct Eval(Elements);

    impl FrameworkEval for Eval {
        fn log_size(&self) -> u32 {
            4
        }

        fn max_constraint_log_degree_bound(&self) -> u32 {
            5
        }

        fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
            let column = eval.next_trace_mask();
            let number = |value: u32| E::F::from(BaseField::from(value));
            let tuple = [number(1), number(7), column.clone(), number(3), number(5), number(0)];
            eval.add_to_relation(RelationEntry::new(&self.0, E::EF::from(column), &tuple));
            eval.finalize_logup();
            eval
        }
    }

    #[test]
    fn constants_count_where_they_have_a_power_of_their_own() {
        let component = |z: u32, alpha: u32| {
            let [z, alpha] =
                [z, alpha].map(|seed| secure(QM31([seed, seed + 1, seed + 2, seed * seed].map(field::M31::new))));
            let mut power = secure(QM31::ONE);
            let alpha_powers = std::array::from_fn(|_| {
                let current = power;
                power *= alpha;
                current
            });
            (Eval(Elements(LookupElements { z, alpha, alpha_powers })), qm31(alpha))
        };
        let ((first, alpha), (second, _)) = (component(11, 12), component(1234, 5678));
        let template = Template::new(first.recording().unwrap(), &second.recording().unwrap()).unwrap();
        // The last that is not zero stands at alpha^4.
        assert_eq!(relation_width(&template, alpha), 5);
    }
}
