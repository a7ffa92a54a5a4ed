//! Files of the Goldilocks protocol.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use air::airs;
use goldilocks_proof::{ProofOptions, Statement};
use goldilocks_verifier::{Policy, Seed};
use gpu_hal::{GoldilocksStark, Protocol};

use crate::statement::Named;
use crate::{Accepted, Refusal};

type P = GoldilocksStark;

/// Log2 of the rows that any AIR may have in a file; AIRs ask for more by themselves.
const LEAST_LOG_ROWS: u32 = 1;
const MOST_LOG_ROWS: u32 = 32;

/// Bytes of a seed that are shown.
const SHOWN: usize = 32;

pub(crate) fn verify(file: &[u8], channel: &str) -> Result<Accepted, Refusal> {
    let statement = Statement::decode(file).map_err(Refusal::File)?;
    if statement.protocol != P::NAME || statement.extension_degree != P::DEGREE as u64 {
        let Statement { protocol, extension_degree: degree, .. } = statement;
        return Err(Refusal::Protocol { protocol, degree, known: P::NAME, known_degree: P::DEGREE });
    }
    if !channel.is_empty() {
        return Err(Refusal::Channel(format!("'{channel}' is asked for, and only proofs of circle have one")));
    }
    if let Some(seed) = &statement.seed {
        return Err(Refusal::Seed(shown(seed)));
    }
    let air = stated(&statement)?;
    // Recording takes memory by the columns, and the file may claim any number of them: so the proof must be long
    // enough for as many.
    let layout = air.layout();
    statement.options.validate(statement.log_rows, layout.composition_parts).map_err(Refusal::Options)?;
    let counts = goldilocks_verifier::counts(&layout, statement.log_rows, &statement.options);
    counts.check_length::<P>(statement.proof.len()).map_err(Refusal::Proof)?;
    let recorded = air::record(&*air).map_err(|error| Refusal::Statement(error.to_string()))?;
    let (options, policy) = (statement.options, Policy::default());
    let verified = goldilocks_verifier::verify_bytes(&recorded, &options, Seed::Default, &statement.proof, &policy)?;
    Ok(Accepted {
        protocol: P::NAME,
        air: statement.air,
        log_rows: statement.log_rows,
        parameters: statement.parameters,
        public_inputs: statement.public_inputs.iter().map(|input| input.value()).collect(),
        options: listed(&options),
        security: verified.security,
        proof_bytes: statement.proof.len(),
    })
}

/// The statement of a file; its public inputs are the AIR's.
fn stated(statement: &Statement) -> Result<alloc::sync::Arc<dyn airs::ExampleAir<P>>, Refusal> {
    let Statement { air: name, log_rows, parameters, .. } = statement;
    let info = airs::all().iter().find(|info| info.name == name).ok_or_else(|| Refusal::ForeignAir {
        name: name.clone(),
        known: airs::all().iter().map(|info| info.name).collect(),
    })?;
    let params = info.params.iter().map(|param| (param.name, param.summary)).collect();
    Named { name: info.name, log_rows: LEAST_LOG_ROWS..=MOST_LOG_ROWS, params }.check(*log_rows, parameters)?;
    let air =
        airs::build::<P>(name, 1 << log_rows, parameters).map_err(|error| Refusal::Statement(error.to_string()))?;
    let (found, expected) = (&statement.public_inputs, air.public_inputs());
    if found.len() != expected.len() {
        return Err(Refusal::PublicInputs(format!("there are {}, not {}", found.len(), expected.len())));
    }
    match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        None => Ok(air),
        Some(at) => Err(Refusal::PublicInputs(format!("number {at} is {}, not {}", found[at], expected[at]))),
    }
}

fn listed(options: &ProofOptions) -> alloc::vec::Vec<(&'static str, String)> {
    vec![
        ("blowup", options.blowup.to_string()),
        ("queries", options.queries.to_string()),
        ("proof-of-work bits", options.grinding.to_string()),
        ("coset offset", options.coset_offset.to_string()),
        ("hash", options.suite.to_string()),
    ]
}

/// A seed as the command line shows it.
fn shown(seed: &[u8]) -> String {
    let digits: String = seed.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    match seed.len() {
        0 => "empty".into(),
        length if length > SHOWN => format!("{digits}... ({length} bytes)"),
        _ => digits,
    }
}
