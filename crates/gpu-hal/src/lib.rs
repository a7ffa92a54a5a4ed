//! gpu-hal.
