//! Starknet's client proofs of CairoPIEs: `prove_client FILE...` writes each beside its file. docs/starknet.md explains
//! it.

use std::error::Error;
use std::sync::Arc;
use std::{env, fs};

use polystark::cairo_run::pie;
use polystark::client::{ClientProof, ClientRun};
use polystark::hal::CircleStark;
use polystark::{ClientRequest, Device};

/// Proofs of several CairoPIEs, on one device.
fn prove(pies: &[Vec<u8>]) -> Result<Vec<ClientProof>, Box<dyn Error>> {
    // The circuit and the preprocessed columns stay on it.
    let device = Device::<CircleStark>::open("auto", None)?.keeping();
    let mut proofs = Vec::new();
    for bytes in pies {
        let pie = Arc::new(pie::read(bytes, pie::DEFAULT_MAX_BYTES)?);
        let run = ClientRun::new(&pie)?;
        proofs.push(device.prove(&ClientRequest { run: &run, circuit: None })?.proof);
    }
    Ok(proofs)
}

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = env::args().skip(1).collect();
    let pies = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    for (file, proof) in files.iter().zip(prove(&pies)?) {
        fs::write(format!("{file}.proof"), proof.bytes)?;
    }
    Ok(())
}
