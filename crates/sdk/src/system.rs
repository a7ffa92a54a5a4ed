//! The interface of a proof system for the library. Each implements it in a room of its own: [`crate::goldilocks`],
//! [`crate::circle`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use air::{AirError, Cells};
use gpu_hal::{Moment, Protocol, Spill, Step};
use proof_format::Profile;
use proof_format::security::Rounds;

use crate::airs::{Airs, Family, Provable, StatementError};
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::expect::Mismatch;
use crate::registry::{Driver, Place, Registry};
use crate::report::{Report, Stated};
use crate::request::Request;
use crate::stage::Follow;

/// Goldilocks with challenges in its cubic extension.
pub type Goldilocks3 = gpu_hal::GoldilocksStark;

/// A proof system: its statements are AIRs that are asked for by name, proven on any backend, and verified.
pub trait ProofSystem: Protocol {
    /// Options of a proof.
    type Options: Clone + fmt::Debug + Default + PartialEq;
    /// Options that are given where the others are looked for.
    type Given: Clone + fmt::Debug + Default + PartialEq;
    /// Fields of a request that no other proof system has.
    type Extras: Clone + fmt::Debug + Default + PartialEq;
    /// A statement.
    type Air: ?Sized + Send + Sync + 'static;
    /// The main columns of a statement.
    type Trace: Send + Sync;
    /// The memory and the transfers of a proof on a device.
    type Plan: Clone + fmt::Debug;
    /// A statement with its proof.
    type File: Clone + fmt::Debug;
    /// A public input.
    type Public: Clone + fmt::Debug + fmt::Display + PartialEq;
    /// Options that a caller insists on.
    type ExpectOptions: Clone + fmt::Debug + Default + PartialEq;
    /// A caller's policy on proofs.
    type Policy: Default;

    /// The word for a public input in messages.
    const PUBLIC: &'static str;

    /// The default options for this many rows: 100 provable bits, where the field leaves them.
    fn default_options(rows: u64) -> Self::Options;

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
    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError>;

    /// The trace of a statement of one table, from its columns.
    ///
    /// # Errors
    /// If they are no table.
    fn trace(columns: Vec<Cells<Self::Base>>) -> Result<Self::Trace, AirError>;

    /// The public values of a statement: beyond its AIR, its rows and its parameters it depends on nothing else.
    fn public(air: &Self::Air) -> Vec<Self::Public>;

    /// The AIR in the bytes of a file.
    ///
    /// # Errors
    /// If they hold no AIR of this proof system, or one that contradicts itself.
    fn air_of_file(bytes: &[u8]) -> Result<Arc<Self::Air>, StatementError>;

    /// The bytes of a file that holds an AIR, if one can.
    ///
    /// # Errors
    /// [`StatementError::NoAirFile`], [`air::AirError::Code`].
    fn air_to_file(air: &Self::Air) -> Result<Vec<u8>, StatementError>;

    /// Decodes a file. Says nothing about the proof.
    ///
    /// # Errors
    /// [`Error::File`], or [`Error::Protocol`] if it is of another proof system.
    fn decode(bytes: &[u8]) -> Result<Self::File, Error>;

    /// The statement and the bare proof, as the file has them.
    fn stated(file: &Self::File) -> Stated<'_, Self>;

    /// The options of the proof in a file.
    ///
    /// # Errors
    /// If it has none, or impossible ones.
    fn options(file: &Self::File) -> Result<Self::Options, Error>;

    /// The rounds of the proof in a file, whether or not it is valid. Takes as much time as [`crate::Airs::security`].
    ///
    /// # Errors
    /// If the statement, which is the file's, cannot be proven with its options.
    fn rounds(file: &Self::File, air: &Self::Air) -> Result<Rounds, Error>;

    /// The rounds of a proof of a statement, that of the request. Needs no device.
    ///
    /// # Errors
    /// If it cannot be proven with these options.
    fn rounds_of(request: &Request<Self>, air: &Self::Air) -> Result<Rounds, Error>;

    /// The cheapest options for the request's statement that reach a profile, with the given ones. Options that are not
    /// among [`Self::Given`] stay as the request has them.
    ///
    /// # Errors
    /// [`Error::OutOfReach`], or why it cannot be proven.
    fn cheapest(
        request: &Request<Self>,
        air: &Self::Air,
        given: &Self::Given,
        profile: Profile,
    ) -> Result<Self::Options, Error>;

    /// Longest file that a policy takes, in bytes.
    fn max_bytes(policy: &Self::Policy) -> u64;

    /// Whether a policy lets the verifier compute public values of this many rows anew.
    ///
    /// # Errors
    /// If it does not.
    fn check_recomputed(policy: &Self::Policy, rows: u64) -> Result<(), Error>;

    /// Compares options with the expected ones.
    ///
    /// # Errors
    /// The first difference.
    fn check_options(
        expected: &Self::ExpectOptions,
        file: &Self::File,
        options: &Self::Options,
    ) -> Result<(), Mismatch>;

    /// Verifies the proof in a file, whose statement and options are the expected ones.
    ///
    /// # Errors
    /// The first check that failed.
    fn verify(file: Self::File, air: &Self::Air, policy: &Self::Policy) -> Result<Report<Self>, Error>;

    /// Verifies the file that came of a request, whatever its proof is worth: that is for its receiver to judge.
    ///
    /// # Errors
    /// The first check that failed.
    fn accept(airs: &Airs<Self>, request: &Request<Self>, file: &[u8]) -> Result<Report<Self>, Error>;

    /// Evaluates every constraint on every row of a trace, and the lookups, on the host.
    ///
    /// # Errors
    /// `Trace` of the proof system's error: the first `limit` findings of a kind, or that the trace does not fit.
    fn check_trace(air: &Self::Air, trace: &Self::Trace, limit: usize) -> Result<(), Error>;

    /// Makes a statement, that of the request, ready on a backend.
    ///
    /// # Errors
    /// If it can't be proven with these options, or the backend's errors.
    fn prover(
        backend: &Arc<Backend<Self>>,
        request: &Request<Self>,
        statement: &Provable<Self>,
    ) -> Result<Box<dyn AirProver<Self>>, Error>;

    /// The least that a proof of a statement, that of the request, takes. Nothing of its size is allocated, and nothing
    /// is refused for its size.
    ///
    /// # Errors
    /// If it can't be proven with these options, or the backend's errors.
    fn least_plan(
        backend: &Arc<Backend<Self>>,
        request: &Request<Self>,
        statement: &Provable<Self>,
    ) -> Result<Self::Plan, Error>;

    /// The memory that a proof takes.
    fn footprint(plan: &Self::Plan) -> Footprint;

    /// Opens a device.
    ///
    /// # Errors
    /// The driver's errors.
    fn open(driver: &dyn Driver, place: &Place) -> Result<Device<Self>, Error>;

    /// The AIRs of a program.
    fn airs(registry: &Registry) -> &Airs<Self>;

    /// The AIRs of a program, to be changed.
    fn airs_mut(registry: &mut Registry) -> &mut Airs<Self>;
}

/// A statement about an AIR on a backend. It serves any number of proofs.
pub trait AirProver<S: ProofSystem> {
    /// The memory and the transfers of a proof.
    fn plan(&self) -> &S::Plan;

    /// Whether the device can make the trace.
    fn generates(&self) -> bool;

    /// The operations of a proof, from a trace of the host or of the device, gone through without a device.
    ///
    /// # Errors
    /// If the device can't make the trace.
    fn steps(&self, generated: bool) -> Result<Vec<Step>, Error>;

    /// Proves a trace, or without one the trace that the device makes; asks `follow` where a phase begins, and while it
    /// waits.
    ///
    /// # Errors
    /// Why there is no proof. [`Error::Miscomputed`] if there should be one.
    fn prove(&self, trace: Option<&S::Trace>, follow: &Follow<'_>) -> Result<Encode<'_>, Error>;
}

/// A proof: the call encodes it and its statement with the parameters that files hold, or says why a file can't hold
/// them.
pub type Encode<'a> = Box<dyn FnOnce(BTreeMap<String, u64>) -> Result<Vec<u8>, Error> + 'a>;

/// Memory that a statement takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Highest sum on the device while a proof is made.
    pub peak_bytes: u64,
    /// Where in the proof that is.
    pub peak_at: Moment,
    /// The part of them that is kept between proofs, and taken already.
    pub kept_bytes: u64,
    /// Highest sum on the device, with tables that are made once.
    pub highest_bytes: u64,
    /// Bytes of a trace on the host on its way to the device.
    pub upload_bytes: u64,
    /// Operations of the base field that evaluating constraints takes, about.
    pub constraint_operations: u64,
    /// The traffic to the host's memory and back, if the device moves tables that do not fit; then the sums are of both
    /// memories.
    pub spill: Option<Spill>,
}
