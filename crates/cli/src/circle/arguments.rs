//! Arguments of the Circle protocol alone.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::arguments::values::{LiftingArgument, first_given, lifting};
use sdk::circle::{ExpectOptions, Extras, FixedOptions};
use sdk::circle_proof::{CircleOptions, Suite};

/// Options of a proof.
#[derive(Args)]
pub(crate) struct CircleOptionArguments {
    /// circle: log2 of the points of the extended domain per row, 1 to 16 [default: by --security; in bench 2]
    #[arg(long, value_name = "B")]
    log_blowup: Option<u32>,
    /// circle: bits of proof of work, 0 to 32 [default: by --security; in bench 20]
    #[arg(long, value_name = "G")]
    pow_bits: Option<u32>,
    /// circle: log2 of the number by which an FRI layer shrinks [default: by --security; in bench 2]
    #[arg(long, value_name = "K")]
    fold_step: Option<u32>,
    /// circle: log2 of the coefficients of the last FRI layer, 0 to 10 [default: by --security; in bench 0]
    #[arg(long, value_name = "N")]
    log_last: Option<u32>,
    /// circle: log2 of the common domain, the blowup included, or `none` for the natural one [default: none, or the
    /// natural one by its number if the preprocessed tree is lower]
    #[arg(long, value_name = "L|none", value_parser = lifting)]
    lifting: Option<LiftingArgument>,
    #[command(flatten)]
    channel: ChannelArguments,
}

/// Parses the name of a suite.
fn suite() -> impl TypedValueParser<Value = Suite> {
    PossibleValuesParser::new(Suite::ALL.map(Suite::name)).try_map(|name| name.parse::<Suite>())
}

/// The hash functions of a proof.
#[derive(Args)]
pub(crate) struct ChannelArguments {
    /// circle: hash functions of trees and transcript; a verifier takes no others than it is told [default: blake2s]
    #[arg(long, value_name = "NAME", value_parser = suite())]
    channel: Option<Suite>,
}

impl ChannelArguments {
    /// Its flag, if it is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        self.channel.map(|_| "--channel")
    }

    /// The suite.
    pub(crate) fn suite(&self) -> Suite {
        self.channel.unwrap_or_default()
    }
}

impl CircleOptionArguments {
    /// An option that only this protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        first_given([
            ("--log-blowup", self.log_blowup.is_some()),
            ("--pow-bits", self.pow_bits.is_some()),
            ("--fold-step", self.fold_step.is_some()),
            ("--log-last", self.log_last.is_some()),
            ("--lifting", self.lifting.is_some()),
        ])
        .or_else(|| self.channel.given())
    }

    /// The options of a proof; `queries` is one of every protocol.
    pub(super) fn options(&self, queries: Option<u32>, defaults: &CircleOptions) -> CircleOptions {
        CircleOptions {
            pow_bits: self.pow_bits.unwrap_or(defaults.pow_bits),
            log_blowup: self.log_blowup.unwrap_or(defaults.log_blowup),
            queries: queries.unwrap_or(defaults.queries),
            fold_step: self.fold_step.unwrap_or(defaults.fold_step),
            log_last: self.log_last.unwrap_or(defaults.log_last),
            lifting: self.lifting.map_or(defaults.lifting, |LiftingArgument(lifting)| lifting),
            suite: self.channel.suite(),
        }
    }

    /// The ones that are looked for if they are not given.
    pub(super) fn given_options(&self, queries: Option<u32>) -> FixedOptions {
        let Self { log_blowup, pow_bits, fold_step, log_last, .. } = *self;
        FixedOptions { pow_bits, log_blowup, queries, fold_step, log_last }
    }

    pub(super) fn extras(&self) -> Extras {
        Extras { lifts_if_lower: self.lifting.is_none() }
    }
}

/// Demands on a proof beyond the ones of both protocols.
#[derive(Args)]
pub(crate) struct CircleExpectArguments {
    /// circle: refuse other log2 of the blowup
    #[arg(long, value_name = "B")]
    expect_log_blowup: Option<u32>,
    /// circle: refuse other numbers of proof-of-work bits
    #[arg(long, value_name = "G")]
    expect_pow_bits: Option<u32>,
    /// circle: refuse other fold steps
    #[arg(long, value_name = "K")]
    expect_fold_step: Option<u32>,
    /// circle: refuse other log2 of the last layer
    #[arg(long, value_name = "N")]
    expect_log_last: Option<u32>,
    /// circle: refuse other common domains: log2, or `none` for the natural one
    #[arg(long, value_name = "L|none", value_parser = lifting)]
    expect_lifting: Option<LiftingArgument>,
}

impl CircleExpectArguments {
    /// An expectation that only this protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        first_given([
            ("--expect-log-blowup", self.expect_log_blowup.is_some()),
            ("--expect-pow-bits", self.expect_pow_bits.is_some()),
            ("--expect-fold-step", self.expect_fold_step.is_some()),
            ("--expect-log-last", self.expect_log_last.is_some()),
            ("--expect-lifting", self.expect_lifting.is_some()),
        ])
    }

    /// Options that a proof must have; `queries` is one of every protocol.
    pub(super) fn options(&self, queries: Option<u32>) -> ExpectOptions {
        ExpectOptions {
            pow_bits: self.expect_pow_bits,
            log_blowup: self.expect_log_blowup,
            queries,
            fold_step: self.expect_fold_step,
            log_last: self.expect_log_last,
            lifting: self.expect_lifting.map(|LiftingArgument(lifting)| lifting),
        }
    }
}
