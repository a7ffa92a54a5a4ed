//! Prints the length and the SHA-256 of every main column of programs, in the order of the tree: the same list from the
//! reference's prover shows which column differs where proofs do.
//!
//! ```text
//! cargo run -p polystark-cairo --example columns -- PROGRAM...
//! ```

use std::error::Error;

use backend_cpu::Cpu;
use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant;
use cairo::witness::Witness;
use cairo_run::{Options, load};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::OnDevice;
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let backend = Cpu::<CircleStark>::new();
    for path in std::env::args().skip(1) {
        let loaded = load(&std::fs::read(&path)?, &Options { name: path.clone(), ..Options::default() })?;
        println!("{path}");
        let witness = Witness::new::<Air13>(&loaded.run, Variant::CanonicalSmall)?;
        for table in witness.tables(OnDevice::Proof, &backend)? {
            let values = backend.download(table.as_ref(), 0..table.height())?;
            for column in values.chunks(table.height()) {
                let bytes: Vec<u8> = column.iter().flat_map(|element| element.value().to_le_bytes()).collect();
                println!("{} {}", column.len(), hex::encode(Sha256::digest(&bytes)));
            }
        }
    }
    Ok(())
}
