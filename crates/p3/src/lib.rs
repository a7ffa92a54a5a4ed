//! AIRs of Plonky3 as they are.
//!
//! An AIR that p3-uni-stark proves implements `p3_air::Air` for every builder, so also for `SymbolicAirBuilder`.
//! [`P3Air::new`] evaluates it once with that builder and turns the symbolic constraints into an AIR of ours,
//! [`air::Air`]: over Goldilocks for the Goldilocks protocol, over Mersenne31, by [`P3Air::statement`], for the Circle
//! protocol. Every backend then proves it, and the verifiers of the two protocols decide about the proof.
//!
//! | Plonky3 | here |
//! |---|---|
//! | `when_first_row`, `when_last_row` with a cell that equals a constant or a public value | a boundary constraint |
//! | the same with any other constraint | a transition on that row alone |
//! | `when_transition` | a transition on all rows but the last |
//! | preprocessed and periodic columns | public columns that the verifier knows |
//! | public values | public inputs; in a transition, parameters of the constraints |
//! | `public_boundary_io` | boundary constraints |
//! | interactions of p3-lookup | fractions of one sum: [`P3Air::with_lookups`] |
//!
//! Plonky3 says where a selector is zero, but no more of its value elsewhere than that it is not zero. So a constraint
//! in which terms with different selectors meet on one row has no certain meaning: [`P3Error::Selectors`] names it.
//! Other features without a counterpart are in [`P3Error`] too; nothing is left out silently.
//!
//! ```
//! use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
//! use p3_field::PrimeCharacteristicRing;
//! use p3_goldilocks::Goldilocks;
//! use p3_matrix::dense::RowMajorMatrix;
//! use polystark_p3::P3Air;
//!
//! /// Every row is the double of the row before.
//! struct Doubling;
//!
//! impl<F> BaseAir<F> for Doubling {
//!     fn width(&self) -> usize {
//!         1
//!     }
//! }
//!
//! impl<AB: AirBuilder> Air<AB> for Doubling {
//!     fn eval(&self, builder: &mut AB) {
//!         let main = builder.main();
//!         let (this, next) = (main.current_slice()[0], main.next_slice()[0]);
//!         builder.when_first_row().assert_one(this);
//!         builder.when_transition().assert_eq(next, this.into().double());
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let air = P3Air::new("doubling", &Doubling, 8, &[])?;
//! let matrix = RowMajorMatrix::new((0..8).map(|row| Goldilocks::from_u64(1 << row)).collect(), 1);
//! air::check_trace(&air::record(&air)?, &air, &air.trace(&matrix)?, &[], 1)?;
//! # Ok(())
//! # }
//! ```
//!
//! An AIR that looks something up pushes interactions:
//!
//! ```
//! use p3_air::{Air, BaseAir, WindowAccess};
//! use p3_field::PrimeCharacteristicRing;
//! use p3_goldilocks::Goldilocks;
//! use p3_lookup::{Count, InteractionBuilder};
//! use polystark_p3::P3Air;
//!
//! /// Every value of the first column is one of the second, which the third says how often is used.
//! struct RangeCheck;
//!
//! impl<F> BaseAir<F> for RangeCheck {
//!     fn width(&self) -> usize {
//!         3
//!     }
//! }
//!
//! impl<AB: InteractionBuilder> Air<AB> for RangeCheck {
//!     fn eval(&self, builder: &mut AB) {
//!         let main = builder.main();
//!         let [x, entry, uses]: [AB::Expr; 3] = std::array::from_fn(|column| main.current_slice()[column].into());
//!         builder.push_local_interaction([(vec![x], Count::from(1)), (vec![entry], Count::provided(-uses))]);
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let air = P3Air::<Goldilocks>::with_lookups("range-check", &RangeCheck, 8, &[])?;
//! // Two running sums, one for each side.
//! assert_eq!(air::record(&air)?.layout().aux_columns, 2);
//! # Ok(())
//! # }
//! ```
//!
//! Without the feature `circle`, which is on by default, there are no statements of that protocol, and nothing of
//! stwo's is built.
#![forbid(unsafe_code)]

mod boundaries;
mod define;
mod error;
mod field_pair;
mod graph;
mod lookups;
mod matrix;
mod p3_air;
mod running_sums;
mod selectors;
#[cfg(feature = "circle")]
mod statement;
mod symbolic;

pub use error::{Origin, P3Error};
pub use field_pair::P3Field;
pub use p3_air::P3Air;
