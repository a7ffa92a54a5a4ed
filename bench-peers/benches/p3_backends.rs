//! How fast a backend proves AIRs that Plonky3 ships: the median of a number of proofs, and permutations per second.
//!
//! `cd bench-peers && cargo bench --bench p3_backends -- --backend cuda --air keccak --protocol goldilocks --log-rows
//! 16 --runs 5`
//!
//! A proof begins with the columns on the host and ends with its parts there. Making the trace and preparing the
//! statement are not in its time, and a first proof is not measured. `--operations yes` waits after each operation and
//! prints where the time of a proof goes. `RUSTFLAGS="" cargo bench ...` builds a program for other machines than this
//! one.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_cpu::Cpu;
use bench_peers::{KECCAK_ROWS, poseidon2_goldilocks, poseidon2_mersenne};
use circle_proof::CircleOptions;
use goldilocks_proof::{Seed, lambdaworks};
use gpu_hal::decorate::{MeterReport, Metered};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use p3_air::{Air, SymbolicAirBuilder};
use p3_blake3_air::Blake3Air;
use p3_field::PrimeField64;
use p3_goldilocks::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::P3Air;
use prover_core::{Silent, circle, goldilocks};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The command line.
struct Asked {
    backend: String,
    air: String,
    protocol: String,
    log_rows: u32,
    runs: usize,
    operations: bool,
}

impl Asked {
    /// Reads pairs `--name value`.
    fn new(arguments: &[String]) -> Outcome<Self> {
        let mut asked = Self {
            backend: "cpu".to_owned(),
            air: "keccak".to_owned(),
            protocol: "goldilocks".to_owned(),
            log_rows: 5,
            runs: 5,
            operations: false,
        };
        // Cargo says that it is a bench.
        let arguments: Vec<&String> = arguments.iter().filter(|argument| *argument != "--bench").collect();
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(format!("{} has no value", pair[0]).into()) };
            match name.as_str() {
                "--backend" => asked.backend = value.to_string(),
                "--air" => asked.air = value.to_string(),
                "--protocol" => asked.protocol = value.to_string(),
                "--log-rows" => asked.log_rows = value.parse()?,
                "--runs" => asked.runs = value.parse()?,
                "--operations" => asked.operations = *value == "yes",
                _ => {
                    let known = "--backend, --air, --protocol, --log-rows, --runs, --operations";
                    return Err(format!("{name} is none of {known}").into());
                }
            }
        }
        if !(5..=28).contains(&asked.log_rows) || asked.runs == 0 {
            return Err("2^5 to 2^28 rows and at least one run are needed".into());
        }
        Ok(asked)
    }

    fn rows(&self) -> usize {
        1 << self.log_rows
    }
}

/// The times of proofs, without a first one.
fn proofs<B: StarkBackend>(
    asked: &Asked,
    backend: &Metered<B>,
    prove: impl Fn() -> Outcome<()>,
) -> Outcome<Vec<Duration>> {
    prove()?;
    backend.reset();
    let timed = |_| {
        let start = Instant::now();
        prove().map(|()| start.elapsed())
    };
    let times: Vec<Duration> = (0..asked.runs).map(timed).collect::<Outcome<_>>()?;
    if asked.operations {
        print_operations(&backend.snapshot(), &times);
    }
    Ok(times)
}

/// Where the time of proofs goes, the mean of them.
fn print_operations(meter: &MeterReport, times: &[Duration]) {
    let mean = |time: Duration| time.as_secs_f64() * 1e3 / times.len() as f64;
    let mut rest: Duration = times.iter().sum();
    for (operation, count) in &meter.operations {
        println!("  {:16} {:9.2} ms in {} calls", operation.name(), mean(count.time), count.calls / times.len() as u64);
        rest = rest.saturating_sub(count.time);
    }
    println!("  {:16} {:9.2} ms", "between them", mean(rest));
}

/// The backend with a meter, which waits after each operation where this is asked for.
fn metered<B: StarkBackend>(asked: &Asked, backend: B) -> Arc<Metered<B>> {
    println!("{}", backend.capabilities().device);
    Arc::new(if asked.operations { Metered::synchronous(backend) } else { Metered::new(backend) })
}

fn goldilocks_on<B: StarkBackend<P = GoldilocksStark>>(
    asked: &Asked,
    backend: B,
    air: P3Air<Goldilocks>,
    matrix: &RowMajorMatrix<Goldilocks>,
) -> Outcome<Vec<Duration>> {
    let backend = metered(asked, backend);
    let (air, options) = (
        Arc::new(air),
        lambdaworks::Options { blowup: 2, queries: 84, grinding: 16, ..lambdaworks::Options::default() },
    );
    let trace = air.trace(matrix)?;
    let prover = goldilocks::Prover::new(backend.clone(), air.clone())?;
    let proof = goldilocks_proof::encode(&prover.prove(&trace, &options, Seed::Default, &Silent)?);
    goldilocks_verifier::verify_bytes(
        &air::record(&*air)?,
        &options,
        Seed::Default,
        &proof,
        &goldilocks_verifier::Policy::ANY,
    )?;
    proofs(asked, &backend, || Ok(drop(prover.prove(&trace, &options, Seed::Default, &Silent)?)))
}

fn circle_on<B: StarkBackend<P = CircleStark>>(
    asked: &Asked,
    backend: B,
    air: P3Air<Mersenne31>,
    matrix: &RowMajorMatrix<Mersenne31>,
) -> Outcome<Vec<Duration>> {
    let backend = metered(asked, backend);
    let options = CircleOptions { pow_bits: 16, log_blowup: 1, queries: 84, fold_step: 3, ..CircleOptions::default() };
    let (trace, statement) = (vec![air.columns(matrix)?], Arc::new(air.statement()?));
    let prover = circle::Prover::new(backend.clone(), statement.clone(), &options)?;
    let proof = circle_proof::encode(&prover.prove(&trace, &Silent)?.proof);
    circle_proof::verify(&*statement, &[], &proof, &circle_proof::Policy::ANY)?;
    proofs(asked, &backend, || Ok(drop(prover.prove(&trace, &Silent)?)))
}

fn over_goldilocks<A>(asked: &Asked, air: &A, matrix: &RowMajorMatrix<Goldilocks>) -> Outcome<Vec<Duration>>
where
    A: Air<SymbolicAirBuilder<Goldilocks>>,
{
    let air = P3Air::new(&asked.air, air, matrix.height(), &[])?;
    match asked.backend.as_str() {
        "cpu" => goldilocks_on(asked, Cpu::new(), air, matrix),
        "cuda" => goldilocks_on(asked, backend_cuda::open()?, air, matrix),
        _ => Err("--backend is cpu or cuda".into()),
    }
}

fn over_mersenne31<A>(asked: &Asked, air: &A, matrix: &RowMajorMatrix<Mersenne31>) -> Outcome<Vec<Duration>>
where
    A: Air<SymbolicAirBuilder<Mersenne31>>,
{
    let air = P3Air::new(&asked.air, air, matrix.height(), &[])?;
    match asked.backend.as_str() {
        "cpu" => circle_on(asked, Cpu::new(), air, matrix),
        "cuda" => circle_on(asked, backend_cuda::open()?, air, matrix),
        _ => Err("--backend is cpu or cuda".into()),
    }
}

/// Permutations that fill the rows.
fn keccak<F: PrimeField64>(rows: usize) -> RowMajorMatrix<F> {
    KeccakAir {}.generate_random_trace_rows(rows / KECCAK_ROWS, 0)
}

fn blake3<F: PrimeField64>(rows: usize) -> RowMajorMatrix<F> {
    Blake3Air {}.generate_random_trace_rows(rows, 0)
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = Asked::new(&arguments)?;
    let rows = asked.rows();
    let mut times = match (asked.air.as_str(), asked.protocol.as_str()) {
        ("keccak", "goldilocks") => over_goldilocks(&asked, &KeccakAir {}, &keccak(rows)),
        ("keccak", "circle") => over_mersenne31(&asked, &KeccakAir {}, &keccak(rows)),
        ("blake3", "goldilocks") => over_goldilocks(&asked, &Blake3Air {}, &blake3(rows)),
        ("blake3", "circle") => over_mersenne31(&asked, &Blake3Air {}, &blake3(rows)),
        ("poseidon2", "goldilocks") => {
            let air = poseidon2_goldilocks();
            over_goldilocks(&asked, &air, &air.generate_random_trace_rows(rows, 0))
        }
        ("poseidon2", "circle") => {
            let air = poseidon2_mersenne();
            over_mersenne31(&asked, &air, &air.generate_random_trace_rows(rows, 0))
        }
        _ => Err("--air is keccak, blake3 or poseidon2, --protocol goldilocks or circle".into()),
    }?;
    times.sort_unstable();
    let median = times[times.len() / 2].as_secs_f64();
    let permutations = if asked.air == "keccak" { rows / KECCAK_ROWS } else { rows };
    let Asked { backend, air, protocol, log_rows, runs, .. } = &asked;
    println!("{air}, {protocol}, {backend}, 2^{log_rows} rows: median of {runs} proofs {:.1} ms", median * 1e3);
    println!("{permutations} permutations, {:.0} per second", permutations as f64 / median);
    Ok(())
}
