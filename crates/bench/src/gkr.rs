//! `polystark bench gkr`: proofs of products and of sums by GKR, of columns on the device.

use circle_proof::Suite;
use clap::Args;
use field::{ExtensionField, M31, QM31};
use gpu_hal::op::Cost;
use gpu_hal::{CircleStark, ErrorKind, HalError, StarkBackend};
use prover_core::circle::gkr::{DeviceLayer, GkrError, prove_batch};
use sumcheck::gkr::Kind;

use crate::Error;
use crate::measure::Measuring;
use crate::ops::{OpsReport, measure_all};
use crate::prepared::{OperationResult, Prepared};
use crate::sweep::Sweep;
use crate::table::table;

/// Coordinates of an element.
const DEGREE: usize = <QM31 as ExtensionField<M31>>::DEGREE;

/// The trees.
#[derive(Args)]
pub struct GkrArguments {
    /// A kind of trees, such as grand-product or logup; may be repeated [default: these two]
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<Kind>,
    /// Trees over 2^LOG_FROM to 2^LOG_TO rows
    #[arg(long, value_name = "LOG_FROM..LOG_TO", default_value = "18..20")]
    sweep: Sweep,
}

/// Measures proofs of single trees. The floor is that of the layers: each is written once and read once, the given one
/// read twice.
///
/// # Errors
/// The backend's errors. A tree that does not fit in its memory is skipped instead.
pub fn measure<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    arguments: &GkrArguments,
    measuring: Measuring<'_>,
) -> Result<OpsReport, Error> {
    let kinds =
        if arguments.kinds.is_empty() { vec![Kind::GrandProduct, Kind::LogUp] } else { arguments.kinds.clone() };
    let trees = kinds.iter().flat_map(|kind| arguments.sweep.logs().map(move |log| (*kind, log)));
    measure_all(backend, "gkr", trees, measuring, |(kind, _)| kind.name().to_owned(), |tree| prepare(backend, tree))
}

/// A proof of a tree.
fn prepare<B: StarkBackend<P = CircleStark>>(backend: &B, (kind, log): (Kind, u32)) -> Result<Prepared<'_, B>, Error> {
    let columns = table(backend, kind.base_columns(DEGREE) as u64, log)?;
    // All layers but the output, which is on the host.
    let elements = (DEGREE * kind.gate().columns()) as f64 * (2f64.powi(log as i32 + 1) - 2.0);
    Ok(Prepared {
        cost: Cost { moved: 2.0 * elements, ..Cost::default() },
        made: Some((2f64.powi(log as i32), "rows")),
        run: Box::new(move || {
            let layer = DeviceLayer { kind, columns: columns.as_ref() };
            match prove_batch(backend, &[layer], &mut Suite::Blake2s.channel()) {
                Ok(_) => Ok(OperationResult::Nothing),
                Err(GkrError::Device(error)) => Err(error),
                Err(error) => Err(HalError::new(ErrorKind::Backend, "prove by gkr", error.to_string())),
            }
        }),
    })
}

#[cfg(test)]
mod tests {
    use backend_reference::CpuReference;
    use clap::Parser;

    use super::*;
    use crate::measure::MeasureArguments;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: GkrArguments,
        #[command(flatten)]
        measure: MeasureArguments,
    }

    #[test]
    fn trees_are_measured_against_their_layers() {
        let line = ["bench", "--sweep", "3..4", "--runs", "2", "--bandwidth", "1"];
        let Line { arguments, measure: how } = Line::parse_from(line);
        let measuring = Measuring { arguments: &how, commit: None, host_memory: || None, follow: &|_, _| () };
        let report = measure(&CpuReference::<CircleStark>::new(), &arguments, measuring).expect("small trees");
        let text = report.text();
        for name in ["grand-product 2^3", "grand-product 2^4", "logup 2^3", "logup 2^4"] {
            assert!(text.contains(name), "{text}");
        }
        // Layers of 2^3 .. 2^1 elements of 16 bytes, twice, at 1 GB/s: 448 ns.
        let cost = prepare(&CpuReference::<CircleStark>::new(), (Kind::GrandProduct, 3)).expect("a tree").cost;
        assert_eq!(cost.moved * 4.0, 448.0);
    }
}
