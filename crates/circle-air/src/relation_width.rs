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
