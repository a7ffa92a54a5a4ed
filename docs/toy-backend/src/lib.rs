//! The toy: a backend written from scratch, as another repository would have one. It is a device with memory of its
//! own, which runs every operation itself, slowly, for both protocols. `docs/add-a-backend.md` walks through it.
//!
//! It is a shared library, too: `polystark prove --backend ./libtoy_backend.so`.

mod backend;
mod kernels;
mod memory;
mod program;
mod protocol;

use backend_library::OpenOptions;

pub use backend::Toy;
pub use memory::{Buffer, Tree};
pub use protocol::ToyProtocol;

/// A toy of 1 GiB, for programs that load the library.
fn open<P: ToyProtocol>(_: &OpenOptions) -> gpu_hal::Result<Toy<P>> {
    Ok(Toy::new(1 << 30))
}

backend_library::export!(goldilocks: open, circle: open);
