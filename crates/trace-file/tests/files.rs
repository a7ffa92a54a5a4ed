//! Files that NumPy and pyarrow wrote (tests/data/make.py), whole and damaged.

use std::io::Write;
use std::path::{Path, PathBuf};

use air::Cells;
use field::{Goldilocks, M31, PrimeField};
use trace_file::{Shape, TraceFile, TraceFileError};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The shape of the files of tests/data.
const TABLE: Shape = Shape { columns: 3, rows: 8 };

fn read<F: PrimeField>(path: &Path) -> Result<Vec<Cells<F>>, TraceFileError> {
    TraceFile::open(path, TABLE)?.columns()
}

fn of_bytes<F: PrimeField>(bytes: impl Into<bytes::Bytes>, shape: Shape) -> Result<Vec<Cells<F>>, TraceFileError> {
    TraceFile::of_bytes(bytes.into(), shape)?.columns()
}

fn refused<F: PrimeField>(name: &str) -> TraceFileError {
    read::<F>(&path(name)).map(drop).expect_err(name)
}

/// Row i of column j is 100 j + i.
fn holds_the_table<F: PrimeField>(name: &str) {
    let columns = read::<F>(&path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected: Vec<Vec<F>> = (0..3).map(|j| (0..8).map(|i| F::from_u64(100 * j + i)).collect()).collect();
    let found: Vec<Vec<F>> = columns.iter().map(|column| column.to_vec()).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn tables_of_others_are_read() {
    for name in ["rows.npy", "columns.npy", "signed.npy", "words.npy", "shorts.npy"] {
        holds_the_table::<Goldilocks>(name);
        holds_the_table::<M31>(name);
    }
    for name in ["one_batch.arrow", "words.arrow", "batches.arrow"] {
        holds_the_table::<Goldilocks>(name);
        holds_the_table::<M31>(name);
    }
    let list = TraceFile::open(&path("list.npy"), Shape { columns: 1, rows: 8 }).unwrap().columns::<M31>().unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0][7], M31::new(107));
}

#[test]
fn columns_that_can_stay_in_the_file_do() {
    fn are_shared<F: PrimeField>(name: &str, shared: bool) {
        let bytes = bytes::Bytes::from(std::fs::read(path(name)).unwrap());
        let inside = bytes.as_ptr_range();
        let shape = if name == "list.npy" { Shape { columns: 1, rows: 8 } } else { TABLE };
        for column in of_bytes::<F>(bytes.clone(), shape).unwrap() {
            assert_eq!(inside.contains(&column.as_ptr().cast()), shared, "{name}");
        }
    }
    for (name, shared) in [("columns.npy", true), ("signed.npy", true), ("one_batch.arrow", true)] {
        are_shared::<Goldilocks>(name, shared);
        are_shared::<M31>(name, false);
    }
    for (name, shared) in [("words.npy", true), ("words.arrow", true), ("list.npy", true), ("shorts.npy", false)] {
        are_shared::<M31>(name, shared);
    }
    for name in ["rows.npy", "batches.arrow"] {
        are_shared::<Goldilocks>(name, false);
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    assert!(matches!(
        refused::<Goldilocks>("negative.npy"),
        TraceFileError::Value { column: 0, row: 0, value: -1, largest } if largest == Goldilocks::ORDER - 1
    ));
    for name in ["big_endian.npy", "floats.npy", "floats.arrow"] {
        assert!(matches!(refused::<Goldilocks>(name), TraceFileError::Type { column: 0, .. }), "{name}");
    }
    assert!(matches!(refused::<M31>("nulls.arrow"), TraceFileError::Nulls { column: 1, count: 1 }));
    assert!(refused::<M31>("compressed.arrow").to_string().contains("compress"));
    assert!(matches!(refused::<M31>("make.py"), TraceFileError::Format));
    assert!(matches!(read::<M31>(&path("")), Err(TraceFileError::Io(_))));
    assert!(matches!(read::<M31>(&path("none.npy")), Err(TraceFileError::Io(_))));
}

#[test]
fn every_value_is_checked() {
    let mut bytes = std::fs::read(path("columns.npy")).unwrap();
    let at = bytes.len() - 16;
    bytes[at..at + 8].copy_from_slice(&Goldilocks::ORDER.to_le_bytes());
    let error = of_bytes::<Goldilocks>(bytes.clone(), TABLE).map(drop).unwrap_err();
    assert!(matches!(error, TraceFileError::Value { column: 2, row: 6, .. }), "{error}");
    bytes[at..at + 8].copy_from_slice(&(Goldilocks::ORDER - 1).to_le_bytes());
    assert_eq!(of_bytes::<Goldilocks>(bytes, TABLE).unwrap()[2][6], -Goldilocks::new(1));
}

#[test]
fn headers_are_read_strictly() {
    let of = |header: &str, data: usize| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend(std::iter::repeat_n(0, data));
        of_bytes::<M31>(bytes, Shape { columns: 2, rows: 4 }).map(|columns| columns.len())
    };
    let good = "{'descr': '<u4', 'fortran_order': False, 'shape': (4, 2), }\n";
    assert_eq!(of(good, 32).unwrap(), 2);
    assert_eq!(of("{'shape':(4,2),'fortran_order':True,\"descr\":\"<u4\"}", 32).unwrap(), 2);
    assert!(matches!(of(good, 31), Err(TraceFileError::Length { .. })));
    assert!(of(good, 31).unwrap_err().to_string().contains("truncated"));
    assert!(matches!(of(good, 33), Err(TraceFileError::Length { .. })));
    for (from, to) in [
        ("(4, 2)", "(4, 2, 1)"),
        ("(4, 2)", "()"),
        ("(4, 2)", "(-4, 2)"),
        ("(4, 2)", "(+4, 2)"),
        ("False", "false"),
        ("'shape'", "'size'"),
        ("'shape': (4, 2), ", ""),
        ("'shape': (4, 2), ", "'shape': (4, 2), 'shape': (4, 2), "),
        ("'<u4',", "'<u4'"),
        ("{", ""),
        ("'descr'", "descr"),
    ] {
        let header = good.replace(from, to);
        assert!(matches!(of(&header, 32), Err(TraceFileError::Npy(_))), "{header}");
    }
    for other in ["<u3", ">u4", "u4", "", "<", "<f4", "|u4", "<U4"] {
        assert!(matches!(of(&good.replace("<u4", other), 32), Err(TraceFileError::Type { .. })), "{other}");
    }
    assert!(matches!(of(&good.replace("(4, 2)", "(4, 0)"), 0), Err(TraceFileError::NoColumns)));
    assert!(matches!(of(&good.replace("(4, 2)", "(0, 2)"), 0), Err(TraceFileError::NoRows)));
    // No rows of as many columns as can be written.
    let wide = good.replace("(4, 2)", &format!("(0, {})", usize::MAX));
    assert!(matches!(of(&wide, 0), Err(TraceFileError::NoRows)));
    for other in ["(2, 4)", "(8, 1)", "(8,)"] {
        let error = of(&good.replace("(4, 2)", other), 32).unwrap_err();
        assert!(matches!(error, TraceFileError::OtherShape { .. }), "{other}: {error}");
    }
    let huge = good.replace("(4, 2)", &format!("({}, {})", usize::MAX, usize::MAX));
    assert!(matches!(of(&huge, 32), Err(TraceFileError::Length { .. })));
}

/// Damaged files are refused or read, and nothing else: each byte of the headers and of the footer changed, and each
/// shorter file.
#[test]
fn damage_is_an_error() {
    for name in ["rows.npy", "one_batch.arrow", "batches.arrow"] {
        let whole = std::fs::read(path(name)).unwrap();
        for length in 0..whole.len() {
            assert!(of_bytes::<Goldilocks>(whole[..length].to_vec(), TABLE).is_err(), "{name} up to {length}");
        }
        for at in 0..whole.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                let _ = of_bytes::<Goldilocks>(bytes, TABLE);
            }
        }
    }
}

/// The bytes of an Arrow file whose footer names each of its record batches `times` times.
fn repeated(name: &str, times: usize) -> Vec<u8> {
    let whole = std::fs::read(path(name)).unwrap();
    let trailer = whole.len() - 10;
    let length = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().unwrap()) as usize;
    let footer = &whole[trailer - length..trailer];
    let word = |at: usize| u32::from_le_bytes(footer[at..at + 4].try_into().unwrap()) as usize;
    let blocks = arrow_ipc::root_as_footer(footer).unwrap().recordBatches().unwrap();
    let blocks: Vec<u8> = blocks.bytes().repeat(times);
    // The list begins with its length; its only reference is the distance from where that stands.
    let list = blocks.len() / times;
    let is_list = |at: &usize| word(*at) == list / 24 && blocks.starts_with(&footer[at + 4..at + 4 + list]);
    let list = (0..footer.len() - 4 - list).step_by(4).find(is_list).unwrap();
    let reference = (0..footer.len() - 4).step_by(4).find(|at| at + word(*at) == list).unwrap();
    let mut changed = footer.to_vec();
    // A block is aligned to 8 bytes, its length stands before it.
    while changed.len() % 8 != 4 {
        changed.push(0);
    }
    let distance = (changed.len() - reference) as u32;
    changed[reference..reference + 4].copy_from_slice(&distance.to_le_bytes());
    changed.extend((blocks.len() as u32 / 24).to_le_bytes());
    changed.extend(blocks);
    let length = (changed.len() as u32).to_le_bytes();
    [&whole[..trailer - footer.len()], &changed, &length, b"ARROW1"].concat()
}

/// A batch that is named again would be read again: a small file would be as large a table as it likes.
#[test]
fn record_batches_may_not_overlap() {
    for name in ["one_batch.arrow", "batches.arrow"] {
        assert_eq!(of_bytes::<M31>(repeated(name, 1), TABLE).unwrap().len(), 3, "{name}");
        let error = of_bytes::<M31>(repeated(name, 2), Shape { rows: 16, ..TABLE }).map(drop).unwrap_err();
        assert!(error.to_string().contains("overlap"), "{name}: {error}");
    }
}

/// Values of two columns in one place: the second buffer of a batch, with values, claims the place of the first
/// column's.
#[test]
fn columns_may_not_overlap() {
    let mut bytes = std::fs::read(path("one_batch.arrow")).unwrap();
    let buffer = |number: u64| [(number * 64).to_le_bytes(), 64_u64.to_le_bytes()].concat();
    // The last place: before it stand the length of a buffer and the offset of the next.
    let at = (0..bytes.len() - 16).rfind(|at| bytes[*at..at + 16] == buffer(1)).unwrap();
    bytes[at..at + 16].copy_from_slice(&buffer(0));
    let error = of_bytes::<Goldilocks>(bytes, TABLE).map(drop).unwrap_err();
    assert!(error.to_string().contains("overlap"), "{error}");
}

/// The AIR bounds the reading of any file.
#[test]
fn other_shapes_are_refused_before_values() {
    for name in ["columns.npy", "rows.npy", "one_batch.arrow", "batches.arrow"] {
        for shape in [Shape { columns: 4, ..TABLE }, Shape { columns: 2, ..TABLE }, Shape { rows: 4, ..TABLE }] {
            let error = TraceFile::open(&path(name), shape).map(drop).unwrap_err();
            assert!(
                matches!(error, TraceFileError::OtherShape { expected, .. } if expected == shape),
                "{name}: {error}"
            );
            assert!(error.to_string().contains("3 columns"), "{name}: {error}");
        }
    }
}
