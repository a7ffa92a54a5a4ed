//! How programs are run and proven: options, limits, the preprocessed columns, the format of the proof.

use std::path::{Path, PathBuf};

use cairo::file::{Format, check_builtins};
use cairo::preprocessed::Variant;
use cairo::witness::{check_variant, smallest_variant};
use cairo::{AirVersion, Version};
use cairo_run::{Loaded, RunSigns};
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use sdk::circle_proof::{CircleOptions, Policy, SecurityKind};
use sdk::prover::circle::Keep;
use sdk::{CAIRO_OPTIONS, CairoAhead, CairoRequest, Error};

use super::program::LimitArguments;
use crate::arguments::DeviceArguments;
use crate::arguments::values::{LiftingArgument, choice, lifting};
use crate::cairo::parameters::Parameters;
use crate::cairo::samples::SampleArguments;
use crate::circle::arguments::ChannelArguments;
use crate::inputs::policy::SecurityArguments;
use crate::report::exit::{Code, Failure};

/// Parses the format of a proof.
pub(crate) fn format() -> impl TypedValueParser<Value = Format> {
    choice(Format::ALL.map(|format| {
        let help = match format {
            Format::Binary => "Packed: the shortest",
            Format::ExtendedBinary => {
                "Packed, with the auxiliary data of the reference's prover, for its tools that verify in circuits"
            }
            Format::Json => "JSON",
            Format::CairoSerde => "Felts for the verifier that is written in Cairo",
            Format::Bincode => "The format that `binary` packs",
        };
        (format, format.name(), help)
    }))
}

/// The work of the device while a program runs.
pub(super) const COLUMNS: &str = "preprocessed columns";

/// The variant of the preprocessed columns, or the smallest that holds the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariantArgument(Option<Variant>);

impl VariantArgument {
    /// The variant for a run.
    fn variant(self, loaded: &Loaded) -> Result<Variant, Error> {
        let input = &loaded.run;
        let chosen = match self {
            Self(Some(variant)) => check_variant::<Version>(input, variant).map(|()| variant),
            Self(None) => smallest_variant::<Version>(input),
        };
        Ok(chosen?)
    }
}

fn variant(text: &str) -> Result<VariantArgument, String> {
    match text {
        "auto" => Ok(VariantArgument(None)),
        _ => text.parse().map(|variant| VariantArgument(Some(variant))),
    }
}

/// The preprocessed columns.
#[derive(Args)]
pub(crate) struct VariantArguments {
    /// The preprocessed columns: canonical, canonical-without-pedersen, canonical-small, or auto: the fewest that hold
    /// the run
    #[arg(long, value_name = "VARIANT", default_value = "auto", value_parser = variant)]
    preprocessed: VariantArgument,
}

impl VariantArguments {
    /// The variant as it is asked for.
    pub(crate) fn name(&self) -> String {
        let VariantArgument(asked) = self.preprocessed;
        asked.map_or("auto", Variant::name).to_owned()
    }
}

/// How a proof is made.
#[derive(Args)]
pub(crate) struct OptionArguments {
    /// Bits of proof of work, 0 to 32
    #[arg(long, value_name = "G", default_value_t = CAIRO_OPTIONS.pow_bits)]
    pow_bits: u32,
    /// Number of queries
    #[arg(long, value_name = "N", default_value_t = CAIRO_OPTIONS.queries)]
    queries: u32,
    /// Log2 of the points of the extended domain per row, 1 to 16. Verifiers know the roots of the preprocessed columns
    /// for 1
    #[arg(long, value_name = "B", default_value_t = CAIRO_OPTIONS.log_blowup)]
    log_blowup: u32,
    /// Log2 of the number by which an FRI layer shrinks
    #[arg(long, value_name = "K", default_value_t = CAIRO_OPTIONS.fold_step)]
    fold_step: u32,
    /// Log2 of the coefficients of the last FRI layer, 0 to 10
    #[arg(long, value_name = "N", default_value_t = CAIRO_OPTIONS.log_last)]
    log_last: u32,
    /// Log2 of the common domain, the blowup included, or `none` for the natural one. Verifiers know the roots of the
    /// preprocessed columns for `none`
    #[arg(long, value_name = "L|none", default_value = "none", value_parser = lifting)]
    lifting: LiftingArgument,
    #[command(flatten)]
    channel: ChannelArguments,
    /// The number that is mixed into the transcript first, below 2^31 - 1: with another one a run has another proof
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) channel_salt: u32,
    #[command(flatten)]
    pub(crate) samples: SampleArguments,
    /// The columns that a proof keeps on the device: all, extensions, prefixes, sources alone, or these with trees made
    /// by halves; the less, the less memory it takes, and the more it makes again. The proof is the same [default: the
    /// cheapest that fits]
    #[arg(long, value_name = "WHAT")]
    pub(crate) keep: Option<Keep>,
}

impl OptionArguments {
    fn options(&self) -> CircleOptions {
        let Self { pow_bits, queries, log_blowup, fold_step, log_last, lifting: LiftingArgument(lifting), .. } = *self;
        let suite = self.channel.suite();
        CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite }
    }
}

/// Everything that decides the proof of a run.
#[derive(Args)]
pub(super) struct ParameterArguments {
    #[command(flatten)]
    variant: VariantArguments,
    #[command(flatten)]
    options: OptionArguments,
    /// Take all that decides the proof from FILE: prover parameters of stwo-cairo 1.3, JSON, as its tools read them and
    /// `cairo inspect --params-out` writes them
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "preprocessed", "pow_bits", "queries", "log_blowup", "fold_step", "log_last", "lifting", "channel",
            "channel_salt", "preprocessed_samples"
        ]
    )]
    params: Option<PathBuf>,
}

/// All that was asked of a proof, by flags or by a file.
#[derive(Clone, Copy)]
pub(crate) struct ProofParameters {
    variant: VariantArgument,
    pub(crate) options: CircleOptions,
    pub(crate) salt: u32,
    samples_all: bool,
    /// The figure of security that is asked for.
    kind: SecurityKind,
    keep: Option<Keep>,
}

impl ParameterArguments {
    /// The file that is read, with its argument.
    pub(super) fn file(&self) -> Option<(&'static str, &Path)> {
        self.params.as_deref().map(|path| ("--params", path))
    }

    /// The request, with options that are possible.
    pub(super) fn asked(&self) -> Result<ProofParameters, Failure> {
        let of_flags = ProofParameters::of_flags(&self.variant, &self.options);
        let asked = match &self.params {
            None => of_flags,
            Some(path) => {
                let parameters = Parameters::read(path)?;
                ProofParameters {
                    variant: VariantArgument(Some(parameters.preprocessed())),
                    options: parameters.options(),
                    salt: parameters.channel_salt,
                    samples_all: parameters.include_all_preprocessed_columns,
                    ..of_flags
                }
            }
        };
        asked.check()?;
        Ok(asked)
    }
}

impl ProofParameters {
    /// The parameters that the flags say.
    pub(crate) fn of_flags(variant: &VariantArguments, options: &OptionArguments) -> Self {
        let OptionArguments { channel_salt, samples, keep, .. } = options;
        Self {
            variant: variant.preprocessed,
            options: options.options(),
            salt: *channel_salt,
            samples_all: samples.all(),
            kind: Policy::ANY.kind,
            keep: *keep,
        }
    }

    /// Refuses options that no proof has.
    fn check(&self) -> Result<(), Failure> {
        self.options.validate_alone().map_err(|error| Failure::usage(error.to_string()))
    }

    /// The same with the security that is asked for, if there are such proofs and verifiers take them, and the policy
    /// on it.
    pub(crate) fn checked(self, security: &SecurityArguments, root: &RootArguments) -> Result<(Self, Policy), Failure> {
        // First whether there are such proofs at all.
        self.check()?;
        let policy = security.check_of_programs(&self.options)?;
        root.check(&self.options)?;
        Ok((Self { kind: policy.kind, ..self }, policy))
    }

    /// The same with these columns kept.
    pub(crate) fn keeping(self, keep: Keep) -> Self {
        Self { keep: Some(keep), ..self }
    }

    /// The part of it that is known before the run.
    pub(crate) fn ahead(&self) -> CairoAhead {
        let VariantArgument(variant) = self.variant;
        CairoAhead { variant, options: self.options, signs: RunSigns::default() }
    }

    /// The request for a proof of a run.
    pub(crate) fn request<'a>(&self, loaded: &'a Loaded) -> Result<CairoRequest<'a>, Error> {
        let Self { variant, options, salt, samples_all, kind, keep } = *self;
        let variant = variant.variant(loaded)?;
        Ok(CairoRequest { salt, samples_all, kind, keep, ..CairoRequest::of(&loaded.run, variant, options) })
    }
}

/// The root of the preprocessed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Root {
    /// Verifiers know it
    Known,
    /// Verifiers have to be told
    Any,
}

/// The accepted proofs.
#[derive(Args)]
pub(crate) struct RootArguments {
    /// `any` proves with a blowup or a lifting for which verifiers know no root of the preprocessed columns: they take
    /// the proof only if they are told --preprocessed-root, which is printed then
    #[arg(long, value_enum, value_name = "known|any", default_value_t = Root::Known)]
    preprocessed_root: Root,
}

impl RootArguments {
    /// Refuses options with which verifiers refuse all proofs, unless these are asked for.
    fn check(&self, options: &CircleOptions) -> Result<(), Failure> {
        let CircleOptions { log_blowup, lifting, .. } = *options;
        if self.preprocessed_root == Root::Any || is_root_known(options) {
            return Ok(());
        }
        let lifting = lifting.map_or_else(|| "none".to_owned(), |lifting| lifting.to_string());
        let message = format!(
            "refused by policy: verifiers know the root of the preprocessed columns for --log-blowup 1 and --lifting none alone, not for \
             {log_blowup} and {lifting}; --preprocessed-root any admits it: they have to be told the root then"
        );
        Err(Failure { code: Code::Refused, ..Failure::usage(message) })
    }

    /// Whether options are admitted that would not be otherwise.
    pub(crate) fn admits(&self, options: &CircleOptions) -> bool {
        self.preprocessed_root == Root::Any && !is_root_known(options)
    }
}

/// Whether verifiers know the roots of the preprocessed columns: those of all variants, or none.
fn is_root_known(options: &CircleOptions) -> bool {
    Version::root(Variant::CanonicalSmall, options).is_some()
}

/// How programs are run and proven, one or many.
#[derive(Args)]
pub(super) struct ProvingArguments {
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    #[command(flatten)]
    pub(super) parameters: ParameterArguments,
    #[command(flatten)]
    pub(super) security: SecurityArguments,
    #[command(flatten)]
    root: RootArguments,
    #[command(flatten)]
    pub(super) device: DeviceArguments,
    /// How the proof is written
    #[arg(long, value_parser = format(), value_name = "FORMAT", default_value_t = Format::Binary)]
    pub(super) format: Format,
}

impl ProvingArguments {
    /// The options of the proof, if they are possible and verifiers take proofs with them, and the security that it
    /// must have, if that is possible.
    pub(super) fn checked_options(&self) -> Result<(ProofParameters, Policy), Failure> {
        self.parameters.asked()?.checked(&self.security, &self.root)
    }

    /// Refuses a run whose proof could not be written.
    pub(super) fn check_format(&self, loaded: &Loaded) -> Result<(), Error> {
        Ok(check_builtins(loaded.builtins.len(), self.format)?)
    }
}
