//! The subcommands of the program.

pub(crate) mod airs;
pub(crate) mod backends;
pub(crate) mod curve;
pub(crate) mod export;
pub(crate) mod inspect;
#[cfg(feature = "cuda")]
pub(crate) mod kernels;
pub(crate) mod key;
pub(crate) mod prove;
pub(crate) mod record;
pub(crate) mod security;
pub(crate) mod shell;
pub(crate) mod verify;

use super::subcommands::{Entry, OfFeature, Subcommands, one};

/// All of them.
pub(crate) static COMMANDS: Subcommands = Subcommands { before: "", present: PRESENT, of_features: OF_FEATURES };

const PRESENT: &[Entry] = &[
    one::<prove::ProveCommand>("prove", "Prove a statement, verify the proof and write both to a file"),
    one::<verify::VerifyCommand>("verify", "Verify the proof in a file and say what was proven"),
    one::<inspect::InspectCommand>("inspect", "Show what a file holds, without verifying it"),
    one::<record::RecordCommand>(
        "record",
        "Write the constraints of an AIR to a file, which proves and verifies where its code is not: `prove --air-file`. AIRs that are made \
         of components with code of their own cannot be recorded; `polystark airs` says which",
    ),
    one::<export::ExportCommand>(
        "export",
        "Write an AIR as text for other programs: JSON, questions to a solver, Lean. docs/export.md defines it",
    ),
    one::<security::SecurityCommand>(
        "security",
        "Show what each round of a proof is worth, and find the cheapest options that are worth so much. Nothing is proven or verified",
    ),
    one::<key::KeyCommand>(
        "key",
        "Write the key of a statement to a file: what a verifier may trust. `verify --key` takes proofs of it alone",
    ),
    one::<airs::AirsCommand>("airs", "List the AIRs and their parameters"),
    one::<backends::BackendsCommand>(
        "backends",
        "List the backends: which can be used here, on what device, and why not",
    ),
    Entry {
        name: "gkr",
        about: "Prove products and sums of fractions of columns by GKR, and verify such proofs",
        arguments: |parser| crate::gkr::COMMANDS.augment(parser),
        read: |matches| crate::gkr::COMMANDS.read(matches),
    },
    #[cfg(feature = "bench")]
    one::<super::bench::BenchCommand>("bench", "Measure proofs end to end and by operation"),
    #[cfg(feature = "soak")]
    one::<super::soak::SoakCommand>(
        "soak",
        "Prove random statements, true and false, and compare every proof with another backend's, for minutes or for days",
    ),
    #[cfg(feature = "cuda")]
    one::<kernels::KernelsCommand>(
        "kernels",
        "Compile kernels for NVIDIA's GPUs, so that the machines that have them need no compiler and wait for none",
    ),
    #[cfg(feature = "cairo")]
    Entry {
        name: "cairo",
        about: "Prove programs of the Cairo virtual machine, and verify such proofs",
        arguments: |parser| super::cairo::COMMANDS.augment(parser),
        read: |matches| super::cairo::COMMANDS.read(matches),
    },
    #[cfg(feature = "farm")]
    super::subcommands::several::<super::farm::Command>(
        "farm",
        "Prove jobs of a queue, for one machine or for many: workers, jobs, an HTTP service",
    ),
    one::<shell::CompletionsArguments>("completions", "Write what a shell needs to complete these arguments"),
    one::<shell::ManArguments>("man", "Write the manual in the format of man pages: `polystark man | man -l -`"),
];

const OF_FEATURES: &[OfFeature] = &[
    OfFeature { name: "bench", feature: "bench", lack: "this program measures no proofs" },
    OfFeature { name: "soak", feature: "soak", lack: "this program draws no random statements" },
    OfFeature { name: "kernels", feature: "cuda", lack: "this program knows no GPU of NVIDIA's" },
    OfFeature {
        name: "cairo",
        feature: "cairo-vm",
        lack: "this program knows no Cairo programs and no proofs of them",
    },
    OfFeature { name: "farm", feature: "farm", lack: "this program has no queue of jobs" },
];
