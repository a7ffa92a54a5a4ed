//! Checks every kernel as Metal's compiler sees it, address spaces included, in both forms of products. `cargo xtask metal` calls this.

#[path = "../../backend-cuda/examples/kernels/recorder.rs"]
mod recorder;

use std::error::Error;

use backend_emulated::{Dialect, EmulatedDevice, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let sources = recorder::sources()?;
    for product_bits in [32, 64] {
        let dialect = Dialect::Metal { product_bits };
        let device = EmulatedDevice::new(Options { dialect, ..Options::default() })?;
        if !device.checks_address_spaces() {
            return Err("only clang checks address spaces: install it, or name it in CXX".into());
        }
        for (number, source) in sources.iter().enumerate() {
            device.check(source).map_err(|error| format!("{}: {error}", recorder::file_name(source, number)))?;
        }
    }
    println!("{} units and specialisations in Metal's dialect", sources.len());
    Ok(())
}
