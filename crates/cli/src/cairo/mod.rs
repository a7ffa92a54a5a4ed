//! `polystark cairo`: programs of the Cairo virtual machine, and proofs of their runs.

pub(crate) mod arguments;
#[cfg(feature = "client")]
pub(crate) mod client;
mod hash;
mod inspect;
#[cfg(feature = "cairo-vm")]
pub(crate) mod machine;
pub(crate) mod parameters;
mod pie;
mod policy;
pub(crate) mod samples;
mod verify;
mod views;

use super::subcommands::{Entry, OfFeature, Subcommands, one};

/// The subcommands for Cairo programs and proofs of them.
pub(crate) static COMMANDS: Subcommands = Subcommands { before: "cairo ", present: PRESENT, of_features: OF_FEATURES };

const PRESENT: &[Entry] = &[
    #[cfg(feature = "cairo-vm")]
    one::<machine::prove::ProveCommand>(
        "prove",
        "Run a program, prove the run, verify the proof and write it to a file; or do so with many programs",
    ),
    #[cfg(feature = "cairo-vm")]
    one::<machine::run::RunCommand>("run", "Run a program and say what a proof would take, or write its CairoPIE"),
    #[cfg(feature = "client-prove")]
    one::<client::prove::ClientProveCommand>(
        "client-prove",
        "Prove the CairoPIE of a transaction as Starknet's transaction prover does (SNIP-36), to the same bytes",
    ),
    #[cfg(feature = "client")]
    one::<client::verify::ClientVerifyCommand>("client-verify", "Verify such a proof, and that it states these facts"),
    one::<verify::VerifyCommand>("verify", "Verify the proof of a run and say which program ran and what it put out"),
    one::<inspect::InspectCommand>(
        "inspect",
        "Show what a proof says, or a CairoPIE, or a client proof, without verifying it",
    ),
    one::<hash::ProgramHashCommand>(
        "program-hash",
        "Say by which hash and which builtins a verifier knows a program: the flags that `cairo verify` takes",
    ),
];

const OF_FEATURES: &[OfFeature] = &[
    OfFeature { name: "prove", feature: "cairo-vm", lack: NO_MACHINE },
    OfFeature { name: "run", feature: "cairo-vm", lack: NO_MACHINE },
    OfFeature { name: "client-prove", feature: "client-prove", lack: "this program makes no client proofs" },
    OfFeature { name: "client-verify", feature: "client", lack: "this program knows no client proofs" },
];
const NO_MACHINE: &str = "this program runs no Cairo programs";
