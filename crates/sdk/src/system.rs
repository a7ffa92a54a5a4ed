//! The interface of a proof system for the library, and requests for its proofs. Each proof system implements it in a
//! module of its own: [`crate::goldilocks`], [`crate::circle`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use air::Cells;
use gpu_hal::Protocol;
use gpu_hal::rehearsal::{PeakLocation, Spill, Step};
use proof_format::security::Rounds;
use proof_format::{Profile, Security};

use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::driver::{DeviceOptions, Driver};
use crate::error::Error;
use crate::stage::Follow;
use crate::statements::statement_error::StatementError;
use crate::verification::mismatch::Mismatch;

/// A proof system: its statements are AIRs that are asked for by name, proven on any backend, and verified.
pub trait ProofSystem: Protocol {
    /// Options of a proof.
    type Options: Clone + fmt::Debug + PartialEq;
    /// Options that are given where the others are looked for.
    type FixedOptions: Clone + fmt::Debug + Default + PartialEq;
    /// Fields of a request that no other proof system has.
    type Extras: Clone + fmt::Debug + Default + PartialEq;
    /// A statement.
    type Air: ?Sized + Send + Sync + 'static;
    /// The main columns of a statement. Columns of a statement of one table become one, unless they are no table.
    type Trace: TryFrom<Vec<Cells<Self::Base>>, Error: fmt::Display> + Send + Sync;
    /// The memory and the transfers of a proof on a device.
    type Plan: Clone + fmt::Debug + Into<MemoryPlan>;
    /// A statement on a backend. It serves any number of proofs.
    type Prover;
    /// A statement with its proof.
    type File: Clone + fmt::Debug;
    /// A public input.
    type Public: Clone + fmt::Debug + fmt::Display + PartialEq;
    /// Demands of a caller that no other proof system has: options of the proof, and what stands for the statement.
    type ExpectOptions: Clone + fmt::Debug + Default + PartialEq;
    /// A caller's policy on proofs.
    type Policy: Default;

    /// The default options for this many rows: 100 provable bits, where the field leaves them.
    fn default_options(rows: u64) -> Self::Options;

    /// A statement's name, size and public values.
    fn facts(air: &Self::Air) -> AirFacts<'_, Self::Public>;

    /// Main columns of a statement of one table; `None` where there are several tables.
    ///
    /// # Errors
    /// If the statement contradicts itself.
    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError>;

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
    /// [`Error::File`], or an error of the proof system if the file is of a variant of it that is not verified here.
    fn decode(bytes: &[u8]) -> Result<Self::File, Error>;

    /// The statement and the bare proof, as the file has them.
    fn stated(file: &Self::File) -> FileContents<'_, Self::Public>;

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
    /// among [`Self::FixedOptions`] stay as the request has them.
    ///
    /// # Errors
    /// [`Error::OutOfReach`], or why it cannot be proven.
    fn cheapest(
        request: &Request<Self>,
        air: &Self::Air,
        given: &Self::FixedOptions,
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

    /// Verifies the proof in a file, whose statement and options are the expected ones by [`Self::check_options`], and
    /// what else is expected of the statement: the security of the proof, and the cells of preprocessed columns that
    /// the verifier evaluated.
    ///
    /// # Errors
    /// The first check that failed.
    fn verify(
        file: &Self::File,
        air: &Self::Air,
        policy: &Self::Policy,
        expected: &Self::ExpectOptions,
    ) -> Result<(Security, u64), Error>;

    /// Opens a device.
    ///
    /// # Errors
    /// The driver's errors.
    fn open(driver: &dyn Driver, options: &DeviceOptions) -> Result<OpenBackend<Self>, Error>;

    /// The policy that takes the proof of a request, of any security, and the options that it must have. The
    /// worth is for the receiver to judge.
    fn demands(request: &Request<Self>) -> (Self::Policy, Self::ExpectOptions);

    /// Evaluates every constraint on every row of a trace, and the lookups, on the host.
    ///
    /// # Errors
    /// `Trace` of the proof system's error: the first `limit` findings of a kind, or that the trace does not fit.
    fn check_trace(air: &Self::Air, trace: &Self::Trace, limit: usize) -> Result<(), Error>;

    /// Makes a statement, that of the request, ready on a backend, and plans a proof.
    ///
    /// # Errors
    /// If it can't be proven with these options, or the backend's errors.
    fn prepare(
        backend: &Arc<AnyBackend<Self>>,
        request: &Request<Self>,
        air: &Arc<Self::Air>,
    ) -> Result<Prepared<Self>, Error>;

    /// The least that a proof of a statement, that of the request, takes. Nothing of its size is allocated, and nothing
    /// is refused for its size. By default the plan of [`Self::prepare`]: a proof system whose plan depends on the
    /// memory that there is, or that allocates before it proves, says it here.
    ///
    /// # Errors
    /// If it can't be proven with these options, or the backend's errors.
    fn least_plan(
        backend: &Arc<AnyBackend<Self>>,
        request: &Request<Self>,
        air: &Arc<Self::Air>,
    ) -> Result<Self::Plan, Error> {
        Self::prepare(backend, request, air).map(|prepared| prepared.plan)
    }

    /// Asks a backend that computes nothing for all that proofs of a statement, that of the request, ask it for.
    ///
    /// # Errors
    /// If it can't be proven with these options, or the backend's errors.
    fn visit(backend: &Arc<AnyBackend<Self>>, request: &Request<Self>, air: &Arc<Self::Air>) -> Result<(), Error>;

    /// The operations of a proof, from a trace of the host or of the device, gone through without a device.
    ///
    /// # Errors
    /// If the device can't make the trace.
    fn steps(prover: &Self::Prover, request: &Request<Self>, generated: bool) -> Result<Vec<Step>, Error>;

    /// Proves a trace, or without one the trace that the device makes; asks `follow` where a phase begins, and while it
    /// waits. The bytes of a file of the proof and its statement, that of the request, with the parameters that files
    /// hold. Nothing is verified.
    ///
    /// # Errors
    /// Why there is no proof, or [`Error::Encode`].
    fn prove(
        prover: &Self::Prover,
        request: &Request<Self>,
        parameters: BTreeMap<String, u64>,
        air: &Self::Air,
        trace: Option<&Self::Trace>,
        follow: &Follow<'_>,
    ) -> Result<Vec<u8>, Error>;
}

/// A statement's name, size and public values: beyond its AIR, its rows and its parameters it depends on nothing else.
#[derive(Clone, Debug)]
pub struct AirFacts<'a, P> {
    /// The name that it gives itself.
    pub name: &'a str,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Its public values.
    pub public: Vec<P>,
    /// Whether the statement vouches for the multiplicities of its lookups, which nothing else bounds.
    pub vouches: bool,
}

/// A statement that is ready on a backend.
pub struct Prepared<F: ProofSystem> {
    /// Makes its proofs.
    pub prover: F::Prover,
    /// The plan of a proof.
    pub plan: F::Plan,
    /// Whether the device can make the trace.
    pub generates: bool,
}

/// Where the main columns of the trace are computed. The proof is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TraceSource {
    /// On the device where the AIR says how and the backend can, else on the host.
    #[default]
    Auto,
    /// On the host; they are uploaded.
    Upload,
    /// On the device, or there is no proof.
    Device,
}

/// A statement about an AIR that is known by name, and how to prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<F: ProofSystem> {
    /// Name of the AIR, one of the program's [`crate::Airs`].
    pub air: String,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Parameters of the AIR; parameters with defaults may be missing.
    pub parameters: BTreeMap<String, u64>,
    /// Options of the proof.
    pub options: F::Options,
    /// The security that the proof must have. One that would be worth less is refused before any work;
    /// [`Profile::NONE`] refuses none.
    pub profile: Profile,
    /// The parts that only this protocol has.
    pub extras: F::Extras,
    /// Where the trace is computed.
    pub trace: TraceSource,
}

impl<F: ProofSystem> Request<F> {
    /// A request without parameters, with the default options for `rows` rows, for a proof that verifiers take by
    /// default ([`Profile::DEFAULT`]). [`crate::Airs::cheapest`] finds other options.
    pub fn new(air: impl Into<String>, rows: u64) -> Self {
        Self {
            air: air.into(),
            rows,
            parameters: BTreeMap::new(),
            options: F::default_options(rows),
            profile: Profile::DEFAULT,
            extras: F::Extras::default(),
            trace: TraceSource::default(),
        }
    }
}

/// The statement and the bare proof, as a file has them.
#[derive(Clone, Copy, Debug)]
pub struct FileContents<'a, P> {
    /// Name of the AIR.
    pub air: &'a str,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Parameters of the AIR.
    pub parameters: &'a BTreeMap<String, u64>,
    /// Public inputs.
    pub public_inputs: &'a [P],
    /// The bare proof.
    pub proof: &'a [u8],
}

/// Memory that a statement takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Highest sum on the device while a proof is made.
    pub peak_bytes: u64,
    /// Where in the proof that is.
    pub peak_at: PeakLocation,
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
