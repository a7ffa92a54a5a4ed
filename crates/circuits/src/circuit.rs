//! A circuit, as its proofs see it: the preprocessed columns, and the sizes that follow from them.

use circle_air::{LOG_SIZES, PreprocessedColumn};
use circuit_common::finalize::finalize_context;
use circuit_common::preprocessed::PreprocessedCircuit;
use circuits_core::circuit::Circuit as Gates;
use circuits_core::context::{FinalizedContext, U_VAR_IDX};
use circuits_core::ivalue::IValue;
use field::{M31, PrimeField};

use crate::air::COMPONENTS;
use crate::columns::GATES;

/// Why there are no proofs of a circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// A gate names a wire that the circuit does not have.
    #[error("a gate names wire {wire}, the circuit has {wires}: make wires by its context")]
    Wire {
        /// The wire's address.
        wire: usize,
        /// Number of wires.
        wires: usize,
    },
    /// A wire is written by no gate, or by several.
    #[error("wire {wire} is written by {times} gates: each must be by one, or its value is the prover's to choose")]
    Written {
        /// The wire's address.
        wire: usize,
        /// Gates that write it.
        times: u32,
    },
    /// The four results of a G function are read differently often, and one column says how often.
    #[error("the results of G function {gate} are read {times:?} times: each must be read as often as the others")]
    ReadDifferently {
        /// The gate's number among its kind.
        gate: usize,
        /// How often each is read.
        times: [u32; 4],
    },
    /// The outputs are not the first wires after `u`.
    #[error("output {index} is wire {wire}, not {expected}: reserve the outputs when the context is made")]
    Output {
        /// The output's number.
        index: usize,
        /// Its wire.
        wire: usize,
        /// The wire that it must be.
        expected: usize,
    },
    /// No output at all: wire 2 is always one.
    #[error("the circuit has no outputs: set them before it is finished")]
    NoOutput,
    /// A permutation with more inputs than outputs, or fewer.
    #[error("permutation {gate} has not as many outputs as inputs")]
    Permutation {
        /// The number of the gate.
        gate: usize,
    },
    /// Addresses that are no numbers of the field.
    #[error("the circuit has {wires} wires and permutations, a proof speaks of fewer than 2^31 - 1: split it")]
    Wires {
        /// Wires and permutations.
        wires: usize,
    },
    /// More rows than a component may have.
    #[error("the circuit has 2^{log_size} gates of a kind, at most 2^{}: split it", LOG_SIZES.end())]
    Rows {
        /// Log2 of the rows.
        log_size: u32,
    },
}

/// A circuit whose gates of each kind are a power of two, and its preprocessed columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    columns: Vec<PreprocessedColumn>,
    values: Vec<Vec<M31>>,
    log_sizes: [u32; COMPONENTS],
    wires: usize,
    outputs: usize,
    first_rows: [u32; 4],
}

impl Circuit {
    /// The circuit of a context. Gates of each kind are padded to a power of two first, in the context, too. A blinding
    /// of it must be there already, as padding follows it.
    ///
    /// # Errors
    /// [`CircuitError`].
    pub fn new(context: &mut FinalizedContext<impl IValue>) -> Result<Self, CircuitError> {
        finalize_context(context);
        let gates = context.circuit();
        check(gates)?;
        let circuit = PreprocessedCircuit::from_finalized_circuit(gates);
        // As many rows of each kind as there are gates: a circuit has fewer than wires.
        let sub = gates.add.len();
        let mul = sub + gates.sub.len();
        let pointwise = mul + gates.mul.len();
        let trace = &circuit.preprocessed_trace;
        let log_sizes = trace.log_sizes();
        if let Some(&log_size) = log_sizes.values().find(|log_size| !LOG_SIZES.contains(log_size)) {
            return Err(CircuitError::Rows { log_size });
        }
        let columns: Vec<_> =
            log_sizes.iter().map(|(id, log_size)| PreprocessedColumn::new(&id.id, *log_size)).collect();
        // Addresses and multiplicities are below the prime, as there are fewer wires.
        let values =
            log_sizes.keys().map(|id| trace.get_column(id).iter().map(|value| M31::new(*value as u32)).collect());
        Ok(Self {
            values: values.collect(),
            log_sizes: self::log_sizes(&columns).expect("a circuit has gates of all kinds, as each kind is padded"),
            columns,
            wires: gates.n_vars,
            outputs: circuit.n_outputs,
            first_rows: [sub, mul, pointwise, circuit.first_permutation_row].map(|row| row as u32),
        })
    }

    /// The preprocessed columns, in the order of the tree: by height, and among columns of one height by component.
    pub fn columns(&self) -> &[PreprocessedColumn] {
        &self.columns
    }

    /// The values of all these columns, as they are committed.
    pub fn values(&self) -> &[Vec<M31>] {
        &self.values
    }

    /// A column's values.
    ///
    /// # Panics
    /// If there is no column of this name: of none of [`Self::columns`].
    pub fn column(&self, id: &str) -> &[M31] {
        let place = self.columns.iter().position(|column| column.id == id);
        &self.values[place.unwrap_or_else(|| panic!("a circuit has no preprocessed column {id}"))]
    }

    /// Log2 of the rows of each component, in the order of [`crate::air::NAMES`].
    pub fn log_sizes(&self) -> &[u32; COMPONENTS] {
        &self.log_sizes
    }

    /// Number of wires: every value of a witness is of one.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// The addresses of the public outputs. Wire 2 is public, too: it is `u`.
    pub fn outputs(&self) -> std::ops::Range<usize> {
        U_VAR_IDX + 1..U_VAR_IDX + 1 + self.outputs
    }

    /// The first rows of `qm31_ops` that are of differences, of products, of products word by word, and of
    /// permutations. Sums come first. From the last of these on rows come in pairs, one for an input and one for an
    /// output.
    pub fn first_rows(&self) -> &[u32; 4] {
        &self.first_rows
    }
}

/// Log2 of the rows of each component, by the preprocessed columns; the column of which there is none.
pub(crate) fn log_sizes(columns: &[PreprocessedColumn]) -> Result<[u32; COMPONENTS], String> {
    let height = |id: &str| {
        let column = columns.iter().find(|column| column.id == id);
        column.map(|column| column.log_size).ok_or_else(|| id.to_owned())
    };
    let mut all = [0, 0, 0, 0, 0, 16, 20, 8, 14, 18, 16];
    for (log_size, ids) in all.iter_mut().zip(GATES) {
        *log_size = height(ids[0])?;
    }
    Ok(all)
}

/// Whether the gates make a circuit.
fn check(gates: &Gates) -> Result<(), CircuitError> {
    let wires = gates.n_vars;
    if gates.output.is_empty() {
        return Err(CircuitError::NoOutput);
    }
    if let Some(gate) = gates.permutation.iter().position(|gate| gate.inputs.len() != gate.outputs.len()) {
        return Err(CircuitError::Permutation { gate });
    }
    let addresses = wires.saturating_add(gates.permutation.len());
    if addresses as u64 >= M31::ORDER {
        return Err(CircuitError::Wires { wires: addresses });
    }
    let (mut read, mut written) = (vec![0u32; wires], vec![0u32; wires]);
    let count = |counts: &mut Vec<u32>, wire: usize| match counts.get_mut(wire) {
        Some(count) => {
            *count = count.saturating_add(1);
            Ok(())
        }
        None => Err(CircuitError::Wire { wire, wires }),
    };
    for gate in gates.all_gates() {
        gate.uses().into_iter().try_for_each(|wire| count(&mut read, wire))?;
        gate.yields().into_iter().try_for_each(|wire| count(&mut written, wire))?;
    }
    if let Some((wire, &times)) = written.iter().enumerate().find(|(_, times)| **times != 1) {
        return Err(CircuitError::Written { wire, times });
    }
    for (gate, of) in gates.blake_g_gate.iter().enumerate() {
        let times = [of.out_a, of.out_b, of.out_c, of.out_d].map(|wire| read[wire]);
        if times.iter().any(|other| *other != times[0]) {
            return Err(CircuitError::ReadDifferently { gate, times });
        }
    }
    for (index, output) in gates.output.iter().enumerate() {
        let expected = U_VAR_IDX + index;
        if output.in0 != expected {
            return Err(CircuitError::Output { index, wire: output.in0, expected });
        }
    }
    Ok(())
}
