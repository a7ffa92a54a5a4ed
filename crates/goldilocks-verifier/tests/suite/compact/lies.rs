//! The honest prover on a backend that lies once: all that follows is true to the lie, so that one check alone is there
//! for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use field::{Field, Goldilocks};
use golden::backends::cpu;
use golden::goldilocks::Cubic;
use goldilocks_proof::Draw;
use goldilocks_proof::compact::{AirDigest, Options};
use goldilocks_verifier::{Part, VerifyError};
use gpu_hal::decorate::{Call, Hook, Hooked};
use gpu_hal::erased::Device;
use gpu_hal::op::Outcome;
use gpu_hal::{Operation, Result, StarkBackend};

use super::{options, prove, rap, recorded, verify};

/// Lies in the result of one call of an operation.
struct Liar {
    operation: Operation,
    call: usize,
    calls: AtomicUsize,
    /// Elements of a column that it keeps of a download; the others become zero.
    cuts: Option<usize>,
}

impl Liar {
    fn new(operation: Operation, call: usize) -> Self {
        Self { operation, call, calls: AtomicUsize::new(0), cuts: None }
    }
}

impl<B: StarkBackend<P = Cubic>> Hook<B> for Liar {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        let mut result = run()?;
        if call.operation != self.operation || self.calls.fetch_add(1, Ordering::SeqCst) != self.call {
            return Ok(result);
        }
        match outcome(&mut result) {
            Outcome::Digest(digest) => digest[31] ^= 1,
            // There is work of six bits: the next number has none, but by chance.
            Outcome::Nonce(Some(nonce)) => *nonce += 1,
            // The coefficients of the last layer.
            Outcome::Elements(elements) => match self.cuts {
                None => elements[0] += Goldilocks::ONE,
                Some(kept) => {
                    let height = elements.len() / 3;
                    elements.chunks_mut(height).flat_map(|column| &mut column[kept..]).for_each(|e| *e = Field::ZERO);
                }
            },
            // A layer and a constant: it is of the same degree.
            Outcome::Table(table) => {
                let mut elements = inner.download(table.as_ref(), 0..table.height())?;
                elements[..table.height()].iter_mut().for_each(|element| *element += Goldilocks::ONE);
                *table = inner.upload(&elements, table.width, table.log_height)?;
            }
            // The parts, then the main columns: the row of the second point.
            Outcome::Values(values) => {
                let last = values[1].last_mut().expect("a row for each point");
                last[0] += Field::ONE;
            }
            _ => unreachable!("another result"),
        }
        Ok(result)
    }
}

/// The verdict about the proof of a liar.
fn told(operation: Operation, call: usize, options: &Options) -> VerifyError {
    let device = Device::new(Arc::new(Hooked::with_hook(cpu::<Cubic>(), Liar::new(operation, call))));
    let air = rap(40);
    let bytes = prove(device, air.clone(), AirDigest::OfAir, options);
    verify(&recorded(&*air), options, &bytes).expect_err("a lie")
}

#[test]
fn without_a_lie_it_is_accepted() {
    let air = rap(40);
    let bytes = prove(cpu(), air.clone(), AirDigest::OfAir, &options());
    let verified = verify(&recorded(&*air), &options(), &bytes).expect("a proof");
    assert_eq!((verified.queries, verified.trace_length), (9, 64));
}

#[test]
fn every_root_is_that_of_its_tree() {
    let parts = [Part::Main, Part::Aux, Part::Composition, Part::Fri(1), Part::Fri(2)];
    for (call, part) in parts.into_iter().enumerate() {
        assert_eq!(told(Operation::Root, call, &options()), VerifyError::Root { part });
    }
}

#[test]
fn every_draw_has_its_work() {
    for (call, expected) in Draw::all(3).enumerate() {
        match told(Operation::Grind, call, &options()) {
            VerifyError::Work { draw, bits: 6, .. } => assert_eq!(draw, expected),
            other => panic!("{expected}: {other}"),
        }
    }
}

#[test]
fn every_fold_is_that_of_the_layer_before() {
    // Two folds by two before layer 1, one before layer 2, two before the last.
    for (call, layer) in [(0, 1), (1, 1), (2, 2)] {
        assert_eq!(told(Operation::FriFold, call, &options()), VerifyError::Root { part: Part::Fri(layer) });
    }
    for call in [3, 4] {
        assert!(matches!(told(Operation::FriFold, call, &options()), VerifyError::LastLayer { .. }));
    }
    let unfolded = Options { folds: vec![0, 2, 3], work: vec![0; 8], ..options() };
    // Layer 1 is the quotient itself.
    for options in [&options(), &unfolded] {
        assert_eq!(told(Operation::DeepQuotient, 0, options), VerifyError::Root { part: Part::Fri(1) });
    }
}

#[test]
fn the_last_layer_is_where_the_folds_end() {
    for options in [options(), Options { folds: vec![4], log_last: 2, work: vec![0; 6], ..options() }] {
        assert!(matches!(told(Operation::Download, 0, &options), VerifyError::LastLayer { .. }));
    }
}

/// With a wrong value there the quotient is no polynomial: a second lie, that the last layer is of low degree, gives a
/// proof.
#[test]
fn the_columns_are_as_sent_at_the_second_point() {
    let inner = Device::new(Arc::new(Hooked::with_hook(cpu::<Cubic>(), Liar::new(Operation::EvalAt, 0))));
    let liar = Liar { cuts: Some(1 << options().log_last), ..Liar::new(Operation::Download, 0) };
    let device = Device::new(Arc::new(Hooked::with_hook(inner, liar)));
    let bytes = prove(device, rap(40), AirDigest::OfAir, &options());
    assert!(matches!(verify(&recorded(&*rap(40)), &options(), &bytes), Err(VerifyError::LastLayer { .. })));
}

/// The prover of another AIR of the same shape, under the digest of this one: its trace is honest there, all is as
/// sent, and only the constraints at z are others.
#[test]
fn the_constraints_are_those_of_the_air() {
    let claimed = recorded(&*rap(40));
    let digest = claimed.digest();
    let bytes = prove(cpu(), rap(30), AirDigest::Given(&digest), &options());
    assert_eq!(verify(&claimed, &options(), &bytes), Err(VerifyError::Root { part: Part::Fri(1) }));
    // Without the digest it is another transcript.
    let bytes = prove(cpu(), rap(30), AirDigest::OfAir, &options());
    assert!(matches!(verify(&claimed, &options(), &bytes), Err(VerifyError::Work { draw: Draw::Challenges, .. })));
}
