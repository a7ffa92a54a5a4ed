//! A file of `polystark prove` that is read, and the AIRs of files that it may be about.

use std::path::PathBuf;

use clap::Args;
use sdk::circle_proof::PROTOCOL;
use sdk::proof_format::file::protocol;

use super::air_file::AirFileArguments;
use super::kinds::{self, Kind};
use super::policy::ReadArguments;
use crate::arguments::Protocol;
use crate::command::named;
use crate::outputs::Named;
use crate::report::exit::Failure;

#[derive(Args)]
pub(crate) struct FileArguments {
    /// The file that `polystark prove` wrote, or - for standard input
    file: PathBuf,
    #[command(flatten)]
    pub(crate) airs: AirFileArguments,
}

impl FileArguments {
    /// The files that are read, each with its argument.
    pub(crate) fn files(&self) -> Vec<Named<'_>> {
        named(std::iter::once(("FILE", self.file.as_path())).chain(self.airs.files()))
    }

    /// The file's name.
    pub(crate) fn name(&self) -> String {
        self.file.display().to_string()
    }

    /// The bytes of the file, which must be of the kind that `command` takes, and its protocol.
    pub(crate) fn read(&self, read: &ReadArguments, command: &str) -> Result<(Vec<u8>, Protocol), Failure> {
        let bytes = read.read_any(&self.file)?;
        kinds::refuse_other(&self.file, &bytes, &[Kind::AirProof], command)?;
        let protocol = protocol_of(&bytes);
        Ok((bytes, protocol))
    }
}

/// The protocol of a file. A file that is none of ours is left to the decoder of the default protocol, which says why.
pub(crate) fn protocol_of(bytes: &[u8]) -> Protocol {
    if protocol(bytes).is_ok_and(|name| name == PROTOCOL) { Protocol::Circle } else { Protocol::Goldilocks }
}
