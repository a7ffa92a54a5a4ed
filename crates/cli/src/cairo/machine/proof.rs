//! A proof that was made: its files, and the report on it.

use cairo::file::Format;
use cairo::{AirProof as _, AirVersion, Version};
use cairo_run::Loaded;
use serde::Serialize;

use super::list::Job;
use super::views::{MemoryView, holes};
use crate::cairo::views::{OptionsView, StatedView};
use crate::outputs::Outputs;
use crate::progress::{StageView, seconds};
use crate::protocol::{Rows, by_default};
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::views::{proof_row, security_rows};
use sdk::CairoProven;
use sdk::circle_proof::{CAIRO_PROFILE, hex};
use sdk::hal::{Bytes, Capabilities};

#[derive(Serialize)]
pub(super) struct View {
    status: &'static str,
    pub(super) file: String,
    pub(super) file_bytes: usize,
    format: &'static str,
    raw: Option<String>,
    backend: String,
    device: String,
    steps: usize,
    /// Words of the output that were never written; the proof says 0.
    output_holes: Vec<usize>,
    /// By the program, as text.
    pub(super) printed: String,
    statement: StatedView,
    options: OptionsView,
    security: SecurityView,
    proof: ProofView,
    #[serde(flatten)]
    memory: MemoryView,
    stages: Vec<StageView>,
    pub(super) seconds: f64,
}

/// A proof, and its subject.
pub(super) struct ProgramProof<'a> {
    pub(super) job: &'a Job,
    pub(super) loaded: &'a Loaded,
    pub(super) proven: &'a CairoProven,
    pub(super) format: Format,
    pub(super) capabilities: &'a Capabilities,
}

impl ProgramProof<'_> {
    /// Writes the proof into the files of the job, and reports it.
    pub(super) fn save(&self, files: Outputs, stages: Vec<StageView>) -> Result<View, Failure> {
        let Self { job, loaded, proven, capabilities, .. } = *self;
        let (verified, format) = (&proven.verified, self.format);
        let (file, raw) = (proven.file(format)?, proven.file(Format::Bincode)?);
        // As many as there are: the bare proof may not be asked for.
        files.save(&[&file, &raw])?;
        Ok(View {
            status: "proven",
            file: job.output.display().to_string(),
            file_bytes: file.len(),
            format: format.name(),
            raw: job.raw.as_ref().map(|raw| raw.display().to_string()),
            backend: capabilities.backend.clone(),
            device: capabilities.device.clone(),
            steps: loaded.steps,
            output_holes: loaded.output_holes.clone(),
            printed: loaded.printed.clone(),
            statement: StatedView::new(&verified.stated),
            options: OptionsView::new(&proven.proof, &verified.options),
            security: SecurityView::new(&verified.security),
            proof: ProofView::new(&raw),
            memory: MemoryView::new(&proven.plan),
            seconds: seconds(&stages),
            stages,
        })
    }

    /// The lines of [`crate::report::output::table`] about it.
    pub(super) fn rows(&self, view: &View) -> Rows {
        let mut rows = view.statement.rows();
        rows.push(("steps", view.steps.to_string()));
        rows.extend(view.options.rows());
        rows.extend(security_rows(&self.proven.verified.security));
        let verdict = if self.refusals(view).is_empty() { "accepted" } else { "refused, see below" };
        rows.push(("by default", format!("{verdict}: verifiers ask for {CAIRO_PROFILE}")));
        rows.push(proof_row(&view.proof));
        rows.push(("backend", format!("{} ({})", view.backend, view.device)));
        rows.push(("time", format!("{:.3} s, run and verification included", view.seconds)));
        rows.push(("device memory", format!("{} planned", view.memory)));
        rows.push(("file", format!("{}, {}, {}", view.file, Bytes(view.file_bytes as u64), view.format)));
        if let Some(raw) = &view.raw {
            rows.push(("bincode", raw.clone()));
        }
        rows
    }

    /// Notes on the proof beside its content.
    pub(super) fn notes(&self, view: &View) -> Vec<String> {
        holes(&view.output_holes).into_iter().chain(self.refusals(view)).collect()
    }

    /// Why verifiers will refuse the proof by default.
    fn refusals(&self, view: &View) -> Vec<String> {
        let (verified, policy) = (&self.proven.verified, cairo::verify::Policy::default().proof);
        let mut notes = by_default([
            policy.check_options(&verified.options),
            policy.check_security(&verified.security),
            policy.check_length(view.file_bytes.max(view.proof.bytes)),
        ]);
        if self.proven.proof.samples_all() {
            let told =
                "verifiers take samples of all preprocessed columns only if they are told: --preprocessed-samples all";
            notes.push(told.to_owned());
        }
        if Version::root(verified.variant, &verified.options).is_none()
            && let Some(root) = self.proven.proof.root(0)
        {
            notes.push(format!(
                "verifiers do not know the root of the preprocessed columns with these options: --preprocessed-root {}",
                hex(&root)
            ));
        }
        notes
    }
}
