//! Files that are sound, and files with one fault each.

use super::archive::{Archive, pack};
use super::*;
use crate::felt::PRIME;
use crate::{BuiltinName, Felt252};

/// Large enough for all of these.
const MAX: u64 = 1 << 22;

fn address(segment: u64, offset: u64) -> Address {
    Address { segment, offset }
}

/// A CairoPIE with all kinds of values, which no program has.
fn sample() -> CairoPie {
    use BuiltinName::{Ecdsa, Output, Pedersen, RangeCheck};
    let segment = |index, size| Segment { index, size };
    let sizes = [(Output, 2), (Pedersen, 3), (RangeCheck, 0), (Ecdsa, 2)];
    let data = vec![Felt252::from(7), -Felt252::ONE];
    let felt = |at: Address, value: Felt252| Cell { address: at, value: Value::Felt(value) };
    let mut memory: Vec<Cell> = (0..2).map(|i| felt(address(0, i), data[i as usize])).collect();
    memory.push(Cell { address: address(1, 0), value: Value::Pointer(address(2, 0)) });
    memory.push(felt(address(1, 3), Felt252::from(1u128 << 100)));
    memory.extend([felt(address(2, 0), 144.into()), felt(address(2, 1), Felt252::ZERO)]);
    memory.push(Cell { address: address(8, 4), value: Value::Pointer(address(8, MAX)) });
    let pages = [(1, Page { start: 0, size: 2 })].into();
    let attributes = [("gps_fact_topology".to_owned(), vec![1, 2]), ("other".to_owned(), vec![])].into();
    CairoPie {
        version: Version::V1_1,
        metadata: Metadata {
            program: Program { data, builtins: sizes.iter().map(|(name, _)| *name).collect(), main: 1 },
            program_segment: segment(0, 2),
            execution_segment: segment(1, 4),
            ret_fp_segment: segment(6, 0),
            ret_pc_segment: segment(7, 0),
            builtin_segments: sizes.iter().zip(2..).map(|((name, size), i)| (*name, segment(i, *size))).collect(),
            extra_segments: vec![segment(8, 5), segment(9, 1 << 40)],
        },
        memory,
        resources: Resources {
            n_steps: 10,
            n_memory_holes: 1,
            builtin_instances: vec![(Output, 2), (RangeCheck, 0), (Pedersen, 1), (Ecdsa, 1)],
        },
        additional_data: vec![
            (Output, AdditionalData::Output { pages, attributes }),
            (RangeCheck, AdditionalData::Nothing),
            (Pedersen, AdditionalData::Addresses(vec![address(3, 2)])),
            (Ecdsa, AdditionalData::Signatures(vec![(address(5, 0), [Felt252::ONE, -Felt252::ONE])])),
        ],
    }
}

/// The members of a sound file.
fn members() -> Vec<(Member, Vec<u8>)> {
    members_of(&write(&sample()).unwrap())
}

fn members_of(file: &[u8]) -> Vec<(Member, Vec<u8>)> {
    let archive = Archive::open(file, MAX).unwrap();
    Member::ALL.into_iter().map(|member| (member, archive.unpack(member, MAX).unwrap().unwrap())).collect()
}

fn member(members: &mut [(Member, Vec<u8>)], wanted: Member) -> &mut Vec<u8> {
    &mut members.iter_mut().find(|(member, _)| *member == wanted).unwrap().1
}

fn refused(file: &[u8]) -> Error {
    read(file, MAX).expect_err("it has a fault")
}

#[test]
fn a_file_is_read_again_and_is_the_same_each_time() {
    let (pie, file) = (sample(), write(&sample()).unwrap());
    assert_eq!(read(&file, MAX), Ok(pie.clone()));
    assert_eq!(write(&pie).unwrap(), file);
    assert_eq!(pie.output().iter().map(|cell| cell.value.to_string()).collect::<Vec<_>>(), ["0x90", "0x0"]);
    assert_eq!([pie.cells(9).len(), pie.cells(8).len(), pie.cells(u64::MAX).len()], [0, 1, 0]);
}

#[test]
fn the_first_version_need_not_say_its_number() {
    let mut all = members();
    *member(&mut all, Member::Version) = b"{\"cairo_pie\": \"1.0\"}".to_vec();
    let said = read(&pack(&all).unwrap(), MAX).unwrap();
    all.remove(0);
    let unsaid = read(&pack(&all).unwrap(), MAX).unwrap();
    assert_eq!([said.version, unsaid.version], [Version::V1_0; 2]);
    assert_eq!(read(&write(&said).unwrap(), MAX), Ok(sample()), "the newest is written");
}

#[test]
fn cells_may_have_any_order() {
    let mut all = members();
    let bytes = member(&mut all, Member::Memory);
    let reversed: Vec<u8> = bytes.chunks(40).rev().flatten().copied().collect();
    *bytes = reversed;
    assert_eq!(read(&pack(&all).unwrap(), MAX), Ok(sample()));
}

#[test]
fn archives_have_the_members_once_and_no_other() {
    for index in 0..5 {
        let mut all = members();
        all.push(all[index].clone());
        let error = refused(&pack(&all).unwrap());
        assert_eq!((error.reason, &error.place), (Reason::Members, &Place::Member(all[index].0)), "{error}");
        let mut all = members();
        let (gone, _) = all.remove(index);
        match read(&pack(&all).unwrap(), MAX) {
            Err(error) => assert_eq!((error.reason, error.place), (Reason::Members, Place::Member(gone))),
            Ok(pie) => assert!(gone == Member::Version && pie.version == Version::V1_0),
        }
    }
    // The name in both records.
    let file = write(&sample()).unwrap();
    let other = replaced(&file, b"memory.bin", b"memory.bim");
    assert_eq!(refused(&other).reason, Reason::Members);
    assert!(refused(&other).to_string().contains("memory.bim"));
}

/// All places where `from` stands have `to`.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn sizes_are_bounded_before_anything_is_unpacked() {
    let mut all = members();
    let zeros = 64 << 20;
    *member(&mut all, Member::Memory) = vec![0; zeros];
    let file = pack(&all).unwrap();
    assert!(file.len() < 1 << 17);
    let error = refused(&file);
    assert_eq!((error.reason, error.place), (Reason::TooLong, Place::Archive));
    let said = |size: u64| replaced(&file, &(zeros as u64).to_le_bytes(), &size.to_le_bytes());
    // 10 GB, and more than the address space.
    for size in [10_000_000_000, u64::MAX] {
        assert_eq!(refused(&said(size)).reason, Reason::TooLong);
    }
    let error = read(&said(10_000_000_000), u64::MAX).expect_err("more than these bytes can have");
    assert_eq!((error.reason, error.place), (Reason::FalseSize, Place::Member(Member::Memory)));
    // More cells than these bytes can have.
    *member(&mut all, Member::Memory) = vec![0; 40 * 1000];
    let error = refused(&pack(&all).unwrap());
    assert_eq!((error.reason, error.place), (Reason::FalseSize, Place::Member(Member::Memory)));
    // Cells that differ as little as they can.
    let mut alike = sample();
    alike.memory.extend((0..10_000).map(|i| Cell { address: address(9, i), value: Value::Felt(Felt252::ZERO) }));
    assert_eq!(read(&write(&alike).unwrap(), MAX), Ok(alike));
    // Less than there is, and more.
    for size in [0, 40, zeros as u64 - 40, zeros as u64 + 40] {
        assert_eq!(
            read(&said(size), u64::MAX).map(drop).map_err(|error| error.reason),
            Err(Reason::FalseSize),
            "{size}"
        );
    }
}

#[test]
fn archives_are_whole() {
    let file = write(&sample()).unwrap();
    for end in 0..file.len() {
        assert_eq!(refused(&file[..end]).reason, Reason::Archive, "{end}");
    }
    assert_eq!(refused(&[b"x", &file[..]].concat()).reason, Reason::Archive);
    assert_eq!(refused(&[&file[..], b"x"].concat()).reason, Reason::Archive);
    let mut encrypted = file.clone();
    let at = file.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    encrypted[at + 8] |= 1;
    assert!(refused(&encrypted).what.contains("encrypted"));
    let mut crc = file.clone();
    crc[at + 16] ^= 1;
    assert_eq!(refused(&crc).reason, Reason::Checksum);
    let mut method = file;
    method[at + 10] = 12;
    assert!(refused(&method).what.contains("method"));
}

#[test]
fn every_field_is_checked() {
    use Member::{AdditionalData, ExecutionResources, Metadata, Version};
    let (prime, larger) = (Felt252::prime().to_string(), (Felt252::prime() + 1u32).to_string());
    let cases: &[(Member, &str, &str, &str)] = &[
        (Version, "1.1", "1.2", "version \"1.2\""),
        (Version, "cairo_pie", "pie", "unknown field"),
        (Metadata, "[7,", &format!("[{prime},"), "word 0"),
        (Metadata, "[7,", "[7.5,", "word 0"),
        (Metadata, "[7,", "[\"7\",", "word 0"),
        (Metadata, "[7,", "[-7,", "word 0"),
        (Metadata, "[7,", "[8,", "cell 0:0"),
        (Metadata, "[7,", "[7,7,", "program_segment.size"),
        (Metadata, &format!("\"prime\":{prime}"), &format!("\"prime\":{larger}"), "program.prime"),
        (Metadata, "\"main\":1", "\"main\":2", "program.main"),
        (Metadata, "\"main\":1", "\"main\":-1", "column"),
        (Metadata, "[\"output\",", "[\"sha256\",", "program.builtins"),
        (Metadata, "[\"output\",", "[\"pedersen\",", "program.builtins"),
        (Metadata, "{\"output\":", "{\"bitwise\":", "builtin_segments"),
        (Metadata, "\"pedersen\":{\"index\":3", "\"output\":{\"index\":3", "builtin_segments"),
        (Metadata, "\"pedersen\":{\"index\":3", "\"pedersen\":{\"index\":4", "builtin_segments.pedersen.index"),
        (Metadata, "{\"index\":0,\"size\":2}", "{\"index\":0,\"size\":3}", "program_segment.size"),
        (Metadata, "{\"index\":0,\"size\":2}", "{\"index\":0}", "size"),
        (Metadata, "{\"index\":0,\"size\":2}", "{\"index\":1,\"size\":2}", "program_segment.index"),
        (Metadata, "{\"index\":1,\"size\":4}", "{\"index\":1,\"size\":3}", "cell 1:3"),
        (Metadata, "{\"index\":6,\"size\":0}", "{\"index\":6,\"size\":1}", "ret_fp_segment.size"),
        (Metadata, "{\"index\":7,\"size\":0}", "{\"index\":8,\"size\":0}", "ret_pc_segment.index"),
        (Metadata, "{\"index\":8,\"size\":5}", "{\"index\":8,\"size\":18446744073709551615}", "extra_segments[0].size"),
        (Metadata, ",{\"index\":9,", ",{\"index\":10,", "extra_segments[1].index"),
        (ExecutionResources, "\"output_builtin\":2", "\"output\":2", "there is no builtin"),
        (ExecutionResources, "\"output_builtin\":2,", "", "builtin_instance_counter"),
        (ExecutionResources, "\"n_steps\":10", "\"n_steps\":1e1", "column"),
        (ExecutionResources, "\"n_steps\":10", "\"n_steps\":10,\"n_steps\":10", "duplicate field"),
        (AdditionalData, "[[3,2]]", "[[3,3]]", "pedersen_builtin"),
        (AdditionalData, "[[3,2]]", "[[2,0]]", "pedersen_builtin"),
        (AdditionalData, "[[3,2]]", "[3,2]", "pedersen_builtin"),
        (AdditionalData, "[[3,2]]", "null", "pedersen_builtin"),
        (AdditionalData, "\"range_check_builtin\":null", "\"range_check_builtin\":[1]", "range_check_builtin"),
        (AdditionalData, "\"range_check_builtin\"", "\"bitwise_builtin\"", "bitwise_builtin"),
        (AdditionalData, "\"range_check_builtin\":null", "\"pedersen_builtin\":[[3,2]]", "twice"),
        (AdditionalData, "[[5,0],[1,", "[[5,2],[1,", "ecdsa_builtin"),
        (AdditionalData, "[[5,0],[1,", "[[5,0],[1,1,", "ecdsa_builtin"),
        (AdditionalData, "{\"1\":[0,2]}", "{\"1\":[1,2]}", "page 1"),
        (AdditionalData, "{\"1\":[0,2]}", "{\"1\":[0,18446744073709551615]}", "page 1"),
        (AdditionalData, "{\"1\":[0,2]}", "{\"one\":[0,2]}", "`one`"),
        (AdditionalData, "{\"1\":[0,2]}", "{\"1\":[0,2],\"1\":[0,2]}", "twice"),
        (AdditionalData, "{\"1\":[0,2]}", "{\"1\":[0]}", "output_builtin"),
        (AdditionalData, "\"attributes\":", "\"attribute\":", "output_builtin"),
    ];
    for (of, from, to, needed) in cases {
        let mut all = members();
        let bytes = member(&mut all, *of);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        *bytes = text.replacen(from, to, 1).into_bytes();
        let error = refused(&pack(&all).unwrap());
        assert!(matches!(error.reason, Reason::Form | Reason::Value), "{from} -> {to}: {error:?}");
        assert!(error.to_string().contains(needed), "{from} -> {to}: {error}");
    }
    // More than there can be, or than are read: refused before they are sorted or kept.
    let many = |entry: &str, number: usize| vec![entry; number].join(",");
    for (of, from, entry, number) in [
        (Metadata, "\"builtins\":[", "\"output\"", 13),
        (Metadata, "\"builtin_segments\":{", "\"output\":{\"index\":2,\"size\":2}", 13),
        (ExecutionResources, "\"builtin_instance_counter\":{", "\"output_builtin\":2", 13),
        (AdditionalData, "\"attributes\":{", "\"other\":[]", 1025),
        (AdditionalData, "\"gps_fact_topology\":[", "1", 1 << 10),
        // There are 7 cells.
        (AdditionalData, "\"pedersen_builtin\":[", "[3,2]", 7),
        (AdditionalData, "\"ecdsa_builtin\":[", "[[5,0],[1,1]]", 7),
        (Metadata, "\"data\":[", "7", 1 << 20),
        (Metadata, "\"extra_segments\":[", "{\"index\":8,\"size\":5}", 1 << 16),
    ] {
        let mut all = members();
        let bytes = member(&mut all, of);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        *bytes = text.replacen(from, &format!("{from}{},", many(entry, number)), 1).into_bytes();
        let error = refused(&pack(&all).unwrap());
        assert!(error.reason == Reason::Form && error.what.contains("more than"), "{from}: {error}");
    }
    for of in [Version, Metadata, ExecutionResources, AdditionalData] {
        for text in [&b""[..], b"{", b"[]", b"null", b"{}", b"\xff"] {
            let mut all = members();
            *member(&mut all, of) = text.to_vec();
            match read(&pack(&all).unwrap(), MAX) {
                Err(error) => assert_eq!((error.reason, error.place), (Reason::Form, Place::Member(of)), "{text:?}"),
                Ok(_) => assert!(of == AdditionalData && text == b"{}"),
            }
        }
    }
}

#[test]
fn cells_are_checked() {
    let fault = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut all = members();
        change(member(&mut all, Member::Memory));
        refused(&pack(&all).unwrap())
    };
    assert_eq!(fault(&|bytes| bytes.truncate(41)).reason, Reason::Form);
    // An address without its bit, a value that is marked as an address and is none, a value of p.
    let large = |bytes: &mut Vec<u8>| bytes[128..160].copy_from_slice(&PRIME.map(u32::to_le_bytes).concat());
    for (index, error) in
        [(3, fault(&|bytes| bytes[127] = 0)), (2, fault(&|bytes| bytes[40 * 2 + 20] = 1)), (3, fault(&large))]
    {
        assert_eq!((error.reason, &error.place), (Reason::Value, &Place::Record(index)), "{error}");
    }
    let place = |error: Error| match error.place {
        Place::Cell(address) => address.to_string(),
        place => panic!("{place}"),
    };
    let moved = |at: usize, to: Address| {
        let word = 1 << 63 | to.segment << 47 | to.offset;
        place(fault(&move |bytes| bytes[40 * at..40 * at + 8].copy_from_slice(&u64::to_le_bytes(word))))
    };
    assert_eq!(moved(0, address(0, 1)), "0:1", "there twice");
    assert_eq!(moved(3, address(2, 2)), "2:2", "behind its segment");
    assert_eq!(moved(3, address(10, 0)), "10:0", "no segment");
    assert_eq!(moved(3, address(6, 0)), "6:0", "a segment without cells");
    // The pointer in cell 1:0.
    let pointer = fault(&|bytes| bytes[88..96].copy_from_slice(&(10u64 << 47).to_le_bytes()));
    assert!(place(pointer.clone()) == "1:0" && pointer.what.contains("10:0"), "{pointer}");
}

const FILES: [&str; 8] = [
    "pies/ec_op.zip",
    "pies/empty.zip",
    "pies/fib.zip",
    "pies/hashes.zip",
    "pies/keccak.zip",
    "pies/no_hash.zip",
    "pies/rc96.zip",
    "faults/cairo0/fibonacci_pie.zip",
];

fn vector(path: &str) -> Vec<u8> {
    let full = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path);
    std::fs::read(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

/// cairo-vm wrote these.
#[test]
fn what_the_reference_wrote_is_written_byte_for_byte() {
    for path in FILES {
        let file = vector(path);
        let pie = read(&file, MAX).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(members_of(&write(&pie).unwrap()) == members_of(&file), "{path}");
    }
}

/// Bytes of a file change, or bytes of one of its members.
#[test]
fn no_change_of_a_file_makes_it_panic() {
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let files = ["pies/rc96.zip", "pies/empty.zip", "faults/cairo0/fibonacci_pie.zip"].map(vector);
    let all = [0, 1, 2].map(|index: usize| members_of(&files[index]));
    let mut sound = 0;
    for round in 0..10_000 {
        let which = random(files.len());
        let mut change = |bytes: &mut Vec<u8>| {
            for _ in 0..=random(3) {
                let (at, other) = (random(bytes.len()), random(bytes.len()));
                match random(5) {
                    0 => bytes[at] ^= 1 << random(8),
                    1 => bytes[at] = b"0[]{},\":-9\0\xff"[random(12)],
                    2 => bytes[at] = bytes[other],
                    3 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, bytes[other]),
                }
            }
        };
        let file = if round % 2 == 0 {
            let mut file = files[which].clone();
            change(&mut file);
            file
        } else {
            let mut members = all[which].clone();
            change(&mut members[round / 2 % 5].1);
            pack(&members).unwrap()
        };
        sound += usize::from(read(&file, MAX).is_ok_and(|pie| read(&write(&pie).unwrap(), MAX).is_ok()));
    }
    assert!((1..5_000).contains(&sound), "{sound}");
}
