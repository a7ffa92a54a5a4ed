//! Random statements that are true by construction, and the smallest changes that make them false.
//!
//! A statement is a function of its seed and of [`Bounds`]. Every column that a constraint fixes is computed from an
//! expression that was drawn first, so no trace is searched for. The value of a constraint on a row is computed here
//! once more, from the same expressions, without the recorder, the programs and the checks of this workspace:
//! `violated` says which constraints are not zero and where, and [`air::check_trace`] and [`circle_air::check_trace`]
//! must say the same.
//!
//! | module | what |
//! |---|---|
//! | [`gkr`](mod@gkr) | batches of trees of products and of fractions |
//! | [`circle`] | several components of different heights, with lookups between them and preprocessed columns |
//! | [`goldilocks`] | one table, with auxiliary columns: products, sums, columns of the host |
//! | `liar`, by the feature of that name | provers of both protocols that depart from them where they are told to |
//!
//! ```
//! use adversary::{Bounds, goldilocks::Statement};
//!
//! let statement = Statement::draw(7, &Bounds::default());
//! assert!(statement.violated().is_empty());
//! for violation in statement.violations(7) {
//!     println!("{}: {:?}", violation.what, violation.statement.violated());
//! }
//! ```
#![forbid(unsafe_code)]

mod bounds;
pub mod circle;
mod column;
mod draw;
mod expression;
pub mod gkr;
pub mod goldilocks;
#[cfg(feature = "liar")]
pub mod liar;
mod table;
mod violation;

pub use bounds::Bounds;
pub use violation::{Change, Violation};
