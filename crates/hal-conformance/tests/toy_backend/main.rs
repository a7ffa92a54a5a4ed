//! A backend written from scratch, as docs/add-a-backend.md walks through it: a device with memory of its own that runs every
//! operation itself, slowly. It passes the conformance suite at full size, and its proofs are the golden ones.

mod backend;
mod kernels;
mod memory;
mod proofs;

use backend::Toy;

/// 1 GiB.
const CAPACITY: u64 = 1 << 30;

fn toy() -> gpu_hal::Result<Toy> {
    Ok(Toy::new(CAPACITY))
}

hal_conformance::goldilocks!(toy, "toy");
