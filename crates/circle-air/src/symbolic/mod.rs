//! Components whose lookups are tuples, not denominators: what a reader of an AIR wants to know, and a solver.
//!
//! A recording has a lookup as stwo's `combine` leaves it, an element of the extension. A component is recorded under
//! several sets of drawn elements, which tells the powers of `alpha` in it ([`constants`]), and so the values of the
//! tuple ([`translate`]).

mod constants;
mod translate;

use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{CircleStark, ConstraintProgram};
use rayon::prelude::*;

use self::constants::Constants;
use self::translate::Translation;
use crate::framework::Recording;
use crate::template::Template;
use crate::{AirComponent, ComponentNames, RecordError, StatementError};
use field::QM31;

/// A component whose lookups are tuples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SymbolicComponent {
    /// Its names.
    pub names: ComponentNames,
    /// Log2 of the number of rows.
    pub log_size: u32,
    /// The preprocessed columns that it reads, each once, in order of first use.
    pub preprocessed: Vec<String>,
    /// Row offsets by tree, column and position in the mask.
    pub offsets: Vec<Vec<Vec<isize>>>,
    /// Groups as in [`crate::RecordedComponent::constraints`]. Parameters: the drawn elements, then the claims.
    /// Outputs: those that the next two lists name.
    pub program: ConstraintProgram<CircleStark>,
    /// The constraints in order.
    pub constraints: Vec<SymbolicConstraint>,
    /// The lookups in order.
    pub lookups: Vec<SymbolicLookup>,
    /// The first column of the sums in the interaction tree, and the number of batches; `None` without lookups.
    pub sums: Option<(usize, usize)>,
}

/// A constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicConstraint {
    /// This output is zero.
    Output(usize),
    /// The sums of this batch of lookups are right: section 16 of the Circle protocol.
    Batch(usize),
}

/// A lookup: a tuple, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SymbolicLookup {
    /// Number of its relation.
    pub relation: usize,
    /// Number of its batch.
    pub batch: usize,
    /// The output that says how often: negative if the row yields the tuple.
    pub multiplicity: usize,
    /// The outputs that are its values, of the base field.
    pub values: Vec<usize>,
}

/// Makes components of drawn elements and claims.
pub type MakeComponents<'a> = dyn Fn(&[QM31]) -> Vec<Box<dyn AirComponent>> + 'a;

/// The components that `make` makes, given `draws` drawn elements, two for each relation, and as many claims.
///
/// # Errors
/// Any error of a component; [`RecordError::LookupForm`] if a lookup is not of the form of stwo's `combine`.
pub fn symbolic_components(
    make: &MakeComponents<'_>,
    draws: usize,
    claims: usize,
) -> Result<Vec<SymbolicComponent>, StatementError> {
    let constants = Constants::new(draws, claims);
    let made: Vec<_> = constants.sets.iter().map(|elements| make(elements)).collect();
    let recorded = made[0].len();
    if let Some(other) = made.iter().find(|other| other.len() != recorded) {
        return Err(StatementError::Components { recorded, now: other.len() });
    }
    let of = |component: usize| {
        let recordings: Result<Vec<Recording>, _> = made.iter().map(|set| set[component].recording()).collect();
        let names = made[0][component].names();
        let symbolic = recordings.and_then(|recordings| symbolic(names, &recordings, &constants, draws, claims));
        symbolic.map_err(|source| StatementError::Component { component, source })
    };
    // A tape belongs to a thread.
    let all: Vec<Result<_, _>> = (0..recorded).into_par_iter().with_max_len(1).map(of).collect();
    all.into_iter().collect()
}

fn symbolic(
    names: ComponentNames,
    recordings: &[Recording],
    constants: &Constants,
    draws: usize,
    claims: usize,
) -> Result<SymbolicComponent, RecordError> {
    let first = &recordings[0];
    for other in &recordings[1..] {
        Template::new(first.clone(), other)?;
    }
    let batches = first.batches.as_ref().map_or(0, Vec::len);
    let batch_of = |constraint: usize| constraint.checked_sub(first.logup_constraint).filter(|batch| *batch < batches);
    let plain: Vec<u32> = (0..first.constraints.len())
        .filter(|constraint| batch_of(*constraint).is_none())
        .map(|constraint| first.constraints[constraint])
        .collect();
    let of_lookups = first.numerators.iter().chain(&first.denominators).filter_map(|value| value.index());
    let roots: Vec<u32> = plain.iter().copied().chain(of_lookups).collect();

    let groups = first.offsets.iter().map(|columns| Group { width: columns.len(), kind: Kind::Base }).collect();
    let builder = ProgramBuilder::new(groups, draws + claims);
    let mut translation = Translation::new(recordings, constants, builder, draws);
    translation.translate(&roots)?;
    let mut all = Vec::with_capacity(first.constraints.len());
    for (constraint, &entry) in first.constraints.iter().enumerate() {
        all.push(match batch_of(constraint) {
            Some(batch) => SymbolicConstraint::Batch(batch),
            None => {
                let node = translation.node(entry);
                SymbolicConstraint::Output(translation.output(node))
            }
        });
    }
    let mut lookups = Vec::with_capacity(first.denominators.len());
    for lookup in 0..first.denominators.len() {
        let multiplicity = translation.base(|recording| &recording.numerators, lookup)?;
        let (relation, values) = translation.tuple(lookup)?;
        lookups.push(SymbolicLookup {
            relation,
            batch: first.batching[lookup],
            multiplicity: translation.output(multiplicity),
            values: values.into_iter().map(|value| translation.output(value)).collect(),
        });
    }
    Ok(SymbolicComponent {
        names,
        log_size: first.log_size,
        preprocessed: first.preprocessed.clone(),
        offsets: first.offsets.to_vec(),
        program: translation.finish()?,
        constraints: all,
        lookups,
        sums: first.batches.as_ref().map(|_| (first.logup_first, batches)),
    })
}
