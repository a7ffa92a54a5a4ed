//! Calls of the protocol.

use gpu_hal::GoldilocksStark;

pub(super) type P<E> = GoldilocksStark<E>;
pub(super) type Call<'a, D, E> = crate::call::Call<'a, D, P<E>>;
