//! Runs a Cairo program, proves the run, and verifies the proof as its receiver would: `prove_cairo PROGRAM.json`.

use std::error::Error;

use polystark::cairo::verify::{Expect, Policy, verify};
use polystark::cairo::{Proof, file};
use polystark::cairo_run::{Options, felt, load, named};
use polystark::hal::CircleStark;
use polystark::{CairoRequest, Device};

/// The bytes of the proof of a program without arguments.
fn prove(program: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let loaded = load(program, &Options::default())?;
    let device = Device::<CircleStark>::open("auto", None)?;
    let proven = device.prove(&CairoRequest::new(&loaded)?)?;
    Ok(proven.file(file::Format::Binary)?)
}

/// The output of a program, if the bytes prove it.
fn receive(program: &[u8], proof: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
    let named = named(program)?;
    let expect = Expect { program_hash: Some(named.hash), builtins: Some(named.builtins), output: None };
    let policy = Policy::default();
    let (proof, _) = file::decode::<Proof>(proof, policy.proof.max_bytes, policy.proof.suite)?;
    let verified = verify(proof, &policy, &expect)?;
    Ok(verified.stated.output.iter().map(felt::text).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("prove_cairo PROGRAM.json")?;
    let program = std::fs::read(path)?;
    let proof = prove(&program)?;
    println!("{} bytes: {}", proof.len(), receive(&program, &proof)?.join(", "));
    Ok(())
}
