//! The order in which nonces of proofs of work are tried.

/// Log2 of the tries of a window: parts of a search begin and end with windows, so that no batch of a backend is cut.
pub const LOG_WINDOW: u32 = 12;

/// The order in which nonces are tried: the smallest high word first, then the smallest low word below a power of two.
/// Tries are numbered in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonces {
    log_low: u32,
}

impl Nonces {
    /// One after the other.
    pub const fn ascending() -> Self {
        Self::low_words_below(32)
    }

    /// Low words below `2^log_low` for each of `2^32` high words; `log_low` is at least [`LOG_WINDOW`] and at most 32.
    pub const fn low_words_below(log_low: u32) -> Self {
        assert!(LOG_WINDOW <= log_low && log_low <= 32, "a window has one high word");
        Self { log_low }
    }

    /// Log2 of the low words.
    pub const fn log_low(self) -> u32 {
        self.log_low
    }

    /// How many windows of `2^`[`LOG_WINDOW`] tries there are.
    pub const fn windows(self) -> u64 {
        1 << (32 + self.log_low - LOG_WINDOW)
    }

    /// The nonce of a try.
    pub const fn nonce(self, number: u64) -> u64 {
        number >> self.log_low << 32 | number & self.low_mask()
    }

    /// The number of the try of a nonce that is tried.
    pub const fn number(self, nonce: u64) -> u64 {
        nonce >> 32 << self.log_low | nonce & self.low_mask()
    }

    const fn low_mask(self) -> u64 {
        (1 << self.log_low) - 1
    }
}
