//! Emulated GPU.
