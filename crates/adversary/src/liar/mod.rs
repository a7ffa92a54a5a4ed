//! Malicious provers: each follows its protocol to the byte, except where a [dial](goldilocks::Lie) is turned on.
//!
//! A verifier must refuse every lie, and by the check that is there for it: a lie that another check stops says nothing
//! about the check that it was made for. So each dial names the forged part and says which refusals count
//! ([`goldilocks::Lie::stops`], [`circle::Lie::stops`]). With no dial turned on the proof is the honest prover's.
//!
//! The provers are written on their own against the code that prover and verifier share (`goldilocks_proof`,
//! `circle_proof`), in plain host code that takes time by the square of the rows. They are for statements of up to some
//! hundred rows.
//!
//! ```
//! use adversary::liar::goldilocks::{Liar, Lie};
//! use adversary::{Bounds, goldilocks::Statement};
//! use goldilocks_proof::{Seed, lambdaworks};
//! use goldilocks_verifier::{Policy, verify_bytes};
//!
//! let statement = Statement::draw(7, &Bounds { max_log_rows: 3, max_columns: 2 });
//! let options = lambdaworks::Options { blowup: 16, queries: 20, grinding: 0, coset_offset: 7, ..Default::default() };
//! let (trace, recorded) = (statement.trace(), air::record(&statement)?);
//! let check = |bytes: &[u8]| verify_bytes(&recorded, &options, Seed::Default, bytes, &Policy::ANY);
//!
//! let honest = Liar::new(&statement, &trace, options).prove().expect("nothing is forged");
//! assert!(check(&honest).is_ok());
//! let forged = Liar::new(&statement, &trace, options).with(Lie::LastValue).prove().expect("there is a last value");
//! assert!(Lie::LastValue.stops(&check(&forged).unwrap_err()));
//! # Ok::<(), air::AirError>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`circle`] | the Circle protocol |
//! | [`file`](mod@file) | the files of both protocols |
//! | [`goldilocks`] | the Goldilocks protocol |

/// An enumeration of lies, with the list of all of them.
macro_rules! lies {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A lie, and the check that must stop it.
        ///
        /// The refusals are for proofs in memory; in encoded proofs, lists of wrong lengths and elements that are not
        /// reduced are refused by decoding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Lie { $($(#[doc = $doc])+ $name,)+ }

        impl Lie {
            /// All lies.
            pub const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

pub mod circle;
pub mod file;
pub mod goldilocks;

use crate::draw::Draw;

/// The numbers of a lie: other ones for each.
fn draw(seed: u64, lie: u64) -> Draw {
    Draw::new(seed ^ (lie + 1).wrapping_mul(0xd134_2543_de82_ef95))
}
