//! The kernel sources, put together, specialised, compiled once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gpu_hal::Result;

use crate::device::{KernelDevice, KernelSource};

macro_rules! source {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $file))
    };
}

/// A translation unit: its name and the files that make it up, after the dialect.
#[derive(Debug)]
pub struct Unit {
    name: &'static str,
    files: &'static [&'static str],
}

macro_rules! units {
    ($all:ident; $($(#[$doc:meta])* $unit:ident = $name:literal [$($file:literal),*];)*) => {
        $($(#[$doc])* pub const $unit: Unit = Unit { name: $name, files: &[$(source!($file)),*] };)*
        /// All of the protocol's, for those who compile every kernel.
        pub const $all: &[&Unit] = &[$(&$unit),*];
    };
}

units! {
    UNITS;
    /// The table of points of domains.
    TABLES = "tables" ["field.h", "points.h", "tables.h"];
    /// Copies.
    COLUMNS = "columns" ["reverse.h", "columns.h"];
    /// Transforms; NTT_LEVELS is defined.
    NTT = "ntt" ["field.h", "ntt_core.h", "ntt.h", "ntt_forward.h", "ntt_inverse.h", "ntt_rows.h"];
    /// Trees with Keccak-256.
    TREE_KECCAK = "tree_keccak" ["slots.h", "keccak.h", "leaves.h", "merkle.h"];
    /// Trees with Poseidon2.
    TREE_POSEIDON2 = "tree_poseidon2" ["field.h", "slots.h", "poseidon2.h", "leaves.h", "merkle.h"];
    /// Proof of work.
    GRIND = "grind" ["keccak.h", "keccak_grind.h", "grind.h"];
    /// The interpreter of constraint programs.
    INTERPRETER = "interpreter" ["field.h", "fp3.h", "ext.h", "slots.h", "reverse.h", "coset_rows.h", "constraints.h", "interpreter.h"];
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

units! {
    CIRCLE_UNITS;
    /// The tables of factors.
    CIRCLE_TABLES = "circle_tables" ["reverse.h", "m31.h", "circle_tables.h"];
    /// Copies, permutations, sums.
    CIRCLE_COLUMNS = "circle_columns" ["reverse.h", "m31.h", "circle_slots.h", "circle_columns.h"];
    /// Transforms; NTT_LEVELS is defined.
    CIRCLE_NTT = "circle_ntt" ["reverse.h", "m31.h", "circle_points.h", "circle_ntt.h", "circle_ntt_strided.h", "circle_ntt_runs.h"];
    /// Trees.
    CIRCLE_TREE = "circle_tree" ["blake2s.h", "circle_slots.h", "circle_leaves.h", "merkle.h"];
    /// Proof of work.
    CIRCLE_GRIND = "circle_grind" ["blake2s.h", "circle_grind.h", "grind.h"];
    /// The interpreter of constraint programs.
    CIRCLE_INTERPRETER = "circle_interpreter" [
        "m31.h", "circle_field.h", "circle_slots.h", "reverse.h", "circle_rows.h", "constraints.h", "interpreter.h"];
    /// Multipliers of groups of constraints.
    CIRCLE_MULTIPLIERS = "circle_multipliers" ["m31.h", "circle_points.h", "circle_multipliers.h"];
    /// Running products and sums.
    CIRCLE_SCAN = "circle_scan" ["m31.h", "circle_field.h", "scan.h", "circle_logup.h"];
    /// Linear recurrences; ORDER is defined.
    CIRCLE_RECURRENCE = "circle_recurrence" ["m31.h", "recurrence.h"];
    /// Values outside the domain.
    CIRCLE_EVAL_AT = "circle_eval_at" ["reverse.h", "m31.h", "circle_field.h", "circle_points.h", "circle_eval_at.h"];
    /// The DEEP quotient.
    CIRCLE_DEEP = "circle_deep" ["m31.h", "circle_field.h", "circle_slots.h", "circle_points.h", "circle_deep.h"];
    /// The FRI folds.
    CIRCLE_FOLD = "circle_fold" ["m31.h", "circle_field.h", "circle_points.h", "circle_fold.h"];
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
        source!("coset_rows.h"),
        source!("constraints.h"),
    ],
};

/// The same for the Circle protocol.
pub const CIRCLE_PROGRAM: Unit = Unit {
    name: "circle_program",
    files: &[
        source!("m31.h"),
        source!("circle_field.h"),
        source!("circle_slots.h"),
        source!("reverse.h"),
        source!("circle_rows.h"),
        source!("constraints.h"),
    ],
};

/// The units that operations of both protocols use, and what they take.
pub(crate) struct Units {
    pub(crate) interpreter: &'static Unit,
    pub(crate) program: &'static Unit,
    pub(crate) scan: &'static Unit,
    pub(crate) recurrence: &'static Unit,
    /// Bytes of an element.
    pub(crate) element: u64,
    /// Buffers for tables (`TABLE_SLOTS`).
    pub(crate) slots: usize,
}

impl Units {
    /// Words of so many elements.
    pub(crate) fn words(&self, elements: u64) -> u64 {
        elements.div_ceil(8 / self.element)
    }
}

/// Those of the Goldilocks protocol.
pub(crate) const GOLDILOCKS: Units =
    Units { interpreter: &INTERPRETER, program: &PROGRAM, scan: &SCAN, recurrence: &RECURRENCE, element: 8, slots: 4 };

/// Those of the Circle protocol.
pub(crate) const CIRCLE: Units = Units {
    interpreter: &CIRCLE_INTERPRETER,
    program: &CIRCLE_PROGRAM,
    scan: &CIRCLE_SCAN,
    recurrence: &CIRCLE_RECURRENCE,
    element: 4,
    slots: 8,
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
