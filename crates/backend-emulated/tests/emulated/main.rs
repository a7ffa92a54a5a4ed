//! The emulated GPU: the emulator itself, and the backend that runs on it. One program: common code is compiled once.

mod barriers;
mod circle_memory;
mod circle_proofs;
mod conformance;
mod emulator;
mod faults;
mod generated;
mod lazy;
mod memory;
mod metal;
mod miscompiled;
mod profile;
mod proofs;
mod queues;
mod row_kernels;
mod row_texts;
mod sanitizer;
mod shared_lde;
mod spilled;
mod two_devices;
mod wrapped;
