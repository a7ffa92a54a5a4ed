//! Host scalars: exact, canonical field arithmetic for the two protocols.
//!
//! | type | field | used by |
//! |---|---|---|
//! | [`Goldilocks`] | integers mod `2^64 - 2^32 + 1` | Goldilocks protocol, base |
//! | [`Fp3`] | `Goldilocks[w]/(w^3 - 2)` | Goldilocks protocol, extension |
//! | [`M31`] | integers mod `2^31 - 1` | Circle protocol, base |
//! | [`CM31`] | `M31[i]/(i^2 + 1)` | middle of the Circle tower |
//! | [`QM31`] | `CM31[u]/(u^2 - 2 - i)` | Circle protocol, extension |
//!
//! **Canonical at rest.** Every operation takes and returns representatives in `[0, p)`, so equality, hashing and
//! byte encodings need no extra reduction. The types are [`bytemuck::Pod`], so that a column of bytes coming back from
//! a device can be viewed as a column of scalars without a copy. `Pod` also means that such a view can hold values
//! outside `[0, p)`: at an edge where the bytes are not trusted, test [`Field::is_canonical`] (or decode with
//! [`CanonicalBytes::read_bytes`], which refuses them). Arithmetic on a non-canonical value never panics, but its
//! result is unspecified.
//!
//! The Stark field, in which Starknet's hash functions compute, is in [`stark252`].
//!
//! The circle group and the index maps of the Circle protocol are in [`circle`], the two protocols with their domains
//! in [`protocol`]. With the feature `lambdaworks` the module of that name makes these scalars usable with
//! lambdaworks-math's `FieldElement` and `Polynomial`. Without the feature `std`, which is on by default, the crate
//! takes `core` and `alloc` alone.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod batch;
mod bytes;
pub mod circle;
mod cm31;
mod fp3;
mod goldilocks;
mod hex;
#[cfg(feature = "lambdaworks")]
pub mod lambdaworks;
mod m31;
mod macros;
pub mod protocol;
mod qm31;
mod split_mix;
pub mod stark252;
mod traits;

pub use batch::{Powers, batch_inverse, bit_reverse, powers};
pub use bytes::Bytes;
pub use circle::{CanonicDomain, CirclePoint, CirclePointIndex, Coset};
pub use cm31::CM31;
pub use fp3::Fp3;
pub use goldilocks::Goldilocks;
pub use hex::Hex;
pub use m31::M31;
pub use qm31::QM31;
pub use split_mix::SplitMix64;
pub use traits::{CanonicalBytes, ExtensionField, Field, PrimeField, TwoAdicField};
