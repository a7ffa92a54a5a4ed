//! Why there is no client proof.

use std::io;

use cairo_run::InputError;
use circuits::values::{RecordError, ValuesError};
use circuits::{CircuitError, WitnessError};
use prover_core::Cancelled;

use crate::facts::FactsError;
use crate::params::MAX_LOG_ROWS;

/// Why there is no client proof of a CairoPIE.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bootloader failed with the CairoPIE.
    #[error(transparent)]
    Run(#[from] InputError),
    /// The circuit verifies no proof of such a run.
    #[error(transparent)]
    Unfit(#[from] UnfitError),
    /// There is no Cairo proof of the run.
    #[error("Cairo proof: {0}")]
    Cairo(#[from] cairo::prove::Error),
    /// The Cairo proof that was made has no auxiliary data, so that no circuit verifies it.
    #[error("the Cairo proof that was made is none that a circuit verifies: {0}")]
    Auxiliary(#[source] Box<cairo::verify::VerifyError>),
    /// A node of a tree in the Cairo proof is no digest.
    #[error("the Cairo proof that was made has a node that is no digest: the device is at fault")]
    Digest,
    /// The circuit is for other claims: of another program, or with other components.
    #[error("the circuit is for proofs of another bootloader, or with other components")]
    OtherClaim,
    /// The circuit does not take the Cairo proof that was made.
    #[error(
        "the circuit refuses the Cairo proof that was made: the run is none of the Cairo machine, or the device is at \
         fault: {0}"
    )]
    CircuitRefuses(#[from] ValuesError),
    /// The circuit cannot be recorded: a mistake of this library.
    #[error("circuit: {0}")]
    Record(#[from] RecordError),
    /// The circuit has no proof.
    #[error("circuit: {0}")]
    Circuit(#[from] CircuitError),
    /// The values of the circuit are no witness.
    #[error("values of the circuit: {0}")]
    Witness(#[from] WitnessError),
    /// There is no proof of the circuit.
    #[error("proof of the circuit: {0}")]
    Prove(#[from] circuits::Error),
    /// The proof of the circuit that was made is refused.
    #[error("the proof of the circuit that was made is refused: {0}")]
    Refused(#[from] circuits::RefusedError),
    /// The preprocessed columns of the circuit are not those that verifiers know.
    #[error("the root of the circuit's preprocessed columns is {found}, not {expected}: the device is at fault")]
    Root {
        /// As committed, in hexadecimal.
        found: String,
        /// The constant.
        expected: String,
    },
    /// The bootloader that is a part of this library cannot be read: a mistake of this library.
    #[error("the privacy bootloader of this library: {0}")]
    Bootloader(#[source] io::Error),
    /// The output of the bootloader is no statement.
    #[error("the output of the bootloader: {0}")]
    Facts(#[from] FactsError),
    /// The bytes cannot be packed: there is no memory for it.
    #[error("packing: {0}")]
    Pack(#[source] io::Error),
    /// The observer stopped the proof.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Why the circuit verifies no proof of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitError {
    /// Components that every such proof has.
    #[error(
        "the run uses nothing of {}, and the circuit is for proofs with {}: the task must use one Pedersen and one \
         Poseidon builtin at least, as virtual SNOS does", components.join(", "),
        if components.len() == 1 { "it" } else { "all of them" }
    )]
    Missing {
        /// Their names.
        components: Vec<&'static str>,
    },
    /// Components that no such proof has.
    #[error(
        "the run uses {}, and the circuit is for proofs without {}, or with one of each: let the task do without",
        components.join(", "), if components.len() == 1 { "it" } else { "them" }
    )]
    Beyond {
        /// Their names.
        components: Vec<&'static str>,
    },
    /// A component with more rows than the circuit's proofs have.
    #[error(
        "{component} has 2^{log_rows} rows, and the circuit is for proofs with at most 2^{MAX_LOG_ROWS}: give it a \
         smaller task"
    )]
    Rows {
        /// Its name.
        component: &'static str,
        /// Log2 of its rows.
        log_rows: u32,
    },
    /// The bootloader has written no preimage of its output.
    #[error("the bootloader has written no preimage of its output")]
    NoPreimage,
}
