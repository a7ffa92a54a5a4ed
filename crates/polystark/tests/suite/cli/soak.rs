//! Random statements for a while.

use super::common::{json, words};

#[test]
fn a_short_run_counts_what_it_did() {
    let ran = words("soak --backend cpu --threads 1 --statements 24 --max-log-rows 5 --json", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = json(&ran);
    assert_eq!((&report["status"], &report["seconds"].is_f64()), (&"soaked".into(), &true), "{report}");
    for protocol in ["goldilocks", "circle"] {
        let counts = &report["protocols"][protocol];
        assert_eq!((&counts["statements"], &counts["proofs"]), (&12.into(), &12.into()), "{report}");
        assert!(counts["cancelled"].as_u64() > Some(0) && counts["refused"].as_u64() > Some(6), "{report}");
    }
    let seconds = report["drift"]["proof_seconds"].as_array().expect("both quarters");
    assert!(seconds.iter().all(|seconds| seconds.as_f64() > Some(0.0)), "{report}");
}

#[test]
fn one_statement_is_proven_again() {
    let ran = words("soak --backend cpu --threads 1 --seed 7 --only 9 --max-log-rows 4", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("nothing wrong\n"), "{ran:?}");
    assert!(ran.stdout.contains("1 statements, 1 proofs verified and equal"), "{ran:?}");
    let ran = words("soak --only 9 --minutes 1", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot be used with"), "{ran:?}");
    let ran = words("soak --statements 1 --backend cpu --against gpu-9", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("no backend `gpu-9`"), "{ran:?}");
}

/// Errors come out unchanged, and wrong results in no proof, while another process holds memory.
#[test]
fn a_device_with_faults_gives_errors_or_the_right_proof() {
    let ran = words("soak --backend cpu --threads 1 --statements 18 --max-log-rows 4 --faults --hold 2^20 --json", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = json(&ran);
    assert_eq!(report["held_bytes"], 1 << 20, "{report}");
    for protocol in ["goldilocks", "circle"] {
        let counts = &report["protocols"][protocol];
        assert_eq!((&counts["proofs"], &counts["no_room"]), (&9.into(), &0.into()), "{report}");
        assert!(counts["faults"].as_u64() > Some(2) && counts["miscomputed"].as_u64() > Some(2), "{report}");
    }
    // A process that holds memory ends when nobody writes to it.
    let ran = words("soak --backend cpu --threads 1 --hold 4096 --holds", &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "holding 4096 bytes (4.0 KiB)\n"), "{ran:?}");
}

/// A program does what it must, its proof is made twice, and forged ones are refused: the nonce, a word of the program,
/// sums, perhaps a word of the output, and a run with one step too many or too few. A device that fails says so, and
/// one that is wrong gives no proof.
#[test]
fn a_cairo_program_is_proven() {
    let ran = words("soak --cairo --backend cpu --only 135 --faults --json", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let counts = &json(&ran)["protocols"]["cairo"];
    assert_eq!((&counts["statements"], &counts["proofs"]), (&1.into(), &1.into()), "{ran:?}");
    assert!((4..=5).contains(&counts["refused"].as_u64().unwrap_or(0)), "{ran:?}");
    // Both faults of this program are within its proof.
    assert_eq!((&counts["faults"], &counts["miscomputed"]), (&1.into(), &1.into()), "{ran:?}");
}
