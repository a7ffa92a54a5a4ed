//! How large random statements are.

use adversary::Bounds;
use campaign::script::Script;

/// Mostly 8 to 32 rows: the other prover takes time by their square.
pub(crate) fn bounds(script: &mut Script<'_>) -> Bounds {
    let most = if script.below(32) == 0 { 8 } else { 3 + script.below(3) };
    Bounds { max_log_rows: most as u32, max_columns: 1 + script.below(6) }
}
