//! The variants of the preprocessed columns that hold a run.
//!
//! A component that reads the column `seq_n` (its rows, numbered) needs a variant that has it; the pedersen builtin
//! needs a table of points, and the ec_op builtin is only proven with the large columns.

use cairo_run::{Place, Reason, Refusal, Run};

use crate::components::bounds::{ADDRESS_COLUMNS, BIG_CHUNK, MIN_ROWS, addresses};
use crate::components::{Component, Rows};
use crate::preprocessed::{Variant, max_log_seq};
use crate::version::AirVersion;

/// Log2 of the rows of a component that reads a column `seq_n`. Components that aggregate Poseidon and Pedersen have at
/// most the rows of their builtins: `None`, as for a component that is not there.
fn log_rows(run: &Run, component: &Component) -> Option<u32> {
    let rows = match component.rows {
        Rows::States(of) => of(&run.state_transitions.casm_states_by_opcode).len(),
        Rows::Segment(builtin) => {
            let segment = run.builtin_segments.get(builtin.name)?;
            segment.stop_ptr.saturating_sub(segment.begin_addr) / builtin.name.cells()
        }
        Rows::Addresses => addresses(run).div_ceil(ADDRESS_COLUMNS),
        Rows::Big => run.memory.f252_values.len().min(BIG_CHUNK),
        Rows::Small => run.memory.small_values.len(),
        _ => return None,
    };
    component.numbered.then(|| rows.max(MIN_ROWS).next_power_of_two().ilog2())
}

/// Checks that a run can be proven with the preprocessed columns of `variant`.
///
/// # Errors
/// [`Reason::Preprocessed`], with the component that does not fit.
pub fn check_variant<V: AirVersion>(run: &Run, variant: Variant) -> Result<(), Refusal> {
    let refuse = |what: String, remedy| Err(Refusal::new(Reason::Preprocessed, Place::Whole, what, remedy));
    let limit = max_log_seq(variant);
    let mut sizes = V::COMPONENTS.iter().filter_map(|component| Some((component.name, log_rows(run, component)?)));
    if let Some((name, log)) = sizes.find(|(_, log)| *log > limit) {
        let what = format!("{name} has 2^{log} rows; the preprocessed columns number at most 2^{limit}");
        return refuse(what, "Take the canonical columns, or split the program");
    }
    let segments = &run.builtin_segments;
    match variant {
        Variant::CanonicalSmall if segments.ec_op_builtin.is_some() => {
            refuse("the small preprocessed columns cannot prove the ec_op builtin".into(), "Take the canonical columns")
        }
        Variant::CanonicalWithoutPedersen if segments.pedersen_builtin.is_some() => {
            refuse("the preprocessed columns lack the points of pedersen".into(), "Take the canonical columns")
        }
        _ => Ok(()),
    }
}

/// The variant with the fewest preprocessed cells that holds a run.
///
/// # Errors
/// [`Reason::Preprocessed`] if none does.
pub fn smallest_variant<V: AirVersion>(run: &Run) -> Result<Variant, Refusal> {
    use Variant::{Canonical, CanonicalSmall, CanonicalWithoutPedersen};
    for variant in [CanonicalSmall, CanonicalWithoutPedersen] {
        if check_variant::<V>(run, variant).is_ok() {
            return Ok(variant);
        }
    }
    check_variant::<V>(run, Canonical).map(|()| Canonical)
}
