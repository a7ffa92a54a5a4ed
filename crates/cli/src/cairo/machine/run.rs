//! `polystark cairo run`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cairo_run::Loaded;
use cairo_run::felt::text;
use clap::Args;
use serde::Serialize;

use super::options::ParameterArguments;
use super::program::{ProgramArguments, machine};
use super::task;
use super::views::{MemoryView, holes};
use crate::arguments::DeviceArguments;
use crate::cairo::views::OptionsView;
use crate::command::Command;
use crate::outputs::{Named, is_stream};
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::hal::CircleStark;
use sdk::{CairoRequest, Device, Registry};

/// Felts of the output that are listed in text; JSON has them all.
const LISTED: usize = 16;

#[derive(Args)]
pub(crate) struct RunCommand {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Run the program as a task of a bootloader, a compiled program from `main` and an executable from its Bootloader
    /// entry point, and write the run to FILE, a CairoPIE; - is standard output. Nothing is said about a proof
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "preprocessed", "pow_bits", "queries", "log_blowup", "fold_step", "log_last", "lifting", "channel",
            "channel_salt", "preprocessed_samples", "keep", "params", "backend", "device", "devices", "spill",
            "threads", "tasks", "machine", "hints"
        ]
    )]
    pie: Option<PathBuf>,
}

#[derive(Serialize)]
struct BuiltinView {
    name: &'static str,
    instances: usize,
}

#[derive(Serialize)]
struct ComponentView {
    name: String,
    log_rows: u32,
    cells: u64,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    program: String,
    kind: String,
    program_hash: String,
    output: Vec<String>,
    /// Words of the output that were never written; a proof says 0.
    output_holes: Vec<usize>,
    /// By the program, as text.
    printed: String,
    steps: usize,
    builtins: Vec<BuiltinView>,
    preprocessed: &'static str,
    /// The options of a proof, as asked for.
    options: OptionsView,
    components: Vec<ComponentView>,
    cells: u64,
    #[serde(flatten)]
    memory: MemoryView,
    /// The estimated seconds of a proof.
    proof_seconds: f64,
    seconds: f64,
}

impl Command for RunCommand {
    /// Reads the list of tasks, which names further files.
    fn read_lists(&mut self) -> Result<(), Failure> {
        self.program.read_list();
        Ok(())
    }

    fn files(&self) -> Vec<Named<'_>> {
        let pie = self.pie.as_deref().map(|path| ("--pie", path));
        let others = self.parameters.file().into_iter().chain(pie).map(Named::from);
        self.program.files().into_iter().chain(others).collect()
    }

    fn takes_stdout(&self) -> bool {
        self.pie.as_deref().is_some_and(is_stream)
    }

    /// Runs a program, and shows its output and the resources of a proof; or writes its CairoPIE.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        if let Some(file) = &self.pie {
            return task::run(&self.program, file, output);
        }
        let asked = self.parameters.asked()?;
        let device: Device<CircleStark> = self.device.open(registry)?;
        let start = Instant::now();
        let loaded = self.program.load()?;
        let seconds = start.elapsed().as_secs_f64();
        output.printed(&loaded.printed);
        output.detail(|| machine(&loaded));
        let request = asked.request(&loaded)?;
        let CairoRequest { variant, options, salt, samples_all, .. } = request;
        let plan = device.plan(&request)?;
        let duration = plan.duration(&**device.backend(), &options).map_err(sdk::Error::from)?;
        let components: Vec<ComponentView> = plan
            .components
            .into_iter()
            .map(|component| ComponentView {
                log_rows: component.log_rows,
                cells: component.cells(),
                name: component.name,
            })
            .collect();
        let view = View {
            status: "run",
            program: self.program.input().display().to_string(),
            kind: loaded.kind.to_string(),
            program_hash: text(&loaded.program_hash),
            output: loaded.output.iter().map(text).collect(),
            output_holes: loaded.output_holes.clone(),
            steps: loaded.steps,
            builtins: builtins(&loaded),
            printed: loaded.printed,
            preprocessed: variant.name(),
            options: OptionsView::asked(variant.name(), &options, salt, samples_all),
            cells: components.iter().map(|component| component.cells).sum(),
            components,
            memory: MemoryView::new(&plan.device),
            proof_seconds: duration.as_secs_f64(),
            seconds,
        };
        output.result(&view, &said(&view))?;
        holes(&loaded.output_holes).iter().for_each(|note| output.note(note));
        Ok(())
    }
}

fn builtins(loaded: &Loaded) -> Vec<BuiltinView> {
    let view = |(builtin, instances): &(cairo_run::BuiltinName, usize)| BuiltinView {
        name: builtin.to_str(),
        instances: *instances,
    };
    loaded.builtins.iter().map(view).collect()
}

/// The text for people.
fn said(view: &View) -> String {
    let mut felts = view.output.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    match view.output.len().saturating_sub(LISTED) {
        0 if felts.is_empty() => felts += "none",
        0 => {}
        more => felts += &format!(", ... ({more} more)"),
    }
    let used = view.builtins.iter().filter(|builtin| builtin.instances > 0);
    let used: Vec<String> = used.map(|builtin| format!("{} {}", builtin.instances, builtin.name)).collect();
    let mut text = format!("{} ran in {:.3} s\n", view.kind, view.seconds);
    let mut rows = vec![
        ("program", view.program_hash.clone()),
        ("output", felts),
        ("steps", view.steps.to_string()),
        ("builtins", if used.is_empty() { "none used".to_owned() } else { used.join(", ") }),
    ];
    rows.extend(view.options.rows());
    rows.extend([
        ("cells", format!("{} in {} components", view.cells, view.components.len())),
        ("device memory", format!("{} for a proof", view.memory)),
        ("time", format!("about {:.1} s for a proof, as a short trial says", view.proof_seconds)),
    ]);
    text += &table(&rows);
    let component = |component: &ComponentView| {
        format!("  2^{:<2} rows  {:>12} cells  {}\n", component.log_rows, component.cells, component.name)
    };
    text + "components\n" + &view.components.iter().map(component).collect::<String>()
}
