//! Decisions out of the bytes of a case.

use field::SplitMix64;

/// Reads the bytes from the front; behind their end come numbers that follow from all of them.
#[derive(Debug)]
pub struct Script<'a> {
    rest: &'a [u8],
    behind: SplitMix64,
}

impl<'a> Script<'a> {
    /// The script of a case.
    pub fn new(data: &'a [u8]) -> Self {
        // FNV-1a: equal scripts go on equally, others do not.
        let seed = data
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Self { rest: data, behind: SplitMix64::new(seed) }
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((byte, rest)) => {
                self.rest = rest;
                *byte
            }
            None => (self.behind.word() >> 32) as u8,
        }
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below `bound`; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % bound,
            _ => usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % bound,
        }
    }
}
