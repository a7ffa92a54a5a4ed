//! Words of a job: the arguments of `polystark prove` and of `polystark cairo prove` that decide a proof, by their
//! names.

use std::collections::BTreeMap;

use clap::{Args, Parser};
use farm::Job;

use crate::arguments::StatementArguments;
use crate::arguments::hints::parts_of;
use crate::arguments::values::integer;
use crate::inputs::policy::SecurityArguments;
use crate::protocol::{CommandLine, ProofRequest, request_to_prove, shaped};
use crate::report::exit::Failure;
use sdk::proof_format::text::{excerpt, shortened};
use sdk::{AirInstance, Airs, Family, Profile, Request};

/// The beginning of a word of a parameter.
const PARAMETER: &str = "param.";

/// The argument that no job can have.
pub(super) const HIDES: &str = "zk";
pub(super) const NO_HIDING: &str =
    "`zk` is for `polystark prove`: a job has one proof, and one that hides its witness is another each time";

/// The word that gives the other words their meaning, and the one value that this program knows. A change of a word's
/// meaning, or of a default that a normal form does not write out, must increase it: a job's name has one meaning for
/// ever.
pub(super) const FORM: (&str, &str) = ("form", "1");

/// The words of a statement, as for `polystark prove`.
#[derive(Args)]
struct StatementWords {
    #[arg(long)]
    air: String,
    #[arg(long, value_parser = integer)]
    rows: u64,
    #[command(flatten)]
    statement: StatementArguments,
    #[command(flatten)]
    security: SecurityArguments,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line<A: Args> {
    #[command(flatten)]
    arguments: A,
}

/// The words as the arguments that they are on the command line.
pub(super) fn arguments<A: Args>(words: &BTreeMap<String, String>) -> Result<A, String> {
    let flag = |(word, value): (&String, &String)| match word.strip_prefix(PARAMETER) {
        Some(name) => format!("--param={name}={value}"),
        None => format!("--{word}={value}"),
    };
    if let Some(form) = words.get(FORM.0)
        && form != FORM.1
    {
        return Err(format!(
            "the job's words are of form `{}`, and this program knows form {} alone",
            excerpt(form),
            FORM.1
        ));
    }
    if let Some(word) = words.keys().find(|word| !is_word(word)) {
        return Err(format!(
            "`{}` is no word: they are the names of arguments, such as `air`, `rows`, `param.NAME`",
            excerpt(word)
        ));
    }
    if words.contains_key(HIDES) {
        return Err(NO_HIDING.to_owned());
    }
    let said = |error: clap::Error| {
        let names = words.keys().map(|word| word.strip_prefix(PARAMETER).unwrap_or(word));
        let flags: Vec<String> = words.iter().map(flag).collect();
        let texts = flags.iter().map(String::as_str).chain(words.values().map(String::as_str)).chain(names);
        shortened(error.render().to_string().trim().trim_start_matches("error: "), parts_of(texts))
    };
    Line::<A>::try_parse_from(words.iter().filter(|(word, _)| *word != FORM.0).map(flag))
        .map(|line| line.arguments)
        .map_err(said)
}

/// Whether it may be the name of an argument: `air`, `log-blowup`, `param.start`.
fn is_word(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.'))
}

/// The words of a job about a statement.
fn statement<F: CommandLine>(job: &Job) -> Result<StatementWords, String> {
    if let Some(role) = job.inputs.keys().next() {
        return Err(format!("a job of kind `{}` has no inputs, this one has `{}`", job.kind, excerpt(role)));
    }
    let mut words = job.words.clone();
    for (word, value) in F::JOB_WORDS {
        words.entry((*word).to_owned()).or_insert_with(|| (*value).to_owned());
    }
    arguments(&words)
}

/// The main columns of the statement that a job is about, 0 if there is more than one table. The options are not looked
/// for, and public values that take time by the rows are not computed.
pub(super) fn columns<F: CommandLine>(airs: &Airs<F>, job: &Job) -> Result<usize, String> {
    let words = statement::<F>(job)?;
    let air =
        shaped::<F>(airs, &words.air, words.rows, &words.statement).map_err(|failure: Failure| failure.message)?;
    F::columns(&air).map(Option::unwrap_or_default).map_err(|error| error.to_string())
}

/// The statement that a job is about, one of the program's AIRs, and how it is to be proven.
pub(super) fn request<F: CommandLine>(airs: &Airs<F>, job: &Job) -> Result<(Request<F>, AirInstance<F>), String> {
    let words = statement::<F>(job)?;
    let ProofRequest { request, statement } =
        request_to_prove::<F>(airs, &words.air, words.rows, &words.statement, &words.security)
            .map_err(|failure: Failure| failure.message)?;
    Ok((request, statement))
}

/// A request in words, with every default written out, and the security asked for if it is less than the default of
/// verifiers; `air` is the statement's.
pub(super) fn words<F: CommandLine>(airs: &Airs<F>, request: &Request<F>, air: &F::Air) -> BTreeMap<String, String> {
    let mut words = BTreeMap::from([
        (FORM.0.to_owned(), FORM.1.to_owned()),
        ("air".to_owned(), request.air.clone()),
        ("rows".to_owned(), request.rows.to_string()),
    ]);
    for param in airs.get(&request.air).into_iter().flat_map(Family::params) {
        let value = param.value(request.rows, &request.parameters);
        // As files do: the job is the one that it was before there was such a parameter.
        if let Some(value) = value.filter(|value| param.left_out(request.rows) != Some(*value)) {
            words.insert(format!("{PARAMETER}{}", param.name), value.to_string());
        }
    }
    words.extend(F::option_words(request, air).into_iter().map(|(word, value)| (word.to_owned(), value)));
    // Not said where the options reach the verifiers' default.
    let worth = F::rounds_of(request, air).map(|rounds| Profile::DEFAULT.kind.of(&rounds.security()).bits);
    if worth.is_ok_and(|bits| bits < Profile::DEFAULT.bits) {
        words.insert("security".to_owned(), request.profile.to_string());
    }
    words
}

/// The names of all arguments that words of a statement may be.
#[cfg(test)]
pub(super) fn known() -> Vec<String> {
    let line = <Line<StatementWords> as clap::CommandFactory>::command();
    line.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned).collect()
}
