//! Arguments that several subcommands share.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use super::circle::arguments::CircleOptionArguments;
use super::exit::Failure;
use super::goldilocks::arguments::GoldilocksOptionArguments;
use super::values::{Assignment, assignment, parameters};
use crate::{Device, Driven, Place, Registry};

/// The protocol of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Goldilocks with challenges in its cubic extension
    Goldilocks,
    /// Circle STARKs over M31, as stwo proves them
    Circle,
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
    pub(crate) fn open<F: Driven>(&self, registry: &Registry) -> Result<Device<F>, Failure> {
        let place = Place { device: self.device, threads: self.threads.map(usize::from) };
        Ok(registry.open(&self.backend, &place)?)
    }
}

/// What a proof is about beyond its AIR and its rows, and how it is made.
#[derive(Args)]
pub(crate) struct StatementArguments {
    /// A parameter of the AIR, see `polystark airs`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
    #[command(flatten)]
    pub(crate) goldilocks: GoldilocksOptionArguments,
    #[command(flatten)]
    pub(crate) circle: CircleOptionArguments,
}

impl StatementArguments {
    /// Whether nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        let given = self.goldilocks.queries().is_some() || !self.parameters.is_empty();
        !given && self.goldilocks.given().is_none() && self.circle.given().is_none()
    }

    /// The parameters by name.
    pub(crate) fn parameters(&self) -> Result<BTreeMap<String, u64>, Failure> {
        parameters(&self.parameters)
    }
}
