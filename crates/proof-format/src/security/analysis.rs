//! The ways to count a proof's security.

use super::SecurityKind;

crate::named! {
    /// A way to count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Analysis {
        /// A query is worth log2 of the blowup; one codeword, `ca = N/Q`.
        Claimed = "claimed",
        /// A query has the bits that a random word leaves of this.
        Conjectured = "conjectured",
        /// Proven, up to half the distance (ePrint 2025/2055).
        UniqueDecoding = "unique decoding",
        /// Proven, up to the Johnson bound, with the best multiplicity (ePrint 2025/2055).
        Johnson = "Johnson",
        /// Up to half the distance by the bounds of ePrint 2020/654. It counts for no figure.
        UniqueDecoding2020 = "unique decoding 2020",
        /// Up to the Johnson bound by the bounds of ePrint 2020/654, with the best multiplicity. It counts for no
        /// figure.
        Johnson2020 = "Johnson 2020",
        /// Up to the Johnson bound by the bounds of ePrint 2026/2056, with the best multiplicity.
        Johnson2026 = "Johnson 2026",
        /// Past the Johnson radius, by the certificates of ePrint 2026/2056, with the best that is found.
        FirstOrder = "first order",
    }
}

impl Analysis {
    /// The analyses; the figure is the best of them. A proven bound is conjectured, too, and a conjectured one claimed.
    pub(super) fn of(kind: SecurityKind) -> &'static [Self] {
        match kind {
            SecurityKind::Claimed => &[Self::Claimed, Self::Conjectured, Self::UniqueDecoding, Self::Johnson],
            SecurityKind::Conjectured => &[Self::Conjectured, Self::UniqueDecoding, Self::Johnson],
            SecurityKind::Provable => &[Self::UniqueDecoding, Self::Johnson],
            SecurityKind::FirstOrder => &[Self::UniqueDecoding, Self::Johnson, Self::Johnson2026, Self::FirstOrder],
        }
    }
}
