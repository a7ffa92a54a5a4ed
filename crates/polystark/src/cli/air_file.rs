//! AIRs of files.

use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::Protocol;
use super::exit::Failure;
use super::policy::ReadArguments;
use crate::hal::{CircleStark, Protocol as _};
use crate::{Airs, Driven, Family, Goldilocks3, MAX_AIR_FILE, air_file_name};

/// AIRs of files, for those who verify.
#[derive(Args)]
pub(crate) struct AirFileArguments {
    /// An AIR that `polystark record` wrote, beside those that this program knows; may be repeated
    #[arg(long = "air-file", value_name = "FILE")]
    air_files: Vec<PathBuf>,
}

impl AirFileArguments {
    /// The files that are read, each with its argument.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.air_files.iter().map(|path| ("--air-file", path.as_path()))
    }

    /// The AIRs that are known, and those of the files that are of this protocol.
    pub(crate) fn airs<F: Driven>(&self, known: &Airs<F>) -> Result<Airs<F>, Failure> {
        let mut airs = known.clone();
        for path in &self.air_files {
            let file = AirFile::read(path)?;
            if file.protocol()? == F::NAME {
                airs = airs.with(file.family()?);
            }
        }
        Ok(airs)
    }
}

/// A file that holds an AIR.
pub(crate) struct AirFile<'a> {
    path: &'a Path,
    bytes: Vec<u8>,
}

impl<'a> AirFile<'a> {
    pub(crate) fn read(path: &'a Path) -> Result<Self, Failure> {
        let bytes = ReadArguments { max_bytes: MAX_AIR_FILE }.read(path)?;
        Ok(Self { path, bytes })
    }

    /// The name of its protocol.
    fn protocol(&self) -> Result<String, Failure> {
        let failed = |error| Failure::file(self.path, format!("{error}: this is no AIR that `polystark record` wrote"));
        crate::air::file::protocol(&self.bytes).map_err(failed)
    }

    /// Its protocol; another one was perhaps asked for.
    pub(crate) fn protocol_of(&self, asked: Option<Protocol>) -> Result<Protocol, Failure> {
        let name = self.protocol()?;
        let found = match &name[..] {
            name if name == Goldilocks3::NAME => Protocol::Goldilocks,
            name if name == CircleStark::NAME => Protocol::Circle,
            _ => return Err(Failure::file(self.path, format!("its AIR is of the unknown protocol `{name}`"))),
        };
        match asked {
            Some(asked) if asked != found => {
                Err(Failure::file(self.path, format!("its AIR is of the protocol {name}: leave --protocol out")))
            }
            _ => Ok(found),
        }
    }

    /// The name by which proofs know it.
    pub(crate) fn name(&self) -> String {
        air_file_name(&self.bytes)
    }

    /// The AIR.
    pub(crate) fn family<F: Driven>(&self) -> Result<Family<F>, Failure> {
        Family::of_file(&self.bytes).map_err(|error| Failure::file(self.path, error))
    }
}
