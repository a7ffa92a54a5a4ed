//! The reference's prover parameters: a JSON file, `ProverParameters` of stwo-cairo 1.3.

use std::path::Path;

use cairo::preprocessed::Variant;
use sdk::circle_proof::{CircleOptions, Suite};
use sdk::proof_format::text::parser_message;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::arguments::value_name;
use super::samples::Samples;
use crate::circle::option_words;
use crate::inputs::input::read_bounded;
use crate::report::exit::Failure;

/// Longest file that is read.
const MAX_BYTES: u64 = 1 << 16;

/// Everything that the reference's tools let a caller choose about a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The hash functions of trees and transcript, whose names are the reference's.
    #[serde(serialize_with = "by_name", deserialize_with = "of_name")]
    channel_hash: Suite,
    /// The number that is mixed into the transcript first.
    pub(crate) channel_salt: u32,
    /// The commitments.
    pcs_config: PcsConfig,
    /// The preprocessed columns.
    preprocessed_trace: Variant,
    /// How the reference's prover keeps columns in memory: the proof does not depend on it, and nothing here does.
    store_polynomials_coefficients: bool,
    /// Whether preprocessed columns that no component of the run reads are sampled, too.
    pub(crate) include_all_preprocessed_columns: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PcsConfig {
    pow_bits: u32,
    fri_config: FriConfig,
    /// No lifting in files of older revisions, which do not have it.
    #[serde(default)]
    lifting_log_size: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FriConfig {
    log_blowup_factor: u32,
    log_last_layer_degree_bound: u32,
    n_queries: u32,
    /// 1 in files of older revisions, which do not have it.
    #[serde(default = "one")]
    fold_step: u32,
}

fn one() -> u32 {
    1
}

fn by_name<S: Serializer>(suite: &Suite, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(suite.name())
}

fn of_name<'de, D: Deserializer<'de>>(from: D) -> Result<Suite, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

impl Parameters {
    /// The parameters of a proof with these options.
    pub(crate) fn new(variant: Variant, options: &CircleOptions, salt: u32, samples_all: bool) -> Self {
        let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = *options;
        Self {
            channel_hash: suite,
            channel_salt: salt,
            pcs_config: PcsConfig {
                pow_bits,
                fri_config: FriConfig {
                    log_blowup_factor: log_blowup,
                    log_last_layer_degree_bound: log_last,
                    n_queries: queries,
                    fold_step,
                },
                lifting_log_size: lifting,
            },
            preprocessed_trace: variant,
            store_polynomials_coefficients: false,
            include_all_preprocessed_columns: samples_all,
        }
    }

    /// Reads a file of parameters.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_bounded(path, "a file of prover parameters", MAX_BYTES)?;
        Self::parse(&bytes).map_err(|error| Failure::file(path, error))
    }

    /// The parameters in the bytes of a file.
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| {
            format!("these are no prover parameters of stwo-cairo 1.3: {}", parser_message(&error.to_string()))
        })
    }

    /// The options of the proof.
    pub(crate) fn options(&self) -> CircleOptions {
        let PcsConfig { pow_bits, fri_config, lifting_log_size: lifting } = self.pcs_config;
        let FriConfig { log_blowup_factor, log_last_layer_degree_bound, n_queries, fold_step } = fri_config;
        CircleOptions {
            pow_bits,
            log_blowup: log_blowup_factor,
            queries: n_queries,
            fold_step,
            log_last: log_last_layer_degree_bound,
            lifting,
            suite: self.channel_hash,
        }
    }

    /// The preprocessed columns.
    pub(crate) fn preprocessed(&self) -> Variant {
        self.preprocessed_trace
    }

    /// The flags of `polystark cairo prove` that say the same: names without dashes, and values.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let mut words = option_words(&self.options());
        words.push(("preprocessed", self.preprocessed().name().to_owned()));
        words.push(("channel-salt", self.channel_salt.to_string()));
        words.push(("preprocessed-samples", value_name(&Samples::of(self.include_all_preprocessed_columns))));
        words
    }

    /// The file, with a line for each parameter.
    pub(crate) fn text(&self) -> String {
        // Numbers and names alone.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use sdk::CAIRO_OPTIONS;

    use super::*;

    /// As the crate `stwo-run-and-prove` 1.3.1 has them, which are of an older revision than the crate's types.
    const OF_THE_REFERENCE: &str = r#"{"channel_hash": "blake2s", "pcs_config": {"pow_bits": 26, "fri_config":
        {"log_blowup_factor": 1, "log_last_layer_degree_bound": 0, "n_queries": 70}},
        "preprocessed_trace": "canonical_without_pedersen", "include_all_preprocessed_columns": false,
        "store_polynomials_coefficients": true, "channel_salt": 7}"#;

    #[test]
    fn the_reference_s_file_is_read_and_written() {
        let read = Parameters::parse(OF_THE_REFERENCE.as_bytes()).unwrap();
        assert_eq!(read.options(), CAIRO_OPTIONS);
        assert_eq!((read.preprocessed(), read.channel_salt), (Variant::CanonicalWithoutPedersen, 7));
        let made = Parameters::new(Variant::CanonicalWithoutPedersen, &CAIRO_OPTIONS, 7, false);
        assert_eq!(Parameters { store_polynomials_coefficients: false, ..read }, made);
        assert_eq!(Parameters::parse(made.text().as_bytes()).unwrap(), made);
        let lifted = CircleOptions { lifting: Some(23), fold_step: 4, queries: 23, log_blowup: 3, ..CAIRO_OPTIONS };
        let made = Parameters::new(Variant::CanonicalSmall, &lifted, 0, true);
        let read = Parameters::parse(made.text().as_bytes()).unwrap();
        assert_eq!((read.options(), read.include_all_preprocessed_columns), (lifted, true));
        assert!(read.words().contains(&("preprocessed-samples", "all".to_owned())));
    }

    #[test]
    fn other_parameters_are_refused_by_name() {
        for (from, to, word) in [
            ("\"blake2s\"", "\"keccak256\"", "keccak256"),
            ("\"include_all_preprocessed_columns\": false", "\"include_all_preprocessed_columns\": 1", "boolean"),
            ("canonical_without_pedersen", "small", "small"),
            ("\"channel_salt\": 7", "\"channel_salt\": -1", "-1"),
            ("\"channel_salt\": 7", "\"lifting_size_policy\": \"auto\"", "lifting_size_policy"),
            ("\"n_queries\": 70", "\"queries\": 70", "queries"),
        ] {
            let error = Parameters::parse(OF_THE_REFERENCE.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(word), "{to}: {error}");
        }
    }
}
