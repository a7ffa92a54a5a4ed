//! Compiles every kernel without a GPU: `kernels FOLDER ARCHITECTURE...` writes one PTX file a unit, specialisation and
//! architecture. NVRTC must be where the system's loader finds it. `cargo xtask kernels` calls this.

mod recorder;

use std::error::Error;
use std::path::Path;

use backend_cuda::{Compiler, Target};

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: kernels FOLDER ARCHITECTURE...")?;
    let architectures = arguments.map(|text| text.parse()).collect::<std::result::Result<Vec<u32>, _>>()?;
    std::fs::create_dir_all(&folder)?;

    let sources = recorder::sources()?;
    let compiler = Compiler::find()?;
    for (index, source) in sources.iter().enumerate() {
        for architecture in &architectures {
            let compiled = compiler.compile(source, Target::Ptx(*architecture))?;
            let file = format!("{}.sm_{architecture}.ptx", recorder::file_name(source, index));
            std::fs::write(Path::new(&folder).join(file), compiled.code)?;
        }
    }
    println!("{} units and specialisations for {} architectures", sources.len(), architectures.len());
    Ok(())
}
