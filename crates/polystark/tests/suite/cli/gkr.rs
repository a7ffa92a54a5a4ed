//! `polystark gkr`: proofs over columns of files, and their refusal.

use std::collections::BTreeSet;
use std::fs;

use polystark::air::Trace;
use polystark::backend_reference::CpuReference;
use polystark::circle_proof::gkr::{ColumnsDigest, GkrFile, Trees};
use polystark::field::{Field, Goldilocks, M31, PrimeField, SplitMix64};
use polystark::hal::{CircleStark, StarkBackend};
use polystark::prover::circle::gkr::{DeviceLayer, prove_batch};
use tempfile::TempDir;

use super::common::{Ran, json, npy, run, text};

/// Files of columns, and the arguments that name their trees.
struct Columns {
    folder: TempDir,
    trees: Vec<String>,
}

impl Columns {
    fn new(trees: &[(&str, usize, u32)]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut random = SplitMix64::new(11);
        let trees = trees.iter().enumerate().flat_map(|(index, (kind, width, log_rows))| {
            let rows = 1 << log_rows;
            let mut column = || (0..rows).map(|_| Goldilocks::from_u64(random.word() % 0x7fff_ffff)).collect();
            let trace = Trace::from_columns((0..*width).map(|_| column()).collect()).unwrap();
            let file = folder.path().join(format!("{index}.npy"));
            fs::write(&file, npy(&trace)).unwrap();
            ["--tree".to_owned(), format!("{kind}:{rows}={}", text(&file))]
        });
        let trees = trees.collect();
        Self { folder, trees }
    }

    /// A tree of four rows of fractions of the base field.
    fn fractions(numerators: [u64; 4], denominators: [u64; 4]) -> Self {
        let made = Self::new(&[("logup", 8, 2)]);
        let column = |values: [u64; 4]| values.map(Goldilocks::from_u64).to_vec();
        let zero = || column([0; 4]);
        let [p, q] = [numerators, denominators].map(column);
        let trace = Trace::from_columns(vec![p, zero(), zero(), zero(), q, zero(), zero(), zero()]).unwrap();
        fs::write(made.folder.path().join("0.npy"), npy(&trace)).unwrap();
        made
    }

    fn at(&self, name: &str) -> String {
        text(&self.folder.path().join(name)).to_owned()
    }

    fn prove(&self, name: &str, more: &[&str]) -> Ran {
        let output = self.at(name);
        run(["--json", "gkr", "prove", "-o", &output].into_iter().chain(self.arguments()).chain(more.iter().copied()))
    }

    fn verify(&self, name: &str, more: &[&str]) -> Ran {
        let file = self.at(name);
        run(["--json", "gkr", "verify", &file].into_iter().chain(self.arguments()).chain(more.iter().copied()))
    }

    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.trees.iter().map(String::as_str)
    }
}

fn all_kinds() -> Columns {
    Columns::new(&[("logup", 8, 3), ("grand-product", 4, 5), ("logup-multiplicities", 5, 4), ("logup-singles", 4, 1)])
}

#[test]
fn every_backend_proves_the_same_and_it_is_valid() {
    let columns = all_kinds();
    let made = columns.prove("proof", &["--backend", "cpu"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(columns.prove("other", &["--backend", "cpu-reference"]).code, 0);
    let bytes = fs::read(columns.at("proof")).unwrap();
    assert_eq!(bytes, fs::read(columns.at("other")).unwrap());
    let valid = columns.verify("proof", &[]);
    assert_eq!(valid.code, 0, "{valid:?}");
    let (made, valid) = (json(&made), json(&valid));
    assert_eq!((&made["status"], &valid["status"]), (&"proven".into(), &"valid".into()));
    assert_eq!((&made["trees"], &made["columns"]), (&valid["trees"], &valid["columns"]));
    assert_eq!(valid["security_bits"], 122);
    // For people, too.
    let file = columns.at("proof");
    let said = run(["gkr", "verify", &file].into_iter().chain(columns.arguments())).stdout;
    assert!(said.starts_with("valid\n") && said.contains("grand-product") && said.contains("32 rows"), "{said}");
}

#[test]
fn other_columns_trees_and_channels_are_refused() {
    let columns = all_kinds();
    assert_eq!(columns.prove("proof", &[]).code, 0);
    let refused = |ran: Ran, code: i32, why: &str| assert!(ran.code == code && ran.stderr.contains(why), "{ran:?}");
    refused(columns.verify("proof", &["--channel", "blake2s_m31"]), 1, "the channel is blake2s");
    refused(columns.verify("proof", &["--max-bytes", "10"]), 4, "10");
    let file = columns.at("proof");
    let fewer = run(["gkr", "verify", &file].into_iter().chain(columns.arguments().take(6)));
    refused(fewer, 1, "about other trees");
    let wider = Columns::new(&[("logup", 4, 3)]);
    refused(wider.prove("proof", &[]), 2, "columns");
    for tree in ["logup:3=x", "logup:1=x", "sum:2^3=x", "logup=x", "logup:2^31=x"] {
        refused(run(["gkr", "prove", "-o", &file, "--tree", tree]), 2, "--tree");
    }
    // `verify` and `inspect` name the command that takes the file, and this one names theirs.
    for command in ["verify", "inspect"] {
        refused(run([command, &file]), 2, "polystark gkr verify");
    }
    // A cell of the last file is another.
    let last = columns.folder.path().join("3.npy");
    let mut bytes = fs::read(&last).unwrap();
    *bytes.last_chunk_mut::<8>().unwrap() = 5u64.to_le_bytes();
    fs::write(&last, bytes).unwrap();
    refused(columns.verify("proof", &[]), 1, "about other columns");
}

/// The program proves no such sum. A file that somebody else has proven is refused by name.
#[test]
fn fractions_over_zero_are_refused() {
    let (numerators, denominators) = ([5, 6, 7, 8], [1, 0, 3, 0]);
    let columns = Columns::fractions(numerators, denominators);
    let ran = columns.prove("proof", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("row 1 has the denominator 0"), "{ran:?}");
    assert!(!columns.folder.path().join("proof").exists());
    // The shapes come from a file of the same trees.
    let others = Columns::fractions(numerators, [1, 2, 3, 4]);
    assert_eq!(others.prove("proof", &[]).code, 0);
    let GkrFile { trees, .. } = GkrFile::decode(&fs::read(others.at("proof")).unwrap()).unwrap();
    let (zero, mut digest) = ([M31::ZERO; 4], ColumnsDigest::default());
    let [p, q] = [numerators, denominators].map(|values| values.map(M31::from_u64));
    let base = [p, zero, zero, zero, q, zero, zero, zero];
    base.iter().for_each(|column| digest.column(column));
    let trees = Trees { columns: digest.finish(), ..trees };
    let backend = CpuReference::<CircleStark>::new();
    let table = backend.upload(base.as_flattened(), 8, 2).unwrap();
    let layer = DeviceLayer { kind: trees.instances[0].kind, columns: table.as_ref() };
    let (proof, _) = prove_batch(&backend, &[layer], &mut trees.channel()).unwrap();
    fs::write(columns.at("proof"), GkrFile { trees, proof }.encode()).unwrap();
    let ran = columns.verify("proof", &[]);
    assert!(ran.code == 1 && ran.stderr.contains("tree 0: the denominator of its sum is 0"), "{ran:?}");
}

#[test]
fn a_sum_is_zero_for_those_who_expect_it() {
    let minus_one = 0x7fff_fffe;
    let (zero, other) = ([1, 5, minus_one, minus_one - 4], [1, 5, minus_one, minus_one]);
    for (numerators, code) in [(zero, 0), (other, 1)] {
        let columns = Columns::fractions(numerators, [2, 3, 2, 3]);
        assert_eq!(columns.prove("proof", &[]).code, 0);
        assert_eq!(columns.verify("proof", &[]).code, 0, "any sum is valid");
        let ran = columns.verify("proof", &["--expect-zero"]);
        assert_eq!((ran.code, ran.stderr.contains("tree 0: the sum of its fractions is not 0")), (code, code == 1));
    }
}

/// Every part of a file decides; the library's tests change each bit of a proof.
#[test]
fn changed_files_are_refused() {
    let columns = all_kinds();
    assert_eq!(columns.prove("proof", &[]).code, 0);
    let bytes = fs::read(columns.at("proof")).unwrap();
    let step = bytes.len() / 40;
    for at in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        fs::write(columns.at("changed"), &changed).unwrap();
        assert_ne!(columns.verify("changed", &[]).code, 0, "byte {at}");
    }
    for changed in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
        fs::write(columns.at("changed"), changed).unwrap();
        assert_eq!(columns.verify("changed", &[]).code, 1);
    }
}

/// The flags of every command, and those that say where or how fast the same is made.
const OF_ALL: [&str; 14] = [
    "--json",
    "--quiet",
    "-q",
    "--verbose",
    "-v",
    "--spans",
    "--trace",
    "--help",
    "-h",
    "--backend",
    "--device",
    "--devices",
    "--spill",
    "--threads",
];

#[test]
fn every_option_is_known_and_does_something() {
    let all = polystark::cli::subcommands();
    for (command, own) in [
        ("prove", &["--tree", "--output", "-o", "--channel"][..]),
        ("verify", &["--tree", "--expect-zero", "--channel", "--max-bytes"]),
    ] {
        let (_, flags) = all.iter().find(|(words, _)| words == &["gkr", command]).expect("a subcommand");
        let known: BTreeSet<&str> = own.iter().copied().chain(OF_ALL).collect();
        let new: Vec<&String> = flags.iter().filter(|flag| !known.contains(flag.as_str())).collect();
        assert!(new.is_empty(), "say in the table what these do, and see that they are used or refused: {new:?}");
    }
    let columns = all_kinds();
    assert_eq!(columns.prove("proof", &[]).code, 0);
    assert_eq!(columns.prove("other", &["--channel", "poseidon252"]).code, 0);
    assert_ne!(fs::read(columns.at("proof")).unwrap(), fs::read(columns.at("other")).unwrap());
    assert_eq!(columns.verify("other", &["--channel", "poseidon252"]).code, 0);
    assert_eq!(columns.verify("other", &[]).code, 1);
    assert_eq!(columns.prove("proof", &["--device", "7", "--backend", "cpu"]).code, 3);
}
