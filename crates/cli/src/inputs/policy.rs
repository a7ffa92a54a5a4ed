//! The accepted files: how they are read, the security that their proofs must have, the statements that they must hold.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use clap::Args;

use super::input;
use crate::arguments::values::{Assignment, Numbers, assignment, digest, integer, numbers};
use crate::arguments::{Protocol, counterpart};
use crate::circle::arguments::{ChannelArguments, CircleExpectArguments};
use crate::goldilocks::arguments::GoldilocksExpectArguments;
use crate::outputs::is_stream;
use crate::report::exit::Failure;
use gpu_hal::Digest;
use sdk::proof_format::policy::{MAX_BYTES, check_length};
use sdk::proof_format::security::SecurityTarget;
use sdk::{Error, Profile, circle};

/// How much is read.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// Refuse longer files; time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = MAX_BYTES, value_parser = integer)]
    pub(crate) max_bytes: u64,
}

/// The security of proofs.
#[derive(Args)]
pub(crate) struct SecurityArguments {
    /// The security that proofs must have: provable-100, provable-128, conjectured-100 or any other KIND-BITS, or KIND
    /// alone, with the default's bits, which is claimed (log2 of the blowup for each query), conjectured, provable, or
    /// first-order (provable by the newer bounds of ePrint 2026/2056)
    /// [default: provable-100; of Cairo proofs claimed-80, and 96 claimed bits of queries and proof of work]
    #[arg(long, value_name = "KIND[-BITS]")]
    pub(crate) security: Option<SecurityTarget>,
    /// How many bits, where --security has none
    #[arg(long, visible_alias = "bits", value_name = "N")]
    pub(crate) min_security_bits: Option<u32>,
}

impl SecurityArguments {
    /// The profile that is asked for, if any; parts that are not given are `default`'s.
    pub(crate) fn profile(&self, default: Profile) -> Result<Option<Profile>, Failure> {
        let kind = self.security.map_or(default.kind, |asked| asked.kind);
        match (self.security.and_then(|asked| asked.bits), self.min_security_bits) {
            (Some(_), Some(_)) => {
                Err(Failure::usage("--security has a number of bits already: leave out --min-security-bits"))
            }
            (Some(bits), None) | (None, Some(bits)) => Ok(Some(Profile { kind, bits })),
            (None, None) => Ok(self.security.map(|_| Profile { kind, ..default })),
        }
    }
}

/// Cells that verifiers evaluate.
#[derive(Args)]
pub(crate) struct CellsArguments {
    /// circle: refuse statements of more preprocessed cells; the verifier's time and memory grow with them
    /// [default: 2^26]
    #[arg(long, value_name = "N", value_parser = integer)]
    max_cells: Option<u64>,
}

impl CellsArguments {
    /// Its flag, if it is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        self.max_cells.map(|_| "--max-cells")
    }

    /// How many are taken.
    pub(crate) fn most(&self) -> u64 {
        self.max_cells.unwrap_or(circle::Policy::default().max_preprocessed_cells)
    }

    /// Refuses a statement of `cells` cells, if they are too many.
    pub(crate) fn check(&self, cells: u64) -> Result<(), Failure> {
        let policy = circle::Policy { max_preprocessed_cells: self.most(), ..circle::Policy::ANY };
        policy.check_preprocessed(cells).map_err(|error| Error::from(error).into())
    }
}

/// Bytes that verifiers read.
#[derive(Args)]
pub(crate) struct LengthArguments {
    /// Make no file that is longer: verifiers refuse it unless they are told the same
    #[arg(long, value_name = "N", default_value_t = MAX_BYTES, value_parser = integer)]
    max_bytes: u64,
}

impl LengthArguments {
    /// Refuses a file of `bytes` bytes, or of more, if that is too long.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), Failure> {
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        check_length(length, self.max_bytes).map_err(|error| Error::from(error).into())
    }
}

/// The accepted proofs.
#[derive(Args)]
pub(crate) struct PolicyArguments {
    #[command(flatten)]
    pub(crate) security: SecurityArguments,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) cells: CellsArguments,
    #[command(flatten)]
    pub(crate) channel: ChannelArguments,
    /// circle: the root of the preprocessed tree, hexadecimal, as `inspect` prints it of a proof that is trusted; other
    /// roots are refused, and columns of this one are not evaluated, however many cells they have
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub(crate) preprocessed_root: Option<Digest>,
}

/// The statement that a file must hold.
#[derive(Args)]
pub(crate) struct ExpectArguments {
    /// Refuse other protocols
    #[arg(long, value_enum)]
    pub(crate) expect_protocol: Option<Protocol>,
    /// Refuse other AIRs: the name that proofs say, and of an --air-file also the one that `record` printed
    #[arg(long, value_name = "NAME")]
    pub(crate) expect_air: Option<String>,
    /// Refuse other numbers of rows
    #[arg(long, value_name = "N", value_parser = integer)]
    pub(crate) expect_rows: Option<u64>,
    /// Refuse other values of this parameter; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) expect_param: Vec<Assignment>,
    /// Refuse other public inputs: all of them, decimal or hexadecimal after 0x, separated by commas
    #[arg(long, value_name = "LIST", value_parser = numbers)]
    pub(crate) expect_public: Option<Numbers>,
    #[command(flatten)]
    pub(crate) goldilocks: GoldilocksExpectArguments,
    #[command(flatten)]
    pub(crate) circle: CircleExpectArguments,
}

/// Refuses an expectation of a property that proofs of the file's protocol do not have.
pub(crate) fn refuse_other(given: Option<&'static str>, found: &str) -> Result<(), Failure> {
    let Some(name) = given else { return Ok(()) };
    let instead = counterpart(name).map(|other| format!(": it has {other}")).unwrap_or_default();
    Err(Failure::invalid(format!("the protocol is {found}, for which there is no {name}{instead}")))
}

impl PolicyArguments {
    /// The security demanded of a proof.
    pub(crate) fn profile(&self) -> Result<Profile, Failure> {
        Ok(self.security.profile(Profile::DEFAULT)?.unwrap_or_default())
    }
}

impl ReadArguments {
    /// The bytes of a file, or of standard input if it is called `-`, if there are not too many.
    pub(crate) fn read_any(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        if is_stream(path) { self.read_all(Path::new("standard input"), stdin().lock()) } else { self.read(path) }
    }

    /// The bytes of a file, if there are not too many.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let file = File::open(path).map_err(|error| Failure::file(path, error))?;
        self.read_all(path, file)
    }

    /// The bytes of something that is open and called `path`, if there are not too many.
    pub(crate) fn read_all(&self, path: &Path, from: impl Read) -> Result<Vec<u8>, Failure> {
        let bytes = input::read(path, from, self.max_bytes)?;
        check_length(bytes.len(), self.max_bytes).map_err(Error::from)?;
        Ok(bytes)
    }

    /// The bytes of a file that the flag is not about, such as `what`: no more than `most` are ever read.
    pub(crate) fn read_part(&self, path: &Path, what: &str, most: u64) -> Result<Vec<u8>, Failure> {
        if self.max_bytes < most { self.read_program(path) } else { input::read_bounded(path, what, most) }
    }

    /// As [`Self::read`], of a file so long that a device without an end is refused at once.
    pub(crate) fn read_program(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        self.read_all(path, input::open(path)?)
    }
}
