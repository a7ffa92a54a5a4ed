//! The Circle protocol, statements of stwo's kind over M31 with proofs that stwo's verifier accepts: the library's
//! types for it, and its own features.
//!
//! ```
//! # use polystark_sdk as polystark;
//! use polystark::circle::{Device, Expect, Policy, Request};
//! use polystark::verify_file;
//!
//! let proven = Device::open("cpu", Some(1))?.prove(&Request::new("fibonacci", 64))?;
//!
//! let expect = Expect { air: Some("fibonacci".into()), rows: Some(64), ..Expect::default() };
//! let report = verify_file(&proven.file, &Policy::default(), &expect)?;
//! assert!(report.security.provable.bits >= 100);
//! # Ok::<(), polystark::Error>(())
//! ```

mod airs;
mod error;
mod expect;
pub mod gkr;
mod request;
mod system;
mod types;

pub(crate) use airs::shipped_airs;
pub use circle_proof::{FixedOptions, Policy};
pub use error::CircleError;
pub use expect::ExpectOptions;
pub use request::Extras;
pub use system::decode_proof;
pub use types::{AirInstance, Airs, Device, Expect, Family, Proven, Report, Request};
