//! Compact proofs take the way of all others.

use std::ops::ControlFlow;

use goldilocks_proof::compact::shortest;
use goldilocks_proof::{AnyOptions, FixedOptions, Format, lambdaworks};
use goldilocks_verifier::compact::sizes;
use gpu_hal::HashFn;
use proof_format::Profile;

use super::{Airs, Device, Expect, ExpectOptions, GoldilocksError, Policy, Request, key};
use crate::error::{Class, Error};
use crate::statements::statement::Ready as _;
use crate::system::FileContents;

/// A request for a compact proof that the default policy takes.
fn request(airs: &Airs, rows: u64) -> Request {
    let mut request = Request::new("fibonacci-rap", rows);
    let layout = airs.build(&request).expect("a statement").air.layout();
    let sizes = sizes(&layout, rows.ilog2());
    let base = shortest(&lambdaworks::Options::default(), &FixedOptions::default(), &sizes).expect("options");
    request.options = base.into();
    request.options = airs.cheapest(&request, &FixedOptions::default(), Profile::DEFAULT).expect("in reach");
    request
}

#[test]
fn a_compact_proof_is_planned_proven_and_verified() {
    let (device, airs) = (Device::open("cpu", Some(2)).expect("the processor"), Airs::default());
    let request = request(&airs, 256);
    assert_eq!(request.options.format(), Format::Compact);
    let ready = device.ready(&request).expect("it can be proven");
    assert!(ready.footprint().peak_bytes > 0 && !ready.steps().expect("known").is_empty());
    let compact = ready.prove(&|_| ControlFlow::Continue(())).expect("a proof");
    let verify =
        |options, policy: &Policy| airs.verify_file(&compact.file, policy, &Expect { options, ..Expect::default() });
    let report = verify(ExpectOptions::default(), &Policy::default()).expect("by default");
    assert_eq!((report.security.provable.bits, &report.options), (100, &request.options));
    assert_eq!(airs.rounds(&report.file).expect("rounds").security(), report.security);
    let found = ExpectOptions {
        format: Some(Format::Compact),
        hash: Some(HashFn::Keccak256),
        queries: Some(request.options.queries()),
        grinding: Some(request.options.grinding()),
        ..ExpectOptions::default()
    };
    assert!(verify(found, &Policy::default()).is_ok());
    let other = ExpectOptions { format: Some(Format::Lambdaworks), ..ExpectOptions::default() };
    let refused = verify(other, &Policy::default()).expect_err("another format");
    assert!(matches!(refused, Error::Expectation(_)), "{refused}");
    // The key of the statement admits it, that of another number of steps does not.
    let with_key = |steps| {
        let mut of = Request::new("fibonacci-rap", 256);
        of.parameters.insert("steps".to_owned(), steps);
        let key = key(&*airs.build(&of).expect("a statement").air, request.options.suite()).expect("a sound AIR");
        verify(ExpectOptions { key: Some(key), ..ExpectOptions::default() }, &Policy::default())
    };
    assert!(with_key(255).is_ok());
    let refused = with_key(254).expect_err("another statement");
    assert!(refused.to_string().contains("the digest of the AIR is "), "{refused}");
    let dearer = Policy::asking(Profile { bits: 101, ..Profile::DEFAULT });
    assert!(matches!(verify(ExpectOptions::default(), &dearer), Err(Error::Policy(_))));

    // The other format is longer by far.
    let of = |format| Request { options: AnyOptions::for_rows(format, 256), ..Request::new("fibonacci-rap", 256) };
    assert_eq!(Request::new("fibonacci-rap", 256), of(Format::Compact), "the default");
    let long = device.prove(&of(Format::Lambdaworks)).expect("a proof");
    assert!(compact.file.len() * 5 < long.file.len() * 2, "{} {}", compact.file.len(), long.file.len());

    // No byte of the proof can be another one. The last bytes of the file are those of the proof.
    let FileContents { proof, .. } = <gpu_hal::GoldilocksStark as crate::ProofSystem>::stated(&report.file);
    let start = compact.file.len() - proof.len();
    for at in (start..compact.file.len()).step_by(997) {
        let mut file = compact.file.clone();
        file[at] ^= 1;
        let refused = airs.verify_file(&file, &Policy::ANY, &Expect::default()).expect_err("another byte");
        assert_eq!(refused.class(), Class::Invalid, "{at}: {refused}");
    }
    for file in [&compact.file[..compact.file.len() - 1], &[&compact.file[..], &[0]].concat()] {
        assert!(airs.verify_file(file, &Policy::ANY, &Expect::default()).is_err());
    }
    // A version that does not exist is named.
    let mut newer = compact.file.clone();
    newer[8] = 9;
    let refused = airs.verify_file(&newer, &Policy::ANY, &Expect::default()).expect_err("another version");
    assert!(refused.to_string().contains("version 9"), "{refused}");
}

#[test]
fn a_compact_proof_has_no_seed() {
    let (device, airs) = (Device::open("cpu", Some(1)).expect("the processor"), Airs::default());
    let mut request = request(&airs, 16);
    request.extras.seed = Some(Vec::new());
    let refused = device.prove(&request).expect_err("a seed");
    assert!(matches!(refused.specific(), Some(GoldilocksError::Prove(_))), "{refused}");
    assert!(refused.to_string().contains("takes no transcript seed"), "{refused}");
}

#[test]
fn options_that_are_given_are_taken() {
    let airs = Airs::default();
    let request = request(&airs, 1 << 10);
    let cheapest = |given: &FixedOptions| airs.cheapest(&request, given, Profile::DEFAULT);
    let given = FixedOptions {
        blowup: Some(8),
        points: Some(2),
        folds: Some(vec![0, 2, 4]),
        work: Some(vec![0, 1, 2, 3, 0, 4, 5, 17]),
        ..FixedOptions::default()
    };
    let Ok(AnyOptions::Compact(found)) = cheapest(&given) else { panic!("they reach 100 bits") };
    assert_eq!((found.blowup, found.points, found.log_last), (8, 2, 4));
    assert_eq!((Some(found.folds), Some(found.work)), (given.folds.clone(), given.work.clone()));
    for wrong in [vec![], vec![2, 0], vec![5], vec![4, 4, 4]] {
        assert!(cheapest(&FixedOptions { folds: Some(wrong), work: None, ..given.clone() }).is_err());
    }
    assert!(cheapest(&FixedOptions { work: Some(vec![0; 7]), ..given }).is_err());
    assert!(cheapest(&FixedOptions { blowup: Some(0), ..FixedOptions::default() }).is_err());
}
