//! The run of a CairoPIE in the privacy bootloader, and whether it has a proof.

use std::sync::Arc;

use cairo::Version;
use cairo::witness::Sizes;
use cairo_run::pie::CairoPie;
use cairo_run::{Felt252, Kind, Layout, Options, Run, StopFlag, TaskHash, TaskSource, TaskSpec, Tasks, load};
use circuit_cairo_verifier::privacy::privacy_components;

use crate::bootloader;
use crate::error::{Error, UnfitError};
use crate::params::{MAX_LOG_ROWS, VARIANT};

/// A step is a row of one of 18 components.
const MAX_STEPS: usize = 18 << MAX_LOG_ROWS;
/// A row of the component of addresses has 16.
const MAX_ADDRESSES: usize = 16 << MAX_LOG_ROWS;

/// The run of one CairoPIE in the privacy bootloader, of which there is a proof.
#[derive(Clone, Debug)]
pub struct ClientRun {
    pub(crate) run: Arc<Run>,
    output_preimage: Vec<Felt252>,
}

impl ClientRun {
    /// Runs a CairoPIE in the privacy bootloader, and checks that the run has a proof.
    ///
    /// # Errors
    /// [`Error::Run`] if the bootloader fails with it, or takes more steps or addresses than any run with a proof;
    /// [`Error::Unfit`] if the circuit verifies no proof of such a run.
    pub fn new(pie: &Arc<CairoPie>) -> Result<Self, Error> {
        Self::new_until(pie, &StopFlag::default())
    }

    /// The same, unless it is stopped meanwhile.
    ///
    /// # Errors
    /// As [`Self::new`]; [`cairo_run::Problem::Cancelled`] in [`Error::Run`].
    pub fn new_until(pie: &Arc<CairoPie>, stop: &StopFlag) -> Result<Self, Error> {
        let task = TaskSpec { source: TaskSource::Pie(pie.clone()), hash: TaskHash::Blake };
        let tasks = Tasks { tasks: vec![task], single_page: true, unpacking: None, aggregator: None };
        let options = Options {
            name: "the CairoPIE in the privacy bootloader".to_owned(),
            kind: Some(Kind::Compiled),
            tasks: Some(Arc::new(tasks)),
            layout: Layout::StwoNoEcop,
            max_steps: MAX_STEPS,
            max_addresses: MAX_ADDRESSES,
            stop: stop.clone(),
            ..Options::default()
        };
        let loaded = load(&bootloader::json()?, &options)?;
        check(&loaded.run)?;
        // This bootloader always writes it.
        let output_preimage = loaded.tasks.and_then(|tasks| tasks.preimage).ok_or(UnfitError::NoPreimage)?;
        Ok(Self { run: Arc::new(loaded.run), output_preimage })
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The felts whose hash is the output of the run: 1, their number without the first, the hash of the task's
    /// program, and the task's output.
    pub fn output_preimage(&self) -> &[Felt252] {
        &self.output_preimage
    }
}

fn check(run: &Run) -> Result<(), Error> {
    let sizes = Sizes::new::<Version>(run, VARIANT).map_err(cairo::prove::Error::from)?;
    Ok(fit(sizes.components().iter().map(|size| (size.component.name, size.log_size)))?)
}

/// The circuit is for runs with all components of a set and no other, each once, and of bounded height.
fn fit(components: impl Iterator<Item = (&'static str, u32)> + Clone) -> Result<(), UnfitError> {
    let asked = privacy_components();
    let found: Vec<_> = components.clone().map(|(name, _)| name).collect();
    let is_again = |index: usize| found[..index].contains(&found[index]);
    let beyond: Vec<_> = (0..found.len()).filter(|&index| is_again(index) || !asked.contains(found[index])).collect();
    if !beyond.is_empty() {
        return Err(UnfitError::Beyond { components: beyond.into_iter().map(|index| found[index]).collect() });
    }
    let mut missing: Vec<_> = asked.iter().copied().filter(|name| !found.contains(name)).collect();
    missing.sort_unstable();
    if !missing.is_empty() {
        return Err(UnfitError::Missing { components: missing });
    }
    match components.clone().find(|(_, log_rows)| *log_rows > MAX_LOG_ROWS) {
        Some((component, log_rows)) => Err(UnfitError::Rows { component, log_rows }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(log_rows: u32) -> Vec<(&'static str, u32)> {
        let mut all: Vec<_> = privacy_components().into_iter().map(|name| (name, log_rows)).collect();
        all.sort_unstable();
        all
    }

    fn error(components: &[(&'static str, u32)]) -> UnfitError {
        fit(components.iter().copied()).unwrap_err()
    }

    #[test]
    fn runs_without_a_proof_are_refused_by_the_component() {
        assert_eq!(all(20).len(), 57);
        fit(all(20).into_iter()).unwrap();
        for missing in 0..57 {
            let mut components = all(4);
            let (name, _) = components.remove(missing);
            assert_eq!(error(&components), UnfitError::Missing { components: vec![name] });
            let mut components = all(4);
            components[missing].1 = 21;
            assert_eq!(error(&components), UnfitError::Rows { component: name, log_rows: 21 });
        }
        for beyond in ["generic_opcode", "add_mod_builtin", "memory_id_to_big"] {
            let components = [all(4), vec![(beyond, 4)]].concat();
            assert_eq!(error(&components), UnfitError::Beyond { components: vec![beyond] });
        }
    }
}
