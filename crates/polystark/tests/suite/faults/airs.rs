//! AIR and machine: where they differ.
