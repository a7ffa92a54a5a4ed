//! The roots of the preprocessed columns.

use circle_proof::{CircleOptions, Suite};
use gpu_hal::Digest;

use crate::preprocessed::Variant;

/// The root of a variant's tree with a blowup of 2 and no lifting. `None` where no constant is known, which is so of
/// every other configuration.
pub(super) fn root(variant: Variant, options: &CircleOptions) -> Option<Digest> {
    if (options.log_blowup, options.lifting) != (1, None) {
        return None;
    }
    match options.suite {
        Suite::Blake2s => Some(blake2s(variant)),
        Suite::Blake2sM31 => Some(blake2s_m31(variant)),
        Suite::Poseidon252 => Some(poseidon252(variant)),
    }
}

fn blake2s_m31(variant: Variant) -> Digest {
    match variant {
        Variant::Canonical => bytes(0x5b49002997ffac06c63a9616f701687e, 0x8cc3eb55726b0c08a494312826d54c0a),
        Variant::CanonicalWithoutPedersen => {
            bytes(0xf39f017ea305963c5c8a0e5eddf8c061, 0xcd14a4723065d732831c352c871fec58)
        }
        Variant::CanonicalSmall => bytes(0xbfaf9a4ec4375775fdf1164133e5b40e, 0x5c7bd02d0316416ac4013d61dedbf358),
    }
}

/// Felts as they are in memory, the least significant byte first. That of `canonical_without_pedersen` is
/// `0x1fdacd6e29834987926672fcac7fda0577adce49999ad96fb0195e745e9ce0` in the published verifier in Cairo, which takes
/// no other columns.
fn poseidon252(variant: Variant) -> Digest {
    match variant {
        Variant::Canonical => bytes(0x841e0636fd485a5e1b7a95083dd93355, 0x0ab17a766d1388f87eae7ee26aab5a02),
        Variant::CanonicalWithoutPedersen => {
            bytes(0xe09c5e745e19b06fd99a9949cead7705, 0xda7facfc726692874983296ecdda1f00)
        }
        Variant::CanonicalSmall => bytes(0xc298377f9d94c6c87c574aa46876f4c1, 0x2198a03e87cb4a531e83ab49440bd305),
    }
}

fn blake2s(variant: Variant) -> Digest {
    match variant {
        Variant::Canonical => bytes(0xa98e22423bf5d235981f0b36d939ae56, 0xef3be2751c58b032b2831e6e24ba0364),
        Variant::CanonicalWithoutPedersen => {
            bytes(0x4f36cc05752d9c55aa77938952c96e1b, 0x437b62edac6ff063ffea661c5a3f14a6)
        }
        Variant::CanonicalSmall => bytes(0x068d1166c9f9f0ec247641ca391ee839, 0x6170e69343dfcacc632f9638670d2bec),
    }
}

/// The 32 bytes of two halves, most significant first, as they are written.
fn bytes(first: u128, second: u128) -> Digest {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&first.to_be_bytes());
    bytes[16..].copy_from_slice(&second.to_be_bytes());
    bytes
}
