//! Files of the Circle protocol.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use circle_air::airs::{self, ParamKind};
use circle_air::{BuildError, Statement};
use circle_proof::{CircleOptions, PROTOCOL, Policy, ProofFile, Suite};

use crate::statement::NamedAir;
use crate::{Accepted, Refusal};

pub(crate) fn verify(file: &[u8], channel: &str) -> Result<Accepted, Refusal> {
    let suite = match channel {
        "" => Suite::default(),
        name => name.parse().map_err(Refusal::Channel)?,
    };
    let file = ProofFile::decode(file).map_err(Refusal::File)?;
    // Nothing is expected of the options; a file without options is refused before its statement is looked at.
    circle_proof::decode_options(&file.proof, file.suite)?;
    let statement = stated(&file)?;
    let policy = Policy { suite, ..Policy::default() };
    policy.check_suite(file.suite)?;
    let verified = circle_proof::verify(&*statement, &file.claimed_sums, &file.proof, &policy)?;
    Ok(Accepted {
        protocol: PROTOCOL,
        air: file.air,
        log_rows: file.log_rows,
        parameters: file.parameters,
        public_inputs: file.words.into_iter().map(u64::from).collect(),
        options: listed(&verified.options),
        security: verified.security,
        proof_bytes: file.proof.len(),
    })
}

/// The statement of a file, with exactly its words.
fn stated(file: &ProofFile) -> Result<Arc<dyn Statement>, Refusal> {
    let info = airs::all().iter().find(|info| info.name == file.air).ok_or_else(|| Refusal::ForeignAir {
        name: file.air.clone(),
        known: airs::all().iter().map(|info| info.name).collect(),
    })?;
    let public = info.params.iter().filter(|param| param.kind == ParamKind::Public);
    let params = public.map(|param| (param.name, param.summary)).collect();
    let log_rows = info.least_log_rows..=info.most_log_rows;
    NamedAir { name: info.name, log_rows, params }.check(file.log_rows, &file.parameters)?;
    airs::stated(info.name, file.log_rows, &file.parameters, &file.words).map_err(|error| match error {
        BuildError::Words { what, found, expected, .. } => {
            Refusal::PublicInputs(format!("{what} is {found}, not {expected}"))
        }
        error => Refusal::Statement(error.to_string()),
    })
}

fn listed(options: &CircleOptions) -> Vec<(&'static str, String)> {
    vec![
        ("blowup", format!("2^{}", options.log_blowup)),
        ("queries", options.queries.to_string()),
        ("proof-of-work bits", options.pow_bits.to_string()),
        ("fold step", options.fold_step.to_string()),
        ("last layer", format!("2^{}", options.log_last)),
        ("lifting", options.lifting.map_or("none".into(), |lifting| format!("2^{lifting}"))),
        ("channel", options.suite.to_string()),
    ]
}
