//! The transcript.

/// A transcript of elements: prover and verifier mix all messages, and draw elements that depend on them. Another crate
/// says how.
pub trait Channel<E> {
    /// Mixes elements, as one message. The message may be empty.
    fn mix(&mut self, elements: &[E]);

    /// Draws one uniform element.
    fn draw(&mut self) -> E;
}
