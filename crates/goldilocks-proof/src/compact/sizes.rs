//! The numbers of a statement that lengths of proofs follow from.

/// The numbers of a statement that, with the options, fix the length of a proof up to its openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Log2 of the rows, `log n`.
    pub log_rows: u32,
    /// Main columns, `m`.
    pub main: usize,
    /// Auxiliary columns, `a`.
    pub aux: usize,
    /// Rows of the frame, `R`.
    pub frame_rows: usize,
    /// Challenges of the AIR, `c`.
    pub challenges: usize,
    /// Composition parts, `P`.
    pub parts: usize,
}

impl Sizes {
    /// Main and auxiliary columns, `w`.
    pub fn columns(&self) -> usize {
        self.main.saturating_add(self.aux)
    }

    /// Values of the frame, `wR`.
    pub fn frame(&self) -> usize {
        self.columns().saturating_mul(self.frame_rows)
    }
}
