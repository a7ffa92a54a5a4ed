//! The witness: main columns of all components, from one table of the wires' values, made by row programs on a backend.

mod machine;
mod programs;

use std::sync::{Arc, LazyLock};

use circuits_core::context::{FinalizedContext, U_VALUE, U_VAR_IDX};
use field::{M31, QM31};
use gpu_hal::ir::RowProgramError;
use gpu_hal::{CircleStark, Columns, ErrorKind, HalError, MakeElements, RowRun, StarkBackend};
use prover_core::ModeOn;
use prover_core::circle::{ProveError, TraceFault, TraceMaker};
use stwo::core::fields::qm31::SecureField;

use self::machine::{ComponentProgram, KINDS, Table, WORDS};
use crate::air::NAMES;
use crate::circuit::Circuit;

/// Why there is no witness.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessError {
    /// Another number of values than the circuit has wires.
    #[error(
        "{given} values of a circuit of {wires} wires: take them from a context that is padded as the circuit's is"
    )]
    Values {
        /// Given.
        given: usize,
        /// Wires of the circuit.
        wires: usize,
    },
    /// The values of the constants from which all others are made.
    #[error("wire {wire} is {value}, not {expected}: it is a constant of every circuit")]
    Constant {
        /// The wire's address.
        wire: usize,
        /// Its value.
        value: QM31,
        /// The constant.
        expected: QM31,
    },
    /// A gate that its wires do not satisfy.
    #[error("{component}: {error}")]
    Gate {
        /// The component of the gate.
        component: &'static str,
        /// The row, and what it does not satisfy.
        error: HalError,
    },
    /// A program of this crate that cannot be recorded: a mistake of this crate.
    #[error("a row program cannot be recorded: {0}")]
    Program(#[from] RowProgramError),
}

impl TraceFault for WitnessError {}

static PROGRAMS: LazyLock<Result<[ComponentProgram; 5], RowProgramError>> = LazyLock::new(programs::all);

/// Makes the main columns of a circuit's components on a backend.
#[derive(Clone, Debug)]
pub struct Witness {
    circuit: Arc<Circuit>,
    values: Vec<QM31>,
    programs: &'static [ComponentProgram; 5],
}

impl Witness {
    /// The witness of the values of all wires, by address.
    ///
    /// # Errors
    /// [`WitnessError::Values`], [`WitnessError::Constant`].
    pub fn new(circuit: Arc<Circuit>, values: Vec<QM31>) -> Result<Self, WitnessError> {
        let (given, wires) = (values.len(), circuit.wires());
        if given != wires {
            return Err(WitnessError::Values { given, wires });
        }
        let constants = [QM31::default(), QM31::from(M31::new(1)), circle_air::qm31(U_VALUE)];
        debug_assert_eq!(constants.len(), U_VAR_IDX + 1);
        for (wire, (&value, expected)) in values.iter().zip(constants).enumerate() {
            if value != expected {
                return Err(WitnessError::Constant { wire, value, expected });
            }
        }
        let programs = PROGRAMS.as_ref().map_err(Clone::clone)?;
        Ok(Self { circuit, values, programs })
    }

    /// The witness for a rehearsal or a visit, which needs no values.
    pub(crate) fn without_values(circuit: Arc<Circuit>) -> Result<Self, WitnessError> {
        let programs = PROGRAMS.as_ref().map_err(Clone::clone)?;
        Ok(Self { circuit, values: Vec::new(), programs })
    }

    /// The witness of a context, which is padded as the circuit's is.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of(circuit: Arc<Circuit>, context: &FinalizedContext<SecureField>) -> Result<Self, WitnessError> {
        Self::new(circuit, context.values().iter().copied().map(circle_air::qm31).collect())
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The values of all wires, by address.
    pub fn values(&self) -> &[QM31] {
        &self.values
    }

    /// The values of the public outputs.
    pub fn outputs(&self) -> &[QM31] {
        &self.values[self.circuit.outputs()]
    }

    /// A table for each component, in order. Rows are in the order in which they are committed.
    ///
    /// # Errors
    /// [`WitnessError::Gate`], as [`ProveError::Trace`], if the wires do not satisfy a gate. Permutations are not
    /// looked at: the total of the lookups says whether they hold. The backend's errors.
    pub fn tables<B: StarkBackend<P = CircleStark>>(
        &self,
        mode: impl ModeOn<B>,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let log_wires = self.circuit.wires().next_power_of_two().ilog2();
        let wires = upload(mode, backend, WORDS, log_wires, || wires(&self.values, log_wires))?;
        let first_rows = self.circuit.first_rows().map(M31::new);
        let first_rows = upload(mode, backend, KINDS, 0, || {
            Box::new(move |first, out: &mut [M31]| out.copy_from_slice(&first_rows[first..][..out.len()]))
        })?;
        let zeros = |table: Table| mode.zeros(backend, Columns::new((), table.width(), table.log_size()));
        let mut counters = Table::ALL.map(|table| zeros(table).map(Some)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut made = Vec::with_capacity(NAMES.len());
        for ComponentProgram { component, source, program, counters: counted } in self.programs {
            let log_height = self.circuit.log_sizes()[*component];
            let columns = || concatenated(source.iter().map(|id| self.circuit.column(id)).collect(), log_height);
            let source = upload(mode, backend, source.len(), log_height, columns)?;
            let mut taken: Vec<_> = counted.iter().filter_map(|table| counters[*table as usize].take()).collect();
            let run = RowRun {
                program,
                source: &[source.as_ref()],
                period: source.height(),
                tables: &[wires.as_ref(), first_rows.as_ref()],
                log_height,
            };
            let rows = backend.rows(&run, &mut taken.iter_mut().map(Columns::as_mut).collect::<Vec<_>>());
            let rows = rows.map_err(|error| match error.kind {
                ErrorKind::InvalidArgument => {
                    ProveError::from(WitnessError::Gate { component: NAMES[*component], error })
                }
                _ => error.into(),
            })?;
            made.push(rows.columns);
            for (table, counter) in counted.iter().zip(taken) {
                counters[*table as usize] = Some(counter);
            }
        }
        made.extend(counters.into_iter().flatten());
        Ok(made)
    }
}

impl TraceMaker for Witness {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.tables(mode, backend)
    }

    /// Wires, and log2 of the rows of each component.
    fn shape(&self) -> Option<Vec<u64>> {
        let sizes = self.circuit.log_sizes().iter().map(|log_size| u64::from(*log_size));
        Some(std::iter::once(self.circuit.wires() as u64).chain(sizes).collect())
    }
}

/// Elements of a table, made when they are asked for.
type Elements<'d> = Box<MakeElements<'d, M31>>;

/// Uploads a table; a rehearsal does not ask for the elements.
fn upload<'d, B: StarkBackend<P = CircleStark>>(
    mode: impl ModeOn<B>,
    backend: &B,
    width: usize,
    log_height: u32,
    elements: impl FnOnce() -> Elements<'d>,
) -> Result<Columns<B::Buffer>, HalError> {
    mode.upload_made(backend, Columns::new((), width, log_height), || Ok(elements()))
}

/// Columns of `2^log_height` rows, one after the other.
fn concatenated(columns: Vec<&[M31]>, log_height: u32) -> Elements<'_> {
    Box::new(move |first, out| {
        by_column(log_height, first, out, |column, row, part| {
            part.copy_from_slice(&columns[column][row..][..part.len()]);
        })
    })
}

/// The words of the wires by address, one column a word. There are no wires beyond them.
fn wires(values: &[QM31], log_height: u32) -> Elements<'_> {
    Box::new(move |first, out| {
        by_column(log_height, first, out, |column, row, part| {
            let values = values.get(row..).unwrap_or_default();
            let (there, beyond) = part.split_at_mut(part.len().min(values.len()));
            there.iter_mut().zip(values).for_each(|(element, value)| *element = value.0[column]);
            beyond.fill(M31::new(0));
        })
    })
}

/// Cuts the elements from `first` on into parts of columns, which `fill` gets with column and first row.
fn by_column(log_height: u32, mut first: usize, mut out: &mut [M31], fill: impl Fn(usize, usize, &mut [M31])) {
    while !out.is_empty() {
        let (column, row) = (first >> log_height, first & ((1 << log_height) - 1));
        let (part, rest) = out.split_at_mut(out.len().min((1 << log_height) - row));
        fill(column, row, part);
        first += part.len();
        out = rest;
    }
}
