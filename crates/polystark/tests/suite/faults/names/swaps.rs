//! Every command that the pages print to verify takes the proof that it is about, and no other that is swapped in.

use std::fs;
use std::path::Path;

use super::{ANY, Folder, vector};
use crate::cli::common::{Ran, run, text};

/// README and the pages of docs/.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(root.join("docs")).expect("docs/ is in the repository");
    let pages = docs.map(|entry| entry.expect("a readable folder").path()).chain([root.join("README.md")]);
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a page"))).collect()
}

/// The arguments after the program's name of each command of a page that verifies. A command ends with its line, its
/// quotation, a comment, a redirection, or where two spaces follow.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in page.lines() {
        for program in ["polystark ", "cargo run --release -- "] {
            for (at, _) in line.match_indices(program) {
                let rest = &line[at + program.len()..];
                let end = ["`", "#", "<", "  "].iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
                let words: Vec<String> = rest[..end].split_whitespace().map(str::to_owned).collect();
                let verb = words.iter().position(|word| word != "cairo");
                // One without a file is its name alone.
                if verb.is_some_and(|verb| words[verb] == "verify" && words.len() > verb + 1) {
                    found.push(words);
                }
            }
        }
    }
    found
}

/// The words with the file of the proof, and the files of AIRs and programs, replaced; the policy is left out.
fn replaced(words: &[String], proof: &str, air: &str, program: &str) -> Vec<String> {
    let mut words = words.to_vec();
    let verb = words.iter().position(|word| word == "verify").expect("it verifies");
    words[verb + 1] = proof.to_owned();
    for (flag, value) in [("--air-file", air), ("--expect-program", program)] {
        if let Some(at) = words.iter().position(|word| word == flag) {
            words[at + 1] = value.to_owned();
        }
    }
    if let Some(at) = words.iter().position(|word| word == "--security") {
        words.drain(at..at + 2);
    }
    words.extend(ANY.map(str::to_owned));
    words
}

fn value<'a>(words: &'a [String], flag: &str) -> Option<&'a str> {
    words.iter().position(|word| word == flag).and_then(|at| Some(words.get(at + 1)?.as_str()))
}

/// A pool of valid proofs by subject, and how to verify each.
fn pool(folder: &Folder) -> Vec<(String, String)> {
    let mut pool: Vec<(String, String)> =
        [("own", 64), ("longer", 128)].map(|(name, rows)| (name.to_owned(), folder.own(name, rows))).into();
    for statement in [
        "--air fibonacci --rows 1024 --param a=1 --param b=1",
        "--air fibonacci --rows 1024 --param a=1 --param b=2",
        "--air fibonacci --rows 1024 --param a=2 --param b=1",
        "--air fibonacci --rows 512 --param a=1 --param b=1",
        "--air fibonacci --rows 2048 --param a=1 --param b=1",
        "--air wide-fibonacci --rows 1024",
        "--air plonk --rows 64",
        "--air simple-fibonacci --rows 1024",
        "--air fibonacci-2-columns --rows 64",
        "--air fibonacci-rap --rows 64 --param steps=20",
        "--air quadratic --rows 64",
    ] {
        pool.push((statement.to_owned(), folder.shipped(&format!("p{}", pool.len()), statement)));
    }
    for (statement, proof) in &pool {
        let air = folder.at(&format!("{statement}.air"));
        let file = ["--air-file", &air];
        let more = if fs::exists(&air).unwrap_or(false) { &file[..] } else { &[] };
        assert_eq!(super::verified(proof, more).0, 0, "{statement}");
    }
    pool
}

/// The subject of a command, as the pool calls it.
fn meant(words: &[String]) -> String {
    match (value(words, "--air-file"), value(words, "--expect-air"), value(words, "--expect-rows")) {
        (Some(_), ..) => "own".to_owned(),
        (_, Some(air), Some(rows)) => {
            let parameters = words.iter().enumerate().filter(|(_, word)| *word == "--expect-param");
            let parameters = parameters.map(|(at, _)| format!(" --param {}", words[at + 1]));
            format!("--air {air} --rows {rows}{}", parameters.collect::<String>())
        }
        _ => panic!("{words:?} does not say what is proven: name the AIR and the rows, or the file of the AIR"),
    }
}

#[test]
fn no_command_of_a_page_takes_a_swapped_proof() {
    let folder = Folder::new();
    let (pool, air) = (pool(&folder), folder.at("own.air"));
    let (mut checked, mut taken) = (0, 0);
    for (page, text) in pages() {
        for words in commands(&text).into_iter().filter(|words| words[0] == "verify") {
            let (meant, mut swapped) = (meant(&words), 0);
            for (statement, proof) in &pool {
                let Ran { code, stderr, .. } = run(replaced(&words, proof, &air, ""));
                let is_meant = *statement == meant;
                assert_eq!(code == 0, is_meant, "{page}: {words:?} with the proof of {statement}: {code} {stderr}");
                (taken, swapped) = (taken + usize::from(is_meant), swapped + usize::from(!is_meant));
            }
            assert!(swapped >= 10, "{swapped}");
            checked += 1;
        }
    }
    assert!(checked >= 6 && taken >= 4, "{checked} commands, {taken} with the proof that they are about");
}

#[test]
fn no_command_of_a_page_takes_the_proof_of_another_program() {
    let folder = Folder::new();
    let stored = [
        "cairo/proofs/fib_10.small.low.bincode",
        "cairo/proofs/tiny.small.low.bincode",
        "cairo/proofs/ec_op_3.wo.low.bincode",
        "cairo1/proofs/hashes.small.low.bincode",
        "faults/addmod0.proof",
    ];
    let mut proofs = stored.map(vector).map(|path| text(&path).to_owned()).to_vec();
    // Proofs of the program that say another output, and the page's own.
    let bytes = fs::read(vector(stored[0])).expect("a vector");
    let suite = ::polystark::circle_proof::Suite::Blake2s;
    for words in [&["91"][..], &[], &["90", "90"], &[PAGE_OUTPUT]] {
        let (mut proof, _) =
            ::polystark::cairo::file::decode::<::polystark::cairo::Proof>(&bytes, 1 << 20, suite).expect("a proof");
        let output = &mut proof.claim.public_data.public_memory.output;
        let id = output[0].0;
        *output = words.iter().map(|word| (id, limbs(word))).collect();
        let file = folder.at(&format!("vectors{}", proofs.len()));
        let encoded = ::polystark::cairo::file::encode(&proof, ::polystark::cairo::file::Format::Binary, suite);
        fs::write(&file, encoded.expect("it can be written")).expect("there is room");
        proofs.push(file);
    }
    proofs.push(folder.shipped("air", "--air fibonacci --rows 64"));
    proofs.push(folder.own("own", 64));
    assert!(proofs.len() >= 10);
    let mut checked = 0;
    for (page, page_text) in pages() {
        for words in commands(&page_text).into_iter().filter(|words| words[0] == "cairo") {
            assert!(
                value(&words, "--expect-program").is_some() && value(&words, "--expect-output").is_some(),
                "{page}"
            );
            assert_eq!(value(&words, "--expect-output"), Some(&*format!("0x{PAGE_OUTPUT}")), "{page}");
            // The page's own program, and one of which there are proofs: with the page's output.
            for program in ["cairo1/programs/fib.executable.json", "cairo/programs/fib_10.json"].map(vector) {
                for proof in &proofs {
                    let ran = run(replaced(&words, proof, "", text(&program)));
                    let code = if proof.contains("vectors") { 1 } else { 2 };
                    assert_eq!(ran.code, code, "{page}: {words:?} with {proof}: {ran:?}");
                }
            }
            checked += 1;
        }
    }
    assert!(checked >= 1, "{checked} commands");
}

/// The output that the page of Cairo expects, in hexadecimal.
const PAGE_OUTPUT: &str = "338864a5c1caeb07d0ef067cb83df17e395";

/// A felt in hexadecimal as eight numbers, least significant first.
fn limbs(digits: &str) -> [u32; 8] {
    let digits = format!("{digits:0>64}");
    std::array::from_fn(|at| u32::from_str_radix(&digits[56 - 8 * at..64 - 8 * at], 16).expect("hexadecimal"))
}

#[test]
fn commands_are_found() {
    let page = "$ polystark verify a --expect-air b  # exit code 1\n`polystark cairo verify` verifies, `polystark cairo verify c --x`\n\
                cargo run --release -- verify d < d\npolystark prove e\npolystark verify f    what it does\n";
    let found: Vec<String> = commands(page).iter().map(|words| words.join(" ")).collect();
    assert_eq!(found, ["verify a --expect-air b", "cairo verify c --x", "verify d", "verify f"]);
}
