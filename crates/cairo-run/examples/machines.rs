//! The time of a program's run in our machine and in cairo-vm, from its bytes to the checked `Run`, in turns on this
//! host: `cargo run --release -p polystark-cairo-run --example machines -- PROGRAM [ARGUMENTS]`. A CairoPIE (`.zip`) is
//! run as the task of a client proof. `RAYON_NUM_THREADS=1` takes one core.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use cairo_run::{
    BootloaderProgram, Layout, Loaded, Machine, Options, TaskHash, TaskSource, TaskSpec, Tasks, load,
    parse_arguments_list, pie,
};

/// Runs of each machine; the fastest counts.
const TURNS: usize = 3;

/// The bootloader and the options of a client proof of a CairoPIE.
fn client(file: &[u8]) -> Result<(Vec<u8>, Options), Box<dyn Error>> {
    let source = TaskSource::Pie(Arc::new(pie::read(file, pie::DEFAULT_MAX_BYTES)?));
    let tasks = vec![TaskSpec { source, hash: TaskHash::Blake }];
    let tasks = Tasks { tasks, single_page: true, unpacking: None, aggregator: None };
    let options = Options { tasks: Some(Arc::new(tasks)), layout: Layout::StwoNoEcop, ..Options::default() };
    Ok((BootloaderProgram::PrivacySimple.json()?, options))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("which program?")?;
    let arguments = parse_arguments_list(&words.next().unwrap_or_default())?;
    let file = std::fs::read(&path)?;
    let (bytes, given) = if path.ends_with(".zip") { client(&file)? } else { (file, Options::default()) };
    let mut fastest = [f64::INFINITY; 2];
    let mut steps = 0;
    for _ in 0..TURNS {
        for (fastest, machine) in fastest.iter_mut().zip([Machine::Own, Machine::CairoVm]) {
            let options = Options { arguments: arguments.clone(), machine, ..given.clone() };
            let start = Instant::now();
            let Loaded { steps: made, run_by, .. } = load(&bytes, &options)?;
            *fastest = fastest.min(start.elapsed().as_secs_f64());
            steps = made;
            println!("{run_by:?}: {:.3} s", start.elapsed().as_secs_f64());
        }
    }
    let [own, vm] = fastest.map(|seconds| seconds * 1e9 / steps as f64);
    println!("{path}: {steps} steps, {own:.1} ns a step in our machine, {vm:.1} in cairo-vm");
    Ok(())
}
