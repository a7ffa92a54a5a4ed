//! The roots of the preprocessed columns.

use gpu_hal::Digest;

use crate::preprocessed::Variant;

/// The root of a variant's tree with Blake2s, a blowup of 2 and no lifting. No constant is known for any other
/// configuration: `None`.
pub(super) fn root(variant: Variant, log_blowup: u32, lifting: Option<u32>) -> Option<Digest> {
    if (log_blowup, lifting) != (1, None) {
        return None;
    }
    Some(match variant {
        Variant::Canonical => bytes(0xa98e22423bf5d235981f0b36d939ae56, 0xef3be2751c58b032b2831e6e24ba0364),
        Variant::CanonicalWithoutPedersen => {
            bytes(0x4f36cc05752d9c55aa77938952c96e1b, 0x437b62edac6ff063ffea661c5a3f14a6)
        }
        Variant::CanonicalSmall => bytes(0x068d1166c9f9f0ec247641ca391ee839, 0x6170e69343dfcacc632f9638670d2bec),
    })
}

/// The 32 bytes of two halves, most significant first, as they are written.
fn bytes(first: u128, second: u128) -> Digest {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&first.to_be_bytes());
    bytes[16..].copy_from_slice(&second.to_be_bytes());
    bytes
}
