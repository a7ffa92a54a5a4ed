//! Files of the Goldilocks protocol.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use air::airs;
use goldilocks_proof::{AnyOptions, AnyProofFile};
use goldilocks_verifier::{Policy, Seed, VerifyError};
use gpu_hal::{GoldilocksStark, Hex, Protocol};

use crate::statement::NamedAir;
use crate::{Accepted, Refusal};

type P = GoldilocksStark;

/// Log2 of the rows that any AIR may have in a file; AIRs ask for more by themselves.
const LEAST_LOG_ROWS: u32 = 1;
const MOST_LOG_ROWS: u32 = 32;

/// Bytes of a seed that are shown.
const SHOWN: usize = 32;

pub(crate) fn verify(file: &[u8], channel: &str) -> Result<Accepted, Refusal> {
    let statement = AnyProofFile::decode(file).map_err(Refusal::File)?;
    if statement.protocol != P::NAME || statement.extension_degree != P::DEGREE as u64 {
        let AnyProofFile { protocol, extension_degree: degree, .. } = statement;
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
    let AnyProofFile { log_rows, options, proof, .. } = &statement;
    let checked = goldilocks_verifier::check_length::<P>(&layout, *log_rows, options, proof.len());
    checked.map_err(|error| match error {
        VerifyError::Options(error) => Refusal::Options(error),
        VerifyError::Decode(error) => Refusal::Proof(error),
        error => error.into(),
    })?;
    let recorded = air::record(&*air).map_err(|error| Refusal::Statement(error.to_string()))?;
    let verified = goldilocks_verifier::verify_any(&recorded, options, Seed::Default, proof, &Policy::default())?;
    Ok(Accepted {
        protocol: P::NAME,
        options: listed(options),
        proof_bytes: proof.len(),
        air: statement.air,
        log_rows: statement.log_rows,
        parameters: statement.parameters,
        public_inputs: statement.public_inputs.iter().map(|input| input.value()).collect(),
        security: verified.security,
    })
}

/// The statement of a file; its public inputs are the AIR's.
fn stated(statement: &AnyProofFile) -> Result<alloc::sync::Arc<dyn airs::ExampleAir<P>>, Refusal> {
    let AnyProofFile { air: name, log_rows, parameters, .. } = statement;
    let info = airs::all().iter().find(|info| info.name == name).ok_or_else(|| Refusal::ForeignAir {
        name: name.clone(),
        known: airs::all().iter().map(|info| info.name).collect(),
    })?;
    // Parameters that a file leaves out where they have their default are missing, or have another value.
    let left_out = |param: &&airs::ParamInfo| param.unstated && !parameters.contains_key(param.name);
    for param in info.params.iter().filter(|param| param.unstated) {
        let default = param.default.map(|default| default.value(1 << log_rows));
        if default.is_some() && parameters.get(param.name).copied() == default {
            let reason = format!("files of `{name}` leave `{}` out where it has its default", param.name);
            return Err(Refusal::Statement(reason));
        }
    }
    let stated = info.params.iter().filter(|param| !left_out(param));
    let params = stated.map(|param| (param.name, param.summary)).collect();
    NamedAir { name: info.name, log_rows: LEAST_LOG_ROWS..=MOST_LOG_ROWS, params }.check(*log_rows, parameters)?;
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

fn listed(options: &AnyOptions) -> Vec<(&'static str, String)> {
    let mut listed = vec![
        ("blowup", options.blowup().to_string()),
        ("queries", options.queries().to_string()),
        ("proof-of-work bits", options.grinding().to_string()),
        ("coset offset", options.coset_offset().to_string()),
        ("hash", options.tree().to_string()),
    ];
    if let AnyOptions::Compact(compact) = options {
        let numbers = |list: &[u32]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        listed.extend([
            ("format", options.format().to_string()),
            ("out-of-domain points", compact.points.to_string()),
            ("folds", numbers(&compact.folds)),
            ("coefficients of the last layer, log2", compact.log_last.to_string()),
            ("proof-of-work bits of each draw", numbers(&compact.work)),
            ("hides its witness", if compact.hiding.hides() { "yes" } else { "no" }.into()),
        ]);
    }
    listed
}

/// A seed as the command line shows it.
fn shown(seed: &[u8]) -> String {
    let digits = Hex(&seed[..seed.len().min(SHOWN)]);
    match seed.len() {
        0 => "empty".into(),
        length if length > SHOWN => format!("{digits}... ({length} bytes)"),
        _ => digits.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::collections::BTreeMap;
    use alloc::sync::Arc;

    use air::airs::{ExampleAir, FibonacciRap};
    use air::record;
    use backend_cpu::Cpu;
    use goldilocks_proof::compact::{AirDigest, cheapest, encode, shortest};
    use goldilocks_proof::{FixedOptions, lambdaworks};
    use goldilocks_verifier::compact::sizes;
    use goldilocks_verifier::shape_of;
    use proof_format::Profile;
    use prover_core::Silent;
    use prover_core::goldilocks::Prover;

    use super::*;
    use crate::Class;

    /// A compact proof that the default policy takes.
    pub(crate) fn compact_file() -> AnyProofFile {
        let air: Arc<dyn ExampleAir<P>> = Arc::new(FibonacciRap::new(64, 40).unwrap());
        let recorded = record(&*air).unwrap();
        let (given, sizes) = (FixedOptions::default(), sizes(&air.layout(), 6));
        let base = shortest(&lambdaworks::Options::default(), &given, &sizes).unwrap();
        let options = cheapest(Profile::DEFAULT, &given, &base, &sizes, &shape_of(&recorded)).unwrap();
        let prover = Prover::new(Arc::new(Cpu::<P>::new()), air.clone()).unwrap();
        let proof = prover.prove(&air.trace(), &options, AirDigest::OfAir, &Silent).unwrap();
        AnyProofFile {
            protocol: P::NAME.into(),
            extension_degree: 3,
            air: "fibonacci-rap".into(),
            parameters: BTreeMap::from([("steps".into(), 40)]),
            log_rows: 6,
            proof: encode(&proof, &options),
            options: options.into(),
            seed: None,
            public_inputs: air.public_inputs(),
        }
    }

    #[test]
    fn a_compact_file_is_verified() {
        let statement = compact_file();
        let file = statement.encode().unwrap();
        let accepted = verify(&file, "").unwrap();
        assert_eq!((accepted.security.provable.bits, accepted.proof_bytes), (100, statement.proof.len()));
        assert!(accepted.options.contains(&("format", "compact".into())));
        for at in (file.len() - statement.proof.len()..file.len()).step_by(1009) {
            let mut other = file.clone();
            other[at] ^= 1;
            let refusal = verify(&other, "").unwrap_err();
            assert!(matches!(refusal, Refusal::Goldilocks(_)), "{at}: {refusal}");
        }
        // A statement of other steps, and one that asks for less work.
        let other = AnyProofFile { parameters: BTreeMap::from([("steps".into(), 41)]), ..statement.clone() };
        assert!(verify(&other.encode().unwrap(), "").is_err());
        let AnyOptions::Compact(mut options) = statement.options.clone() else { panic!("it is compact") };
        options.queries = 1;
        let cheap = AnyProofFile { options: options.into(), ..statement };
        let refusal = verify(&cheap.encode().unwrap(), "").unwrap_err();
        assert!(matches!(refusal.class(), Class::Invalid | Class::Refused), "{refusal}");
    }
}
