//! `polystark verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::key::{KeyView, Trusted};
use crate::arguments::with_system;
use crate::command::{Command, named};
use crate::inputs::expected::Expected;
use crate::inputs::file::FileArguments;
use crate::inputs::policy::{ExpectArguments, PolicyArguments};
use crate::outputs::Named;
use crate::protocol::CommandLine;
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::statement_view::StatementView;
use crate::report::views::file_rows;
use sdk::hal::CircleStark;
use sdk::{FileContents, Goldilocks3, Profile, Registry};

#[derive(Args)]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    expect: ExpectArguments,
    /// The key of the statement, as `polystark key` wrote it: refuse proofs of any other, whatever AIR this program has
    /// by that name. Public inputs that the AIR states as constants of boundaries are in it; functions given to
    /// `boundary_with` are not; goldilocks
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Command for VerifyCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let key = self.key.iter().map(|key| ("--key", key.as_path()));
        self.file.files().into_iter().chain(named(key)).collect()
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Whether policy and expectations make sense, of either protocol.
    fn check(&self, _: &Registry) -> Result<(), Failure> {
        fn check<F: CommandLine>(arguments: &VerifyCommand) -> Result<(), Failure> {
            F::demanded(&arguments.expect, &arguments.policy).map(drop)
        }
        // The file says which protocol it is of: an argument of one is wrong for the other.
        check::<Goldilocks3>(self).or_else(|_| check::<CircleStark>(self))
    }

    /// Verifies a file and reports its statement.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let (bytes, found) = self.file.read(&self.policy.read, "verify")?;
        if let Some(expected) = self.expect.expect_protocol.filter(|expected| *expected != found) {
            return Err(Failure::invalid(format!("the protocol is {found:?}, expected: {expected:?}").to_lowercase()));
        }
        with_system!(found, S => verify::<S>(self, &bytes, registry, output))
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
    /// The key that was given: the statement is that which it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_key: Option<KeyView>,
    #[serde(flatten)]
    expected: Expected,
}

fn verify<F: CommandLine>(
    arguments: &VerifyCommand,
    bytes: &[u8],
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let (mut expect, policy) = F::demanded(&arguments.expect, &arguments.policy)?;
    let Profile { kind, bits: min_security_bits } = arguments.policy.profile()?;
    let of_files = arguments.file.airs.read()?;
    expect.air = of_files.expected(expect.air.as_deref(), registry)?;
    let airs = of_files.airs(&registry.airs::<F>())?;
    let trusted = arguments.key.as_deref().map(Trusted::read).transpose()?;
    if let Some(trusted) = &trusted {
        F::trust(&mut expect, &trusted.key)?;
    }
    let report = airs.verify_file(bytes, &policy, &expect).map_err(|error| of_files.explained(error))?;
    let vouches = airs.stated(&report.file).is_ok_and(|air| F::facts(&*air).vouches);
    let proof = ProofView::new(report.proof());
    let (own, own_rows) = F::own(&report.file, Some(&report.options));
    let mut rows = file_rows::<F>(&report.file, own_rows, Ok(&report.security), vouches, &proof);
    let trusted_key = trusted.as_ref().map(|trusted| {
        let (view, trusted_rows) = trusted.view();
        rows.extend(trusted_rows);
        view
    });
    let expected = Expected::new(expect.air.is_some() || trusted_key.is_some(), expect_flags::<F>(&report.file));
    let view = View {
        status: "valid",
        file: arguments.file.name(),
        statement: StatementView::new::<F>(&report.file, own),
        security: SecurityView::new(&report.security),
        min_security_bits,
        security_kind: kind.to_string(),
        vouches_for_multiplicities: vouches,
        proof,
        trusted_key,
        expected,
    };
    // Standard error stays empty: scripts take it for a failure.
    let note = view.expected.warning("AIR").map_or_else(String::new, |warning| format!("warning: {warning}\n"));
    output.result(&view, &format!("valid: the proof convinces of this statement\n{}{note}", table(&rows)))
}

/// The flags that expect the statement of a file.
fn expect_flags<F: CommandLine>(file: &F::File) -> Vec<String> {
    let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(file);
    let mut flags = vec![format!("--expect-air {air}"), format!("--expect-rows {rows}")];
    flags.extend(parameters.iter().map(|(name, value)| format!("--expect-param {name}={value}")));
    let public: Vec<String> = public_inputs.iter().map(ToString::to_string).collect();
    flags.push(format!("--expect-public={}", public.join(",")));
    flags
}
