//! The order in which components are made: callers before their callees, memory after all that use it, fixed tables
//! last.

use std::borrow::Borrow;

use cairo_run::Run;
use gpu_hal::{CircleStark, Columns, DeferredFault, ErrorKind, HalError, Operation, StarkBackend};
use prover_core::ModeOn;
use prover_core::circle::{ProveError, Sources, TraceMaker};
use rayon::prelude::*;

use super::error::WitnessError;
use super::generator::Generator;
use super::size::Size;
use super::sizes::Sizes;
use super::tables;
use crate::components::Rows;
use crate::components::machine::{ComponentProgram, Counter};
use crate::preprocessed::Variant;
use crate::version::AirVersion;

/// Makes the main columns of a run's components on a backend.
///
/// The run is owned, borrowed or shared: `I` is a `Run`, a reference or an `Arc` to one.
#[derive(Debug)]
pub struct Witness<I> {
    input: I,
    sizes: Sizes,
    /// By component; `None` for a fixed table.
    programs: Vec<Option<&'static ComponentProgram>>,
    public_memory: Option<&'static ComponentProgram>,
}

impl<I: Borrow<Run>> Witness<I> {
    /// Counts the rows of a run, to be proven with a set of preprocessed columns, and records the programs of its
    /// components.
    ///
    /// # Errors
    /// A run that is malformed or too large for the columns.
    pub fn new<V: AirVersion>(input: I, variant: Variant) -> Result<Self, WitnessError> {
        let sizes = Sizes::new::<V>(input.borrow(), variant)?;
        let record = |size: &Size| {
            let component = size.component.name;
            let program = size.component.program.map(|recorded| recorded().as_ref());
            program.transpose().map_err(|error| WitnessError::Program { component, error: error.clone() })
        };
        let programs = sizes.components().par_iter().map(record).collect::<Result<_, _>>()?;
        let public_memory = sizes.public_memory().map(record).transpose()?.flatten();
        Ok(Self { input, sizes, programs, public_memory })
    }

    /// The run.
    pub fn input(&self) -> &Run {
        self.input.borrow()
    }

    /// The components, and how many rows they have.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// A table for each component, in order, made in a proof (`OnDevice::Proof`) or its rehearsal.
    ///
    /// # Errors
    /// [`WitnessError::Rows`], as [`ProveError::Trace`], if the run is not one of the Cairo machine; the backend's
    /// errors.
    pub fn tables<B: StarkBackend<P = CircleStark>>(
        &self,
        mode: impl ModeOn<B>,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        without_faults(backend, |verdict| self.make_tables(mode, backend, verdict))
    }

    fn make_tables<B: StarkBackend<P = CircleStark>>(
        &self,
        mode: impl ModeOn<B>,
        backend: &B,
        mut verdict: Option<&mut DeferredFault>,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let mut made = self.generator(mode, backend, verdict.as_deref_mut())?;
        let components = || self.sizes.components().iter().zip(&self.programs);
        let rows = components().enumerate().map(|(index, (size, program))| {
            let columns = program.map(|program| made.rows(size, program, verdict.as_deref_mut())).transpose()?;
            made.drop_unread(&self.programs[index + 1..]);
            Ok(columns.map(|(columns, _)| columns))
        });
        let rows = rows.collect::<Result<Vec<_>, ProveError>>()?;
        let table = |((size, _), columns): ((&Size, _), Option<_>)| match columns {
            Some(columns) => Ok(columns),
            None => made.counter(counter_of(size)),
        };
        components().zip(rows).map(table).collect()
    }

    /// The sources of all components, which are run for what they count and hand on; their columns are dropped.
    fn make_sources<'m, B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &'m self,
        mode: S,
        backend: &'m B,
        mut verdict: Option<&mut DeferredFault>,
    ) -> Result<KeptSources<'m, B, S>, ProveError> {
        let mut made = self.generator(mode, backend, verdict.as_deref_mut())?;
        let mut components = Vec::with_capacity(self.programs.len());
        for (size, program) in self.sizes.components().iter().zip(&self.programs) {
            components.push(match *program {
                Some(program) => {
                    let (_, source) = made.rows(size, program, verdict.as_deref_mut())?;
                    ColumnSource::Rows { size, program, source }
                }
                None => ColumnSource::Counter(counter_of(size)),
            });
        }
        for kept in &components {
            if let ColumnSource::Counter(counter) = *kept {
                let counted = made.counter(counter)?;
                made.keep_counter(counter, counted);
            }
        }
        Ok(KeptSources { made, components })
    }

    /// A generator of components, when public memory has been counted.
    fn generator<'m, B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &'m self,
        mode: S,
        backend: &'m B,
        verdict: Option<&mut DeferredFault>,
    ) -> Result<Generator<'m, B, S>, ProveError> {
        let mut made = Generator::new(self.input.borrow(), self.sizes.variant(), mode, backend);
        if let Some((size, program)) = self.sizes.public_memory().zip(self.public_memory) {
            made.rows(size, program, verdict)?;
        }
        Ok(made)
    }
}

/// Calls `make` with a verdict, so that programs are not waited for, and again without one if a row had a fault: one
/// program after the other, to say which row of which it is.
fn without_faults<B: StarkBackend<P = CircleStark>, T>(
    backend: &B,
    make: impl Fn(Option<&mut DeferredFault>) -> Result<T, ProveError>,
) -> Result<T, ProveError> {
    let mut verdict = DeferredFault::default();
    let made = make(Some(&mut verdict))?;
    if !backend.had_fault(&verdict)? {
        return Ok(made);
    }
    drop(made);
    make(None)?;
    let detail = "a row was refused, but none has a fault: the device is at fault";
    Err(HalError::new(ErrorKind::Backend, Operation::Rows, detail).into())
}

/// The counter that a component without a program is.
fn counter_of(size: &Size) -> Counter {
    match size.component.rows {
        Rows::Table(counter, _) => counter,
        _ => unreachable!("a component without a program is a fixed table"),
    }
}

/// The sources of the columns of all components, kept on the backend.
struct KeptSources<'m, B: StarkBackend<P = CircleStark>, S> {
    /// Tables, and counters when all has been counted.
    made: Generator<'m, B, S>,
    components: Vec<ColumnSource<'m, B>>,
}

/// The source of a component's columns.
enum ColumnSource<'m, B: StarkBackend> {
    Rows { size: &'m Size, program: &'static ComponentProgram, source: Vec<Columns<B::Buffer>> },
    Counter(Counter),
}

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Sources<B> for KeptSources<'_, B, S> {
    fn table(&self, component: usize) -> Result<Columns<B::Buffer>, ProveError> {
        match &self.components[component] {
            ColumnSource::Rows { size, program, source } => self.made.rows_again(size, program, source),
            ColumnSource::Counter(counter) => self.made.copy_of(*counter),
        }
    }
}

impl<I: Borrow<Run> + Send + Sync> TraceMaker for Witness<I> {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.tables(mode, backend)
    }

    fn sources<'m, B: StarkBackend<P = CircleStark>, S: ModeOn<B> + 'm>(
        &'m self,
        mode: S,
        backend: &'m B,
    ) -> Result<Option<Box<dyn Sources<B> + 'm>>, ProveError> {
        Ok(Some(Box::new(without_faults(backend, |verdict| self.make_sources(mode, backend, verdict))?)))
    }

    /// The version; the preprocessed columns; log2 of the rows of the tables of memory and of the public memory; the
    /// components and log2 of their rows.
    fn shape(&self) -> Option<Vec<u64>> {
        let (input, sizes) = (self.input(), &self.sizes);
        let memory = [tables::log_addresses(input), tables::log_big(input), tables::log_small(input)].map(u64::from);
        let components = sizes.components().iter().flat_map(|size| [size.number as u64, size.log_size.into()]);
        // No component has no rows.
        let public = sizes.public_memory().map_or(u64::MAX, |size| size.log_size.into());
        let version = sizes.version().bytes().map(u64::from);
        Some(version.chain([sizes.variant() as u64, public]).chain(memory).chain(components).collect())
    }
}
