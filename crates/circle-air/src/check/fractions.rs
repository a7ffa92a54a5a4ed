//! The fraction of each lookup of a component, before lookups are put together in batches.

use field::QM31;
use gpu_hal::{CircleStark, ConstraintProgram};

use crate::framework::Recording;
use crate::framework::tape::Value;
use crate::lower::lower;
use crate::template::Template;
use crate::{RecordError, TREES};

/// The fractions of a component under some drawn elements.
pub(super) struct Fractions {
    program: ConstraintProgram<CircleStark>,
    /// (numerator, denominator)
    terms: Vec<[Term; 2]>,
}

enum Term {
    Constant(QM31),
    Output(usize),
}

impl Fractions {
    pub(super) fn new(recording: Recording) -> Result<Self, RecordError> {
        let mut roots = Vec::new();
        let mut term = |value: &Value| match *value {
            Value::Constant(value) => Term::Constant(value),
            Value::Entry { index, .. } => {
                roots.push(index);
                Term::Output(roots.len() - 1)
            }
        };
        let fractions = recording.numerators.iter().zip(&recording.denominators);
        let terms = fractions.map(|(numerator, denominator)| [term(numerator), term(denominator)]).collect();
        let (program, _) = lower(&Template::fixed(recording), TREES - 1, &roots)?;
        Ok(Self { program, terms })
    }

    /// (numerator, denominator) of each lookup; `load(group, column, offset)` reads the tables.
    pub(super) fn evaluate(&self, load: impl FnMut(usize, usize, i32) -> QM31) -> Vec<[QM31; 2]> {
        let outputs = self.program.evaluate(&[], load);
        let value = |term: &Term| match *term {
            Term::Constant(value) => value,
            Term::Output(output) => outputs[output],
        };
        self.terms.iter().map(|terms| [value(&terms[0]), value(&terms[1])]).collect()
    }
}
