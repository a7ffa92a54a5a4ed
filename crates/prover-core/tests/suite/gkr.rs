//! GKR on devices: the bytes of stwo and of the host.

use adversary::gkr::draw;
use circle_proof::Suite;
use field::{Field, M31};
use golden::backends::{cpu_of, reference};
use golden::gkr::{check, large, on_device, on_host};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::gkr::{DeviceLayer, GkrError, prove_batch};
use sumcheck::gkr::{Kind, LayerError, verify_batch};

#[test]
fn devices_prove_what_the_host_proves() {
    let shapes: Vec<_> = large().iter().map(|tree| tree.instance(0).unwrap()).collect();
    assert!(verify_batch(&shapes, &on_host(large()).0, &mut Suite::Blake2s.channel()).is_ok());
    check(&cpu_of::<CircleStark>(2));
    check(&reference::<CircleStark>());
}

/// Small trees: every kind, every size up to 2^9.
#[test]
fn random_batches_are_proven_as_on_the_host() {
    let backend = cpu_of::<CircleStark>(2);
    for seed in 0..100 {
        assert!(on_device(&backend, &draw(seed)) == on_host(draw(seed)), "seed {seed}");
    }
}

#[test]
fn tables_that_are_no_layers_are_refused() {
    let backend = cpu_of::<CircleStark>(2);
    let table =
        |width: usize, log_rows: u32| backend.upload(&vec![M31::ONE; width << log_rows], width, log_rows).unwrap();
    let prove = |kind, width, log_rows| {
        let table = table(width, log_rows);
        let layer = DeviceLayer { kind, columns: table.as_ref() };
        prove_batch(&backend, &[layer], &mut Suite::Blake2s.channel()).unwrap_err()
    };
    for (kind, width) in Kind::ALL.into_iter().zip([4, 8, 5, 4]) {
        let error = prove(kind, width, 0);
        assert!(matches!(error, GkrError::Layer(LayerError::Length { instance: 0, length: 1 })), "{error}");
        let error = prove(kind, width + 1, 3);
        assert!(matches!(error, GkrError::Columns { found, .. } if found == width + 1), "{error}");
    }
    let none = prove_batch(&backend, &[], &mut Suite::Blake2s.channel()).unwrap_err();
    assert!(matches!(none, GkrError::Layer(LayerError::Empty)));
}
