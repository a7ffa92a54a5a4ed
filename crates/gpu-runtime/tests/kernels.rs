//! The files in `kernels/`: the words that each may use, and that all are used.

use std::path::{Path, PathBuf};

use gpu_hal::{CircleStark, GoldilocksStark};
use gpu_runtime::GpuProtocol;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the kernels are in the repository");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// Words that only the dialect may use: its name, assembly, a compiler's own functions and macros.
fn names_a_dialect(text: &str) -> Option<&str> {
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words().find(|word| word.starts_with("POLYSTARK") || word.starts_with("__") || *word == "asm")
}

#[test]
fn only_the_dialect_knows_the_dialect() {
    assert_eq!(names_a_dialect("#if defined(POLYSTARK_METAL)"), Some("POLYSTARK_METAL"));
    assert_eq!(names_a_dialect("u32 r = __brev(a);"), Some("__brev"));
    let (dialect, others): (Vec<_>, Vec<_>) = files_below(&kernels()).into_iter().partition(|file| {
        let file = file.strip_prefix(kernels()).expect("a file of that folder");
        file.starts_with("dialect") || file == Path::new("dialect.h")
    });
    assert_eq!((dialect.len(), others.len() > 40), (4, true));
    for file in others {
        let text = std::fs::read_to_string(&file).expect("text");
        assert_eq!(names_a_dialect(&text), None, "{}: put it into the dialect", file.display());
    }
}

#[test]
fn every_file_is_part_of_a_unit() {
    let protocols = [GoldilocksStark::<field::Fp3>::UNITS, CircleStark::UNITS];
    let units = protocols.iter().flat_map(|units| units.all);
    let texts: Vec<String> = units.map(|unit| unit.source(&[]).text).collect();
    for file in files_below(&kernels()) {
        let text = std::fs::read_to_string(&file).expect("text");
        assert!(texts.iter().any(|unit| unit.contains(&text)), "{} is compiled by nothing", file.display());
    }
}
