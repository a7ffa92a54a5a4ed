//! The parameters of the Cairo proof inside a client proof: the circuit is made for these alone.

use cairo::preprocessed::Variant;
use circle_proof::{CircleOptions, Suite};

/// Log2 of the most rows of a component of the Cairo proof.
pub(crate) const MAX_LOG_ROWS: u32 = 20;
/// Log2 of the points of the domain of the Cairo proof.
pub(crate) const LIFTING: u32 = MAX_LOG_ROWS + CAIRO_BLOWUP;
const CAIRO_BLOWUP: u32 = 3;
/// The preprocessed columns of the Cairo proof.
pub const VARIANT: Variant = Variant::CanonicalSmall;

/// The options of the Cairo proof, which the circuit verifies: 96 bits, as stwo counts them.
pub const CAIRO_OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 27,
    log_blowup: CAIRO_BLOWUP,
    queries: 23,
    fold_step: 4,
    log_last: 0,
    lifting: Some(LIFTING),
    suite: Suite::Blake2sM31,
};
