//! A target for each operation of each protocol: random cases of it, on a backend and on the reference.

use backend_cpu::Cpu;
use gpu_hal::{CircleStark, GoldilocksStark, HalError, Operation, StarkBackend};
use hal_conformance::{Single, Suite, TestProtocol, tests};
use polystark_fuzz::proofs::Outcome;
use polystark_fuzz::script::Script;

use crate::Run;
use crate::arguments::Arguments;

/// Log2 of the most rows.
const MAX_LOG: u32 = 12;

/// Constraint and row programs for a device that compiles each of them, unless `--programs` says otherwise.
#[cfg(feature = "cuda")]
const COMPILED: u64 = 64;

/// The targets, `protocol/operation`.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let of = |protocol| Operation::ALL.iter().map(move |operation| format!("{protocol}/{operation}"));
    ["goldilocks", "circle"].into_iter().flat_map(of)
}

/// The backend that is asked for, of a protocol.
macro_rules! backend {
    ($protocol:ty, $arguments:expr, $operation:expr) => {{
        let (arguments, operation): (&Arguments, Operation) = ($arguments, $operation);
        match arguments.backend.as_str() {
            "cpu" => run("cpu", Cpu::<$protocol>::with_threads(1), arguments.programs, operation),
            #[cfg(feature = "emulated")]
            "emulated" | "emulated-metal" => {
                let is_metal = arguments.backend == "emulated-metal";
                let dialect =
                    if is_metal { backend_emulated::Dialect::METAL } else { backend_emulated::Dialect::Emulated };
                let options = backend_emulated::Options { dialect, ..Default::default() };
                let name = backend_emulated::NAME;
                let backend = backend_emulated::EmulatedDevice::new(options)
                    .and_then(|device| backend_emulated::Emulated::<$protocol>::new(name, device));
                run(name, backend, arguments.programs, operation)
            }
            #[cfg(feature = "cuda")]
            "cuda" => {
                let programs = arguments.programs.or(Some(COMPILED));
                run("cuda", backend_cuda::open::<$protocol>(), programs, operation)
            }
            other => {
                Err(format!("no backend '{other}' was built in: cpu, or by features emulated, emulated-metal, cuda"))
            }
        }
    }};
}

/// What runs a target on a backend that is opened now.
pub(crate) fn open(arguments: &Arguments) -> Result<Run, String> {
    let unknown = || format!("there is no target '{}': `campaign list` names all", arguments.target);
    let (protocol, name) = arguments.target.split_once('/').ok_or_else(unknown)?;
    let operation = *Operation::ALL.iter().find(|operation| operation.name() == name).ok_or_else(unknown)?;
    match protocol {
        "goldilocks" => backend!(GoldilocksStark, arguments, operation),
        "circle" => backend!(CircleStark, arguments, operation),
        _ => Err(unknown()),
    }
}

fn run<P: TestProtocol, B: StarkBackend<P = P>>(
    name: &str,
    backend: Result<B, HalError>,
    programs: Option<u64>,
    operation: Operation,
) -> Result<Run, String> {
    let backend = backend.map_err(|error| error.to_string())?;
    let mut suite = Suite::new(name, backend, P::reference());
    if !suite.has(operation) {
        return Err(format!("'{name}' has no {operation}"));
    }
    let test = tests::of(operation);
    Ok(Box::new(move |data| {
        let script = &mut Script::new(data);
        let (log, width) = (script.byte(), script.byte());
        // Large cases are dear: one of 256.
        let log = if log >= 240 && script.byte() >= 16 { log - 16 } else { log };
        suite.run_single(Single { log, width, seed: script.word(), max_log: MAX_LOG, programs });
        test(&suite);
        Outcome::Passed
    }))
}
