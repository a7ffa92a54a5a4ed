//! Compiles every kernel without a GPU: `kernels FOLDER ARCHITECTURE...` writes one PTX file a unit, specialisation and
//! architecture. NVRTC must be where the system's loader finds it. `cargo xtask kernels` calls this.

mod recorder;

use std::error::Error;
use std::path::Path;

use backend_cuda::{Compiler, Target};
use rayon::prelude::*;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: kernels FOLDER ARCHITECTURE...")?;
    let architectures = arguments.map(|text| text.parse()).collect::<std::result::Result<Vec<u32>, _>>()?;
    std::fs::create_dir_all(&folder)?;

    let sources = recorder::sources()?;
    let compiler = Compiler::find()?;
    // The compiler takes most of a minute of one core for each architecture.
    sources.par_iter().enumerate().try_for_each(|(index, source)| {
        architectures.iter().try_for_each(|architecture| {
            let compiled = compiler.compile(source, Target::Ptx(*architecture)).map_err(|error| error.to_string())?;
            let file = Path::new(&folder).join(format!("{}.sm_{architecture}.ptx", recorder::file_name(source, index)));
            std::fs::write(&file, compiled.code).map_err(|error| format!("{}: {error}", file.display()))
        })
    })?;
    println!("{} units and specialisations for {} architectures", sources.len(), architectures.len());
    Ok(())
}
