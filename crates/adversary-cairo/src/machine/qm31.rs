//! Elements of the extension of the field of `2^31 - 1`, packed in felts: coordinates of 36 bits, the lowest first.
//! They are `(a + b i) + (c + d i) u` with `i^2 = -1` and `u^2 = 2 + i`.

use starknet_types_core::felt::Felt;

const P: u64 = (1 << 31) - 1;

/// Bits of a coordinate.
const BITS: usize = 36;

fn unpack(felt: Felt) -> Option<[u64; 4]> {
    let number = felt.to_le_digits();
    let coordinate = |index: usize| {
        let (word, shift) = (BITS * index / 64, BITS * index % 64);
        let above = if shift == 0 { 0 } else { number[word + 1] << (64 - shift) };
        (number[word] >> shift | above) & ((1 << BITS) - 1)
    };
    let coordinates = [0, 1, 2, 3].map(coordinate);
    (coordinates.iter().all(|value| *value < P) && pack(coordinates) == felt).then_some(coordinates)
}

fn pack(coordinates: [u64; 4]) -> Felt {
    coordinates.iter().rev().fold(Felt::ZERO, |felt, value| felt * Felt::from(1u64 << BITS) + Felt::from(*value))
}

/// The sum of two packed elements.
pub(super) fn add(a: Felt, b: Felt) -> Option<Felt> {
    let (a, b) = (unpack(a)?, unpack(b)?);
    Some(pack([0, 1, 2, 3].map(|at| (a[at] + b[at]) % P)))
}

fn complex(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [(a[0] * b[0] % P + P - a[1] * b[1] % P) % P, (a[0] * b[1] % P + a[1] * b[0] % P) % P]
}

/// The product of two packed elements.
pub(super) fn mul(a: Felt, b: Felt) -> Option<Felt> {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (unpack(a)?, unpack(b)?);
    let (low, high) = (complex([a0, a1], [b0, b1]), complex(complex([a2, a3], [b2, b3]), [2, 1]));
    let (left, right) = (complex([a0, a1], [b2, b3]), complex([a2, a3], [b0, b1]));
    let sum = |a: u64, b: u64| (a + b) % P;
    Some(pack([sum(low[0], high[0]), sum(low[1], high[1]), sum(left[0], right[0]), sum(left[1], right[1])]))
}
