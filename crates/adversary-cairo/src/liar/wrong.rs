//! A device that says something else than it computed: the prover's further work on it is consistent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use circle_proof::CircleOptions;
use field::{Field, M31, QM31};
use gpu_hal::decorate::{Call, Hook};
use gpu_hal::op::Outcome;
use gpu_hal::{CircleStark, HalError, StarkBackend};

use super::point::Swap;

/// The false answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sayings {
    /// Values at the point that are to be other ones.
    pub(super) values: Vec<Swap>,
    /// The options of a proof whose last layer is to be another one.
    pub(super) last: Option<CircleOptions>,
}

/// Changes the first coefficient of the last layer, if these are its coefficients, which their number tells.
fn change_last(options: CircleOptions, coordinates: &mut [M31]) -> bool {
    let is_last = coordinates.len() == 4 << (options.log_last + options.log_blowup);
    if is_last {
        coordinates[0] += M31::ONE;
    }
    is_last
}

/// The device's false answers; an answer that was given is taken out.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrong(Arc<Mutex<Sayings>>);

impl Wrong {
    fn sayings(&self) -> MutexGuard<'_, Sayings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something meanwhile; and whether all was said.
    pub(super) fn during<R>(&self, sayings: Sayings, run: impl FnOnce() -> R) -> (R, bool) {
        *self.sayings() = sayings;
        let done = run();
        let Sayings { values, last } = std::mem::take(&mut *self.sayings());
        (done, values.is_empty() && last.is_none())
    }

    fn change_value(&self, value: &mut QM31) {
        self.sayings().values.retain(|swap| {
            let is_it = *value == swap.from;
            if is_it {
                *value = swap.to;
            }
            !is_it
        });
    }
}

impl<B: StarkBackend<P = CircleStark>> Hook<B> for Wrong {
    fn around<R>(
        &self,
        _inner: &B,
        _call: Call,
        run: impl FnOnce() -> Result<R, HalError>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R, HalError> {
        let mut result = run()?;
        match outcome(&mut result) {
            Outcome::Values(values) => {
                values.iter_mut().flatten().flatten().for_each(|value| self.change_value(value));
            }
            Outcome::Elements(elements) => {
                let sayings = &mut *self.sayings();
                sayings.last = sayings.last.filter(|options| !change_last(*options, elements));
            }
            _ => {}
        }
        Ok(result)
    }
}
