//! A policy's refusal ends with 4, and names the flag that admits the proof, which may be valid.

use polystark::Profile;

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
    let flag = if *flag == "--min-security-bits" { "--security" } else { flag };
    assert!(ran.stderr.contains(flag), "{flag} is not named: {ran:?}");
    assert_eq!(json(&verify(proved, &[refused, &["--json"]].concat()))["status"], "refused by policy");
}

/// The bits that `verify` prints, of one kind.
fn bits(proved: &Proved, kind: &str) -> u64 {
    json(&verify(proved, &["--json"]))["security"][format!("{kind}_bits")].as_u64().unwrap()
}

#[test]
fn bits_of_each_kind_of_both_protocols() {
    let circle = "prove --protocol circle --air plonk --rows 32 --backend cpu-reference --pow-bits 10 --queries 139";
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
        assert_eq!(verify(&proved, &["--security", "provable-128"]).code, 4);
    }
    let proved = Proved::new(circle);
    check(&proved, &["--max-cells", "128"], &["--max-cells", "127"]);
}

#[test]
fn the_help_says_what_the_default_policy_asks_for() {
    let default = Profile::DEFAULT;
    for command in ["verify", "prove"] {
        let help = words(&format!("{command} --help"), &[]).stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&format!("[default: {default};")), "{help}");
    }
    let asked = json(&verify(&Proved::small(), &["--json"]));
    let said = (&asked["min_security_bits"], &asked["security_kind"]);
    assert_eq!(said, (&default.bits.into(), &default.kind.name().into()));
}

/// A proof made without any option is verified without any flag, and `security` says the same of the file, of the
/// statement, and of the options that were found.
#[test]
fn defaults_of_who_proves_are_those_of_who_verifies() {
    for line in ["--air fibonacci-rap --rows 64", "--protocol circle --air plonk --rows 32"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let made = json(&words(&format!("prove --json {line} -o"), &[text(&file)]));
        assert_eq!((&made["accepted_by_default"], &made["refusals"]), (&true.into(), &serde_json::json!([])));
        assert_eq!(run(["verify", text(&file)]).code, 0, "{line}");
        let of_file = json(&run(["security", "--json", text(&file)]));
        let of_statement = json(&words(&format!("security --json {line}"), &[]));
        assert_eq!(of_statement["cheapest_for"], "provable-100");
        for part in ["options", "security", "rounds", "analyses"] {
            assert_eq!(of_file[part], of_statement[part], "{line}: {part}");
        }
        // The table alone has the first-order figure where nobody asks for it.
        let mut security = of_file["security"].clone();
        security.as_object_mut().unwrap().retain(|figure, _| !figure.starts_with("first_order"));
        assert_eq!((&of_file["options"], &security), (&made["statement"]["options"], &made["security"]));
        // The figures are minima of the table; the work stands in one round, and counts there.
        let (rounds, analyses) = (of_file["rounds"].as_array().unwrap(), of_file["analyses"].as_array().unwrap());
        let least =
            |analysis: usize| rounds.iter().map(|round| round["bits"][analysis].as_u64().unwrap()).min().unwrap();
        let bits = |kind: &str| of_file["security"][format!("{kind}_bits")].as_u64().unwrap();
        assert_eq!(
            (analyses[2]["name"].as_str(), analyses[3]["name"].as_str()),
            (Some("unique decoding"), Some("Johnson"))
        );
        assert_eq!(bits("provable"), least(2).max(least(3)));
        assert_eq!(bits("claimed"), least(0).max(bits("conjectured")));
        let work: Vec<u64> = rounds.iter().map(|round| round["work"].as_u64().unwrap()).collect();
        assert!(work.iter().rev().skip(1).all(|&work| work == 0) && work.last() > Some(&0), "{work:?}");
        let shown = run(["security", text(&file)]).stdout;
        assert!(shown.contains("unique decoding") && shown.contains("out-of-domain point"), "{shown}");
    }
}

/// The newer figure is asked for by its name, to prove and to verify; `provable` means what it meant.
#[test]
fn the_first_order_figure_is_asked_for_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for format in ["lambdaworks", "compact"] {
        let line = "prove --json --air fibonacci-rap --rows 1024 --blowup 4 --security first-order-60 --format";
        let made = json(&words(line, &[format, "-o", text(&file)]));
        let bits = |figure: &str| made["security"][figure].as_u64().unwrap();
        assert!(bits("first_order_bits") == 60 && bits("provable_bits") < 60, "{made}");
        assert_eq!(run(["verify", text(&file), "--security", "first-order-60"]).code, 0);
        for refusing in ["provable-60", "first-order-61"] {
            let refused = run(["verify", text(&file), "--security", refusing]);
            assert_eq!(refused.code, 4, "{format}, {refusing}");
            assert!(refused.stderr.contains("admits it"), "{refused:?}");
        }
        let shown = run(["security", text(&file)]).stdout;
        assert!(shown.contains("Johnson 2026") && shown.contains("first order m="), "{format}: {shown}");
    }
}

#[test]
fn a_profile_is_reached_by_the_cheapest_options() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --json --protocol circle --air plonk --rows 32 --security conjectured --bits 60 -o";
    let made = json(&words(line, &[text(&file)]));
    assert_eq!((&made["security"]["conjectured_bits"], &made["accepted_by_default"]), (&60.into(), &false.into()));
    let refused = run(["verify", text(&file)]);
    let flag = format!("provable-{}", made["security"]["provable_bits"]);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains(&format!("--security {flag} admits it")), "{refused:?}");
    for admitted in ["conjectured-60", &flag] {
        assert_eq!(run(["verify", text(&file), "--security", admitted]).code, 0, "{admitted}");
    }
    assert_eq!(run(["verify", text(&file), "--security", "conjectured-61"]).code, 4);
    // Given options stay; the field is worth no more.
    let line = "security --json --air quadratic --rows 1024 --security provable-128";
    let found = json(&words(line, &["--blowup", "8"]));
    assert_eq!((&found["options"]["blowup"], &found["security"]["provable_bits"]), (&8.into(), &128.into()));
    // Nothing is proven, so unreachable sizes are shown.
    let given = json(&words("security --json --air quadratic --rows 1024 --queries 3 --grinding 1", &[]));
    let most = format!("provable-{}", given["security"]["provable_bits"]);
    assert_eq!((&given["options"]["queries"], &given["cheapest_for"]), (&3.into(), &most.into()));
    let refused = words("security --protocol circle --air blake2s --rows 64 --bits 110", &[]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("no options reach provable-110") && refused.stderr.contains("--security provable-9")
    );
    // A file has its own.
    assert_eq!(run(["security", text(&file), "--queries", "3"]).code, 2);
    assert_eq!(run(["security", text(&file), "--bits", "3"]).code, 2);
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
fn nothing_is_proven_that_verifiers_refuse_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --protocol circle --air plonk --rows 32 --pow-bits 1 --queries 3 --log-blowup 2";
    let refused = words(line, &["-o", text(&file)]);
    assert_eq!((refused.code, file.exists()), (4, false), "{refused:?}");
    assert!(
        refused.stderr.contains("no options reach provable-100") && refused.stderr.contains("--security provable-3")
    );
    let made = words(line, &["-o", text(&file), "--security", "provable-3"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.stderr.contains("--security provable-3"), "{made:?}");
    assert_eq!(run(["verify", text(&file)]).code, 4);
    assert_eq!(run(["verify", text(&file), "--security", "provable-3"]).code, 0);
    let made =
        words("prove --air quadratic --rows 64 --format lambdaworks --transcript-seed 00ff", &["-o", text(&file)]);
    assert!(made.stderr.contains("--expect-seed '00ff'"), "{made:?}");
    assert_eq!(run(["verify", text(&file), "--expect-seed", "00ff"]).code, 0);
}

/// The digest is the statement. A verifier that insists on the number of the leaves has it computed anew.
#[test]
fn the_preimage_of_a_digest_is_not_in_the_file() {
    const ASKED: [&str; 2] = ["--security", "provable-90"];
    for (air, rows) in [("poseidon2", 16), ("rpo-m31", 16), ("blake2s", 32)] {
        let line = format!("prove --protocol circle --air {air} --rows {rows} --param s=5 --security provable-90");
        let proved = Proved::new(&line);
        let file = polystark::circle_proof::ProofFile::decode(&proved.bytes()).unwrap();
        assert!(file.parameters.is_empty(), "{air}");
        assert_eq!(verify(&proved, &ASKED).code, 0, "{air}");
        assert_eq!(verify(&proved, &[&ASKED[..], &["--expect-param", "s=5"]].concat()).code, 0, "{air}");
        let other = verify(&proved, &[&ASKED[..], &["--expect-param", "s=6"]].concat());
        assert_eq!(other.code, 1, "{air}: {other:?}");
        assert!(other.stderr.contains("s=6"), "{other:?}");
    }
    let wide = "prove --protocol circle --air wide-fibonacci --rows 16 --param w=4 --param s=9";
    assert_eq!(verify(&Proved::new(wide), &["--expect-param", "s=9"]).code, 1, "no proof says anything about this one");
}
