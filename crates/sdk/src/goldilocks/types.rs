//! The library's types for the Goldilocks protocol.

crate::types::types!(gpu_hal::GoldilocksStark);
