//! `bench`: its measurements, and the files that it writes.

use std::collections::BTreeSet;

use polystark::hal::Operation;
use serde_json::Value;

use super::common::{json, run, text, words};

/// Speeds that are given are not measured, which takes a while.
pub(crate) const SPEEDS: [&str; 4] = ["--bandwidth", "50", "--keccak", "0.01"];

pub(crate) fn read(file: &std::path::Path) -> String {
    std::fs::read_to_string(file).expect("the file was written")
}

/// Whether every tag is closed in order, every attribute quoted and every `&` and `<` written as it must be, as any
/// reader of XML asks of a page.
pub(crate) fn check_well_formed(page: &str) {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a page begins with its type");
    let mut open: Vec<&str> = Vec::new();
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        for reference in text.split('&').skip(1) {
            let name = reference.split(';').next().unwrap_or("");
            assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "&{reference}");
        }
        let end = tag.find('>').expect("a tag ends");
        let inside = &tag[1..end];
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{inside}");
        } else if !inside.ends_with('/') {
            open.push(inside.split(' ').next().unwrap_or(""));
        }
        rest = &tag[end + 1..];
    }
    assert_eq!(open, [""; 0]);
    assert!(rest.trim().is_empty() && !page.contains("<script") && !page.contains("src="), "{rest}");
}

/// The cells of the table rows of a page.
pub(crate) fn rows(page: &str) -> Vec<Vec<&str>> {
    page.lines()
        .filter(|line| line.starts_with("<tr><td>"))
        .map(|line| line.split("<td>").skip(1).filter_map(|cell| cell.split("</td>").next()).collect())
        .collect()
}

pub(crate) fn milliseconds(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|error| panic!("{cell}: {error}"))
}

/// Equal to the three digits that a page has.
pub(crate) fn is_same(milliseconds: f64, seconds: &Value) -> bool {
    let seconds = seconds.as_f64().unwrap_or(f64::NAN);
    (milliseconds / 1e3 - seconds).abs() <= seconds.abs() * 0.005
}

/// Whether a page says by which program, when and how it was made, and fits a window of 1280 points.
fn check_made(page: &str, view: &Value, command: &str) {
    let made = &view["made"];
    assert_eq!(made["version"], env!("CARGO_PKG_VERSION"));
    assert!(made["command"].as_str().unwrap().contains(command), "{made}");
    assert!(made["date"].as_str().unwrap().starts_with("20"), "{made}");
    for part in ["version", "commit", "date", "command"] {
        assert!(page.contains(&format!("<dt>{part}</dt>")), "{part}");
    }
    assert!(page.contains("max-width: 76rem") && page.contains("class=\"spread\""), "{page}");
    assert!(page.contains("share of the floor, from 0 to 100 %"), "{page}");
}

#[test]
fn every_operation_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (file, html) = (folder.path().join("ops.json"), folder.path().join("ops.html"));
    let line = "bench ops --size small --runs 2 --backend cpu --json-file";
    let ran = words(line, &[&[text(&file), "--html", text(&html)], &SPEEDS[..]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let view: Value = serde_json::from_str(&read(&file)).unwrap();
    let page = read(&html);
    check_well_formed(&page);
    check_made(&page, &view, "bench ops --size small --runs 2");
    assert_eq!(view["status"], "measured");
    assert_eq!(view["backend"], "cpu");
    assert_eq!(view["speeds"]["memory"], 50.0);
    assert!(view["clock"].as_str().unwrap().contains("host clock"));

    let operations = view["operations"].as_array().unwrap();
    let measured: BTreeSet<&str> = operations.iter().filter_map(|operation| operation["operation"].as_str()).collect();
    assert_eq!(measured, Operation::ALL.iter().map(|operation| operation.name()).collect());
    let rows = rows(&page);
    assert_eq!(rows.len(), operations.len());
    for operation in operations {
        let name = operation["name"].as_str().unwrap();
        let row = rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name}"));
        assert!(ran.stdout.contains(name), "{name}");
        if let Some(why) = operation["skipped"].as_str() {
            // Not every backend has every operation; the report says which.
            assert_eq!((row[1], why), ("the backend has no such operation", row[1]), "{name}");
            continue;
        }
        assert!(is_same(milliseconds(row[1]), &operation["median_seconds"]), "{name}: {row:?}");
        assert!(is_same(milliseconds(row[2]), &operation["lower_quartile_seconds"]), "{name}: {row:?}");
        if let Some(floor) = operation["floor_seconds"].as_f64() {
            let share = floor / operation["median_seconds"].as_f64().unwrap();
            if share > 1.0 {
                // The speeds are not this machine's: such a floor is none.
                assert_eq!((&operation["share_of_floor"], row[8], row[9]), (&Value::Null, "-", "-"), "{name}");
                continue;
            }
            assert!(is_same(milliseconds(row[8]), &floor.into()), "{name}: {row:?}");
            assert!((operation["share_of_floor"].as_f64().unwrap() - share).abs() < share * 1e-4, "{name}");
            let said = row[9].strip_suffix(" %").map(milliseconds).unwrap();
            assert!((said / 100.0 - share).abs() <= share * 0.006, "{name}: {row:?}");
        } else {
            assert_eq!(row[8], "-", "{name}");
            assert!(["sync", "root", "open", "prepare"].contains(&operation["operation"].as_str().unwrap()), "{name}");
        }
    }
    // The formulas, by hand: 2^16 x 16 elements read and written once by a processor; 2^17 - 1 hashes of a tree of 8
    // columns.
    let of =
        |name: &str| operations.iter().find(|operation| operation["name"] == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(of("ntt x 16 2^16")["bytes"], f64::from(16 << 16) * 16.0);
    assert_eq!(of("merkle keccak256 x 8 2^16")["made"], f64::from((1 << 17) - 1));
    assert_eq!(of("merkle keccak256 x 8 2^16")["bound"], "arithmetic");
}

#[test]
fn a_sweep_takes_every_size() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("page.html");
    let line =
        "bench ops --json --sweep 4..6 --operation lde --operation fri_fold --runs 1 --backend cpu-reference --html";
    let view = json(&words(line, &[&[text(&html)], &SPEEDS[..]].concat()));
    let sizes: Vec<_> =
        view["operations"].as_array().unwrap().iter().map(|view| (&view["operation"], &view["log_size"])).collect();
    assert_eq!(sizes.len(), 9);
    assert!(sizes.iter().all(|(operation, _)| *operation == "lde" || *operation == "fri_fold"));
    let page = read(&html);
    check_well_formed(&page);
    // Shares, and a curve for each of two extensions and the fold.
    assert_eq!(page.matches("<figure>").count(), 4);
}

/// Operations without a given size are as large as the machine allows, and no larger than the full sizes.
#[test]
fn sizes_are_chosen_by_the_device() {
    let line = "bench ops --json --operation merkle --runs 1 --warm-up 0 --backend";
    let logs = |backend: &str| -> Vec<u64> {
        let view = json(&words(line, &[&[backend], &SPEEDS[..]].concat()));
        let operations = view["operations"].as_array().unwrap();
        operations.iter().map(|operation| operation["log_size"].as_u64().unwrap()).collect()
    };
    let (fast, slow) = (logs("cpu"), logs("cpu-reference"));
    assert_eq!(fast.len(), slow.len());
    assert!(fast.iter().chain(&slow).all(|log| (10..=24).contains(log)), "{fast:?} {slow:?}");
    assert!(fast.iter().sum::<u64>() > slow.iter().sum(), "{fast:?} {slow:?}");
}

#[test]
fn what_does_not_fit_is_skipped_and_said() {
    let line = "bench ops --json --sweep 32..32 --operation ntt --runs 1 --backend cpu";
    let ran = words(line, &SPEEDS);
    assert_eq!(ran.code, 0, "{ran:?}");
    let view = json(&ran);
    let operations = view["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 5);
    for operation in operations {
        assert!(operation["skipped"].as_str().unwrap().contains("of memory"), "{operation}");
        assert_eq!(operation["median_seconds"], Value::Null);
    }
    // A trace of 2^28 rows of 1000 columns is 2000 GiB.
    let line_of_proof =
        "bench proof --json --air wide --param width=1000 --param degree=2 --rows 64 --sweep 28..28 --runs 1";
    let view = json(&words(line_of_proof, &[&["--backend", "cpu", "--grinding", "1"], &SPEEDS[..]].concat()));
    assert!(view["sizes"][0]["skipped"].as_str().unwrap().contains("of memory"), "{view}");
    let told = words(&line.replace(" --json", ""), &SPEEDS);
    assert!(told.stdout.contains("skipped: ntt x 16 2^32: it takes 640.0 GiB"), "{told:?}");
}

#[test]
fn a_proof_is_measured_against_its_floor() {
    let folder = tempfile::tempdir().unwrap();
    let (file, html) = (folder.path().join("proof.json"), folder.path().join("proof.html"));
    let line = "bench proof --air wide --param width=5 --param degree=3 --rows 64 --grinding 3 --runs 2 --sweep 4..6 --backend cpu";
    let files = ["--json-file", text(&file), "--html", text(&html)];
    let ran = words(line, &[&files[..], &SPEEDS[..]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let view: Value = serde_json::from_str(&read(&file)).unwrap();
    let page = read(&html);
    check_well_formed(&page);
    assert_eq!(page.matches("<figure>").count(), 3);
    let operations = view["operations"].as_array().unwrap();
    let floors: f64 = operations.iter().filter_map(|operation| operation["floor_seconds"].as_f64()).sum();
    assert!((view["floor_seconds"].as_f64().unwrap() - floors).abs() < floors * 1e-4, "{view}");
    let share = floors / view["prove"]["median_seconds"].as_f64().unwrap();
    assert!((view["share_of_floor"].as_f64().unwrap() - share).abs() < share * 1e-3, "{view}");
    check_made(&page, &view, "bench proof --air wide");
    assert!(page.contains(">log2 of the rows<") && page.contains(">million rows/s<"), "{page}");
    let rows = rows(&page);
    for phase in view["phases"].as_array().unwrap() {
        let row = rows.iter().find(|row| phase["name"] == row[0]).unwrap_or_else(|| panic!("{phase}"));
        assert!(is_same(milliseconds(row[1]), &phase["median_seconds"]), "{row:?}");
    }
    for operation in operations {
        let row = rows.iter().find(|row| operation["name"] == row[0]).unwrap_or_else(|| panic!("{operation}"));
        assert!(is_same(milliseconds(row[2]), &operation["median_seconds"]), "{row:?}");
    }
    assert_eq!(view["sizes"].as_array().unwrap().len(), 3);
    assert!(ran.stdout.contains("share of floor") && ran.stdout.contains("of that speed"), "{ran:?}");
}

#[test]
fn bad_requests_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for (line, needed) in [
        ("bench ops --size huge", "possible values: auto, small, full"),
        ("bench ops --sweep 6..4", "6..4 is no range of sizes"),
        ("bench ops --sweep 4-6", "LOG_FROM..LOG_TO"),
        ("bench ops --operation fft", "no operation `fft`"),
        ("bench ops --bandwidth 0", "no positive number"),
        ("bench ops --runs 0", "0"),
        ("bench ops --backend abacus", "abacus"),
        ("bench ops --html /no/such/folder/file", "/no/such/folder"),
        ("bench proof --air no-such-air", "no-such-air"),
        ("bench proof --rows 64 --sweep 31..32", "2^32"),
        ("bench everything", "everything"),
    ] {
        let ran = run(line.split(' '));
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
        assert!(ran.stderr.contains(needed), "{line}: {ran:?}");
    }
    let same = words("bench ops --size small --json-file", &[text(&file), "--html", text(&file)]);
    assert_eq!(same.code, 2, "{same:?}");
    assert!(!file.exists());
}
