//! Uploads beside the work, on the GPU: in order where they must be, looked at byte for byte, and the same tables as
//! one after the other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use backend_cuda::{Cuda, CudaDevice, CudaEvent, DeviceSummary, NAME, Options, devices, open, open_device};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::{Basis, Columns, CosetDomain, ErrorKind, EvalOrder, GoldilocksStark, Operation, StarkBackend};
use gpu_runtime::{HostBytes, KernelDevice, Upload};
use hal_conformance::{Random, require_or_skip};

type P = GoldilocksStark<Fp3>;

fn device() -> Option<CudaDevice> {
    require_or_skip(NAME, CudaDevice::new(Options::default()))
}

fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count / 8).flat_map(|_| random.word().to_ne_bytes()).collect()
}

#[test]
fn every_byte_is_looked_at_once_and_one_refusal_is_enough() {
    let Some(device) = device() else { return };
    for count in [8usize, 256 << 10, (256 << 10) + 8, 3 << 20, (40 << 20) + 24] {
        let mut data = bytes(count, 5);
        let memory = device.alloc(count as u64 + 8).expect("memory");
        let (seen, mark, part) = (AtomicU64::new(0), [0xa5; 8], (count / 3).next_multiple_of(8));
        let accept = |part: &[u8]| {
            seen.fetch_add(part.len() as u64, Ordering::Relaxed);
            part.chunks(8).all(|word| word != mark)
        };
        let start = device.record().expect("a moment");
        let upload = |from: &[&[u8]], then: &mut dyn FnMut(usize)| {
            let from = HostBytes::new(from);
            let upload = Upload { to: &memory, offset: 8, from, part, after: &start, accept: &accept };
            device.upload_beside(&upload, &mut |number, done| {
                then(number);
                device.wait(done)
            })
        };
        let mut parts = Vec::new();
        // In one piece, and in as many as make slices of one length of whole words.
        for length in [count, if count % 64 == 0 { count / 8 } else { 8 }] {
            let slices: Vec<&[u8]> = data.chunks(length).collect();
            seen.store(0, Ordering::Relaxed);
            parts.clear();
            assert!(upload(&slices, &mut |number| parts.push(number)).expect("uploaded"), "{count} bytes");
            assert!(parts.iter().copied().eq(0..count.div_ceil(part)), "parts in order");
            assert_eq!(seen.load(Ordering::Relaxed), count as u64);
            let mut out = vec![0; count];
            device.download(&memory, 8, &mut out).expect("downloaded");
            assert!(out == data, "{count} bytes in slices of {length}");
        }
        for at in [0, count / 16 * 8, count - 8] {
            let held = data[at..at + 8].to_vec();
            data[at..at + 8].fill(mark[0]);
            let accepted =
                upload(&[&data], &mut |number| assert!(number < at / part, "part {number}, bad word at {at}"));
            assert!(!accepted.expect("looked at"), "the word at {at} of {count} bytes");
            data[at..at + 8].copy_from_slice(&held);
        }
    }
}

/// Each round's upload comes after the copy of the previous round's upload, and each copy after its upload.
#[test]
fn uploads_wait_for_the_last_use_and_uses_for_uploads() {
    let Some(device) = device() else { return };
    let count = 16 << 20;
    let target = device.alloc(count as u64).expect("memory");
    let copies: Vec<_> = (0..12).map(|_| device.alloc(count as u64).expect("memory")).collect();
    let rounds: Vec<Vec<u8>> = (0..4).map(|seed| bytes(count, seed)).collect();
    for (round, copy) in copies.iter().enumerate() {
        let before = device.record().expect("a moment");
        let from = &rounds[round % 4];
        let slices = [from.as_slice()];
        let from = HostBytes::new(&slices);
        let upload = Upload { to: &target, offset: 0, from, part: 3 << 20, after: &before, accept: &|_| true };
        let copy_part = &mut |number: usize, done: &CudaEvent| {
            device.wait(done)?;
            let (first, bytes) = (number * upload.part, upload.part.min(count - number * upload.part));
            device.copy(&target, first as u64, copy, first as u64, bytes as u64)
        };
        assert!(device.upload_beside(&upload, copy_part).expect("uploaded"));
    }
    let mut out = vec![0; count];
    for (round, copy) in copies.iter().enumerate() {
        device.download(copy, 0, &mut out).expect("downloaded");
        assert!(out == rounds[round % 4], "round {round}");
    }
}

/// Two contexts on one device are peers too, and so is every other device of the machine. A copy that did not wait for
/// the fills there would be overwritten.
#[test]
fn a_copy_to_a_peer_comes_after_the_work_of_both() {
    let Some(here) = device() else { return };
    let count = 64u64 << 20;
    for DeviceSummary { ordinal, .. } in devices().expect("there is a driver") {
        let there = CudaDevice::new(Options { ordinal, ..Options::default() }).expect("a device");
        let (source, target) = (here.alloc(count).expect("memory"), there.alloc(count).expect("memory"));
        // Memory that is taken after access was allowed is reached as well.
        let reached = here.reaches(&there).expect("asked");
        assert!(reached || ordinal != here.summary().ordinal, "a device reaches itself");
        let later = there.alloc(count).expect("memory");
        let mut out = vec![0; count as usize];
        for value in [1, 2] {
            here.fill(&source, 0, count, value).expect("filled");
            (0..100).try_for_each(|_| there.fill(&target, 0, count, 0xee)).expect("filled");
            here.copy_peer(&source, 0, &there, (&target, 0), count).expect("copied");
            there.download(&target, 0, &mut out).expect("downloaded");
            assert!(out.iter().all(|byte| *byte == value), "copy {value} to device {ordinal}");
            here.copy_peer(&source, 0, &there, (&later, 0), count).expect("copied");
            there.download(&later, 0, &mut out).expect("downloaded");
            assert!(out.iter().all(|byte| *byte == value), "copy {value} to later memory of device {ordinal}");
        }
    }
}

#[test]
fn a_table_is_the_same_on_every_device() {
    let Some(here) = require_or_skip(NAME, open::<P>()) else { return };
    let (width, log_height) = (3, 20);
    let data: Vec<Goldilocks> = Random::new(12).elements(width << log_height);
    let table = here.upload(&data, width, log_height).expect("uploaded");
    for DeviceSummary { ordinal, .. } in devices().expect("there is a driver") {
        let there = open_device::<P>(ordinal).expect("a device");
        let copied = here.copy_to(table.as_ref(), &there).expect("copied");
        assert!(there.download(copied.as_ref(), 0..1 << log_height).expect("downloaded") == data, "device {ordinal}");
        let back = there.copy_to(copied.as_ref(), &here).expect("copied back");
        assert!(here.download(back.as_ref(), 0..1 << log_height).expect("downloaded") == data, "device {ordinal}");
    }
}

#[test]
fn tables_that_come_in_parts_are_those_that_come_at_once() {
    let Some(backend) = require_or_skip(NAME, open::<gpu_hal::GoldilocksStark>()) else { return };
    let backend: Cuda<P> = backend;
    let mut random = Random::new(11);
    for (width, log_height) in [(9, 20), (2, 23), (1, 10), (700, 13)] {
        let mut data: Vec<Goldilocks> = random.elements(width << log_height);
        let to = CosetDomain::new(Goldilocks::new(7), log_height + 1);
        for from in [
            Basis::Coefficients,
            Basis::Evaluations { domain: CosetDomain::subgroup(log_height), order: EvalOrder::Row },
            Basis::Evaluations { domain: CosetDomain::subgroup(log_height), order: EvalOrder::Storage },
        ] {
            let whole = |table: &gpu_hal::Columns<_>| backend.download(table.as_ref(), 0..table.height());
            let columns: Vec<_> = data.chunks_exact(1 << log_height).collect();
            let (rows, extended) = backend.upload_lde(&columns, log_height, from, to, true).expect("in parts");
            let rows = rows.expect("kept");
            assert!(whole(&rows).expect("rows") == data, "{width} columns of 2^{log_height}");
            let alone = backend.lde(rows.as_ref(), from, to).expect("at once");
            assert!(
                whole(&extended).expect("values") == whole(&alone).expect("values"),
                "{width} columns of 2^{log_height} from {from:?}"
            );
        }
        let before = backend.memory().expect("counted").in_use;
        let wrong: Goldilocks = bytemuck::cast(u64::MAX - 3);
        for at in [data.len() - 1, data.len() / 2, 0] {
            data[at] = wrong;
            let columns: Vec<_> = data.chunks_exact(1 << log_height).collect();
            let error =
                backend.upload_lde(&columns, log_height, Basis::Coefficients, to, at == 0).err().expect("refused");
            assert_eq!((error.kind, error.op), (ErrorKind::InvalidArgument, Operation::UploadLde.into()), "{error}");
            assert!(error.detail.contains(&format!("element {at} ")), "{error}");
            assert_eq!(backend.memory().expect("counted").in_use, before);
        }
        data.fill(Goldilocks::ONE);
        backend.upload(&data, width, log_height).expect("it still works");
    }
}

/// A table that moved to the host's memory comes back as it was, in as many pieces as it has there, the first time and
/// when the pieces serve again.
#[test]
fn what_leaves_comes_back() {
    const LOG: u32 = 22;
    let Some(backend) = require_or_skip(NAME, open::<P>()) else { return };
    for width in [1usize, 2, 13, 16] {
        let data: Vec<Goldilocks> = (0..(width as u64) << LOG).map(Goldilocks::new).collect();
        let mut table = backend.upload(&data, width, LOG).expect("memory");
        // It stays until the pieces of the next are there, which are therefore kept for it.
        let held = gpu_hal::PlacementOperations::stash(&backend, table.as_ref()).expect("memory of the host");
        for round in ["first", "second", "third"] {
            let start = Instant::now();
            let stash = gpu_hal::PlacementOperations::stash(&backend, table.as_ref()).expect("memory of the host");
            let left = start.elapsed();
            drop(table);
            let start = Instant::now();
            table =
                gpu_hal::PlacementOperations::restore(&backend, &stash, Columns::new((), width, LOG)).expect("memory");
            backend.sync().expect("a device");
            let rate = |time: Duration| size_of_val(data.as_slice()) as f64 / time.as_secs_f64() / 1e9;
            println!(
                "{width} x 2^{LOG}, {round}: {:.1} GB/s to the host, {:.1} GB/s back",
                rate(left),
                rate(start.elapsed())
            );
            assert!(backend.download(table.as_ref(), 0..1 << LOG).expect("downloaded") == data, "{width} columns");
        }
        drop(held);
    }
}
