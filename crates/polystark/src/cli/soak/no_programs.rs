//! `polystark soak --cairo` of a program that was built without random Cairo programs: it says so.

use super::Arguments;
use super::report::Counts;
use crate::Registry;
use crate::cli::exit::Failure;

/// No proofs have this name.
pub(super) const NAME: &str = "cairo";

/// There is none.
pub(super) struct Pair {
    pub(super) names: [String; 2],
}

impl Pair {
    /// Refuses.
    pub(super) fn open(_: &Arguments, _: &Registry) -> Result<Self, Failure> {
        let why = "soak --cairo: this program draws no Cairo programs: build it with polystark's feature `soak-cairo`";
        Err(Failure::usage(why.to_owned()))
    }

    /// Nothing.
    pub(super) fn go(&self, _: u64, _: u64) -> Result<Counts, String> {
        Ok(Counts::default())
    }
}
