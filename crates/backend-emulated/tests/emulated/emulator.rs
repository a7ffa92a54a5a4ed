//! The emulator itself: right runs, and the mistakes of kernels that it must find.

use std::fs;

use backend_emulated::{EmulatedDevice, Options};
use gpu_hal::{ErrorKind, Result};
use gpu_runtime::{Argument, KernelDevice, KernelSource, Launch};

/// A kernel with input a, output b and one parameter n; `body` is its text.
fn source(body: &str) -> KernelSource {
    let dialect = include_str!("../../../../kernels/dialect.h");
    let text = format!(
        "{dialect}\nstruct TestParams {{ u64 n; }};\nKERNEL(test, IN(0, u64, a) OUT(1, u64, b), TestParams) {{ {body} }}\n"
    );
    KernelSource { name: "test", text, defines: vec![("TWO", 2)] }
}

fn device(seed: u64) -> EmulatedDevice {
    EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler")
}

/// b after a launch of `blocks` blocks of `threads` threads, with a = 0, 1, 2, ....
fn run(device: &EmulatedDevice, body: &str, blocks: u32, threads: u32) -> Result<Vec<u64>> {
    let count = u64::from(blocks * threads);
    let module = device.build(&source(body))?;
    let kernel = device.kernel(&module, "test")?;
    let (a, b) = (device.alloc(count * 8)?, device.alloc(count * 8)?);
    let bytes: Vec<u8> = (0..count).flat_map(u64::to_ne_bytes).collect();
    device.upload(&a, 0, &bytes)?;
    let buffers = [&a, &b].map(|memory| Argument { memory, offset: 0 });
    let params = 1000u64.to_ne_bytes();
    device.launch(&Launch {
        kernel: &kernel,
        grid: [blocks, 1, 1],
        block: threads,
        buffers: &buffers,
        params: &params,
    })?;
    let mut out = vec![0; bytes.len()];
    device.download(&b, 0, &mut out)?;
    Ok(out.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes"))).collect())
}

const AT: &str = "u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;";
const REVERSE: [&str; 3] =
    ["SHARED(u64, s, 256); s[THREAD] = a[i];\n", "BARRIER();", "b[i] = s[BLOCK_THREADS - 1 - THREAD];"];

fn refused(body: &str, threads: u32) -> String {
    let error = run(&device(3), &format!("{AT}\n{body}"), 2, threads).expect_err("a mistake in the kernel");
    assert_eq!(error.kind, ErrorKind::Backend, "{error}");
    error.detail
}

#[test]
fn threads_blocks_parameters_defines() {
    let out = run(&device(1), &format!("{AT} b[i] = a[i] * TWO + p.n;"), 100, 64).expect("a sound kernel");
    assert!(out.iter().enumerate().all(|(i, value)| *value == 2 * i as u64 + 1000));
}

#[test]
fn a_barrier_and_what_its_lack_does() {
    let reversed = |out: &[u64]| out.iter().enumerate().all(|(i, v)| *v == (i as u64 & !255) + 255 - (i as u64 & 255));
    let [store, barrier, load] = REVERSE;
    for seed in 0..4 {
        let out = run(&device(seed), &format!("{AT} {store} {barrier} {load}"), 5, 256).expect("a sound kernel");
        assert!(reversed(&out), "seed {seed}");
        let out = run(&device(seed), &format!("{AT} {store} {load}"), 5, 256).expect("runs, wrongly");
        assert!(!reversed(&out), "seed {seed}: the barrier is gone and nothing shows");
    }
}

#[test]
fn a_shuffle_exchanges_within_its_group() {
    let body = format!("{AT} b[i] = SHUFFLE_XOR((u32)a[i], 5);");
    let out = run(&device(2), &body, 3, 96).expect("a sound kernel");
    assert!(out.iter().enumerate().all(|(i, value)| *value == (i as u64 ^ 5)));
}

#[test]
fn divergence_at_a_barrier_is_an_error() {
    let ended = refused("if (THREAD == 7) { return; }\nBARRIER(); b[i] = 1;", 32);
    assert!(ended.contains("thread 7 has ended"), "{ended}");
    let other = refused("if (THREAD == 7) { BARRIER();\n } else { BARRIER();\n }\nb[i] = 1;", 32);
    assert!(other.contains("at that of line"), "{other}");
}

#[test]
fn divergence_at_a_shuffle_is_an_error() {
    let ended = refused("if (THREAD != 9) { b[i] = SHUFFLE_XOR(1u, 1); }", 32);
    assert!(ended.contains("does not"), "{ended}");
    let partner = refused("b[i] = SHUFFLE_XOR(1u, 16);", 16);
    assert!(partner.contains("not there"), "{partner}");
    let barrier = refused("if (THREAD < 32) { b[i] = SHUFFLE_XOR(1u, 1);\n}\nif (THREAD != 3) { BARRIER(); }", 64);
    assert!(barrier.contains("thread 3 has ended"), "{barrier}");
}

/// By the first element behind it, and by a later one.
#[test]
fn a_write_past_the_end_of_a_buffer_is_an_error() {
    for behind in [0, 7] {
        let past = refused(&format!("b[i] = 1; if (i == 63) {{ b[64 + {behind}] = 1; }}"), 32);
        assert!(past.contains("'test' wrote past the end of an allocation of 512 bytes"), "{past}");
    }
}

#[test]
fn more_shared_memory_than_the_device_has_is_an_error() {
    let body = |words: u32| format!("{AT} SHARED(u64, s, 4000);\nSHARED(u64, t, {words}); s[0] = t[0]; b[i] = 1;");
    assert!(run(&device(3), &body(96), 2, 8).is_ok(), "32 KB fit");
    let error = run(&device(3), &body(97), 2, 8).expect_err("a word too many");
    assert!(error.kind == ErrorKind::Backend && error.detail.contains("takes 32776 bytes"), "{error}");
    let large = Options { shared_bytes: 48 << 10, ..Options::default() };
    assert!(run(&EmulatedDevice::new(large).expect("a C++ compiler"), &body(97), 2, 8).is_ok());
}

#[test]
fn a_large_frame_fits_the_stack() {
    let body = "volatile u64 big[13000]; for (u32 k = 0; k < 13000; k++) { big[k] = k; }\nBARRIER(); b[i] = big[7];";
    assert!(run(&device(3), &format!("{AT} {body}"), 1, 8).is_ok(), "101 KB fit");
}

#[test]
fn a_text_that_does_not_compile_is_a_typed_error_with_the_compilers_words() {
    let error = run(&device(0), "b[0] = no_such_name;", 1, 1).expect_err("no such name");
    assert_eq!(error.kind, ErrorKind::KernelBuild);
    assert!(error.detail.contains("no_such_name") && error.detail.contains("'test'"), "{error}");
    let device = device(0);
    let module = device.build(&source("b[0] = 1;")).expect("a sound kernel");
    assert_eq!(device.kernel(&module, "other").expect_err("no such kernel").kind, ErrorKind::KernelBuild);
}

#[test]
fn launches_that_no_device_takes_are_errors() {
    for threads in [0, 1025] {
        let module = device(0).build(&source("b[0] = 1;")).expect("a sound kernel");
        let device = device(0);
        let kernel = device.kernel(&module, "test").expect("the kernel");
        let launch = Launch { kernel: &kernel, grid: [1, 1, 1], block: threads, buffers: &[], params: &[] };
        assert_eq!(device.launch(&launch).expect_err("not that many threads").kind, ErrorKind::Backend);
    }
}

#[test]
fn transfers_past_the_end_are_errors() {
    let device = device(0);
    let (small, large) = (device.alloc(8).expect("memory"), device.alloc(64).expect("memory"));
    assert!(device.upload(&small, 0, &[0; 9]).is_err());
    assert!(device.download(&small, 1, &mut [0; 8]).is_err());
    assert!(device.copy(&large, 0, &small, 0, 16).is_err());
    assert!(device.fill(&large, 60, 8, 0).is_err());
    assert_eq!(device.alloc(u64::MAX).expect_err("no such memory").kind, ErrorKind::OutOfMemory);
}

#[test]
fn a_damaged_cache_entry_is_compiled_again() {
    let folder = std::env::temp_dir().join(format!("polystark-emulator-test-{}", std::process::id()));
    let options = || Options { cache: Some(folder.clone()), ..Options::default() };
    let body = format!("{AT} b[i] = a[i] + 41;");
    let right: Vec<u64> = (41..49).collect();
    let run = || run(&EmulatedDevice::new(options()).expect("a C++ compiler"), &body, 1, 8).expect("a sound kernel");
    assert_eq!(run(), right);
    let entries = || -> Vec<_> {
        fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let [entry] = entries().try_into().expect("one object and nothing left over");
    let sound = fs::read(&entry).expect("the object");
    for damaged in [&sound[..sound.len() / 2], &[0u8; 100][..], &[][..]] {
        fs::write(&entry, damaged).expect("writable");
        assert_eq!(run(), right);
        assert_eq!(fs::read(&entry).expect("the object").len(), sound.len(), "compiled again");
    }
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    fs::write(&entry, &flipped).expect("writable");
    assert_eq!(run(), right);
    assert_ne!(fs::read(&entry).expect("the object"), flipped);
    fs::remove_dir_all(&folder).expect("removable");
}
