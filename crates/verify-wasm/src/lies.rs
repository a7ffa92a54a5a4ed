//! Every lie that a file can tell around an honest proof, to the verifier of whole files.

use adversary::liar::file::{Check, Lie};
use adversary::liar::{circle, goldilocks};
use air::airs::SimpleFibonacci;
use air::{Air, ExampleAir};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use circle_air::airs::{self, ParamKind};
use circle_proof::{CircleOptions, ProofFile};
use goldilocks_proof::{AnyProofFile, Suite, lambdaworks};
use gpu_hal::Protocol;

use crate::{Class, Refusal, verify};

type P = goldilocks::Cubic;

/// 100 bits of queries alone: the default policy takes it.
fn goldilocks_file() -> AnyProofFile {
    let air = SimpleFibonacci::new(16).unwrap();
    let options =
        lambdaworks::Options { blowup: 4, queries: 160, grinding: 0, coset_offset: 3, suite: Suite::Keccak256 };
    let trace = ExampleAir::<P>::trace(&air);
    AnyProofFile {
        protocol: P::NAME.into(),
        extension_degree: 3,
        air: Air::<P>::name(&air).into(),
        parameters: BTreeMap::new(),
        log_rows: 4,
        options: options.into(),
        seed: None,
        public_inputs: Air::<P>::public_inputs(&air),
        proof: goldilocks::Liar::new(&air, &trace, options).prove().unwrap(),
    }
}

/// An AIR with lookups.
const NAME: &str = "range-squares";

fn circle_file(suite: circle_proof::Suite) -> ProofFile {
    let air = airs::build(NAME, 4, &[("table".into(), "4".into())]).unwrap();
    let options = CircleOptions { pow_bits: 0, queries: 170, fold_step: 1, suite, ..CircleOptions::default() };
    let forged = circle::Liar::new(&*air, &air.trace(), options).prove().unwrap();
    let info = airs::all().iter().find(|info| info.name == NAME).unwrap();
    let is_public = |name: &str| info.params.iter().any(|param| param.name == name && param.kind == ParamKind::Public);
    let parameters = [("table".into(), 4)].into_iter().filter(|(name, _): &(String, u64)| is_public(name)).collect();
    ProofFile {
        air: NAME.into(),
        parameters,
        log_rows: 4,
        words: air.words(),
        claimed_sums: forged.sums.clone(),
        proof: circle_proof::encode(&forged.proof),
        suite: options.suite,
    }
}

fn check_of(refusal: &Refusal) -> Check {
    match refusal {
        Refusal::File(_) | Refusal::Protocol { .. } => Check::File,
        Refusal::ForeignAir { .. } => Check::Air,
        Refusal::Statement(_) => Check::Statement,
        Refusal::Seed(_) => Check::Seed,
        Refusal::PublicInputs(_) => Check::PublicInputs,
        Refusal::Options(_) | Refusal::Proof(_) | Refusal::Goldilocks(_) | Refusal::Circle(_) => Check::Proof,
        _ => panic!("{refusal}"),
    }
}

/// Tells every lie where a channel is asked for; returns how many there were to tell.
fn tell(channel: &str, file: &dyn Fn(Lie) -> Option<Vec<u8>>) -> usize {
    let told = Lie::ALL.iter().filter_map(|&lie| Some((lie, file(lie)?)));
    let refused = |(lie, bytes): (Lie, Vec<u8>)| {
        let refusal = verify(&bytes, channel).expect_err(&format!("{lie:?}"));
        assert_eq!(check_of(&refusal), lie.check(), "{lie:?}: {refusal}");
    };
    told.map(refused).count()
}

#[test]
fn files_of_goldilocks() {
    let file = goldilocks_file();
    let accepted = verify(&file.encode().unwrap(), "");
    assert!(accepted.is_ok(), "{accepted:?}");
    assert_eq!(tell("", &|lie| lie.goldilocks(&file)), Lie::ALL.len() - 1, "there are no claimed sums");
    let file = crate::goldilocks::tests::compact_file();
    assert!(verify(&file.encode().unwrap(), "").is_ok());
    assert_eq!(tell("", &|lie| lie.goldilocks(&file)), Lie::ALL.len() - 3, "nor a seed, nor public inputs");
}

#[test]
fn files_of_circle() {
    for suite in circle_proof::Suite::ALL {
        let file = circle_file(suite);
        let bytes = file.encode().unwrap();
        let accepted = verify(&bytes, suite.name());
        assert!(accepted.is_ok(), "{suite}: {accepted:?}");
        let told = tell(suite.name(), &|lie| lie.circle(&file));
        assert_eq!(told, Lie::ALL.len() - 4, "{suite}: no coset, no seed, rows and protocol");
        // Another channel is refused by policy, and the default one is blake2s.
        for other in circle_proof::Suite::ALL.into_iter().filter(|other| *other != suite) {
            let refused = verify(&bytes, other.name()).unwrap_err();
            assert_eq!(refused.class(), Class::Refused, "{suite}, {other}: {refused}");
        }
        assert_eq!(verify(&bytes, "").is_ok(), suite == circle_proof::Suite::default());
        assert_eq!(verify(&bytes, "blake3").unwrap_err().class(), Class::Input);
    }
    let goldilocks = goldilocks_file().encode().unwrap();
    assert_eq!(verify(&goldilocks, "blake2s_m31").unwrap_err().class(), Class::Input);
}
