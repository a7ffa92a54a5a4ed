//! Small files that claim much. Address space and processor time are limited by the shell, so only where that works.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use polystark::Goldilocks3;
use polystark::air::airs::{self, ExampleAir};
use polystark::circle_air::airs::{self as circle_airs, ParamKind};
use polystark::circle_proof::{ProofFile, Suite};
use polystark::field::{ExtensionField, Field, Fp3, Goldilocks};
use polystark::goldilocks::lambdaworks;
use polystark::goldilocks_proof::ProofFile as GoldilocksFile;
use polystark::goldilocks_proof::{DeepOpening, FriDecommitment, OodTable, Opening, Proof, encode};
use tempfile::TempDir;

use super::common::text;

/// Writes the file and runs a subcommand on it in 256 MiB of address space and 20 seconds of processor time, which is
/// there to end what would not. Returns the exit code, and the length of standard error.
fn limited(file: &Path, bytes: &[u8], arguments: &[&str]) -> (Option<i32>, String) {
    std::fs::write(file, bytes).unwrap();
    let limits = "ulimit -v 262144; ulimit -t 20; exec \"$0\" \"$@\"";
    let [command, flags @ ..] = arguments else { panic!("no subcommand") };
    let output = std::process::Command::new("sh")
        .args(["-c", limits, env!("CARGO_BIN_EXE_polystark"), command, text(file)])
        .args(flags)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A statement that the address space does not hold is refused before the work, by its number of bytes, and by no
/// abort.
#[test]
fn a_limited_address_space_is_told() {
    let (_folder, file) = scratch();
    let limits = "ulimit -v 1048576; exec \"$0\" \"$@\"";
    let line = "prove --air wide --param width=64 --param degree=2 --threads 1 --rows 2^20";
    for backend in ["cpu", "cpu-reference"] {
        let output = std::process::Command::new("sh")
            .args(["-c", limits, env!("CARGO_BIN_EXE_polystark")])
            .args(line.split(' '))
            .args(["--backend", backend, "-o", text(&file)])
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("GiB") && message.contains("are available"), "{message}");
        assert!(!file.exists());
    }
}

/// The loosest policy, and Circle's further flags.
const LOOSE: [&str; 5] = ["verify", "--min-security-bits", "0", "--max-bytes", "18446744073709551615"];
const LOOSE_CIRCLE: [&str; 2] = ["--max-cells", "18446744073709551615"];

/// Verifies under the strictest policy that a caller gets without flags and under the loosest, and inspects. Nothing of
/// the claimed sizes may be built, so that all ends, and by itself.
fn check(file: &Path, bytes: &[u8], what: &str) {
    let is_circle = bytes.windows(6).take(64).any(|name| name == b"circle");
    let loose = [&LOOSE[..], if is_circle { &LOOSE_CIRCLE } else { &[] }].concat();
    for arguments in [&["verify"][..], &loose] {
        let (code, message) = limited(file, bytes, arguments);
        assert!(matches!(code, Some(1 | 4)), "{what}: {code:?}, {message}");
        assert!(message.len() < 1000, "{what}: {} bytes of message", message.len());
    }
    let (code, message) = limited(file, bytes, &["inspect"]);
    assert_eq!(code, Some(0), "{what}: {message}");
}

fn scratch() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    (folder, file)
}

/// The front of a proof with the default options.
fn circle_config() -> Vec<u8> {
    let words = [20_u32, 2, 0].map(u32::to_le_bytes).concat();
    [&words[..], &118_u64.to_le_bytes(), &2_u32.to_le_bytes(), &[0]].concat()
}

/// A header of each AIR of the Circle protocol.
fn circle_header(air: &str, log_rows: u32) -> ProofFile {
    let info = circle_airs::all().iter().find(|info| info.name == air).unwrap();
    let public = info.params.iter().filter(|param| param.kind == ParamKind::Public);
    let parameters: BTreeMap<String, u64> =
        public.map(|param| (param.name.to_owned(), param.default.unwrap_or(log_rows.min(29).into()))).collect();
    let params: Vec<_> = parameters.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    // The words of small statements of the family, with the size that is claimed.
    let small = circle_airs::build(air, info.least_log_rows.max(5), &params).unwrap().words();
    let is_digest = info.params.iter().any(|param| param.kind == ParamKind::Preimage);
    let words = match circle_airs::build(air, if is_digest { 5 } else { log_rows }, &params) {
        Ok(statement) if !is_digest => statement.words(),
        _ => small.into_iter().enumerate().map(|(index, word)| if index == 1 { log_rows } else { word }).collect(),
    };
    let (air, suite) = (air.to_owned(), Suite::default());
    ProofFile { air, parameters, log_rows, words, claimed_sums: Vec::new(), proof: circle_config(), suite }
}

#[test]
fn circle_headers_of_every_size_take_no_time_and_no_memory() {
    let (_folder, file) = scratch();
    for info in circle_airs::all() {
        for log_rows in 1..=30 {
            let header = circle_header(info.name, log_rows);
            check(&file, &header.encode().unwrap(), &format!("{}, 2^{log_rows} rows", info.name));
        }
        // A proof that is long enough for whatever is looked at first, and none.
        let zeros = ProofFile { proof: [circle_config(), vec![0; 1 << 20]].concat(), ..circle_header(info.name, 20) };
        check(&file, &zeros.encode().unwrap(), info.name);
        let none = ProofFile { proof: Vec::new(), ..circle_header(info.name, 20) };
        check(&file, &none.encode().unwrap(), info.name);
    }
}

/// A proof of zeros that has the shape which the statement asks for, so that it is looked at as closely as can be.
fn zeros(air: &dyn ExampleAir<Goldilocks3>, log_rows: u32, options: &lambdaworks::Options) -> Proof<Goldilocks3> {
    fn opening<E: ExtensionField<Goldilocks>>(columns: usize, depth: usize) -> Opening<E> {
        let (path, values) = (vec![[0; 32]; depth], vec![E::ZERO; columns]);
        Opening { path: path.clone(), path_sym: path, evaluations: values.clone(), evaluations_sym: values }
    }
    let layout = air.layout();
    let (layers, log_lde, queries) =
        (log_rows as usize - 1, options.log_lde(log_rows) as usize, options.queries as usize);
    let columns = layout.main_columns + layout.aux_columns;
    let has_aux = layout.aux_columns > 0;
    let decommitment = FriDecommitment {
        paths: (0..layers).map(|layer| vec![[0; 32]; log_lde - 2 - layer]).collect(),
        values: vec![Fp3::ZERO; layers],
    };
    let deep = DeepOpening {
        composition: opening(layout.composition_parts, log_lde - 1),
        main: opening(layout.main_columns, log_lde),
        aux: has_aux.then(|| opening(layout.aux_columns, log_lde)),
    };
    Proof {
        trace_length: 1 << log_rows,
        main_root: [0; 32],
        aux_root: has_aux.then_some([0; 32]),
        trace_ood: OodTable {
            data: vec![Fp3::ZERO; columns * layout.frame_rows],
            width: columns as u64,
            height: layout.frame_rows as u64,
        },
        composition_root: [0; 32],
        composition_ood: vec![Fp3::ZERO; layout.composition_parts],
        fri_roots: vec![[0; 32]; layers],
        fri_last_value: Fp3::ZERO,
        fri_decommitments: vec![decommitment; queries],
        deep_openings: vec![deep; queries],
        nonce: (options.grinding > 0).then_some(0),
    }
}

/// A header of each AIR of the Goldilocks protocol, with a proof of zeros where there can be one.
fn goldilocks_header(
    air: &str,
    log_rows: u32,
    parameters: &[(&str, u64)],
    options: lambdaworks::Options,
) -> GoldilocksFile {
    let parameters: BTreeMap<String, u64> = parameters.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    let built = airs::build::<Goldilocks3>(air, 1 << log_rows, &parameters);
    let possible = built.ok().filter(|air| options.validate(log_rows, air.layout().composition_parts).is_ok());
    GoldilocksFile {
        protocol: "goldilocks".into(),
        extension_degree: 3,
        air: air.into(),
        parameters,
        log_rows,
        options,
        seed: None,
        public_inputs: possible.as_ref().map_or(Vec::new(), |air| air.public_inputs()),
        proof: possible.map_or(Vec::new(), |air| encode(&zeros(&*air, log_rows, &options))),
    }
}

#[test]
fn goldilocks_headers_of_every_size_take_no_time_and_no_memory() {
    let (_folder, file) = scratch();
    // As many bits as the default policy asks for, without any work.
    let options = lambdaworks::Options {
        blowup: 2,
        queries: 220,
        grinding: 0,
        coset_offset: 7,
        suite: polystark::goldilocks_proof::Suite::Keccak256,
    };
    for log_rows in 1..=32 {
        let half = (1 << log_rows >> 1) + 1;
        for info in airs::all() {
            let parameters: &[(&str, u64)] = match info.name {
                // As many rows with exemption as without: the slowest case at the out-of-domain point.
                "fibonacci-rap" => &[("steps", half)],
                "wide" => &[("degree", 3), ("width", 9)],
                _ => &[],
            };
            let header = goldilocks_header(info.name, log_rows, parameters, options);
            let what = format!("{}, 2^{log_rows} rows", info.name);
            check(&file, &header.encode().unwrap(), &what);
            if log_rows % 8 == 0 {
                let none = GoldilocksFile { proof: Vec::new(), ..header };
                check(&file, &none.encode().unwrap(), &what);
            }
        }
    }
}

/// As little of a proof as there can be, which has the shape that the statement asks for, gets as far as the equation
/// of the constraints.
#[test]
fn well_shaped_proofs_of_claimed_sizes_take_no_memory() {
    let (_folder, file) = scratch();
    let options = lambdaworks::Options {
        blowup: 2,
        queries: 1,
        grinding: 0,
        coset_offset: 7,
        suite: polystark::goldilocks_proof::Suite::Keccak256,
    };
    for steps in [(1 << 26) - 1, 1 << 25] {
        let header = goldilocks_header("fibonacci-rap", 26, &[("steps", steps)], options);
        let (code, message) = limited(&file, &header.encode().unwrap(), &["verify", "--min-security-bits", "0"]);
        assert_eq!(code, Some(1), "{message}");
        assert!(message.contains("out-of-domain point"), "{message}");
    }
}

/// The most columns, with and without the values that would be opened of them.
#[test]
fn as_many_columns_as_there_can_be() {
    let (_folder, file) = scratch();
    let options = lambdaworks::Options {
        blowup: 8,
        queries: 1,
        grinding: 0,
        coset_offset: 7,
        suite: polystark::goldilocks_proof::Suite::Keccak256,
    };
    let wide = goldilocks_header("wide", 29, &[("degree", 8), ("width", 1 << 16)], options);
    let none = GoldilocksFile { proof: Vec::new(), ..wide.clone() };
    check(&file, &none.encode().unwrap(), "wide, no proof");
    let options = lambdaworks::Options { queries: u32::MAX, ..options };
    check(
        &file,
        &GoldilocksFile { options, ..none }.encode().unwrap(),
        "wide, no proof, as many queries as can be written",
    );
    // 4.5 MB of proof.
    let (code, message) = limited(&file, &wide.encode().unwrap(), &["verify", "--min-security-bits", "0"]);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("out-of-domain point"), "{message}");
}

/// An opening of empty lists has 9 bytes in a proof, and 288 in memory.
#[test]
fn lists_that_no_statement_asks_for_are_not_decoded() {
    let (_folder, file) = scratch();
    let mut header = goldilocks_header("quadratic", 10, &[], lambdaworks::Options::default());
    let count = 5_000_000_u32;
    let empty = Proof::<Goldilocks3> { deep_openings: Vec::new(), fri_decommitments: Vec::new(), ..decoded(&header) };
    let mut bytes = encode(&empty);
    // The list of openings, the nonce and the empty option stand at the end.
    bytes.truncate(bytes.len() - 4);
    bytes.push(0xFC);
    bytes.extend(count.to_le_bytes());
    bytes.resize(bytes.len() + 9 * count as usize, 0);
    bytes.extend([0, 0]);
    header.proof = bytes;
    // 45 MB, of which 1.4 GB were made.
    check(&file, &header.encode().unwrap(), "empty openings");
}

fn decoded(statement: &GoldilocksFile) -> Proof<Goldilocks3> {
    polystark::goldilocks_proof::decode(&statement.proof).unwrap()
}

/// Nothing that a file holds is shown as a whole.
#[test]
fn error_texts_are_short() {
    let (_folder, file) = scratch();
    let circle = ProofFile { words: vec![1; 1 << 16], ..circle_header("fibonacci", 10) };
    let bytes = circle.encode().unwrap();
    check(&file, &bytes, "words");
    let (code, message) = limited(&file, &bytes, &["verify", "--expect-public", "1,2,3"]);
    assert_eq!((code, message.len() < 1000), (Some(1), true), "{}", message.len());
    let options = lambdaworks::Options::default();
    let goldilocks =
        GoldilocksFile { seed: Some(vec![1; 1 << 16]), ..goldilocks_header("quadratic", 10, &[], options) };
    check(&file, &goldilocks.encode().unwrap(), "seed");
    let inputs = GoldilocksFile { public_inputs: vec![Goldilocks::ONE; 1 << 16], seed: None, ..goldilocks };
    check(&file, &inputs.encode().unwrap(), "public inputs");
}

/// A list takes many times more memory when it is shown than in a file, so lists are short.
#[test]
fn long_lists_are_not_read() {
    let (_folder, file) = scratch();
    let circle = circle_header("fibonacci", 10);
    let mut bytes = circle.encode().unwrap();
    // The list of words: its length, then one byte each, and three bytes for the last; claimed sums and proof follow.
    let end = bytes.len() - 1 - 1 - circle.proof.len();
    let words: usize = circle.words.iter().map(|word| if *word < 251 { 1 } else { 5 }).sum();
    let mut long = vec![0xFC];
    long.extend(50_000_000_u32.to_le_bytes());
    long.resize(long.len() + 50_000_000, 1);
    bytes.splice(end - words - 1..end, long);
    for arguments in [&["verify"][..], &LOOSE, &["inspect"], &["inspect", "--json"]] {
        let (code, message) = limited(&file, &bytes, arguments);
        assert_eq!((code, message.contains("out of range")), (Some(1), true), "{message}");
    }
}

/// A proof that has not the shape which its statement asks for is not shown: each of these lists would take many times
/// the memory of the file, and as much of the output.
#[test]
fn contents_of_another_shape_are_not_shown() {
    let (_folder, file) = scratch();
    let header = circle_header("wide-fibonacci", 10);
    let count = 1_000_000_u64;
    let list = |items: u64, size: usize| [&items.to_le_bytes()[..], &vec![0; items as usize * size]].concat();
    let none = [0; 8];
    let layer = [0; 48];
    // Roots, trees of sampled values, decommitments, coefficients of the last layer.
    let (roots, trees, last) = (list(count, 32), list(count, 8), list(1 << 20, 16));
    let lists = |roots: &[u8], sampled: &[u8], siblings: &[u8], last: &[u8], log_last: u32| {
        let config = circle_config();
        let lists = [&config[..], roots, sampled, siblings, &none, &none, &layer, &none, last];
        [&lists.concat()[..], &log_last.to_le_bytes()].concat()
    };
    let one = list(1, 16);
    for (what, proof) in [
        ("roots", lists(&roots, &none, &none, &one, 0)),
        ("sampled values", lists(&none, &trees, &none, &one, 0)),
        ("siblings", lists(&none, &none, &trees, &one, 0)),
        ("last layer", lists(&none, &none, &none, &last, 20)),
    ] {
        assert!(polystark::circle_proof::decode(&proof, Suite::default()).is_ok(), "{what}: nothing else is wrong");
        std::fs::write(&file, ProofFile { proof, ..header.clone() }.encode().unwrap()).unwrap();
        for arguments in [&["inspect"][..], &["inspect", "--json"]] {
            let ran = super::common::run([arguments, &[text(&file)]].concat());
            assert_eq!((ran.code, ran.stdout.len() < 10_000), (0, true), "{what}: {}", ran.stdout.len());
        }
    }
}

/// An endless file is read up to a limit.
#[test]
fn endless_files_are_read_up_to_a_limit() {
    let (_folder, file) = scratch();
    let link = file.with_file_name("zero");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    for arguments in [&["verify"][..], &["inspect"], &["verify", "--max-bytes", "1000"]] {
        let ran = super::common::run([arguments, &[text(&link)]].concat());
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.stderr.contains("--max-bytes"), "{ran:?}");
    }
}
