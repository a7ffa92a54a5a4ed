//! GKR on a device that fails, or that computes something wrong: an error or the right proof, and nothing else.

use std::sync::{Arc, Mutex};

use circle_proof::Suite;
use circle_proof::gkr::{GkrFile, RefusedError, Trees};
use field::{Field, M31, QM31, SplitMix64};
use golden::backends::cpu_of;
use golden::gkr::base_columns;
use gpu_hal::decorate::{Call, Fault, Faulty, Hook, Hooked};
use gpu_hal::op::Outcome;
use gpu_hal::{BoundSums, CircleStark, ErrorKind, HalError, Operation, StarkBackend, Table};
use prover_core::Silent;
use prover_core::circle::gkr::{GkrError, Prover};
use sumcheck::gkr::Layer;

/// Trees of both gates: of layers on the device, and of such that are on the host.
fn batch() -> Vec<Layer<M31, QM31>> {
    let random = &mut SplitMix64::new(8);
    let mut column = |log_rows: u32| -> Vec<QM31> {
        (0..1 << log_rows).map(|_| QM31(std::array::from_fn(|_| M31::reduce(random.word())))).collect()
    };
    vec![
        Layer::LogUp { numerators: column(12), denominators: column(12) },
        Layer::GrandProduct(column(13)),
        Layer::LogUpSingles { denominators: column(3) },
    ]
}

fn prove<B: StarkBackend<P = CircleStark>>(on: &Arc<B>, batch: &[Layer<M31, QM31>]) -> Result<GkrFile, GkrError> {
    let instances = batch.iter().enumerate().map(|(tree, layer)| layer.instance(tree)).collect::<Result<_, _>>()?;
    let trees = Trees { suite: Suite::Blake2s, instances, columns: [7; 32] };
    let columns: Vec<_> = batch.iter().map(base_columns).collect();
    Prover::new(Arc::clone(on), trees)?.prove(&columns, &Silent)
}

#[test]
fn a_fault_at_every_operation_is_an_error_and_the_next_proof_is_right() {
    let (backend, batch) = (Arc::new(Faulty::new(cpu_of::<CircleStark>(1))), batch());
    let expected = prove(&backend, &batch).expect("no fault yet");
    let operations = backend.seen();
    let rounds = [Operation::Sum, Operation::BindSum].map(|operation| backend.seen_of(operation));
    assert!(rounds.iter().all(|seen| *seen > 2), "{rounds:?} rounds on the device");
    for after in 0..operations {
        let kind = [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend][after as usize % 3];
        backend.arm(Fault { operation: None, after, kind });
        match prove(&backend, &batch) {
            Err(GkrError::Device(error)) => assert_eq!(error.kind, kind, "operation {after}"),
            other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
        }
        backend.disarm();
        assert_eq!(backend.memory().expect("memory").in_use, 0, "operation {after} leaves memory behind");
    }
    assert!(prove(&backend, &batch).expect("the backend recovered") == expected);
}

/// Changes one element of what an operation gives.
#[derive(Default)]
struct Spoil(Mutex<State>);

#[derive(Default)]
struct State {
    /// Operations with elements so far.
    seen: u64,
    /// The one to change, and a number by which the element is chosen.
    at: Option<(u64, usize)>,
}

impl Spoil {
    fn arm(&self, at: Option<(u64, usize)>) {
        *self.0.lock().unwrap() = State { seen: 0, at };
    }

    /// The number by which an element of this operation is chosen, if it is the one.
    fn chosen(&self) -> Option<usize> {
        let mut state = self.0.lock().unwrap();
        state.seen += 1;
        let seen = state.seen;
        state.at.filter(|(at, _)| at + 1 == seen).map(|(_, number)| number)
    }
}

fn spoil_table<B: StarkBackend<P = CircleStark>>(
    on: &B,
    table: &mut Table<B::T>,
    number: usize,
) -> Result<(), HalError> {
    let mut values = on.download(table.as_ref(), 0..table.height())?;
    let at = number % values.len();
    values[at] += M31::ONE;
    *table = on.upload(&values, table.width, table.log_height)?;
    Ok(())
}

impl<B: StarkBackend<P = CircleStark>> Hook<B> for Spoil {
    fn around<R>(
        &self,
        inner: &B,
        _: Call,
        run: impl FnOnce() -> Result<R, HalError>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R, HalError> {
        let mut made = run()?;
        match outcome(&mut made) {
            Outcome::Table(table) => {
                if let Some(number) = self.chosen() {
                    spoil_table(inner, table, number)?;
                }
            }
            Outcome::Elements(elements) => {
                if let Some(number) = self.chosen() {
                    let at = number % elements.len();
                    elements[at] += M31::ONE;
                }
            }
            Outcome::Tables(tables) => {
                if let Some(number) = self.chosen() {
                    let at = number % tables.len();
                    spoil_table(inner, &mut tables[at], number)?;
                }
            }
            Outcome::Sums(sums) => {
                if let Some(number) = self.chosen() {
                    let sums = &mut sums[0];
                    let at = number % sums.len();
                    sums[at] += QM31::ONE;
                }
            }
            Outcome::BoundSums(made) => {
                if let Some(number) = self.chosen() {
                    let at = number % made.len();
                    let BoundSums { sums, values } = &mut made[at];
                    if number / 2 % 2 == 0 {
                        spoil_table(inner, values, number)?;
                    } else {
                        let at = number % sums.len();
                        sums[at] += QM31::ONE;
                    }
                }
            }
            Outcome::Program(_) | Outcome::Nothing => {}
            _ => panic!("GKR asks for more operations than this test knows"),
        }
        Ok(made)
    }
}

#[test]
fn a_wrong_result_of_any_operation_comes_to_no_wrong_proof() {
    let (spoil, batch) = (Arc::new(Spoil::default()), batch());
    let backend = Arc::new(Hooked::with_hook(cpu_of::<CircleStark>(1), Arc::clone(&spoil)));
    let expected = prove(&backend, &batch).expect("nothing is wrong yet");
    let operations = spoil.0.lock().unwrap().seen;
    let (mut noticed, mut refused, mut of_other_columns, mut right) = (0, 0, 0, 0);
    let random = &mut SplitMix64::new(9);
    for at in 0..operations {
        for _ in 0..2 {
            let number = (random.word() >> 8) as usize;
            spoil.arm(Some((at, number)));
            match prove(&backend, &batch) {
                Err(GkrError::Wrong(_)) => noticed += 1,
                // The verifier refuses a fault that the prover has not noticed.
                Err(GkrError::Refused(RefusedError::Proof(_))) => refused += 1,
                // The columns came to the device with another value: the proof is about these.
                Err(GkrError::Refused(RefusedError::Values { .. })) => of_other_columns += 1,
                Ok(file) if file == expected => right += 1,
                other => panic!("operation {at}, element {number}: {:?}", other.map(|_| "another proof")),
            }
        }
    }
    assert!(noticed > 0 && of_other_columns > 0, "{noticed} noticed, {refused}, {of_other_columns}, {right} right");
}
