//! The part of the witness that a proof keeps from its verifier.

proof_format::named! {
    /// How a compact proof hides its witness. Options and files carry it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Hiding {
        /// Nothing is hidden: openings show rows as they are.
        #[default]
        None = "none",
        /// Everything but the statement: the rows that no constraint reads are random, a random word is added to the
        /// DEEP quotient, and leaves have salts.
        FreeRows = "free-rows",
    }
}

impl Hiding {
    /// Its number in the bytes of the options, and in a file.
    pub const fn number(self) -> u8 {
        match self {
            Self::None => 0,
            Self::FreeRows => 1,
        }
    }

    /// The one of this number.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|hiding| u32::from(hiding.number()) == number)
    }

    /// The one of the two that hides more.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        match self {
            Self::None => other,
            Self::FreeRows => self,
        }
    }

    /// Whether anything is hidden.
    pub const fn hides(self) -> bool {
        matches!(self, Self::FreeRows)
    }
}
