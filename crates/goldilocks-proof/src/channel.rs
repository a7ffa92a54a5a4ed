//! Transcripts: prover and verifier absorb all messages, and draw values that depend on them.
//!
//! A channel says how; what is absorbed and drawn when is in [`crate::rounds`]. It takes and gives coordinates in the
//! base field, so that rounds are compiled once for all channels.

use core::fmt::Debug;

use field::Goldilocks;
use gpu_hal::{Digest, NonceSearch};

use crate::Draw;

/// The kind of a message. A channel may make a label of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Root of the main tree.
    MainRoot,
    /// Root of the auxiliary tree.
    AuxRoot,
    /// Root of the composition tree.
    CompositionRoot,
    /// Values out of the domain.
    OutOfDomain,
    /// Root of a layer's tree.
    LayerRoot,
    /// The last layer.
    LastLayer,
}

/// The state of a transcript.
pub trait Channel: Debug + Send + Sync {
    /// Absorbs the root of a tree.
    fn absorb_root(&mut self, message: Message, root: &Digest);

    /// Absorbs the coordinates of elements, as one message.
    fn absorb_elements(&mut self, message: Message, coordinates: &[Goldilocks]);

    /// Begins a draw, after the nonce of its work if it has one.
    fn begin(&mut self, draw: Draw, nonce: Option<u64>);

    /// Draws the coordinates of a uniform element of the extension that has as many.
    fn draw_element(&mut self, coordinates: &mut [Goldilocks]);

    /// Draws an index below `2^log`, which is 1 to 32 bits.
    fn draw_index(&mut self, log: u32) -> u64;

    /// The search for the nonce of a number of bits, at most [`crate::grinding::MAX_BITS`].
    fn work(&self, bits: u32) -> NonceSearch;
}
