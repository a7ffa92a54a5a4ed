//! Which preprocessed columns hold an input.
//!
//! A component that reads the column `seq_n` (its rows, numbered) needs a variant that has it; the pedersen builtin
//! needs a table of points, and the ec_op builtin is only proven with the large columns.

use cairo_run::{BuiltinName, Place, Reason, Refusal, Run};

use super::{Variant, max_log_seq};

/// Rows of a component at least: 2^4.
const MIN_LOG_ROWS: u32 = 4;
/// A component of big values has at most 2^25 rows; more values make more components.
const MAX_LOG_BIG_ROWS: u32 = 25;

fn log_rows(rows: usize) -> u32 {
    rows.next_power_of_two().ilog2().max(MIN_LOG_ROWS)
}

/// The components that read a column `seq_n`, with log2 of their rows. (The components that aggregate poseidon and
/// pedersen have at most the rows of their builtins.)
fn numbered_components(run: &Run) -> Vec<(&'static str, u32)> {
    let memory = &run.memory;
    let addresses = memory.address_to_id.len().saturating_sub(1);
    let mut components = vec![
        ("memory_address_to_id", log_rows(addresses.div_ceil(16))),
        ("memory_id_to_big", log_rows(memory.f252_values.len()).min(MAX_LOG_BIG_ROWS)),
        ("memory_id_to_small", log_rows(memory.small_values.len())),
        ("blake_compress_opcode", log_rows(run.state_transitions.casm_states_by_opcode.blake_compress_opcode.len())),
    ];
    for builtin in BuiltinName::PUBLIC.into_iter().skip(1) {
        if let Some(segment) = run.builtin_segments.get(builtin) {
            let cells = segment.stop_ptr.saturating_sub(segment.begin_addr);
            components.push((builtin.to_str(), log_rows(cells / builtin.cells())));
        }
    }
    components
}

/// Checks that a run can be proven with the preprocessed columns of `variant`.
///
/// # Errors
/// [`Reason::Preprocessed`], with the component that does not fit.
pub fn check_variant(run: &Run, variant: Variant) -> Result<(), Refusal> {
    let refuse = |what: String, remedy| Err(Refusal::new(Reason::Preprocessed, Place::Whole, what, remedy));
    let limit = max_log_seq(variant);
    if let Some((name, log)) = numbered_components(run).into_iter().find(|(_, log)| *log > limit) {
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
pub fn smallest_variant(run: &Run) -> Result<Variant, Refusal> {
    use Variant::{Canonical, CanonicalSmall, CanonicalWithoutPedersen};
    for variant in [CanonicalSmall, CanonicalWithoutPedersen] {
        if check_variant(run, variant).is_ok() {
            return Ok(variant);
        }
    }
    check_variant(run, Canonical).map(|()| Canonical)
}
