//! One default of all: nothing is proven that verifiers refuse unless they are told more.

use std::time::{Duration, Instant};

use polystark::circle_proof::{ProofFile, Suite};
use polystark::proof_format::Security;
use polystark::{
    Airs, Error, Goldilocks3, ParamKind, Profile, ProofSystem, Request, circle, circle_proof, goldilocks, verify_file,
};

use crate::cli::common::{run, text, words};

/// Log2 of the rows that are planned.
const LOGS: [u32; 8] = [10, 12, 14, 16, 18, 20, 22, 24];

/// The plan of `prove` for a statement that is asked for by name alone: the options that it takes, or its message on
/// the security that they could have.
fn planned<F: ProofSystem>(request: &mut Request<F>, air: &F::Air) -> Result<(), Profile> {
    match F::cheapest(request, air, &F::FixedOptions::default(), Profile::DEFAULT) {
        Ok(options) => request.options = options,
        Err(Error::OutOfReach(out)) => return Err(Profile { bits: out.most.bits, ..out.profile }),
        Err(error) => panic!("{}: {error}", request.air),
    }
    Ok(())
}

/// Whether the default policy takes the planned options. If planning fails, it must refuse the options for the most
/// that the error names.
fn check<F: ProofSystem>(
    mut request: Request<F>,
    air: &F::Air,
    takes: &dyn Fn(&F::Options, &Security) -> bool,
) -> bool {
    let (name, rows) = (request.air.clone(), request.rows);
    let planned = planned(&mut request, air);
    if let Err(most) = planned {
        assert!(most.bits < Profile::DEFAULT.bits, "{name}, {rows}: {most}");
        request.options =
            F::cheapest(&request, air, &F::FixedOptions::default(), most).expect("what is said to be reached");
    }
    let security = F::rounds_of(&request, air).expect("options that are possible").security();
    assert_eq!(takes(&request.options, &security), planned.is_ok(), "{name}, {rows}: {security:?}");
    planned.is_ok()
}

#[test]
fn what_prove_takes_by_default_verify_takes() {
    let (mut taken, mut refused) = (0, 0);
    let mut count = |is_taken| *(if is_taken { &mut taken } else { &mut refused }) += 1;
    let airs = Airs::<Goldilocks3>::default();
    for family in airs.all() {
        for log in LOGS.into_iter().filter(|log| family.log_rows().contains(log)) {
            let mut request = Request::new(family.name(), 1 << log);
            request.parameters = family.params().iter().map(|param| (param.name.clone(), param.example)).collect();
            let air = airs.build(&request).expect("a statement").air;
            let takes = |_: &_, security: &_| goldilocks::Policy::default().check_security(security).is_ok();
            count(check(request, &*air, &takes));
        }
    }
    let airs = circle::Airs::default();
    for family in airs.all() {
        let mut request = circle::Request::new(family.name(), 1 << LOGS[0]);
        request.parameters = family.params().iter().map(|param| (param.name.clone(), param.example)).collect();
        let words = airs.build(&request).expect("a statement").air.words();
        let has_preimage = family.params().iter().any(|param| param.kind == ParamKind::Preimage);
        for log in LOGS.into_iter().filter(|log| family.log_rows().contains(log)) {
            let request = Request { rows: 1 << log, ..request.clone() };
            let air = if has_preimage {
                // As a verifier has it: no tree of the leaves is made.
                let parameters = airs.public_parameters(&request).expect("parameters");
                let (air, mut words) = (family.name().to_owned(), words.clone());
                words[1] = log;
                let (claimed_sums, proof) = (Vec::new(), Vec::new());
                let suite = Suite::default();
                let file = ProofFile { air, parameters, log_rows: log, words, claimed_sums, proof, suite };
                airs.stated(&file).expect("a statement")
            } else {
                airs.build(&request).expect("a statement").air
            };
            let cells = circle_proof::preprocessed_cells(&*air, request.resolved_options(&*air).lifting);
            let policy = circle::Policy::default();
            policy.check_preprocessed(cells).expect("few cells");
            let takes = |options: &_, security: &_| {
                policy.check_options(options).and_then(|()| policy.check_security(security)).is_ok()
            };
            count(check(request, &*air, &takes));
        }
    }
    assert!(taken > 80 && refused > 10, "{taken} {refused}");
}

#[test]
fn what_is_out_of_reach_is_refused_before_any_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    for line in [
        "--air wide-fibonacci --rows 2^20 --protocol circle",
        "--air blake2s --rows 2^10",
        "--air plonk --rows 2^20",
        "--air fibonacci --rows 2^22",
        "--air rpo-m31 --rows 2^22",
        "--air fibonacci --rows 2^10 --queries 3",
        "--air quadratic --rows 2^10 --queries 3",
    ] {
        let start = Instant::now();
        let ran = words(&format!("prove {line}"), &["-o", text(&file)]);
        assert_eq!((ran.code, file.exists()), (4, false), "{line}: {ran:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "{line}: {:?}", start.elapsed());
        let (_, flag) = ran.stderr.split_once("--security ").expect("a flag");
        let bits =
            flag.split_whitespace().next().and_then(|profile| profile.strip_prefix("provable-")).expect("a profile");
        assert!(bits.parse::<u32>().is_ok_and(|bits| bits < 100), "{line}: {ran:?}");
    }
    // Cells that verifiers do not evaluate by default.
    let line = "prove --air range-squares --rows 2^10 --param table=26 --security provable-60";
    let ran = words(line, &["-o", text(&file)]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("--max-cells 134217728 admits it"), "{ran:?}");
}

/// Proofs of few rows with the library's default options, which had 77 to 93 bits.
#[test]
fn the_library_s_defaults_agree() {
    let device = goldilocks::Device::open("cpu", None).expect("the processor");
    for (air, rows) in [("simple-fibonacci", 4), ("quadratic", 8), ("fibonacci-2-columns", 16)] {
        let proven = device.prove(&goldilocks::Request::new(air, rows)).expect("a proof");
        let report = verify_file(&proven.file, &goldilocks::Policy::default(), &goldilocks::Expect::default());
        assert!(report.expect("by default").security.provable.bits >= 100, "{air} {rows}");
    }
    let device = circle::Device::open("cpu", None).expect("the processor");
    let proven = device.prove(&circle::Request::new("fibonacci", 16)).expect("a proof");
    let verify = |policy| circle::Airs::default().verify_file(&proven.file, &policy, &circle::Expect::default());
    assert!(verify(circle::Policy::default()).expect("by default").security.provable.bits >= 100);
    // A weaker proof is refused before any work, unless it is asked for.
    let mut request = circle::Request::new("fibonacci", 16);
    request.options.queries = 3;
    let refused = device.prove(&request).expect_err("3 queries");
    assert!(matches!(refused, Error::Policy(_)) && refused.to_string().contains("--security provable-2"), "{refused}");
    request.profile = Profile::NONE;
    assert!(device.prove(&request).is_ok());
}

/// A relation that may be used as often as the prime proves nothing.
#[test]
fn lookups_are_fewer_than_the_prime() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    for command in ["prove --security claimed-0 -o".to_owned() + " " + text(&file), "security".to_owned()] {
        let ran = run(command.split(' ').chain(["--air", "plonk", "--rows", "2^29"]));
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.stderr.contains("3221225475 times on all rows, which is not below the prime 2147483647"),
            "{ran:?}"
        );
    }
    assert_eq!(words("security --air plonk --rows 2^28", &[]).code, 0);
}
