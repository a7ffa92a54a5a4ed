//! CairoPIEs, as JSON and as text: `polystark cairo inspect` shows them, and `polystark cairo run --pie` its own.

use std::collections::BTreeMap;
use std::path::Path;

use cairo_run::BuiltinName;
use cairo_run::felt::text;
use cairo_run::pie::{self, AdditionalData, CairoPie};
use sdk::proof_format::text::excerpt;
use serde::Serialize;

use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use crate::report::views::listed;

#[derive(Serialize)]
struct SegmentView {
    name: String,
    index: u64,
    size: u64,
    /// The cells that have a value.
    cells: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum DataView {
    Output { pages: BTreeMap<u64, [u64; 2]>, attributes: BTreeMap<String, Vec<u64>> },
    Addresses(usize),
    Signatures(usize),
}

/// The content of a CairoPIE.
#[derive(Serialize)]
pub(super) struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    version: &'static str,
    program_hash: String,
    program_words: usize,
    main: u64,
    builtins: Vec<&'static str>,
    /// The values of the output's cells in order, an address as `segment:offset`.
    output: Vec<String>,
    /// Words of the output that were never written.
    output_holes: u64,
    steps: u64,
    memory_holes: u64,
    instances: BTreeMap<&'static str, u64>,
    cells: usize,
    segments: Vec<SegmentView>,
    /// Data of the builtins that have any; for Pedersen and ECDSA their number.
    additional_data: BTreeMap<&'static str, DataView>,
    /// By the program that was run, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) printed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
}

impl View {
    pub(super) fn new(status: &'static str, file: &Path, file_bytes: usize, pie: &CairoPie) -> Self {
        let CairoPie { version, metadata, memory, resources, additional_data } = pie;
        let output = metadata.builtin_segments.iter().find(|(name, _)| *name == BuiltinName::Output);
        let output_size = output.map_or(0, |(_, segment)| segment.size);
        Self {
            status,
            file: file.display().to_string(),
            file_bytes,
            version: version.to_str(),
            program_hash: text(&metadata.program.hash()),
            program_words: metadata.program.data.len(),
            main: metadata.program.main,
            builtins: metadata.program.builtins.iter().map(|name| name.to_str()).collect(),
            output: pie.output().iter().map(|cell| cell.value.to_string()).collect(),
            output_holes: output_size - pie.output().len() as u64,
            steps: resources.n_steps,
            memory_holes: resources.n_memory_holes,
            instances: resources.builtin_instances.iter().map(|(name, count)| (name.to_str(), *count)).collect(),
            cells: memory.len(),
            segments: segments(pie),
            additional_data: additional_data
                .iter()
                .filter_map(|(name, data)| Some((name.to_str(), view(data)?)))
                .collect(),
            printed: None,
            seconds: None,
        }
    }

    /// In lines for [`crate::report::output::table`].
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let instances = self.instances.iter().filter(|(_, count)| **count > 0);
        let instances: Vec<String> = instances.map(|(name, count)| format!("{count} {name}")).collect();
        let segment = |segment: &SegmentView| format!("{} {}", segment.name, segment.size);
        let data = |(name, data): (&&str, &DataView)| match data {
            DataView::Output { pages, attributes } => {
                let names: Vec<_> = attributes.keys().map(|name| excerpt(name)).collect();
                let names = if names.is_empty() { String::new() } else { listed(&names) };
                format!("{name}: {} pages, attributes [{names}]", pages.len())
            }
            DataView::Addresses(count) => format!("{name}: {count} results"),
            DataView::Signatures(count) => format!("{name}: {count} signatures"),
        };
        let data: Vec<String> = self.additional_data.iter().map(data).collect();
        let holes = match self.output_holes {
            0 => String::new(),
            holes => format!(" ({holes} words were never written)"),
        };
        vec![
            ("file", format!("{} bytes, version {}", self.file_bytes, self.version)),
            ("program", format!("{} ({} words, main at word {})", self.program_hash, self.program_words, self.main)),
            ("builtins", self.builtins.join(", ")),
            ("output", listed(&self.output) + &holes),
            ("steps", format!("{}, {} memory holes", self.steps, self.memory_holes)),
            ("instances", if instances.is_empty() { "none used".to_owned() } else { instances.join(", ") }),
            ("cells", format!("{} in {} segments", self.cells, self.segments.len())),
            ("segments", listed(&self.segments.iter().map(segment).collect::<Vec<_>>())),
            ("additional data", listed(&data)),
        ]
    }
}

fn segments(pie: &CairoPie) -> Vec<SegmentView> {
    let builtins = pie.metadata.builtin_segments.iter().map(|(name, _)| name.to_str());
    let names = ["program", "execution"].into_iter().chain(builtins).chain(["ret_fp", "ret_pc"]);
    let names = names.map(str::to_owned).chain((0..).map(|number| format!("extra {number}")));
    let view = |(name, segment): (String, pie::Segment)| SegmentView {
        name,
        index: segment.index,
        size: segment.size,
        cells: pie.cells(segment.index).len(),
    };
    names.zip(pie.metadata.segments()).map(view).collect()
}

fn view(data: &AdditionalData) -> Option<DataView> {
    match data {
        AdditionalData::Nothing => None,
        AdditionalData::Addresses(addresses) => Some(DataView::Addresses(addresses.len())),
        AdditionalData::Signatures(signatures) => Some(DataView::Signatures(signatures.len())),
        AdditionalData::Output { pages, attributes } => Some(DataView::Output {
            pages: pages.iter().map(|(number, page)| (*number, [page.start, page.size])).collect(),
            attributes: attributes.clone(),
        }),
    }
}

/// Shows the content of a CairoPIE, whose members have at most `max_bytes` bytes unpacked. Its run is not verified.
pub(super) fn inspect(file: &Path, bytes: &[u8], max_bytes: Option<u64>, output: &Output) -> Result<(), Failure> {
    let pie = pie::read(bytes, max_bytes.unwrap_or(pie::DEFAULT_MAX_BYTES));
    let pie = pie.map_err(|error| Failure::file(file, error))?;
    let view = View::new("not verified", file, bytes.len(), &pie);
    let said = "not verified: the form of this CairoPIE is sound, its run was not made again\n";
    output.result(&view, &format!("{said}{}", table(&view.rows())))
}
