//! What the command line takes and says for a protocol.

use serde::Serialize;

use super::arguments::StatementArguments;
use super::exit::Failure;
use super::policy::{ExpectArguments, PolicyArguments};
use crate::{Airs, Driven, Expect, Report, Request, SecurityKind};

/// Lines of a table.
pub(crate) type Rows = Vec<(&'static str, String)>;

/// A protocol of the command line. The shared arguments are checked by whoever calls.
pub(crate) trait CommandLine: Driven {
    /// The AIR that is measured unless another one is named, if the program has it.
    const MEASURED: &'static str;
    /// The bits that the default policy counts.
    const KIND: SecurityKind;
    /// How many of them it asks for.
    const MIN_SECURITY_BITS: u32;

    /// The statement of a file.
    type StatementView: Serialize;
    /// What is inside a proof.
    type ContentsView: Serialize;

    /// The request for a proof; options of other protocols are refused.
    fn request(
        airs: &Airs<Self>,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
    ) -> Result<Request<Self>, Failure>;

    /// Bits of proof of work.
    fn work_bits(options: &Self::Options) -> u32;

    /// The statement and the options that are insisted on; those of other protocols are refused.
    fn expect(arguments: &ExpectArguments) -> Result<Expect<Self>, Failure>;

    /// Which proofs are taken.
    fn policy(arguments: &PolicyArguments) -> Self::Policy;

    /// A file as JSON; no options if the proof has none that are possible.
    fn statement_view(file: &Self::File, options: Option<&Self::Options>) -> Self::StatementView;

    /// What only files of this protocol have, as text.
    fn own_rows(file: &Self::File, options: Option<&Self::Options>) -> Rows;

    /// What is inside the proof of a file about one of `airs`, as JSON and as text, if it can be decoded.
    fn contents(airs: &Airs<Self>, file: &Self::File) -> Option<(Self::ContentsView, Rows)>;

    /// What else a verifier must be told to take the proof.
    fn note(_report: &Report<Self>) -> Option<String> {
        None
    }
}
