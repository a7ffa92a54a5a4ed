//! `polystark gkr`: products and sums of fractions over columns of files.

mod prove;
mod trees;
mod verify;

use crate::subcommands::{Subcommands, one};

/// All of them.
pub(crate) static COMMANDS: Subcommands = Subcommands {
    before: "gkr ",
    present: &[
        one::<prove::ProveCommand>(
            "prove",
            "Prove products and sums of fractions of columns, and write them to a file",
        ),
        one::<verify::VerifyCommand>("verify", "Verify such a file against the columns"),
    ],
    of_features: &[],
};
