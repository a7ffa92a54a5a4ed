//! `polystark verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::air_file::AirFileArguments;
use super::arguments::Protocol;
use super::commands::{Command, named};
use super::exit::Failure;
use super::expected::Expected;
use super::kinds::{self, Wanted};
use super::output::{Output, table};
use super::outputs::Named;
use super::policy::{ExpectArguments, PolicyArguments};
use super::protocol::CommandLine;
use super::views::{proof_row, security_rows, stated_rows, vouched_row};
use crate::facts::{ProofView, SecurityView};
use sdk::circle_proof::PROTOCOL;
use sdk::hal::CircleStark;
use sdk::proof_format::file::protocol;
use sdk::{Goldilocks3, Profile, Registry, Stated};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file that `polystark prove` wrote, or - for standard input
    file: PathBuf,
    #[command(flatten)]
    airs: AirFileArguments,
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    expect: ExpectArguments,
}

impl Command for Arguments {
    fn files(&self) -> Vec<Named<'_>> {
        named(std::iter::once(("FILE", self.file.as_path())).chain(self.airs.files()))
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Whether policy and expectations make sense, of either protocol.
    fn check(&self, _: &Registry) -> Result<(), Failure> {
        fn check<F: CommandLine>(arguments: &Arguments) -> Result<(), Failure> {
            F::policy(&arguments.policy)?;
            F::expect(&arguments.expect).map(drop)
        }
        // The file says which protocol it is of: an argument of one is wrong for the other.
        check::<Goldilocks3>(self).or_else(|_| check::<CircleStark>(self))
    }

    /// Verifies a file and says what was proven.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let bytes = self.policy.read.read_any(&self.file)?;
        kinds::refuse_other(&self.file, &bytes, Wanted::AirProof, "verify")?;
        let found = protocol_of(&bytes);
        if let Some(expected) = self.expect.expect_protocol.filter(|expected| *expected != found) {
            return Err(Failure::invalid(format!("the protocol is {found:?}, expected: {expected:?}").to_lowercase()));
        }
        match found {
            Protocol::Goldilocks => verify::<Goldilocks3>(self, &bytes, registry, output),
            Protocol::Circle => verify::<CircleStark>(self, &bytes, registry, output),
        }
    }
}

#[derive(Serialize)]
struct View<S> {
    status: &'static str,
    file: String,
    statement: S,
    security: SecurityView,
    min_security_bits: u32,
    security_kind: String,
    /// Whether the statement vouches that no tuple is looked up as often as the prime; then nobody counts.
    vouches_for_multiplicities: bool,
    proof: ProofView,
    #[serde(flatten)]
    expected: Expected,
}

fn verify<F: CommandLine>(
    arguments: &Arguments,
    bytes: &[u8],
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let (mut expect, policy) = (F::expect(&arguments.expect)?, F::policy(&arguments.policy)?);
    let Profile { kind, bits: min_security_bits } = arguments.policy.profile()?;
    let of_files = arguments.airs.read()?;
    expect.air = of_files.expected(expect.air.as_deref(), registry)?;
    let airs = of_files.airs(registry.airs::<F>())?;
    let report = airs.verify_file(bytes, &policy, &expect).map_err(|error| of_files.explained(error))?;
    let mut rows = stated_rows::<F>(&report.file);
    rows.extend(F::own_rows(&report.file, Some(&report.options)));
    rows.extend(security_rows(&report.security));
    let vouches = airs.stated(&report.file).is_ok_and(|air| F::vouches(&air));
    rows.extend(vouches.then(vouched_row));
    let proof = ProofView::new(report.proof());
    rows.push(proof_row(&proof));
    let expected = Expected::new(expect.air.is_some(), expect_flags::<F>(&report.file));
    let view = View {
        status: "valid",
        file: arguments.file.display().to_string(),
        statement: F::statement_view(&report.file, Some(&report.options)),
        security: SecurityView::new(&report.security),
        min_security_bits,
        security_kind: kind.to_string(),
        vouches_for_multiplicities: vouches,
        proof,
        expected,
    };
    // Standard error stays empty: scripts take it for a failure.
    let note = view.expected.warning("AIR").map_or_else(String::new, |warning| format!("warning: {warning}\n"));
    output.result(&view, &format!("valid: the proof convinces of this statement\n{}{note}", table(&rows)))
}

/// The flags that expect the statement of a file.
fn expect_flags<F: CommandLine>(file: &F::File) -> Vec<String> {
    let Stated { air, rows, parameters, public_inputs, .. } = F::stated(file);
    let mut flags = vec![format!("--expect-air {air}"), format!("--expect-rows {rows}")];
    flags.extend(parameters.iter().map(|(name, value)| format!("--expect-param {name}={value}")));
    let public: Vec<String> = public_inputs.iter().map(ToString::to_string).collect();
    flags.push(format!("--expect-public={}", public.join(",")));
    flags
}

/// The protocol of a file. What is none of ours is left to the decoder of the default protocol, which says why.
pub(crate) fn protocol_of(bytes: &[u8]) -> Protocol {
    if protocol(bytes).is_ok_and(|name| name == PROTOCOL) { Protocol::Circle } else { Protocol::Goldilocks }
}
