//! Arguments that several subcommands share.

use clap::Args;
use polystark::{Device, HashFn, ProofOptions, Request};

use super::exit::Failure;
use super::values::{Assignment, Bytes, assignment, bytes, integer, parameters};

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

/// The device.
#[derive(Args)]
pub(crate) struct DeviceArguments {
    /// auto (cuda where a GPU can be used, else cpu), cuda, cpu or cpu-reference
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Threads of a backend that runs on the host's processor, 1 to 1024 [default: all]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl DeviceArguments {
    pub(crate) fn open(&self) -> Result<Device, Failure> {
        Ok(Device::open(&self.backend, self.threads.map(usize::from))?)
    }
}

/// What `--param` takes, wherever it stands.
#[derive(Args)]
pub(crate) struct ParameterArguments {
    /// A parameter of the AIR, see `polystark airs`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
}

/// The request for a proof.
pub(crate) fn request(
    air: &str,
    rows: u64,
    parameter_arguments: &ParameterArguments,
    options: &OptionArguments,
) -> Result<Request, Failure> {
    let mut request = Request::new(air, rows);
    request.parameters = parameters(&parameter_arguments.parameters)?;
    request.seed = options.transcript_seed.as_ref().map(|Bytes(seed)| seed.clone());
    let parts = request.build().map_err(polystark::Error::from)?.layout().composition_parts;
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
