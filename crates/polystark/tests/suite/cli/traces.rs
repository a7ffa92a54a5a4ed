//! Where the trace is computed: the proof is the same, and the program says which it was.

use super::common::{json, text, words};

const PROVE: &str = "--json prove --air fibonacci-rap --rows 64 --grinding 8 --param steps=20";

#[test]
fn the_file_is_the_same_wherever_the_trace_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let made = |more: &str| {
        let ran = words(&format!("{PROVE}{more}"), &["-o", text(&file)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        (json(&ran), std::fs::read(&file).unwrap())
    };
    for backend in ["cpu", "cpu-reference"] {
        let (default, bytes) = made(&format!(" --backend {backend}"));
        let (device, of_device) = made(&format!(" --backend {backend} --trace-from device"));
        let (upload, of_upload) = made(&format!(" --backend {backend} --trace-from upload"));
        assert_eq!(
            (&default["trace"], &device["trace"], &upload["trace"]),
            (&"device".into(), &"device".into(), &"upload".into())
        );
        assert!(bytes == of_device && bytes == of_upload, "{backend}");
        // The host computes no trace that the device makes.
        assert_eq!(upload["stages"][0]["name"], "trace");
        assert_eq!(device["stages"][0]["name"], "main trace");
    }
}

#[test]
fn an_air_whose_trace_is_the_hosts_is_uploaded_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let made = words("--json prove --air quadratic --rows 64 --grinding 8", &["-o", text(&file)]);
    assert_eq!(json(&made)["trace"], "upload");
    let refused =
        words("prove --air quadratic --rows 64 --trace-from device", &["-o", text(&folder.path().join("other"))]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("quadratic") && refused.stderr.contains("device"), "{refused:?}");
}

#[test]
fn people_are_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let made = words("prove --air simple-fibonacci --rows 64 --grinding 8", &["-o", text(&file)]);
    assert!(made.stdout.contains("made on the device"), "{made:?}");
}
