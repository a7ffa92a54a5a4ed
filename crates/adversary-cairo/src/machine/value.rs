//! The content of a cell: a felt, or an address whose segment has no place yet.

use starknet_types_core::felt::Felt;

/// A cell of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) segment: usize,
    pub(super) offset: u32,
}

impl Address {
    /// The cell `by` cells on, if there can be one.
    pub(super) fn plus(self, by: Felt) -> Option<Self> {
        let offset = small(Felt::from(self.offset) + by)?;
        Some(Self { offset, ..self })
    }

    /// The same for a number of either sign.
    pub(super) fn moved(self, by: i32) -> Option<Self> {
        Some(Self { offset: self.offset.checked_add_signed(by)?, ..self })
    }
}

/// A felt as a number of 32 bits.
pub(super) fn small(felt: Felt) -> Option<u32> {
    match felt.to_le_digits() {
        [low, 0, 0, 0] => u32::try_from(low).ok(),
        _ => None,
    }
}

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Felt(Felt),
    Address(Address),
}

impl Value {
    pub(super) fn felt(self) -> Option<Felt> {
        match self {
            Self::Felt(felt) => Some(felt),
            Self::Address(_) => None,
        }
    }

    pub(super) fn address(self) -> Option<Address> {
        match self {
            Self::Felt(_) => None,
            Self::Address(address) => Some(address),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self == Self::Felt(Felt::ZERO)
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Felt(a), Self::Felt(b)) => Some(Self::Felt(a + b)),
            (Self::Address(address), Self::Felt(by)) | (Self::Felt(by), Self::Address(address)) => {
                address.plus(by).map(Self::Address)
            }
            (Self::Address(_), Self::Address(_)) => None,
        }
    }

    pub(super) fn sub(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Felt(a), Self::Felt(b)) => Some(Self::Felt(a - b)),
            (Self::Address(address), Self::Felt(by)) => address.plus(-by).map(Self::Address),
            (Self::Address(a), Self::Address(b)) if a.segment == b.segment => {
                Some(Self::Felt(Felt::from(a.offset) - Felt::from(b.offset)))
            }
            _ => None,
        }
    }

    pub(super) fn mul(self, other: Self) -> Option<Self> {
        Some(Self::Felt(self.felt()? * other.felt()?))
    }

    pub(super) fn div(self, other: Self) -> Option<Self> {
        Some(Self::Felt(self.felt()? * other.felt()?.inverse()?))
    }
}
