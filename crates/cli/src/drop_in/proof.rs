//! Proofs as the reference's programs make them.

use std::path::Path;

use cairo::AirProof as _;
use cairo::file::{Encoding, Format, check_builtins, encode};
use cairo_run::Loaded;
use clap::ValueEnum;
use sdk::hal::CircleStark;
use sdk::{CAIRO_OPTIONS, CairoRequest, Device, Error, Registry};

use crate::arguments::DeviceArguments;
use crate::cairo::parameters::Parameters;
use crate::outputs::Outputs;
use crate::report::exit::Failure;

/// The environment variable that names the backend.
const BACKEND: &str = "POLYSTARK_BACKEND";

/// How a proof is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ProofFormat {
    /// JSON
    Json,
    /// Felts for the verifier in Cairo, as a JSON array of strings
    CairoSerde,
    /// Packed by bzip2
    Binary,
    /// Packed by bzip2, with the auxiliary data of the prover
    ExtendedBinary,
}

/// The reference's parameters where none are given.
pub(super) fn default_parameters() -> Parameters {
    Parameters::new(cairo::preprocessed::Variant::Canonical, &CAIRO_OPTIONS, 0, false)
}

/// Proves a run, and writes the proof. The prover verifies each proof that it makes before it is written.
pub(super) fn prove(
    registry: &Registry,
    loaded: &Loaded,
    parameters: &Parameters,
    format: ProofFormat,
    file: &Path,
) -> Result<(), Failure> {
    let format_of = match format {
        ProofFormat::Json => Format::Json,
        ProofFormat::CairoSerde => Format::CairoSerde,
        ProofFormat::Binary => Format::Binary,
        ProofFormat::ExtendedBinary => Format::ExtendedBinary,
    };
    check_builtins(loaded.builtins.len(), format_of).map_err(Error::from)?;
    let options = parameters.options();
    options.validate_alone().map_err(|error| Failure::usage(error.to_string()))?;
    let output = Outputs::open([file])?;
    let device: Device<CircleStark> = device()?.open(registry)?;
    let variant = parameters.preprocessed();
    let (salt, samples_all) = (parameters.channel_salt, parameters.include_all_preprocessed_columns);
    let request = CairoRequest { salt, samples_all, ..CairoRequest::of(&loaded.run, variant, options) };
    let proof = device.prove(&request)?.proof;
    let bytes = match format {
        ProofFormat::Json => proof.write(options.suite, Encoding::JsonInLines),
        _ => encode(&proof, format_of, options.suite),
    };
    output.save(&[&bytes.map_err(Error::from)?])
}

/// The device that the environment names.
fn device() -> Result<DeviceArguments, Failure> {
    match std::env::var_os(BACKEND).filter(|name| !name.is_empty()) {
        None => Ok(DeviceArguments::named("auto")),
        Some(name) => {
            let name = name.into_string().map_err(|_| Failure::usage(format!("{BACKEND} is no text")))?;
            Ok(DeviceArguments::named(&name))
        }
    }
}
