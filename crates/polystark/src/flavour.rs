//! What the facade asks of a protocol. Each implements it in a room of its own: [`crate::goldilocks`], [`crate::circle`].

use std::collections::BTreeMap;
use std::sync::Arc;

use gpu_hal::{Moment, Spill, Step};
use proof_format::Profile;
use proof_format::policy::PolicyError;
use proof_format::security::Rounds;

use crate::airs::{Airs, Family, Provable, StatementError};
use crate::device::Backend;
use crate::error::Error;
use crate::expect::Mismatch;
use crate::measure::Measurable;
use crate::proven::Proven;
use crate::report::{Report, Stated};
use crate::request::Request;
use crate::stage::Follow;
use crate::types::FlavourTypes;

/// A protocol whose statements are asked for by name, proven on any backend, and verified.
pub trait Flavour: FlavourTypes + Measurable {
    /// A statement made ready on a backend.
    type Ready: Ready<Self>;

    /// What a public input is called.
    const PUBLIC: &'static str;

    /// The AIRs that come with Polystark.
    fn shipped_airs() -> Vec<Family<Self>>;

    /// The name that a statement gives itself.
    fn air_name(air: &Self::Air) -> &str;

    /// Rows of the trace, of the first component where there are several.
    fn trace_rows(air: &Self::Air) -> u64;

    /// Main columns of a statement of one table; `None` where there are several tables.
    ///
    /// # Errors
    /// If the statement contradicts itself.
    #[cfg(feature = "cli")]
    fn trace_columns(air: &Self::Air) -> Result<Option<usize>, StatementError>;

    /// The public values of a statement, all that it depends on beyond its AIR, its rows and its parameters.
    fn public(air: &Self::Air) -> Vec<Self::Public>;

    /// The AIR in the bytes of a file.
    ///
    /// # Errors
    /// If they hold no AIR of this protocol, or one that contradicts itself.
    fn air_of_file(bytes: &[u8]) -> Result<Arc<Self::Air>, StatementError>;

    /// The bytes of a file that holds an AIR, if one can.
    ///
    /// # Errors
    /// [`StatementError::NoAirFile`], [`air::AirError::Code`].
    fn air_to_file(air: &Self::Air) -> Result<Vec<u8>, StatementError>;

    /// Decodes a file. Says nothing about the proof.
    ///
    /// # Errors
    /// [`Error::File`], or [`Error::Protocol`] if it is of another one.
    fn decode(bytes: &[u8]) -> Result<Self::File, Error>;

    /// What the file says of its statement.
    fn stated(file: &Self::File) -> Stated<'_, Self>;

    /// The options of the proof in a file.
    ///
    /// # Errors
    /// If it has none, or impossible ones.
    fn options(file: &Self::File) -> Result<Self::Options, Error>;

    /// The bare proof.
    fn proof(file: &Self::File) -> &[u8];

    /// The rounds of the proof in a file, whether or not it is valid. Takes as much time as [`crate::Airs::security`].
    ///
    /// # Errors
    /// If the statement, which is the file's, cannot be proven with its options.
    fn rounds(file: &Self::File, air: &Self::Air) -> Result<Rounds, Error>;

    /// The rounds of a proof of a statement, that of the request.
    ///
    /// # Errors
    /// If it cannot be proven with these options.
    fn rounds_of(request: &Request<Self>, air: &Self::Air) -> Result<Rounds, Error>;

    /// The cheapest options for a statement, that of the request, that reach a profile with those that are given. What is none of
    /// [`FlavourTypes::Given`] stays as the request has it.
    ///
    /// # Errors
    /// [`Error::OutOfReach`], or why it cannot be proven.
    fn cheapest(
        request: &Request<Self>,
        air: &Self::Air,
        given: &Self::Given,
        profile: Profile,
    ) -> Result<Self::Options, Error>;

    /// Whether a policy lets the verifier compute public values of so many rows anew.
    ///
    /// # Errors
    /// If it does not.
    fn check_recomputed(policy: &Self::Policy, rows: u64) -> Result<(), Error>;

    /// Compares options with those that a caller insists on.
    ///
    /// # Errors
    /// The first difference.
    fn check_options(
        expected: &Self::ExpectOptions,
        file: &Self::File,
        options: &Self::Options,
    ) -> Result<(), Mismatch>;

    /// Longest file that a policy takes, in bytes.
    fn max_bytes(policy: &Self::Policy) -> u64;

    /// Verifies the proof in a file, whose statement and options are those that the caller insists on.
    ///
    /// # Errors
    /// The first check that failed.
    fn verify(file: Self::File, air: &Self::Air, policy: &Self::Policy) -> Result<Report<Self>, Error>;

    /// Cells of preprocessed columns that the verifier of a statement, that of the request, evaluates.
    fn preprocessed_cells(_request: &Request<Self>, _air: &Self::Air) -> u64 {
        0
    }

    /// Bytes of the proof of a request, but for those of its nonce, where statement and options fix them.
    fn proof_length(_request: &Request<Self>, _air: &Self::Air) -> Option<u64> {
        None
    }

    /// Why the default policy refuses a proof that was verified, from a file of `length` bytes.
    fn refusals(report: &Report<Self>, length: usize) -> Vec<PolicyError>;

    /// Evaluates every constraint on every row of a trace, and the lookups, on the host.
    ///
    /// # Errors
    /// `Trace` of the protocol's error: the first `limit` findings of a kind, or that the trace does not fit.
    fn check_trace(air: &Self::Air, trace: &Self::Trace, limit: usize) -> Result<(), Error>;

    /// Refuses a statement, that of the request, that cannot be proven, without a device.
    ///
    /// # Errors
    /// Why it can't be.
    fn check(request: &Request<Self>, air: &Self::Air) -> Result<(), Error>;

    /// Makes a statement, that of the request, ready on a backend.
    ///
    /// # Errors
    /// If it can't be proven with these options, or what the backend reports.
    fn ready(
        backend: &Arc<Backend<Self>>,
        request: &Request<Self>,
        statement: &Provable<Self>,
    ) -> Result<Self::Ready, Error>;

    /// What a proof of a statement, that of the request, takes at least. Nothing of its size is allocated, and nothing is refused for its size.
    ///
    /// # Errors
    /// If it can't be proven with these options, or what the backend reports.
    fn least_plan(
        backend: &Arc<Backend<Self>>,
        request: &Request<Self>,
        statement: &Provable<Self>,
    ) -> Result<Self::Plan, Error>;

    /// Asks a backend that computes nothing for all that proofs of a statement, that of the request, ask it for.
    ///
    /// # Errors
    /// If it can't be proven with these options, or what the backend reports.
    fn visit(backend: &Arc<Backend<Self>>, request: &Request<Self>, air: &Arc<Self::Air>) -> Result<(), Error>;

    /// The statement, that of the request, with its proof, encoded; `parameters` are those that files hold.
    ///
    /// # Errors
    /// If a file can't hold them.
    fn file(
        request: &Request<Self>,
        parameters: BTreeMap<String, u64>,
        air: &Self::Air,
        made: &Self::Made,
    ) -> Result<Vec<u8>, Error>;

    /// Verifies the file that came of a request, whatever its proof is worth: that is for its receiver to judge.
    ///
    /// # Errors
    /// The first check that failed.
    fn accept(airs: &Airs<Self>, request: &Request<Self>, file: &[u8]) -> Result<Report<Self>, Error>;

    /// What a proof takes of memory.
    fn footprint(plan: &Self::Plan) -> Footprint;

    /// The refusal of a statement that takes more memory than there is.
    fn out_of_memory(needed: u64, at: Moment, available: u64) -> Error;

    /// The nonce of a proof; 0 if it has none.
    ///
    /// # Errors
    /// If the bytes of the proof are not one.
    fn nonce(proven: &Proven<Self>) -> Result<u64, Error>;
}

/// A statement made ready on a backend. It serves any number of proofs.
pub trait Ready<F: Flavour> {
    /// What a proof takes.
    fn plan(&self) -> &F::Plan;

    /// Whether the device can make the trace.
    fn generates(&self) -> bool;

    /// The operations of a proof, from a trace of the host or of the device, gone through without a device.
    ///
    /// # Errors
    /// If the device can't make the trace.
    fn steps(&self, generated: bool) -> Result<Vec<Step<F>>, Error>;

    /// Proves a trace, or without one the trace that the device makes; asks `follow` where a phase begins, and while it waits.
    ///
    /// # Errors
    /// Why there is no proof. [`Error::Miscomputed`] if there should be one.
    fn prove(&self, trace: Option<&F::Trace>, follow: &Follow<'_>) -> Result<F::Made, Error>;
}

/// Memory that a statement takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Highest sum on the device while a proof is made.
    pub peak_bytes: u64,
    /// Where in the proof that is.
    pub peak_at: Moment,
    /// Of them, those that are kept between proofs, and taken already.
    pub kept_bytes: u64,
    /// Highest sum on the device, what is made once included.
    pub highest_bytes: u64,
    /// What a trace takes on the host on its way to the device.
    pub upload_bytes: u64,
    /// Operations of the base field that evaluating constraints takes, about.
    pub constraint_operations: u64,
    /// What is moved to the host's memory and back, if the device moves what does not fit; then the sums are of both memories.
    pub spill: Option<Spill>,
}
