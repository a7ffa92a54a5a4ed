//! Checks every kernel as Metal's compiler sees it, address spaces included. `cargo xtask metal` calls this.

#[path = "../../backend-cuda/examples/kernels/recorder.rs"]
mod recorder;

use std::error::Error;
use std::sync::Arc;

use backend_emulated::{Dialect, EmulatedDevice, Options};
use gpu_runtime::KernelSource;
use rayon::prelude::*;

fn device(product_bits: u32) -> Result<EmulatedDevice, Box<dyn Error>> {
    let dialect = Dialect::Metal { product_bits };
    let device = EmulatedDevice::new(Options { dialect, ..Options::default() })?;
    if !device.checks_address_spaces() {
        return Err("only clang checks address spaces: install it, or name it in CXX".into());
    }
    Ok(device)
}

fn main() -> Result<(), Box<dyn Error>> {
    let sources = recorder::sources()?;
    let check = |device: &EmulatedDevice, (number, source): (usize, &Arc<KernelSource>)| {
        device.check(source).map_err(|error| format!("{}: {error}", recorder::file_name(source, number)))
    };
    let halves = device(32)?;
    sources.par_iter().enumerate().try_for_each(|source| check(&halves, source))?;
    // The other form of products is in functions that all have.
    let whole = device(64)?;
    sources.iter().enumerate().take(1).try_for_each(|source| check(&whole, source))?;
    println!("{} units and specialisations in Metal's dialect", sources.len());
    Ok(())
}
