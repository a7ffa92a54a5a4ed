//! Arguments of the Circle protocol alone.

use clap::Args;
use polystark::circle::{Expect, Extras, Request};
use polystark::circle_proof::{CircleOptions, Policy};

use crate::cli::exit::Failure;
use crate::cli::values::lifting;

/// Options of a proof.
#[derive(Args)]
pub(crate) struct CircleOptionArguments {
    /// circle: log2 of the points of the extended domain per row, 1 to 16 [default: 2]
    #[arg(long, value_name = "B")]
    log_blowup: Option<u32>,
    /// circle: bits of proof of work, 0 to 32 [default: 20]
    #[arg(long, value_name = "G")]
    pow_bits: Option<u32>,
    /// circle: log2 of the number by which an FRI layer shrinks [default: 2]
    #[arg(long, value_name = "K")]
    fold_step: Option<u32>,
    /// circle: log2 of the coefficients of the last FRI layer, 0 to 10 [default: 0]
    #[arg(long, value_name = "N")]
    log_last: Option<u32>,
    /// circle: log2 of the common domain, the blowup included, or `none` for the natural one [default: none, or the natural one by its
    /// number if the preprocessed tree is lower]
    #[arg(long, value_name = "L|none", value_parser = lifting)]
    lifting: Option<LiftingArgument>,
}

/// Log2 of the common domain, or the natural one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiftingArgument(pub(crate) Option<u32>);

impl CircleOptionArguments {
    /// An option that only this protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--log-blowup", self.log_blowup.is_some()),
            ("--pow-bits", self.pow_bits.is_some()),
            ("--fold-step", self.fold_step.is_some()),
            ("--log-last", self.log_last.is_some()),
            ("--lifting", self.lifting.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// The request for a proof; `queries` is an option of both protocols.
pub(crate) fn request(
    air: &str,
    rows: u64,
    parameters: std::collections::BTreeMap<String, u64>,
    queries: Option<u32>,
    options: &CircleOptionArguments,
) -> Request {
    let defaults = CircleOptions::default();
    let lifting = options.lifting;
    let options = CircleOptions {
        pow_bits: options.pow_bits.unwrap_or(defaults.pow_bits),
        log_blowup: options.log_blowup.unwrap_or(defaults.log_blowup),
        queries: queries.unwrap_or(defaults.queries),
        fold_step: options.fold_step.unwrap_or(defaults.fold_step),
        log_last: options.log_last.unwrap_or(defaults.log_last),
        lifting: lifting.map_or(defaults.lifting, |LiftingArgument(lifting)| lifting),
    };
    let extras = Extras { lifts_if_lower: lifting.is_none() };
    Request { parameters, options, extras, ..Request::new(air, rows) }
}

/// What must hold of a proof, beyond what both protocols have.
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
    /// circle: refuse statements of more preprocessed cells; the verifier's time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = Policy::default().max_preprocessed_cells)]
    pub(crate) max_cells: u64,
}

impl CircleExpectArguments {
    /// An expectation that only this protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--expect-log-blowup", self.expect_log_blowup.is_some()),
            ("--expect-pow-bits", self.expect_pow_bits.is_some()),
            ("--expect-fold-step", self.expect_fold_step.is_some()),
            ("--expect-log-last", self.expect_log_last.is_some()),
            ("--expect-lifting", self.expect_lifting.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Adds them to what both protocols have; `public` are the words of the statement.
    pub(crate) fn expect(&self, common: Expect, public: Option<&[u64]>) -> Result<Expect, Failure> {
        let word = |word: &u64| {
            u32::try_from(*word).map_err(|_| Failure::usage(format!("--expect-public: {word} is not below 2^32")))
        };
        Ok(Expect {
            words: public.map(|words| words.iter().map(word).collect()).transpose()?,
            pow_bits: self.expect_pow_bits,
            log_blowup: self.expect_log_blowup,
            fold_step: self.expect_fold_step,
            log_last: self.expect_log_last,
            lifting: self.expect_lifting.map(|LiftingArgument(lifting)| lifting),
            ..common
        })
    }
}
