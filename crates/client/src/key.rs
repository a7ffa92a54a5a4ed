//! The verifying key: all that the verifier knows of the circuit.

use circle_air::PreprocessedColumn;
use gpu_hal::Digest;

/// The root of the tree of the circuit's preprocessed columns. It stands for the whole circuit: the bootloader, the
/// components and options of the Cairo proof, and the root of that one's preprocessed columns.
pub const CIRCUIT_ROOT: Digest = [
    0xf1, 0x7a, 0x15, 0x49, 0x58, 0xee, 0x76, 0x48, 0x65, 0x5f, 0x34, 0x4b, 0x43, 0x37, 0xb1, 0x1a, 0xb6, 0xb8, 0x80,
    0x1e, 0x7d, 0xa6, 0xcd, 0x0c, 0xa9, 0x1e, 0xdb, 0x3c, 0x20, 0xda, 0xa3, 0x70,
];

/// Log2 of the circuit's gates of each kind, as [`circuits::columns`] takes them.
const LOG_GATES: [u32; 5] = [17, 21, 17, 18, 20];

/// The circuit's preprocessed columns.
pub fn circuit_columns() -> Vec<PreprocessedColumn> {
    circuits::columns(LOG_GATES)
}
