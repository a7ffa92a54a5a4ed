//! The verdict on a file that is accepted.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use proof_format::Security;

/// The statement that an accepted file proves, and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Name of the protocol.
    pub protocol: &'static str,
    /// Name of the AIR.
    pub air: String,
    /// Log2 of the rows.
    pub log_rows: u32,
    /// Parameters of the AIR.
    pub parameters: BTreeMap<String, u64>,
    /// Public inputs of Goldilocks, statement words of Circle.
    pub public_inputs: Vec<u64>,
    /// Name and value of each option, in the order of the command line.
    pub options: Vec<(&'static str, String)>,
    /// The security of the proof.
    pub security: Security,
    /// Length of the bare proof.
    pub proof_bytes: usize,
}
