//! The curve's constants.

use crate::Felt252;

/// β of the STARK curve.
pub(crate) const BETA: Felt252 =
    Felt252::from_hex_unchecked("0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89");

const fn point(x: &str, y: &str) -> [Felt252; 2] {
    [Felt252::from_hex_unchecked(x), Felt252::from_hex_unchecked(y)]
}

/// x and y of the point that each Pedersen hash begins with, as StarkEx defines it.
pub const PEDERSEN_SHIFT: [Felt252; 2] = point(
    "0x049ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804",
    "0x03ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268a",
);

/// x and y of the points of a Pedersen hash: for the lower 248 bits of its first input, its upper 4 bits, and the same
/// of its second input.
pub const PEDERSEN_POINTS: [[Felt252; 2]; 4] = [
    point(
        "0x0234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47b",
        "0x03b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615",
    ),
    point(
        "0x04fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378",
        "0x03fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54d",
    ),
    point(
        "0x04ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997",
        "0x0040301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219c",
    ),
    point(
        "0x054302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202",
        "0x01b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426",
    ),
];
