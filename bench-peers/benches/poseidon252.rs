//! Trees of Poseidon252 next to starknet-crypto, which stwo's prover calls, in one run:
//! `cd bench-peers && cargo bench --bench poseidon252 [-- ROUNDS]`.
//!
//! Both hash on one thread. Ours makes a tree of eight columns, a permutation for each node; theirs does as many
//! permutations, and no tree. They alternate, and the shortest time of each is compared: other work on the machine only
//! adds time.

use std::time::{Duration, Instant};

use backend_cpu::{Cpu, CpuOptions, SimdLevel};
use field::M31;
use gpu_hal::{CircleStark, HashFn, LeafLayout, StarkBackend};
use starknet_crypto::{FieldElement, poseidon_permute_comp};

const LOG_ROWS: u32 = 14;
const WIDTH: usize = 8;
/// Permutations of the tree.
const PERMUTATIONS: u32 = (2 << LOG_ROWS) - 1;

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

fn main() {
    let rounds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(7);
    println!("one thread, shortest of {rounds} alternating rounds, permutations of 2^{LOG_ROWS} leaves");
    let values: Vec<M31> =
        (0..(WIDTH as u32) << LOG_ROWS).map(|i| M31::new(i.wrapping_mul(0x9e37_79b9) >> 1 >> 1)).collect();
    for level in SimdLevel::available() {
        let options = CpuOptions { threads: Some(1), simd: Some(level), ..CpuOptions::default() };
        let backend = Cpu::<CircleStark>::with_options(&options).expect("one thread");
        let columns = backend.upload(&values, WIDTH, LOG_ROWS).expect("canonical columns");
        let [mut ours, mut theirs] = [Duration::MAX; 2];
        for _ in 0..rounds {
            ours = ours.min(timed(|| {
                backend.merkle(&[columns.as_ref()], LeafLayout::new(1), HashFn::Poseidon252).expect("a valid shape")
            }));
            theirs = theirs.min(timed(|| {
                let mut state = [FieldElement::ONE; 3];
                (0..PERMUTATIONS).for_each(|_| poseidon_permute_comp(&mut state));
                state
            }));
        }
        let rate = |time: Duration| f64::from(PERMUTATIONS) / time.as_secs_f64() / 1e6;
        println!(
            "{level:?}: ours {:.3} M/s, starknet-crypto {:.3} M/s, ours/theirs {:.2}",
            rate(ours),
            rate(theirs),
            rate(ours) / rate(theirs)
        );
    }
}
