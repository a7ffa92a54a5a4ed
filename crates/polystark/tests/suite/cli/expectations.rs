//! `verify --expect-...`: each flag accepts the statement that is there and refuses another.

use super::common::{Proved, run, text};

#[test]
fn each_expectation_can_be_met_and_can_fail() {
    let proved = Proved::new(
        "prove --air fibonacci-rap --rows 64 --param steps=20 --blowup 8 --queries 66 --grinding 4 --coset-offset 7 \
         --format lambdaworks --hash poseidon2",
    );
    let file = text(&proved.file);
    for (flag, met, failed, malformed) in [
        ("--expect-air", "fibonacci-rap", "simple-fibonacci", None),
        ("--expect-rows", "64", "128", Some("x")),
        ("--expect-param", "steps=20", "steps=21", Some("steps")),
        ("--expect-param", "steps=0x14", "length=20", Some("=3")),
        ("--expect-public", "", "1", Some("1,,2")),
        ("--expect-hash", "poseidon2", "keccak256", Some("md5")),
        ("--expect-blowup", "8", "4", Some("-1")),
        ("--expect-queries", "66", "67", Some("many")),
        ("--expect-grinding", "4", "5", Some("1.5")),
        ("--expect-coset-offset", "7", "3", Some("seven")),
        ("--expect-seed", "default", "", Some("0")),
    ] {
        let verify = |value: &str| run(["verify", file, &format!("{flag}={value}")]);
        assert_eq!(verify(met).code, 0, "{flag} {met}: {:?}", verify(met));
        let refused = verify(failed);
        assert_eq!(refused.code, 1, "{flag} {failed}");
        assert!(refused.stderr.contains("expected"), "{refused:?}");
        assert!(refused.stdout.is_empty(), "{refused:?}");
        if let Some(malformed) = malformed {
            assert_eq!(verify(malformed).code, 2, "{flag} {malformed}");
        }
    }
}

#[test]
fn public_inputs_are_compared_one_by_one() {
    let proved = Proved::new("prove --air read-only-memory --rows 64");
    let verify = |list: &str| run(["verify", text(&proved.file), "--expect-public", list]).code;
    assert_eq!(verify("4,13,1,4"), 0);
    assert_eq!(verify("0x4, 0xd, 1, 4"), 0);
    for other in ["", "4,13,1", "4,13,1,4,4", "4,13,1,5", "5,13,1,4"] {
        assert_eq!(verify(other), 1, "{other}");
    }
    assert_eq!(verify("18446744069414584325,13,1,4"), 2, "not reduced");
}

#[test]
fn a_given_seed_is_said_and_can_be_insisted_on() {
    let proved = Proved::new("prove --air quadratic --rows 64 --format lambdaworks --transcript-seed 00ff");
    let verify = |seed: &str| run(["verify", text(&proved.file), "--expect-seed", seed]).code;
    assert_eq!((verify("00ff"), verify("00FF")), (0, 0));
    assert_eq!((verify("default"), verify(""), verify("00")), (1, 1, 1));
    assert!(run(["verify", text(&proved.file), "--expect-seed", "00ff"]).stdout.contains("00ff"));
    // A seed may bind nothing, so nobody takes one who does not know it.
    let refused = run(["verify", text(&proved.file)]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("the transcript seed is 00ff, expected: the default"), "{refused:?}");
    let bytes = proved.bytes();
    let report = polystark::verify_file(
        &bytes,
        &polystark::goldilocks::Policy::default(),
        &polystark::goldilocks::Expect::default(),
    );
    assert!(matches!(report, Err(polystark::Error::Expectation(_))), "{report:?}");
}

/// Properties that only proofs of the other protocol have are unmet expectations, not misuse.
#[test]
fn expectations_of_the_other_protocol_are_not_met() {
    let proved = Proved::new("prove --air quadratic --rows 64");
    let circle = ["--expect-log-blowup=2", "--expect-pow-bits=20", "--expect-fold-step=2", "--expect-log-last=0"];
    for flag in circle.into_iter().chain(["--expect-lifting=none"]) {
        let ran = run(["verify", text(&proved.file), flag]);
        assert_eq!(ran.code, 1, "{flag}: {ran:?}");
        assert!(ran.stderr.contains("goldilocks"), "{ran:?}");
    }
}
