//! The library's types for the Circle protocol.

crate::types::types!(gpu_hal::CircleStark);
