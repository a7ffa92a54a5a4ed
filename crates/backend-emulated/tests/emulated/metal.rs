//! The kernels as Metal's compiler sees them: the rules of Metal that are kept, products in both forms, mistakes that
//! must be found.

use backend_emulated::{Dialect, Emulated, EmulatedDevice, MetalArgument, NAME, Options};
use gpu_hal::{CircleStark, ErrorKind, GoldilocksStark, Result};
use gpu_runtime::{Argument, GpuProtocol, KernelDevice, KernelSource, Launch};
use hal_conformance::left_out;
use num_bigint::BigUint;

fn device(product_bits: u32) -> EmulatedDevice {
    let dialect = Dialect::Metal { product_bits };
    EmulatedDevice::new(Options { seed: 5, dialect, ..Options::default() }).expect("a C++ compiler")
}

/// A kernel with input a, output b and one parameter n; `before` comes before it, `body` is its text.
fn source(before: &str, body: &str) -> KernelSource {
    let dialect =
        [include_str!("../../../../kernels/dialect.h"), include_str!("../../../../kernels/dialect/integers.h")];
    let text = format!(
        "{}\nstruct TestParams {{ u64 n; }};\n{before}\nKERNEL(test, IN(0, u64, a) OUT(1, u64, b), TestParams) {{ {body} }}\n",
        dialect.concat()
    );
    KernelSource { name: "test", text, defines: Vec::new() }
}

/// b after a launch of one block, with these words as a.
fn run(device: &EmulatedDevice, source: &KernelSource, words: &[u64], threads: u32) -> Result<Vec<u64>> {
    let module = device.build(source)?;
    let kernel = device.kernel(&module, "test")?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let (a, b) = (device.alloc(bytes.len() as u64)?, device.alloc(bytes.len() as u64)?);
    device.upload(&a, 0, &bytes)?;
    device.upload(&b, 0, &bytes)?;
    let buffers = [&a, &b].map(|memory| Argument { memory, offset: 0 });
    let params = 3u64.to_ne_bytes();
    device.launch(&Launch { kernel: &kernel, grid: [1, 1, 1], block: threads, buffers: &buffers, params: &params })?;
    let mut out = vec![0; bytes.len()];
    device.download(&b, 0, &mut out)?;
    Ok(out.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes"))).collect())
}

#[test]
fn threads_shared_memory_barriers_shuffles_and_what_a_kernel_declares() {
    let device = device(32);
    let body = "SHARED(u64, s, 64); s[THREAD] = a[THREAD];\nBARRIER();\n\
                b[THREAD] = s[BLOCK_THREADS - 1 - THREAD] + p.n + SHUFFLE_XOR(THREAD, 1) + (REVERSE_BITS(THREAD) >> 31);";
    let words: Vec<u64> = (0..64).map(|i| 100 * i).collect();
    let out = run(&device, &source("", body), &words, 64).expect("a sound kernel");
    assert!(out.iter().enumerate().all(|(i, b)| *b == 100 * (63 - i as u64) + 3 + (i as u64 ^ 1) + (i as u64 & 1)));
    let kernel = device.kernel(&device.build(&source("", body)).expect("a sound kernel"), "test").expect("the kernel");
    let signature = kernel.metal().expect("of Metal's dialect");
    let arguments = [MetalArgument { index: 0, writes: false }, MetalArgument { index: 1, writes: true }];
    assert_eq!((&signature.arguments[..], signature.params, signature.max_threads), (&arguments[..], 8, 256));
}

#[test]
fn a_missing_barrier_shows() {
    let body = |barrier: &str| {
        format!("SHARED(u64, s, 256); s[THREAD] = a[THREAD];\n{barrier}\nb[THREAD] = s[BLOCK_THREADS - 1 - THREAD];")
    };
    let words: Vec<u64> = (0..256).collect();
    let reversed: Vec<u64> = (0..256).rev().collect();
    let out = |barrier| run(&device(32), &source("", &body(barrier)), &words, 256).expect("it runs");
    assert_eq!(out("BARRIER();"), reversed);
    assert_ne!(out(""), reversed);
}

/// Products of all pairs of words at the edges of carries, in both forms, against 128-bit products.
#[test]
fn products_of_limbs_are_those_of_whole_words() {
    let edges = [0, 1, 2, 0xffff_ffff, 1 << 32, (1 << 32) + 1, 0xffff_ffff_0000_0000, 0xffff_ffff_0000_0001, u64::MAX];
    let spread = (1..23u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let words: Vec<u64> = edges.into_iter().chain(spread).collect();
    let body = "for (u32 i = 0; i < 31; i++) { u64 sum = 0; for (u32 k = 0; k < 31; k++) { Wide128 w = mul_wide(a[i], a[k]);\n\
                Halves h = mul_halves((u32)a[i], (u32)(a[k] >> 32)); Wide160 s; s.low = a[k]; s.high = a[i]; s.top = 7;\n\
                s = wide160_mac(s, a[k], a[i]); u64 all = s.low + 3 * s.high + 5 * s.top + w.low * 7 + w.high * 11 + h.low * 13 + (u64)h.high * 17;\n\
                sum = sum * 31 + all; } b[i] = sum; }";
    let expected: Vec<u64> = words
        .iter()
        .map(|x| {
            words.iter().fold(0u64, |sum, y| {
                let product = u128::from(*x) * u128::from(*y);
                let half = (x & 0xffff_ffff) * (y >> 32);
                let (total, carry) = ((u128::from(*x) << 64) | u128::from(*y)).overflowing_add(product);
                let terms = [
                    total as u64,
                    ((total >> 64) as u64).wrapping_mul(3),
                    5 * (7 + u64::from(carry)),
                    (product as u64).wrapping_mul(7),
                    ((product >> 64) as u64).wrapping_mul(11),
                    // The halves are numbers of 32 bits, of which the first is multiplied as such.
                    u64::from((half as u32).wrapping_mul(13)),
                    (half >> 32) * 17,
                ];
                terms.into_iter().fold(sum.wrapping_mul(31), u64::wrapping_add)
            })
        })
        .collect();
    for product_bits in [32, 64] {
        let out = run(&device(product_bits), &source("", body), &words, 1).expect("a sound kernel");
        assert_eq!(out, expected, "{product_bits} bits");
    }
    assert_eq!(run(&device(48), &source("", body), &words, 1).expect_err("32 or 64").kind, ErrorKind::KernelBuild);
}

/// Products and squares in the Stark field, of numbers at the edges of carries up to nine times the prime, against
/// those of whole numbers: the same mod p, and as small as the definition says.
#[test]
fn products_of_felts_are_those_of_big_numbers() {
    let before = [
        include_str!("../../../../kernels/dialect/limbs.h"),
        include_str!("../../../../kernels/circle/felt252.h"),
        "FN Limbs number(GLOBAL const u64* s) { Limbs r; for (u32 k = 0; k < 4; k++) { r.w[2 * k] = (u32)s[k]; \
         r.w[2 * k + 1] = (u32)(s[k] >> 32); } return r; }\n\
         FN void keep(GLOBAL u64* s, Limbs r) { for (u32 k = 0; k < 4; k++) { s[k] = r.w[2 * k] | ((u64)r.w[2 * k + 1] << 32); } }",
    ];
    let body = "Limbs x = number(a + 8 * THREAD); Limbs y = number(a + 8 * THREAD + 4);\n\
                keep(b + 8 * THREAD, felt_mul(x, y)); keep(b + 8 * THREAD + 4, felt_square(x));";
    let p: BigUint = (BigUint::from(1u32) << 251) + (BigUint::from(17u32) << 192) + 1u32;
    let nine: BigUint = &p * 9u32 - 1u32;
    let ones = |bits: u32| (BigUint::from(1u32) << bits) - 1u32;
    let spread = (0..8u32).map(|i| (BigUint::from(0x9e37_79b9_7f4a_7c15_u64) << (32 * i)) % &nine);
    let edges = [0u32, 1, 2].map(BigUint::from).into_iter();
    let edges = edges.chain([&p - 1u32, p.clone(), &p + 1u32, &p * 2u32, &p * 5u32 - 1u32, nine.clone()]);
    let all: Vec<BigUint> =
        edges.chain((31..255).step_by(32).map(ones)).chain([192, 251, 254].map(ones)).chain(spread).collect();
    let pairs: Vec<(&BigUint, &BigUint)> = all.iter().flat_map(|x| all.iter().map(move |y| (x, y))).collect();
    let words = |number: &BigUint| {
        let mut words = number.to_u64_digits();
        words.resize(4, 0);
        words
    };
    for product_bits in [32, 64] {
        let device = device(product_bits);
        for pairs in pairs.chunks(64) {
            let given: Vec<u64> = pairs.iter().flat_map(|(x, y)| [words(x), words(y)].concat()).collect();
            let out =
                run(&device, &source(&before.concat(), body), &given, pairs.len() as u32).expect("a sound kernel");
            for ((x, y), made) in pairs.iter().zip(out.chunks_exact(8)) {
                for (made, other) in [(&made[..4], *y), (&made[4..], *x)] {
                    let made = made.iter().rev().fold(BigUint::ZERO, |number, word| (number << 64) + *word);
                    let product = *x * other;
                    assert_eq!((&made << 256u32) % &p, &product % &p, "{x} times {other}");
                    assert!(made <= (product >> 256u32) + &p, "{x} times {other} is {made}");
                }
            }
        }
    }
}

#[test]
fn limits_of_a_launch() {
    let device = device(32);
    let refused = |source: &KernelSource, threads: u32, words: &str| {
        let error = run(&device, source, &[1; 2048], threads).expect_err(words);
        assert!(error.kind == ErrorKind::Backend && error.detail.contains(words), "{error}");
    };
    refused(&source("", "b[THREAD] = 1;"), 512, "at most 256");
    refused(&source("", "SHARED(u64, s, 4097); s[THREAD] = 1; b[THREAD] = s[THREAD];"), 32, "32768");
    let other = source("", "b[0] = 1;").text.replace("IN(0, u64, a)", "IN(2, u64, a)");
    refused(&KernelSource { text: other, ..source("", "") }, 1, "no buffer at index 2");
    let long = source("", "b[0] = p.m[0];").text.replace("u64 n;", "u64 n; u64 m[2];");
    refused(&KernelSource { text: long, ..source("", "") }, 1, "it reads 24");
}

#[test]
fn what_metal_does_not_have_does_not_compile() {
    let device = device(32);
    let refused = |before: &str, body: &str, words: &str| {
        let error = device.check(&source(before, body)).expect_err(words);
        assert!(error.kind == ErrorKind::KernelBuild && error.detail.contains(words), "{error}");
    };
    refused(
        "FN u64 first(const u64* x) { return x[0]; }",
        "b[0] = first(a);",
        "a pointer to u64 without an address space",
    );
    refused("", "device atomic_ulong* x = (device atomic_ulong*)b;", "atomic_ulong");
    refused("", "b[0] = __umul64hi(a[0], a[1]);", "__umul64hi");
    if device.checks_address_spaces() {
        refused("FN u64 first(LOCAL const u64* x) { return x[0]; }", "b[0] = first(a);", "no matching function");
        refused(
            "FN u64 first(GLOBAL const u64* x) { return x[0]; }",
            "SHARED(u64, s, 8); b[0] = first(s);",
            "no matching function",
        );
        refused("", "SHARED(u64, s, 8); GLOBAL u64* x = s; b[0] = x[0];", "cannot initialize");
        refused("", "p.n = 1;", "const-qualified");
    } else {
        left_out("address spaces: the compiler is not clang");
    }
}

/// Code that no proof of the AIRs runs in Metal's language: atomics of its own, and long functions.
fn backend<P: GpuProtocol>() -> Result<Emulated<P>> {
    let dialect = Dialect::Metal { product_bits: 32 };
    Emulated::new(NAME, EmulatedDevice::new(Options { dialect, ..Options::default() })?)
}

#[test]
fn goldilocks_row_programs() {
    hal_conformance::run("emulated", backend::<GoldilocksStark>, "rows");
}

#[test]
fn circle_row_programs() {
    hal_conformance::run("emulated", backend::<CircleStark>, "rows");
}
