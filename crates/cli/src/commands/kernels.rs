//! `polystark kernels`.

use std::path::PathBuf;
use std::sync::Arc;

use backend_cuda::Target;
#[cfg(feature = "client-prove")]
use cairo_run::pie;
use clap::Args;
use serde::Serialize;

#[cfg(feature = "client-prove")]
use crate::cairo::client::input::read_pie;
use crate::command::Command;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
#[cfg(feature = "client-prove")]
use sdk::Error;
#[cfg(feature = "client-prove")]
use sdk::client::{ClientRun, VerifierCircuit};
use sdk::hal::Bytes;
#[cfg(feature = "client-prove")]
use sdk::proof_format::policy::MAX_BYTES;
use sdk::{KernelList, Registry};

#[derive(Args)]
pub(crate) struct KernelsCommand {
    /// Architectures to compile for, by compute capability without the point: 90 is Hopper's; p90 is text that newer
    /// ones take, too
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "80,89,90,100,120,p120", value_parser = target)]
    arch: Vec<Target>,
    /// Folder of the files, made if it is not there
    #[arg(long, short, value_name = "FOLDER", default_value = "kernels")]
    output: PathBuf,
    /// Cairo programs or ProverInputs: kernels of the components of their runs are compiled, too
    #[cfg(feature = "cairo-vm")]
    #[arg(long = "program", value_name = "FILE")]
    programs: Vec<PathBuf>,
    /// A CairoPIE: kernels of Starknet's client proofs are compiled, too, which are the same for all CairoPIEs
    #[cfg(feature = "client-prove")]
    #[arg(long, value_name = "FILE")]
    pie: Option<PathBuf>,
}

/// An architecture as it is written on the command line.
fn target(text: &str) -> Result<Target, String> {
    let (number, of): (_, fn(u32) -> Target) = match text.strip_prefix('p') {
        Some(number) => (number, Target::Ptx),
        None => (text, Target::Cubin),
    };
    number.parse().map(of).map_err(|_| format!("'{text}' is no architecture: write 90 or p90"))
}

#[derive(Serialize)]
struct FileView {
    path: PathBuf,
    bytes: u64,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    /// In each file.
    kernels: usize,
    files: Vec<FileView>,
}

impl Command for KernelsCommand {
    #[cfg(feature = "cairo-vm")]
    fn files(&self) -> Vec<crate::outputs::Named<'_>> {
        let files = self.programs.iter().map(|path| ("--program", path.as_path()));
        #[cfg(feature = "client-prove")]
        let files = files.chain(self.pie.iter().map(|path| ("--pie", path.as_path())));
        crate::command::named(files)
    }

    /// Compiles the kernels of all AIRs, and the kernels of the programs.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let list = KernelList::default();
        list.add_airs(&registry.airs(), &registry.airs())?;
        #[cfg(feature = "cairo-vm")]
        for program in &self.programs {
            list.add_run(&crate::cairo::machine::program::load(program)?.run)?;
        }
        #[cfg(feature = "client-prove")]
        if let Some(path) = &self.pie {
            let pie = read_pie(path, MAX_BYTES, pie::DEFAULT_MAX_BYTES)?;
            let run = ClientRun::new(&pie).map_err(Error::from)?;
            list.add_client(&run, &VerifierCircuit::new().map_err(Error::from)?)?;
        }
        let compile = |target: &Target| {
            let (path, bytes) = list.compile(*target, &self.output)?;
            Ok(FileView { path, bytes })
        };
        let files = self.arch.iter().map(compile).collect::<Result<Vec<_>, Failure>>()?;
        let view = View { status: "compiled", kernels: list.count(), files };
        let mut rows = vec![("kernels", view.kernels.to_string())];
        rows.extend(view.files.iter().map(|file| ("file", format!("{}, {}", file.path.display(), Bytes(file.bytes)))));
        output.result(&view, &table(&rows))
    }
}
