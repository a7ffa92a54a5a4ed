//! A target for each operation of each protocol: random cases of it, on a backend and on the reference.

use backend_reference::CpuReference;
use campaign::Outcome;
use campaign::script::Script;
use gpu_hal::{CircleStark, GoldilocksStark, Operation, StarkBackend};
use hal_conformance::{Single, Suite, TestProtocol, tests};

use crate::arguments::Arguments;
use crate::backends::with_backend;
use crate::run::Run;

/// Log2 of the most rows.
const MAX_LOG: u32 = 12;

/// The targets, `protocol/operation`.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let of = |protocol| Operation::ALL.iter().map(move |operation| format!("{protocol}/{operation}"));
    ["goldilocks", "circle"].into_iter().flat_map(of)
}

/// The function that runs a target on a backend that is opened now.
pub(crate) fn open(arguments: &Arguments) -> Result<Run, String> {
    let unknown = || format!("there is no target '{}': `campaign list` names all", arguments.target);
    let (protocol, name) = arguments.target.split_once('/').ok_or_else(unknown)?;
    let operation = *Operation::ALL.iter().find(|operation| operation.name() == name).ok_or_else(unknown)?;
    match protocol {
        "goldilocks" => with_backend!(GoldilocksStark, arguments, |name, backend, programs| {
            run(name, backend, programs, operation)
        }),
        "circle" => {
            with_backend!(CircleStark, arguments, |name, backend, programs| run(name, backend, programs, operation))
        }
        _ => Err(unknown()),
    }
}

fn run<P: TestProtocol, B: StarkBackend<P = P>>(
    name: &str,
    backend: B,
    programs: Option<u64>,
    operation: Operation,
) -> Result<Run, String> {
    let mut suite = Suite::new(name, backend, CpuReference::<P>::new());
    if !suite.has(operation) {
        return Err(format!("'{name}' has no {operation}"));
    }
    let test = tests::of::<P>(operation);
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
