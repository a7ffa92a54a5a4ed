//! The kernel sources, put together, specialised, compiled once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gpu_hal::{HalError, HashFn, Operation, Result};

use crate::device::{KernelDevice, KernelSource};

macro_rules! source {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $file))
    };
}

/// The first text of every unit.
const DIALECT: [&str; 2] = [source!("dialect.h"), source!("dialect/integers.h")];

/// A translation unit: its name and the files that make it up, after the dialect.
#[derive(Debug)]
pub struct Unit {
    pub(crate) name: &'static str,
    pub(crate) files: &'static [&'static str],
}

/// Translation units of a protocol: whole ones, the texts before generated kernels, and all of them as [`Units`], which
/// takes the ones that every protocol has by their names.
macro_rules! units {
    (
        $($(#[$doc:meta])* $unit:ident = $name:literal [$($file:literal),*];)*
        => generated { $($(#[$of:meta])* $before:ident = $named:literal [$($text:literal),*];)* }
        $slots:literal slots;
        $($hash:ident $tree:ident $grind:expr;)*
    ) => {
        $($(#[$doc])* pub(super) const $unit: Unit = Unit { name: $name, files: &[$(source!($file)),*] };)*
        $($(#[$of])* const $before: Unit = Unit { name: $named, files: &[$(source!($text)),*] };)*

        pub(super) const UNITS: Units = Units {
            all: &[$(&$unit),*],
            program: &PROGRAM,
            sum_program: &SUM_PROGRAM,
            row_program: &ROW_PROGRAM,
            columns: &COLUMNS,
            interpreter: &INTERPRETER,
            sum_interpreter: &SUM_INTERPRETER,
            scan: &SCAN,
            random: &RANDOM,
            recurrence: &RECURRENCE,
            row_programs: &ROW_PROGRAMS,
            eval_at: &EVAL_AT,
            sumchecks: &SUMCHECKS,
            hashes: &[$(HashUnits { hash: HashFn::$hash, tree: &$tree, grind: $grind }),*],
            slots: $slots,
        };
    };
}

pub(crate) use {source, units};

/// The units of a protocol.
#[derive(Debug)]
pub struct Units {
    /// All of them but [`Self::program`], [`Self::sum_program`] and [`Self::row_program`].
    pub all: &'static [&'static Unit],
    /// The unit before a kernel that is generated for one program.
    pub program: &'static Unit,
    /// The unit before a kernel that is generated for sums of one program.
    pub sum_program: &'static Unit,
    /// The unit before a kernel that is generated for one row program.
    pub row_program: &'static Unit,
    pub(crate) columns: &'static Unit,
    pub(crate) interpreter: &'static Unit,
    pub(crate) sum_interpreter: &'static Unit,
    pub(crate) scan: &'static Unit,
    pub(crate) random: &'static Unit,
    pub(crate) recurrence: &'static Unit,
    pub(crate) row_programs: &'static Unit,
    pub(crate) eval_at: &'static Unit,
    pub(crate) sumchecks: &'static Unit,
    /// The hash functions that there are kernels for.
    pub hashes: &'static [HashUnits],
    /// Buffers for tables (`TABLE_SLOTS`).
    pub(crate) slots: usize,
}

/// The kernels of a hash function.
#[derive(Debug)]
pub struct HashUnits {
    /// The hash function.
    pub hash: HashFn,
    pub(crate) tree: &'static Unit,
    /// The unit of its proof of work, if it has one.
    pub(crate) grind: Option<&'static Unit>,
}

impl Units {
    /// The kernels of a hash function.
    pub(crate) fn hash(&self, op: Operation, hash: HashFn) -> Result<&'static HashUnits> {
        self.hashes.iter().find(|units| units.hash == hash).ok_or_else(|| no_kernel(op, hash))
    }
}

pub(crate) fn no_kernel(op: Operation, hash: HashFn) -> HalError {
    HalError::unsupported(op, format!("{hash}: no kernel"))
}

impl Unit {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The whole text for a compiler.
    pub fn source(&self, defines: &[(&'static str, u64)]) -> KernelSource {
        let text = DIALECT.iter().chain(self.files).copied().collect::<Vec<_>>().join("\n");
        KernelSource { name: self.name, text, defines: defines.to_vec() }
    }
}

/// The specialisations of a unit, of which there are few.
type OfUnit<D> = Vec<(Vec<(&'static str, u64)>, Arc<Module<D>>)>;

/// Compiled units, by name, and their kernels.
pub(crate) struct Library<D: KernelDevice> {
    modules: Mutex<HashMap<&'static str, OfUnit<D>>>,
}

struct Module<D: KernelDevice> {
    module: D::Module,
    kernels: Mutex<HashMap<&'static str, Arc<D::Kernel>>>,
}

impl<D: KernelDevice> Library<D> {
    pub(crate) fn new() -> Self {
        Self { modules: Mutex::new(HashMap::new()) }
    }

    /// A kernel, compiled when it is first asked for. Two threads may compile the same unit at once; one result is
    /// kept.
    pub(crate) fn kernel(
        &self,
        device: &D,
        unit: &'static Unit,
        defines: &[(&'static str, u64)],
        entry: &'static str,
    ) -> Result<Arc<D::Kernel>> {
        let known =
            |of_unit: &OfUnit<D>| of_unit.iter().find(|(of, _)| of == defines).map(|(_, module)| Arc::clone(module));
        let module = lock(&self.modules).get(unit.name).and_then(known);
        let module = match module {
            Some(module) => module,
            None => {
                let built = device.build(&unit.source(defines))?;
                let mut modules = lock(&self.modules);
                let of_unit = modules.entry(unit.name).or_default();
                known(of_unit).unwrap_or_else(|| {
                    let module = Arc::new(Module { module: built, kernels: Mutex::new(HashMap::new()) });
                    of_unit.push((defines.to_vec(), Arc::clone(&module)));
                    module
                })
            }
        };
        let mut kernels = lock(&module.kernels);
        if let Some(kernel) = kernels.get(entry) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = Arc::new(device.kernel(&module.module, entry)?);
        kernels.insert(entry, Arc::clone(&kernel));
        Ok(kernel)
    }
}

/// Maps stay whole when a thread panics: every insertion is one call.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
