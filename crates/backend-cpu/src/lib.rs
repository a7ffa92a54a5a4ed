//! backend-cpu.
