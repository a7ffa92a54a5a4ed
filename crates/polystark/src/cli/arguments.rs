//! Arguments that several subcommands share.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use polystark::goldilocks::Request;
use polystark::{Device, Flavour, HashFn, Place, ProofOptions, Registry};

use super::exit::Failure;
use super::values::{Assignment, Bytes, assignment, bytes, integer, parameters};

/// The protocol of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Goldilocks with challenges in its cubic extension
    Goldilocks,
    /// Circle STARKs over M31, as stwo proves them
    Circle,
}

/// Options of a proof.
#[derive(Args)]
pub(crate) struct OptionArguments {
    /// Points of the extended domain per row, a power of two from 2 to 128 [default: 4, or more if the AIR needs it]
    #[arg(long, value_name = "B")]
    blowup: Option<u32>,
    /// Number of queries [default: 41]
    #[arg(long, value_name = "Q")]
    queries: Option<u32>,
    /// Bits of proof of work, 0 to 64 [default: 20]
    #[arg(long, value_name = "G")]
    grinding: Option<u32>,
    /// First point of the extended domain [default: 3]
    #[arg(long, value_name = "H", value_parser = integer)]
    coset_offset: Option<u64>,
    /// Hash function of the Merkle trees: keccak256 or poseidon2 [default: keccak256]
    #[arg(long)]
    hash: Option<HashFn>,
    /// Start the transcript with these bytes (hexadecimal, may be empty) instead of the seed that binds the statement
    #[arg(long, value_name = "HEX", value_parser = bytes)]
    transcript_seed: Option<Bytes>,
}

impl OptionArguments {
    /// The number of queries, which every protocol has.
    pub(crate) fn queries(&self) -> Option<u32> {
        self.queries
    }

    /// An option that only the Goldilocks protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--blowup", self.blowup.is_some()),
            ("--grinding", self.grinding.is_some()),
            ("--coset-offset", self.coset_offset.is_some()),
            ("--hash", self.hash.is_some()),
            ("--transcript-seed", self.transcript_seed.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// Refuses an argument that the protocol does not have.
pub(crate) fn refuse(given: Option<&'static str>, protocol: &str) -> Result<(), Failure> {
    match given {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!("{name} does not exist for the {protocol} protocol"))),
    }
}

/// The device.
#[derive(Args)]
pub(crate) struct DeviceArguments {
    /// auto (cuda where a GPU can be used, else cpu), cuda, cpu, cpu-reference or another that `polystark backends` lists; NAME:N is its
    /// device N
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Number of the device, from 0 [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<u32>,
    /// Threads of a backend that runs on the host's processor, 1 to 1024 [default: all]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl DeviceArguments {
    pub(crate) fn open<F: Flavour>(&self, registry: &Registry) -> Result<Device<F>, Failure> {
        let place = Place { device: self.device, threads: self.threads.map(usize::from) };
        Ok(registry.open(&self.backend, &place)?)
    }
}

/// What `--param` takes, wherever it stands.
#[derive(Args)]
pub(crate) struct ParameterArguments {
    /// A parameter of the AIR, see `polystark airs`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
}

impl ParameterArguments {
    /// The parameters by name.
    pub(crate) fn by_name(&self) -> Result<BTreeMap<String, u64>, Failure> {
        parameters(&self.parameters)
    }
}

/// The request for a proof.
pub(crate) fn request(
    air: &str,
    rows: u64,
    parameter_arguments: &ParameterArguments,
    options: &OptionArguments,
) -> Result<Request, Failure> {
    let mut request = Request::new(air, rows);
    request.parameters = parameter_arguments.by_name()?;
    request.extras.seed = options.transcript_seed.as_ref().map(|Bytes(seed)| seed.clone());
    let parts = request.build()?.layout().composition_parts;
    let defaults = ProofOptions::default();
    request.options = ProofOptions {
        // The extended domain must hold the composition polynomial.
        blowup: options
            .blowup
            .unwrap_or_else(|| u32::try_from(parts.next_power_of_two()).unwrap_or(u32::MAX).max(defaults.blowup)),
        queries: options.queries.unwrap_or(defaults.queries),
        grinding: options.grinding.unwrap_or(defaults.grinding),
        coset_offset: options.coset_offset.unwrap_or(defaults.coset_offset),
        hash: options.hash.unwrap_or(defaults.hash),
    };
    Ok(request)
}
