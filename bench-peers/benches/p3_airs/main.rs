//! Proofs of AIRs that Plonky3 ships, next to p3-uni-stark, in one run:
//! `cd bench-peers && cargo bench --bench p3_airs [-- RUNS [NAME]]`.
//!
//! Both prove the same trace with the same blowup, queries and bits of work, each with the parameters of its own that
//! are fastest. Runs alternate, so that neighbours on the machine slow both alike; medians are compared. Work that a
//! prover does once for all traces of a shape, and p3-uni-stark in each proof, is outside of our time and printed by
//! itself; columns made of rows are in it.

mod peer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_cpu::Cpu;
use bench_peers::{KECCAK_ROWS, poseidon2_goldilocks, poseidon2_mersenne};
use circle_proof::CircleOptions;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use p3_air::{Air, DebugConstraintBuilder, SymbolicAirBuilder};
use p3_blake3_air::Blake3Air;
use p3_challenger::GrindingChallenger;
use p3_goldilocks::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use p3_uni_stark::{ProverConstraintFolder, StarkGenericConfig, Val, VerifierConstraintFolder};
use polystark_p3::P3Air;
use prover_core::{Silent, circle, goldilocks};

/// Blowup 2: the AIRs have degree 3.
const LOG_BLOWUP: u32 = 1;
const QUERIES: u32 = 84;
/// With the queries, 100 bits by the conjecture that both projects count by.
const POW_BITS: u32 = 16;

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let out = work();
    (start.elapsed(), out)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A prover: its name, and the proof of one trace.
type Contender<'a> = (&'a str, Box<dyn Fn() -> Duration + 'a>);

/// One proof of each in turn, as often as is wished. The first of them is ours.
fn compare(name: &str, shape: (usize, usize), runs: usize, contenders: &[Contender<'_>]) {
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..runs {
        for ((_, prove), times) in contenders.iter().zip(&mut times) {
            times.push(prove());
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    println!("{name}, {} rows of {} columns, medians of {runs}", shape.0, shape.1);
    for ((contender, _), median) in contenders.iter().zip(&medians) {
        let ratio = median.as_secs_f64() / medians[0].as_secs_f64();
        println!("  {contender:24} {:9.1} ms  {ratio:5.2}", median.as_secs_f64() * 1e3);
    }
}

/// p3-uni-stark's proof of a trace, verified once.
fn peer<'a, SC, A>(config: SC, air: &'a A, matrix: &'a RowMajorMatrix<Val<SC>>) -> Box<dyn Fn() -> Duration + 'a>
where
    SC: StarkGenericConfig + 'a,
    SC::Challenger: GrindingChallenger<Witness = Val<SC>>,
    A: Air<SymbolicAirBuilder<Val<SC>>>
        + for<'b> Air<ProverConstraintFolder<'b, SC>>
        + for<'b> Air<VerifierConstraintFolder<'b, SC>>
        + for<'b> Air<DebugConstraintBuilder<'b, Val<SC>>>,
{
    let prove = move |config: &SC| {
        // Room for the extension: its examples give as much, so that the rows are not copied.
        let mut values = Vec::with_capacity(matrix.values.len() << LOG_BLOWUP);
        values.extend_from_slice(&matrix.values);
        let trace = RowMajorMatrix::new(values, matrix.width);
        let (time, proof) = timed(|| p3_uni_stark::prove(config, air, trace, &[]));
        (time, proof.expect("an honest trace"))
    };
    p3_uni_stark::verify(&config, air, &prove(&config).1, &[]).expect("a valid proof");
    Box::new(move || prove(&config).0)
}

/// Our proof over Goldilocks, from the rows on, verified once.
fn ours_goldilocks<'a>(
    air: P3Air<Goldilocks>,
    matrix: &'a RowMajorMatrix<Goldilocks>,
) -> Box<dyn Fn() -> Duration + 'a> {
    let air = Arc::new(air);
    let options = lambdaworks::Options {
        blowup: 1 << LOG_BLOWUP,
        queries: QUERIES,
        grinding: POW_BITS,
        coset_offset: 3,
        suite: Suite::Keccak256,
    };
    let (once, prover) =
        timed(|| goldilocks::Prover::new(Arc::new(Cpu::<GoldilocksStark>::new()), air.clone()).expect("a sound AIR"));
    println!("ours, once for a shape: {:.1} ms", once.as_secs_f64() * 1e3);
    let recorded = air::record(&*air).expect("a sound AIR");
    let prove = move || {
        timed(|| {
            let trace = air.trace(matrix).expect("of the AIR's shape");
            prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace")
        })
    };
    let bytes = goldilocks_proof::encode(&prove().1);
    goldilocks_verifier::verify_bytes(&recorded, &options, Seed::Default, &bytes, &goldilocks_verifier::Policy::ANY)
        .expect("a valid proof");
    Box::new(move || prove().0)
}

/// The same over Mersenne31.
fn ours_circle<'a>(air: P3Air<Mersenne31>, matrix: &'a RowMajorMatrix<Mersenne31>) -> Box<dyn Fn() -> Duration + 'a> {
    let options = CircleOptions {
        pow_bits: POW_BITS,
        log_blowup: LOG_BLOWUP,
        queries: QUERIES,
        fold_step: 3,
        ..CircleOptions::default()
    };
    let statement = Arc::new(air.clone().statement().expect("features that the protocol has"));
    let (once, prover) = timed(|| {
        circle::Prover::new(Arc::new(Cpu::<CircleStark>::new()), statement.clone(), &options).expect("provable")
    });
    println!("ours, once for a shape: {:.1} ms", once.as_secs_f64() * 1e3);
    let prove = move || {
        timed(|| {
            let columns = air.columns(matrix).expect("of the AIR's shape");
            prover.prove(&[columns], &Silent).expect("an honest trace").proof
        })
    };
    let bytes = circle_proof::encode(&prove().1);
    circle_proof::verify(&*statement, &[], &bytes, &circle_proof::Policy::ANY).expect("a valid proof");
    Box::new(move || prove().0)
}

fn over_goldilocks<A>(name: &str, runs: usize, air: &A, matrix: &RowMajorMatrix<Goldilocks>)
where
    A: Air<SymbolicAirBuilder<Goldilocks>>
        + for<'b> Air<ProverConstraintFolder<'b, peer::GoldilocksConfig>>
        + for<'b> Air<VerifierConstraintFolder<'b, peer::GoldilocksConfig>>
        + for<'b> Air<DebugConstraintBuilder<'b, Goldilocks>>,
{
    let recorded = P3Air::new(name, air, matrix.height(), &[]).expect("can be recorded");
    let contenders = [
        ("ours, Keccak", ours_goldilocks(recorded, matrix)),
        ("p3-uni-stark, Keccak", peer(peer::goldilocks(), air, matrix)),
    ];
    compare(&format!("{name}, Goldilocks"), (matrix.height(), matrix.width), runs, &contenders);
}

fn over_mersenne<A>(name: &str, runs: usize, air: &A, matrix: &RowMajorMatrix<Mersenne31>)
where
    A: Air<SymbolicAirBuilder<Mersenne31>>
        + for<'b> Air<ProverConstraintFolder<'b, peer::KeccakCircleConfig>>
        + for<'b> Air<VerifierConstraintFolder<'b, peer::KeccakCircleConfig>>
        + for<'b> Air<ProverConstraintFolder<'b, peer::Poseidon2CircleConfig>>
        + for<'b> Air<VerifierConstraintFolder<'b, peer::Poseidon2CircleConfig>>
        + for<'b> Air<DebugConstraintBuilder<'b, Mersenne31>>,
{
    let recorded = P3Air::new(name, air, matrix.height(), &[]).expect("can be recorded");
    let contenders = [
        ("ours, Blake2s", ours_circle(recorded, matrix)),
        ("p3-uni-stark, Keccak", peer(peer::keccak_circle(), air, matrix)),
        ("p3-uni-stark, Poseidon2", peer(peer::poseidon2_circle(), air, matrix)),
    ];
    compare(&format!("{name}, Mersenne31"), (matrix.height(), matrix.width), runs, &contenders);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let runs = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(5);
    let only = arguments.iter().find(|argument| argument.parse::<usize>().is_err());
    let is_asked = |name: &str| only.is_none_or(|only| name.contains(only.as_str()));
    println!("{}, {} threads", Cpu::<GoldilocksStark>::new().capabilities().device, rayon::current_num_threads());
    let room = LOG_BLOWUP as usize;
    if is_asked("keccak") {
        let permutations = (1 << 12) / KECCAK_ROWS;
        over_goldilocks("keccak", runs, &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(permutations, room));
        over_mersenne("keccak", runs, &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(permutations, room));
    }
    if is_asked("blake3") {
        over_goldilocks("blake3", runs, &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(1 << 10, room));
        over_mersenne("blake3", runs, &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(1 << 10, room));
    }
    if is_asked("poseidon2") {
        let air = poseidon2_goldilocks();
        over_goldilocks("poseidon2", runs, &air, &air.generate_random_trace_rows(1 << 16, room));
        let air = poseidon2_mersenne();
        over_mersenne("poseidon2", runs, &air, &air.generate_random_trace_rows(1 << 16, room));
    }
}
