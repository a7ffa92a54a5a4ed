//! Starknet's client proofs: the verifier's verdicts as errors (feature `client`), and a kind of statement that is
//! proven (`client-prove`).

mod error;
#[cfg(feature = "client-prove")]
mod request;

pub use error::ClientError;
#[cfg(feature = "client-prove")]
pub use request::{ClientProven, ClientRequest, ReadyClient};
