//! The kernel sources, put together, specialised, compiled once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gpu_hal::Result;

use crate::device::{KernelDevice, KernelSource};

macro_rules! source {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/", $file))
    };
}

/// A translation unit: its name and the files that make it up, after the dialect.
#[derive(Debug)]
pub struct Unit {
    name: &'static str,
    files: &'static [&'static str],
}

macro_rules! units {
    ($($(#[$doc:meta])* $unit:ident = $name:literal [$($file:literal),*];)*) => {
        $($(#[$doc])* pub const $unit: Unit = Unit { name: $name, files: &[$(source!($file)),*] };)*
        /// All of them, for those who compile every kernel.
        pub const UNITS: &[&Unit] = &[$(&$unit),*];
    };
}

units! {
    /// The table of points of domains.
    TABLES = "tables" ["field.h", "points.h", "tables.h"];
    /// Copies.
    COLUMNS = "columns" ["reverse.h", "columns.h"];
    /// Transforms; NTT_LEVELS is defined.
    NTT = "ntt" ["field.h", "ntt_core.h", "ntt.h", "ntt_forward.h", "ntt_inverse.h", "ntt_rows.h"];
    /// Trees with Keccak-256.
    TREE_KECCAK = "tree_keccak" ["slots.h", "keccak.h", "merkle.h"];
    /// Trees with Poseidon2.
    TREE_POSEIDON2 = "tree_poseidon2" ["field.h", "slots.h", "poseidon2.h", "merkle.h"];
    /// Proof of work.
    GRIND = "grind" ["keccak.h", "grind.h"];
    /// The interpreter of constraint programs.
    INTERPRETER = "interpreter" ["field.h", "fp3.h", "ext.h", "slots.h", "reverse.h", "constraints.h", "interpreter.h"];
    /// Multipliers of groups of constraints.
    MULTIPLIERS = "multipliers" ["field.h", "points.h", "multipliers.h"];
    /// Running products and sums.
    SCAN = "scan" ["field.h", "fp3.h", "ext.h", "scan.h"];
    /// Linear recurrences; ORDER is defined.
    RECURRENCE = "recurrence" ["field.h", "recurrence.h"];
    /// Values outside the domain.
    EVAL_AT = "eval_at" ["field.h", "fp3.h", "ext.h", "reverse.h", "points.h", "eval_at.h"];
    /// The DEEP quotient.
    DEEP = "deep" ["field.h", "fp3.h", "ext.h", "slots.h", "points.h", "deep.h"];
    /// The FRI fold.
    FOLD = "fold" ["field.h", "fp3.h", "ext.h", "points.h", "fold.h"];
}

/// What comes before a kernel that is generated for one program.
pub const PROGRAM: Unit = Unit {
    name: "program",
    files: &[
        source!("field.h"),
        source!("fp3.h"),
        source!("ext.h"),
        source!("slots.h"),
        source!("reverse.h"),
        source!("constraints.h"),
    ],
};

impl Unit {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The whole text for a compiler.
    pub fn source(&self, defines: &[(&'static str, u64)]) -> KernelSource {
        let text =
            std::iter::once(source!("dialect.h")).chain(self.files.iter().copied()).collect::<Vec<_>>().join("\n");
        KernelSource { name: self.name, text, defines: defines.to_vec() }
    }
}

type Key = (&'static str, Vec<(&'static str, u64)>);

/// Compiled units and their kernels.
pub(crate) struct Library<D: KernelDevice> {
    modules: Mutex<HashMap<Key, Arc<Module<D>>>>,
}

struct Module<D: KernelDevice> {
    module: D::Module,
    kernels: Mutex<HashMap<&'static str, Arc<D::Kernel>>>,
}

impl<D: KernelDevice> Library<D> {
    pub(crate) fn new() -> Self {
        Self { modules: Mutex::new(HashMap::new()) }
    }

    /// A kernel, compiled when it is first asked for. Two threads may compile the same unit at once; one result is kept.
    pub(crate) fn kernel(
        &self,
        device: &D,
        unit: &'static Unit,
        defines: &[(&'static str, u64)],
        entry: &'static str,
    ) -> Result<Arc<D::Kernel>> {
        let key: Key = (unit.name, defines.to_vec());
        let known = lock(&self.modules).get(&key).cloned();
        let module = match known {
            Some(module) => module,
            None => {
                let built = device.build(&unit.source(defines))?;
                let module = Arc::new(Module { module: built, kernels: Mutex::new(HashMap::new()) });
                Arc::clone(lock(&self.modules).entry(key).or_insert(module))
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
