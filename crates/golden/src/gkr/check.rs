//! Batches on devices: the same as on the host.

use circle_proof::Suite;
use field::{Field, M31, QM31, SplitMix64};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::gkr::{DeviceLayer, prove_batch};
use sumcheck::gkr::{Artifact, BatchProof, Layer};

/// A proof, what it leaves, and the next element of the transcript.
pub type Proven = (BatchProof<QM31>, Artifact<QM31>, QM31);

/// Trees that are large enough for a device, of all kinds, beside small ones.
pub fn large() -> Vec<Layer<M31, QM31>> {
    let random = &mut SplitMix64::new(5);
    vec![
        Layer::LogUp { numerators: column(12, random), denominators: column(12, random) },
        Layer::GrandProduct(column(3, random)),
        Layer::GrandProduct(column(13, random)),
        Layer::LogUpMultiplicities {
            numerators: column(11, random).iter().map(|value| value.0[0]).collect(),
            denominators: column(11, random),
        },
        Layer::LogUpSingles { denominators: column(12, random) },
        Layer::LogUpSingles { denominators: column(1, random) },
        Layer::GrandProduct(vec![QM31::ZERO; 1 << 12]),
    ]
}

fn column(log_rows: u32, random: &mut SplitMix64) -> Vec<QM31> {
    (0..1 << log_rows).map(|_| QM31(std::array::from_fn(|_| M31::reduce(random.word())))).collect()
}

/// The base columns below a tree, numerators first.
pub fn base_columns(layer: &Layer<M31, QM31>) -> Vec<Vec<M31>> {
    let coordinates = |column: &[QM31]| -> Vec<Vec<M31>> {
        (0..4).map(|at| column.iter().map(|value| value.0[at]).collect()).collect()
    };
    match layer {
        Layer::GrandProduct(values) | Layer::LogUpSingles { denominators: values } => coordinates(values),
        Layer::LogUp { numerators, denominators } => [coordinates(numerators), coordinates(denominators)].concat(),
        Layer::LogUpMultiplicities { numerators, denominators } => {
            [vec![numerators.clone()], coordinates(denominators)].concat()
        }
    }
}

/// Proves a batch by the definition.
///
/// # Panics
/// If it is none.
pub fn on_host(batch: Vec<Layer<M31, QM31>>) -> Proven {
    let mut channel = Suite::Blake2s.channel();
    let (proof, artifact) = sumcheck::gkr::prove_batch(batch, &mut channel).expect("layers");
    (proof, artifact, channel.draw_felt())
}

/// Proves a batch on a device.
///
/// # Panics
/// If the device fails.
pub fn on_device<B: StarkBackend<P = CircleStark>>(backend: &B, batch: &[Layer<M31, QM31>]) -> Proven {
    let upload = |tree: &Layer<M31, QM31>| {
        let (columns, of) = (base_columns(tree), tree.instance(0).expect("a layer"));
        backend.upload(&columns.concat(), columns.len(), of.variables as u32).expect("a table")
    };
    let tables: Vec<_> = batch.iter().map(upload).collect();
    let layers: Vec<DeviceLayer<'_, B>> = batch
        .iter()
        .zip(&tables)
        .map(|(tree, table)| DeviceLayer { kind: tree.kind(), columns: table.as_ref() })
        .collect();
    let mut channel = Suite::Blake2s.channel();
    let (proof, artifact) = prove_batch(backend, &layers, &mut channel).expect("a proof");
    (proof, artifact, channel.draw_felt())
}

/// Compares a backend with the host.
///
/// # Panics
/// If they differ.
pub fn check<B: StarkBackend<P = CircleStark>>(backend: &B) {
    let (made, expected) = (on_device(backend, &large()), on_host(large()));
    let step = made.0.sumchecks.iter().zip(&expected.0.sumchecks).position(|(made, expected)| made != expected);
    assert_eq!(step, None, "the first step with another sum-check");
    assert!(made == expected, "masks, outputs, claims or the transcript differ");
}
