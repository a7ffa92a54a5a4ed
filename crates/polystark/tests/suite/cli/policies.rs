//! What a policy refuses ends with 4, and names the flag that admits it: the proof may be valid.

use polystark::circle_proof::policy::MIN_SECURITY_BITS;

use super::common::{Proved, Ran, json, run, text, words};

fn verify(proved: &Proved, arguments: &[&str]) -> Ran {
    run([&["verify", text(&proved.file)], arguments].concat())
}

/// Runs with flags that the proof meets, and with the next stricter ones.
fn check(proved: &Proved, admitted: &[&str], refused: &[&str]) {
    let ran = verify(proved, admitted);
    assert_eq!(ran.code, 0, "{admitted:?}: {ran:?}");
    let ran = verify(proved, refused);
    assert_eq!(ran.code, 4, "{refused:?}: {ran:?}");
    assert!(ran.stderr.contains("refused by policy") && !ran.stderr.contains("not valid"), "{ran:?}");
    let flag = refused.iter().rfind(|word| word.starts_with("--")).unwrap();
    let flag = if *flag == "--security" { "--min-security-bits" } else { flag };
    assert!(ran.stderr.contains(flag), "{flag} is not named: {ran:?}");
    assert_eq!(json(&verify(proved, &[refused, &["--json"]].concat()))["status"], "refused by policy");
}

/// The bits that `verify` prints, of one kind.
fn bits(proved: &Proved, kind: &str) -> u64 {
    json(&verify(proved, &["--json"]))["security"][format!("{kind}_bits")].as_u64().unwrap()
}

#[test]
fn bits_of_each_kind_of_both_protocols() {
    let circle = "prove --protocol circle --air plonk --rows 32 --backend cpu-reference --pow-bits 10 --queries 43";
    for proved in [Proved::small(), Proved::new(circle)] {
        let kinds = ["claimed", "conjectured", "provable"];
        let all = kinds.map(|kind| bits(&proved, kind));
        assert!(all[0] >= all[1] && all[1] > all[2], "{all:?}");
        for (kind, bits) in kinds.into_iter().zip(all) {
            let (met, missed) = (bits.to_string(), (bits + 1).to_string());
            let flags = |bits| ["--security", kind, "--min-security-bits", bits];
            check(&proved, &flags(&met), &flags(&missed));
        }
        let length = proved.bytes().len();
        let (met, missed) = (length.to_string(), (length - 1).to_string());
        check(&proved, &["--max-bytes", &met], &["--max-bytes", &missed]);
        assert_eq!(verify(&proved, &["--security", "provable"]).code, 4);
    }
    let proved = Proved::new(circle);
    check(&proved, &["--max-cells", "128"], &["--max-cells", "127"]);
}

#[test]
fn the_help_says_what_the_default_policy_asks_for() {
    let help = words("verify --help", &[]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let (goldilocks, circle) = (polystark::proof_format::policy::MIN_SECURITY_BITS, MIN_SECURITY_BITS);
    assert!(help.contains(&format!("[default: {goldilocks} for goldilocks; {circle} for circle")), "{help}");
    let asked = |proved: Proved| json(&verify(&proved, &["--json"]))["min_security_bits"].clone();
    assert_eq!(asked(Proved::small()), goldilocks);
    // Two bits a query: as many as are asked of queries and work, and one less.
    let proved = Proved::new("prove --protocol circle --air plonk --rows 32 --pow-bits 0 --queries 48");
    assert_eq!(asked(proved), circle);
    let proved = Proved::new("prove --protocol circle --air plonk --rows 32 --pow-bits 1 --queries 47");
    assert_eq!(verify(&proved, &[]).code, 4);
    assert_eq!(verify(&proved, &["--min-security-bits", "95"]).code, 0);
}

/// 1000 queries of two bits each are 2020 bits for stwo. The field and the hash function are not worth as many.
#[test]
fn claimed_bits_are_those_of_the_weakest_round() {
    for options in ["--protocol circle --air plonk --pow-bits 20", "--air quadratic --grinding 20"] {
        let proved = Proved::new(&format!("prove {options} --rows 64 --queries 1000"));
        let claimed = bits(&proved, "claimed");
        assert!((96..=128).contains(&claimed), "{claimed}");
        assert_eq!(verify(&proved, &["--security", "claimed", "--min-security-bits", "600"]).code, 4);
    }
}

#[test]
fn whoever_proves_is_told_what_verifiers_need() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --protocol circle --air plonk --rows 32 --pow-bits 1 --queries 3";
    let made = words(line, &["-o", text(&file)]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.stderr.contains("--min-security-bits 7"), "{made:?}");
    assert_eq!(run(["verify", text(&file)]).code, 4);
    assert_eq!(run(["verify", text(&file), "--min-security-bits", "7"]).code, 0);
    let made = words("prove --air quadratic --rows 64 --transcript-seed 00ff", &["-o", text(&file)]);
    assert!(made.stderr.contains("--expect-seed '00ff'"), "{made:?}");
    assert_eq!(run(["verify", text(&file), "--expect-seed", "00ff"]).code, 0);
}

/// The digest is the statement. Whoever insists on the number that its leaves are made from has it computed anew.
#[test]
fn the_preimage_of_a_digest_is_not_in_the_file() {
    for (air, rows) in [("poseidon2", 16), ("rpo-m31", 16), ("blake2s", 32)] {
        let line = format!("prove --protocol circle --air {air} --rows {rows} --param s=5 --pow-bits 16");
        let proved = Proved::new(&line);
        let file = polystark::circle_proof::ProofFile::decode(&proved.bytes()).unwrap();
        assert!(file.parameters.is_empty(), "{air}");
        assert_eq!(verify(&proved, &[]).code, 0, "{air}");
        assert_eq!(verify(&proved, &["--expect-param", "s=5"]).code, 0, "{air}");
        let other = verify(&proved, &["--expect-param", "s=6"]);
        assert_eq!(other.code, 1, "{air}: {other:?}");
        assert!(other.stderr.contains("s=6"), "{other:?}");
    }
    let wide = "prove --protocol circle --air wide-fibonacci --rows 16 --param w=4 --param s=9 --pow-bits 16";
    assert_eq!(verify(&Proved::new(wide), &["--expect-param", "s=9"]).code, 1, "no proof says anything about this one");
}
