//! Keccak-f\[1600\] on lanes: one state a lane.
//!
//! Source: FIPS 202, section 3; word `(x, y)` of the state is `a[x + 5 y]`.

use crate::goldilocks::hash::lanes::Lanes;

/// Words of the state.
pub(super) const STATE: usize = 25;

const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808A,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808B,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008A,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000A,
    0x0000_0000_8000_808B,
    0x8000_0000_0000_008B,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800A,
    0x8000_0000_8000_000A,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// The permutation.
#[inline(always)]
pub(super) fn permute<V: Lanes>(state: &mut [V; STATE]) {
    let mut a = *state;
    for constant in ROUND_CONSTANTS {
        a = round(a, V::splat_raw(constant));
    }
    *state = a;
}

/// `E[x] = B[x] ^ (!B[x + 1] & B[x + 2])`.
#[inline(always)]
fn chi_row<V: Lanes>(b: [V; 5]) -> [V; 5] {
    [b[0].chi(b[1], b[2]), b[1].chi(b[2], b[3]), b[2].chi(b[3], b[4]), b[3].chi(b[4], b[0]), b[4].chi(b[0], b[1])]
}

#[inline(always)]
fn round<V: Lanes>(a: [V; STATE], constant: V) -> [V; STATE] {
    // Theta: the parity of each column, and its addition to the neighbours.
    let c = [
        a[0].xor3(a[5], a[10]).xor3(a[15], a[20]),
        a[1].xor3(a[6], a[11]).xor3(a[16], a[21]),
        a[2].xor3(a[7], a[12]).xor3(a[17], a[22]),
        a[3].xor3(a[8], a[13]).xor3(a[18], a[23]),
        a[4].xor3(a[9], a[14]).xor3(a[19], a[24]),
    ];
    let d = [
        c[4].xor(c[1].rotate_left::<1>()),
        c[0].xor(c[2].rotate_left::<1>()),
        c[1].xor(c[3].rotate_left::<1>()),
        c[2].xor(c[4].rotate_left::<1>()),
        c[3].xor(c[0].rotate_left::<1>()),
    ];
    // Rho and pi, row by row of the result: B[y, 2x + 3y] = (A[x, y] ^ D[x]) <<< r[x, y]; then chi.
    let b = [
        a[0].xor(d[0]),
        a[6].xor(d[1]).rotate_left::<44>(),
        a[12].xor(d[2]).rotate_left::<43>(),
        a[18].xor(d[3]).rotate_left::<21>(),
        a[24].xor(d[4]).rotate_left::<14>(),
    ];
    let row0 = chi_row(b);
    let b = [
        a[3].xor(d[3]).rotate_left::<28>(),
        a[9].xor(d[4]).rotate_left::<20>(),
        a[10].xor(d[0]).rotate_left::<3>(),
        a[16].xor(d[1]).rotate_left::<45>(),
        a[22].xor(d[2]).rotate_left::<61>(),
    ];
    let row1 = chi_row(b);
    let b = [
        a[1].xor(d[1]).rotate_left::<1>(),
        a[7].xor(d[2]).rotate_left::<6>(),
        a[13].xor(d[3]).rotate_left::<25>(),
        a[19].xor(d[4]).rotate_left::<8>(),
        a[20].xor(d[0]).rotate_left::<18>(),
    ];
    let row2 = chi_row(b);
    let b = [
        a[4].xor(d[4]).rotate_left::<27>(),
        a[5].xor(d[0]).rotate_left::<36>(),
        a[11].xor(d[1]).rotate_left::<10>(),
        a[17].xor(d[2]).rotate_left::<15>(),
        a[23].xor(d[3]).rotate_left::<56>(),
    ];
    let row3 = chi_row(b);
    let b = [
        a[2].xor(d[2]).rotate_left::<62>(),
        a[8].xor(d[3]).rotate_left::<55>(),
        a[14].xor(d[4]).rotate_left::<39>(),
        a[15].xor(d[0]).rotate_left::<41>(),
        a[21].xor(d[1]).rotate_left::<2>(),
    ];
    let row4 = chi_row(b);
    // Iota.
    let [e0, e1, e2, e3, e4] = row0;
    let [e5, e6, e7, e8, e9] = row1;
    let [e10, e11, e12, e13, e14] = row2;
    let [e15, e16, e17, e18, e19] = row3;
    let [e20, e21, e22, e23, e24] = row4;
    let e0 = e0.xor(constant);
    [e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18, e19, e20, e21, e22, e23, e24]
}
