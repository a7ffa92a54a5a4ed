//! Typed errors for a machine that lacks something, and for a device that does something wrong.

use backend_cuda::{Cuda, CudaDevice, NAME, Options, devices, open, open_device};
use gpu_hal::{Columns, ErrorKind, GoldilocksStark, StarkBackend};
use gpu_runtime::{Argument, HostBytes, KernelDevice, KernelSource, Launch, Upload};
use hal_conformance::require_or_skip;

use field::Goldilocks;

#[test]
fn without_a_device_the_error_names_what_to_do() {
    let error = match devices() {
        Ok(list) => {
            assert!(list.iter().all(|device| device.memory_bytes > 0 && !device.name.is_empty()), "{list:?}");
            let ordinal = list.len() as u32;
            open_device::<GoldilocksStark>(ordinal).err().expect("no such device")
        }
        Err(error) => {
            let again = open::<GoldilocksStark<Goldilocks>>().err().expect("no device was found before");
            assert_eq!((again.kind, &again.detail), (error.kind, &error.detail));
            error
        }
    };
    assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
    let names = ["install", "nvidia-smi", "LD_LIBRARY_PATH", "no device", "restart"];
    assert!(names.iter().any(|name| error.detail.contains(name)), "{error}");
}

/// The dialect and one kernel without parameters worth naming.
fn source(body: &str) -> KernelSource {
    let dialect = include_str!("../../../../kernels/dialect.h");
    let text =
        format!("{dialect}\nstruct TestParams {{ u64 n; }};\nKERNEL(test, OUT(0, u64, a), TestParams) {{ {body} }}\n");
    KernelSource { name: "test", text, defines: Vec::new() }
}

fn device(cache: &std::path::Path) -> Option<CudaDevice> {
    let options = Options { cache: Some(cache.to_owned()), ..Options::default() };
    require_or_skip(NAME, CudaDevice::new(options))
}

fn run(device: &CudaDevice, body: &str, n: u64) -> gpu_hal::Result<u64> {
    let module = device.build(&source(body))?;
    let kernel = device.kernel(&module, "test")?;
    let memory = device.alloc(256)?;
    let buffers = [Argument { memory: &memory, offset: 8 }];
    device.launch(&Launch {
        kernel: &kernel,
        grid: [1, 1, 1],
        block: 1,
        buffers: &buffers,
        params: &n.to_ne_bytes(),
    })?;
    let mut out = [0; 8];
    device.download(&memory, 8, &mut out)?;
    Ok(u64::from_ne_bytes(out))
}

#[test]
fn a_kernel_that_does_not_compile_and_one_that_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(device) = device(folder.path()) else { return };
    let error = device.build(&source("a[0] = nonsense;")).expect_err("no such name");
    assert_eq!(error.kind, ErrorKind::KernelBuild);
    assert!(error.detail.contains("nonsense"), "{error}");
    let module = device.build(&source("a[0] = p.n;")).expect("a sound kernel");
    let error = device.kernel(&module, "other").expect_err("no such kernel");
    assert_eq!(error.kind, ErrorKind::KernelBuild);
    assert!(error.detail.contains("other"), "{error}");
}

#[test]
fn spoilt_files_of_the_cache_are_compiled_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(device) = device(folder.path()) else { return };
    let body = "a[0] = 3 * p.n;";
    assert_eq!(run(&device, body, 7).expect("a sound kernel"), 21);
    let files = || std::fs::read_dir(folder.path()).expect("the folder").map(|file| file.expect("a file").path());
    let path = files().next().expect("one file");
    assert_eq!(files().count(), 1);
    let sound = std::fs::read(&path).expect("the file");
    // Cut short; and machine code of nothing with a right hash, which only the driver can refuse.
    use sha2::Digest;
    let mut foreign = b"no machine code".to_vec();
    foreign.extend_from_slice(&sha2::Sha256::digest(&foreign));
    for spoilt in [sound[..sound.len() / 2].to_vec(), foreign] {
        std::fs::write(&path, spoilt).expect("written");
        assert_eq!(run(&device, body, 8).expect("compiled again"), 24);
        assert_eq!(std::fs::read(&path).expect("the file"), sound);
    }
}

/// In a process of its own: CUDA gives one that lost its device no other.
#[test]
fn a_lost_device_says_so_and_what_to_do() {
    const CHILD: &str = "POLYSTARK_TEST_LOSES_THE_DEVICE";
    let folder = tempfile::tempdir().expect("a folder");
    if std::env::var_os(CHILD).is_none() {
        if device(folder.path()).is_none() {
            return;
        }
        let output = std::process::Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "errors::a_lost_device_says_so_and_what_to_do", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .expect("the test starts again");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("the device is lost, and said so"), "the other process ran nothing: {text}");
        return;
    }
    let device = device(folder.path()).expect("a device that was there");
    let held = device.alloc(1 << 20).expect("memory");
    let (other, before) = (device.alloc(1 << 20).expect("memory"), device.record().expect("a moment"));
    let module = device.build(&source("a[0] = p.n;")).expect("a sound kernel");
    let error = run(&device, "*(u64*)(p.n) = a[0];", 8).expect_err("nothing is at address 8");
    assert_eq!(error.kind, ErrorKind::DeviceLost, "{error}");
    assert!(error.detail.contains("restart the program"), "{error}");
    let beside = |from: &[u8]| {
        let slices = [from];
        let from = HostBytes::new(&slices);
        let upload = Upload { to: &held, offset: 0, from, part: 1 << 19, after: &before, accept: &|_| true };
        device.upload_beside(&upload, &mut |_, _| Ok(()))
    };
    let mut out = [0; 8];
    for error in [
        device.synchronize().expect_err("lost"),
        device.alloc(8).expect_err("lost"),
        device.upload(&held, 0, &out).expect_err("lost"),
        device.download(&held, 0, &mut out).expect_err("lost"),
        device.upload(&held, 0, &vec![0; 1 << 20]).expect_err("lost"),
        beside(&vec![0; 1 << 20]).expect_err("lost"),
        beside(&out).expect_err("lost"),
        device.download(&held, 0, &mut vec![0; 1 << 20]).expect_err("lost"),
        device.copy(&held, 0, &other, 0, 8).expect_err("lost"),
        device.fill(&held, 0, 8, 1).expect_err("lost"),
        device.record().map(drop).expect_err("lost"),
        device.wait(&before).expect_err("lost"),
        device.elapsed(&before, &before).map(drop).expect_err("lost"),
        device.free_memory().map(drop).expect_err("lost"),
        device.kernel(&module, "test").map(drop).expect_err("lost"),
        device.build(&source("a[0] = p.n;")).map(drop).expect_err("lost"),
        run(&device, "a[0] = p.n;", 3).map(drop).expect_err("lost"),
    ] {
        assert_eq!(error.kind, ErrorKind::DeviceLost, "{error}");
    }
    drop(held);
    drop(device);
    if let Err(error) = open::<GoldilocksStark<Goldilocks>>() {
        assert_eq!(error.kind, ErrorKind::DeviceLost, "{error}");
    }
    eprintln!("the device is lost, and said so");
}

#[test]
fn transfers_of_every_size_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(device) = device(folder.path()) else { return };
    let mut state = 1u64;
    for words in [1usize, 1000, (1 << 17) + 1, 3 << 19, (9 << 20) + 5] {
        let mut bytes = Vec::with_capacity(words * 8);
        for _ in 0..words {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            bytes.extend_from_slice(&state.to_ne_bytes());
        }
        let (memory, other) =
            (device.alloc(words as u64 * 8 + 8).expect("memory"), device.alloc(words as u64 * 8 + 16));
        let other = other.expect("memory");
        device.upload(&memory, 8, &bytes).expect("uploaded");
        device.copy(&memory, 8, &other, 16, words as u64 * 8).expect("copied");
        let mut out = vec![0; bytes.len()];
        device.download(&other, 16, &mut out).expect("downloaded");
        assert!(out == bytes, "{words} words");
        device.fill(&other, 16, 8, 0xab).expect("filled");
        device.download(&other, 16, &mut out[..16.min(words * 8)]).expect("downloaded");
        assert_eq!(out[..8], [0xab; 8]);
    }
}

#[test]
fn memory_that_is_not_there_is_an_error_and_what_is_there_can_be_had() {
    let Some(backend) = require_or_skip(NAME, open::<GoldilocksStark>()) else { return };
    let backend: Cuda<GoldilocksStark> = backend;
    let free = backend.memory().expect("counted").available.expect("the driver knows");
    let device = backend.device();
    let error = device.alloc(1 << 50).expect_err("no device has a pebibyte");
    assert_eq!(error.kind, ErrorKind::OutOfMemory, "{error}");
    let columns = usize::try_from(free >> 23).expect("a number of columns") / 2;
    let table: Columns<_> = backend.upload(&vec![Goldilocks::new(1); 1 << 20], 1, 20).expect("a small table");
    let picks = vec![(0, 0); 4 * columns];
    let error = backend.select(&[table.as_ref()], &picks).err().expect("twice what is free");
    assert_eq!(error.kind, ErrorKind::OutOfMemory, "{error}");
    let small = backend.select(&[table.as_ref()], &picks[..1]).expect("a small one after the failure");
    assert_eq!(backend.download(small.as_ref(), 5..6).expect("a working device"), [Goldilocks::new(1)]);
}
