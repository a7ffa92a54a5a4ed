//! `polystark key`, and what `verify --key` trusts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::arguments::Protocol;
use crate::arguments::values::{Assignment, assignment, integer, parameters};
use crate::command::{Command, has_stream, named};
use crate::inputs::input::read_bounded;
use crate::outputs::{Named, Outputs};
use crate::protocol::Rows;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::goldilocks::{Format, Key, key};
use sdk::goldilocks_proof::{Suite, compact};
use sdk::{Goldilocks3, Registry, Request};

/// Longest file of a key: it has three names, some integers and a digest.
const MOST_BYTES: u64 = 1 << 10;

#[derive(Args)]
pub(crate) struct KeyCommand {
    /// The AIR, see `polystark airs`; one of the protocol goldilocks
    #[arg(long, value_name = "NAME")]
    air: String,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer)]
    rows: u64,
    /// A parameter of the AIR, see `polystark airs`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
    /// Format of the proofs: compact or lambdaworks
    #[arg(long, default_value_t)]
    format: Format,
    /// Hash function of the Merkle trees: keccak256, or poseidon2, which compact proofs do not have [default:
    /// keccak256]
    #[arg(long)]
    hash: Option<Suite>,
    /// Where the key goes; - is standard output, and all else then goes to standard error
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// A key as JSON, and in a line.
#[derive(Serialize)]
pub(crate) struct KeyView {
    file: String,
    protocol: String,
    extension_degree: u32,
    air: String,
    log_rows: u32,
    main_columns: usize,
    aux_columns: usize,
    frame_rows: usize,
    challenges: usize,
    composition_parts: usize,
    digest: String,
    suite: String,
}

impl KeyView {
    fn new(file: &Path, key: &Key) -> Self {
        let Key { protocol, extension_degree, air, log_rows, layout, digest, suite } = key;
        Self {
            file: file.display().to_string(),
            protocol: protocol.clone(),
            extension_degree: *extension_degree,
            air: air.clone(),
            log_rows: *log_rows,
            main_columns: layout.main_columns,
            aux_columns: layout.aux_columns,
            frame_rows: layout.frame_rows,
            challenges: layout.challenges,
            composition_parts: layout.composition_parts,
            digest: hex::encode(digest),
            suite: suite.clone(),
        }
    }
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    key: KeyView,
}

impl Command for KeyCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named([("-o", self.output.as_path())])
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&self.files())
    }

    /// Writes the key of a statement. Public inputs that its AIR states as constants of boundaries are in the key;
    /// functions given to `boundary_with` are not.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        if Protocol::of_air(None, &self.air, registry)? != Protocol::Goldilocks {
            return Err(Failure::usage(
                "a statement of the protocol circle has no key: its verifiers compute the preprocessed columns, or trust their root \
                 (`verify --preprocessed-root`)",
            ));
        }
        let suite = match (self.format, self.hash) {
            (Format::Lambdaworks, hash) => hash.unwrap_or_default().name(),
            (Format::Compact, None | Some(Suite::Keccak256)) => compact::Suite::default().name(),
            (Format::Compact, Some(hash)) => {
                return Err(Failure::usage(format!("compact proofs have no --hash {hash}: say --format lambdaworks")));
            }
        };
        let mut request = Request::<Goldilocks3>::new(&self.air, self.rows);
        request.parameters = parameters(&self.parameters)?;
        let files = Outputs::open([self.output.as_path()])?;
        let statement = registry.airs::<Goldilocks3>().build(&request)?;
        let key = key(&*statement.air, suite)?;
        files.save(&[&key.encode().map_err(sdk::Error::Encode)?])?;
        let rows = [("key", key.to_string()), ("file", self.output.display().to_string())];
        output.result(
            &View { status: "written", key: KeyView::new(&self.output, &key) },
            &format!("written\n{}", table(&rows)),
        )
    }
}

/// A key that is trusted.
pub(crate) struct Trusted<'a> {
    file: &'a Path,
    pub(crate) key: Key,
}

impl<'a> Trusted<'a> {
    /// The key in a file.
    pub(crate) fn read(file: &'a Path) -> Result<Self, Failure> {
        let bytes = read_bounded(file, "a key", MOST_BYTES)?;
        let key = Key::decode(&bytes)
            .map_err(|error| Failure::file(file, format!("this is no key that `polystark key` wrote: {error}")))?;
        Ok(Self { file, key })
    }

    /// As JSON, and in a line.
    pub(crate) fn view(&self) -> (KeyView, Rows) {
        let line = format!("{}: {}; beside it the public inputs above", self.file.display(), self.key);
        (KeyView::new(self.file, &self.key), vec![("trusted key", line)])
    }
}
