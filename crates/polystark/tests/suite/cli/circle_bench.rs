//! `bench` of the Circle protocol.

use std::collections::BTreeSet;

use polystark::hal::Operation;
use serde_json::Value;

use super::bench::{SPEEDS, check_well_formed, is_same, milliseconds, read, rows};
use super::common::{json, run, text, words};

/// The operation of that name.
fn of<'v>(view: &'v Value, name: &str) -> &'v Value {
    let operations = view["operations"].as_array().unwrap();
    operations.iter().find(|operation| operation["name"] == name).unwrap_or_else(|| panic!("{name}: {view}"))
}

#[test]
fn a_circle_proof_is_measured_against_its_floor() {
    let folder = tempfile::tempdir().unwrap();
    let (file, html) = (folder.path().join("proof.json"), folder.path().join("proof.html"));
    let line = "bench proof --protocol circle --air fibonacci --rows 256 --param a=3 --log-blowup 2 --queries 5 --pow-bits 3 \
                --fold-step 1 --log-last 1 --lifting none --runs 2 --sweep 4..6 --backend cpu --blake2s 0.01";
    let files = ["--json-file", text(&file), "--html", text(&html)];
    let ran = words(line, &[&files[..], &SPEEDS[..]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let view: Value = serde_json::from_str(&read(&file)).unwrap();
    let page = read(&html);
    check_well_formed(&page);
    for (name, value) in [("status", "measured"), ("protocol", "circle"), ("backend", "cpu"), ("air", "fibonacci")] {
        assert_eq!(view[name], value);
    }
    assert_eq!((&view["rows"], &view["parameters"]), (&256.into(), &serde_json::json!({"a": 3, "b": 1})));
    assert_eq!(view["options"]["fold_step"], 1);
    assert_eq!(view["security"]["claimed_bits"], 3 + 2 * 5);
    assert_eq!((&view["verified"], &view["trace"]), (&true.into(), &"upload".into()));
    for time in ["prove", "verify"] {
        assert!(view[time]["median_seconds"].as_f64().unwrap() > 0.0, "{view}");
    }
    assert!(view["preparation_seconds"].as_f64().unwrap() > 0.0);
    let peaks = ["measured_peak_bytes", "planned_peak_bytes"].map(|name| view[name].as_u64().unwrap());
    assert!(0 < peaks[0] && peaks[0] <= peaks[1], "{peaks:?}");
    assert_eq!(view["phases"].as_array().unwrap().len(), 8);
    assert_eq!(view["sizes"].as_array().unwrap().len(), 3);

    let operations = view["operations"].as_array().unwrap();
    let floors: f64 = operations.iter().filter_map(|operation| operation["floor_seconds"].as_f64()).sum();
    assert!((view["floor_seconds"].as_f64().unwrap() - floors).abs() < floors * 1e-4, "{view}");
    let rows = rows(&page);
    for operation in operations {
        let row = rows.iter().find(|row| operation["name"] == row[0]).unwrap_or_else(|| panic!("{operation}"));
        assert!(is_same(milliseconds(row[2]), &operation["median_seconds"]), "{row:?}");
        // The host's clock tells nothing of kernels.
        assert_eq!((&operation["launches"], row[5]), (&Value::Null, "-"));
    }
    // By hand: one column of 2^8 rows goes up. Leaves of three trees at 2^10 rows of 1, 8 and 4 columns take one
    // compression, nodes one; then layers of 2^9 to 2^4 values.
    assert_eq!(of(&view, "upload_lde")["uploaded_bytes"], 256 * 4);
    let compressions = 2.0 * 2047.0 + (4..=10).map(|log| f64::from((2 << log) - 1)).sum::<f64>();
    let floor = of(&view, "merkle")["floor_seconds"].as_f64().unwrap();
    assert!((floor - compressions / 0.01e9).abs() < floor * 1e-5, "{floor}");
    assert_eq!(of(&view, "fri_fold")["calls"], 7);
    assert!(ran.stdout.contains("preparation") && ran.stdout.contains("the proof is valid"), "{ran:?}");
}

#[test]
fn a_trace_of_the_device_is_measured_too() {
    for (protocol, air, options) in
        [("circle", "plonk", "--pow-bits"), ("goldilocks", "simple-fibonacci", "--grinding")]
    {
        let measure = |origin: &str| {
            let line = "bench proof --json --rows 64 --runs 1 --backend cpu-reference";
            let more = ["--protocol", protocol, "--air", air, options, "2", "--trace-from", origin];
            let view = json(&words(line, &[&more[..], &SPEEDS[..]].concat()));
            assert_eq!((&view["trace"], &view["verified"]), (&origin.into(), &true.into()), "{view}");
            view
        };
        let (device, upload) = (measure("device"), measure("upload"));
        assert_eq!(device["proof"]["sha256"], upload["proof"]["sha256"]);
        assert!(device["uploaded_bytes"].as_u64() < upload["uploaded_bytes"].as_u64(), "{protocol}");
        assert!(of(&device, "recurrence")["least_bytes"].as_f64().unwrap() > 0.0);
        assert!(of(&upload, "upload_lde")["floor_seconds"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn every_circle_operation_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("ops.html");
    let line = "bench ops --json --protocol circle --size small --runs 1 --backend cpu --blake2s 0.01 --html";
    let view = json(&words(line, &[&[text(&html)], &SPEEDS[..]].concat()));
    check_well_formed(&read(&html));
    assert_eq!((&view["protocol"], &view["backend"]), (&"circle".into(), &"cpu".into()));
    let operations = view["operations"].as_array().unwrap();
    let named: BTreeSet<&str> = operations.iter().filter_map(|operation| operation["operation"].as_str()).collect();
    assert_eq!(named, Operation::ALL.iter().map(|operation| operation.name()).collect());
    for operation in operations {
        let name = operation["operation"].as_str().unwrap();
        assert_eq!(operation["skipped"], Value::Null, "{operation}");
        assert!(operation["median_seconds"].as_f64().unwrap() > 0.0, "{operation}");
        let has_floor = !["sync", "root", "open", "prepare"].contains(&name);
        assert_eq!(operation["floor_seconds"].as_f64().is_some_and(|floor| floor > 0.0), has_floor, "{operation}");
    }
    // The formulas, by hand: 2^16 x 64 elements of four bytes read and written once by a processor; 2^17 - 1
    // compressions of a tree whose leaves are a block; six columns read and written by a fold, of 2^16 rows.
    assert_eq!(of(&view, "ntt x 64 2^16")["bytes"], f64::from(64 << 16) * 8.0);
    assert_eq!(of(&view, "merkle blake2s x 16 2^16")["made"], f64::from((1 << 17) - 1));
    assert_eq!(of(&view, "merkle blake2s x 16 2^16")["bound"], "arithmetic");
    for fold in ["fri_fold 2^16", "fri_fold, line 2^16"] {
        assert_eq!(of(&view, fold)["bytes"], f64::from(6 << 16) * 4.0);
    }
}

#[test]
fn a_circle_proof_that_does_not_fit_is_skipped() {
    // A trace of 2^28 rows of 100 columns is 100 GiB, its extension 400.
    let line =
        "bench proof --json --protocol circle --air wide-fibonacci --rows 64 --sweep 28..28 --runs 1 --pow-bits 1";
    let view = json(&words(line, &[&["--backend", "cpu"], &SPEEDS[..]].concat()));
    assert!(view["sizes"][0]["skipped"].as_str().unwrap().contains("of memory"), "{view}");
}

#[test]
fn bad_circle_requests_end_with_2() {
    for (line, needed) in [
        ("--air no-such-air", "no-such-air"),
        ("--air fibonacci --rows 48", "cannot have 48 rows: a power of two"),
        ("--air fibonacci --param c=1", "`c`"),
        ("--air range-squares", "table"),
        ("--air fibonacci --rows 64 --sweep 29..30", "2^30"),
        ("--log-blowup 0", "2^0"),
        ("--fold-step 20 --rows 64", "fold"),
        ("--lifting 12 --rows 64", "12"),
        ("--rows 64 --lifting 8 --sweep 5..5", "8"),
        ("--blowup 4", "--blowup does not exist for the circle protocol"),
        ("--grinding 4", "--grinding does not exist for the circle protocol"),
        ("--trace-from nowhere", "possible values: upload, device"),
        ("--backend abacus", "abacus"),
    ] {
        let ran = run("bench proof --protocol circle".split(' ').chain(line.split(' ')));
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
        assert!(ran.stderr.contains(needed), "{line}: {ran:?}");
    }
    for flag in ["--log-blowup", "--pow-bits", "--fold-step", "--log-last", "--lifting"] {
        let ran = run(["bench", "proof", flag, "1"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("{flag} does not exist for the goldilocks protocol")), "{ran:?}");
    }
    let ran = run(["bench", "proof", "--air", "quadratic", "--rows", "64", "--trace-from", "device", "--runs", "1"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}
