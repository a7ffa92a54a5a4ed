//! How much device memory a proof needs, known before any work.

use std::fmt;

use air::{GroupRole, Recorded};
use gpu_hal::{CosetProtocol, Group, Kind, Op};
use proof::ProofOptions;

use crate::ProveError;

/// How the composition polynomial is evaluated on the LDE domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composition {
    /// Constraints at every point of the LDE domain; the result is the one part.
    Direct,
    /// Constraints on the first `2^log_eval` points in storage order, which fix a polynomial of the declared degree; its parts
    /// are then extended.
    Prefix {
        /// Log2 of the number of points.
        log_eval: u32,
    },
}

/// What a proof will take on the device. The figures are buffers and trees; what a backend needs for a moment inside one
/// operation (a tile, a batch of inverses) comes on top and is small by contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Highest sum of live buffers, in bytes.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: &'static str,
    /// Bytes that the trace takes on its way to the device.
    pub upload_bytes: u64,
    /// How the composition polynomial is evaluated.
    pub composition: Composition,
    /// Log2 of the trace length.
    pub log_trace: u32,
    /// Log2 of the LDE size.
    pub log_lde: u32,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "trace 2^{}, LDE 2^{}, {} MiB on the device ({})",
            self.log_trace,
            self.log_lde,
            self.peak_bytes.div_ceil(1 << 20),
            self.peak_at
        )
    }
}

const DIGEST_BYTES: u64 = 32;
const ELEMENT_BYTES: u64 = 8;

/// Live bytes in the order in which the prover takes and releases them.
#[derive(Default)]
struct Ledger {
    live: u64,
    peak: u64,
    peak_at: &'static str,
}

impl Ledger {
    fn take(&mut self, at: &'static str, bytes: u64) -> u64 {
        self.live += bytes;
        if self.live > self.peak {
            self.peak = self.live;
            self.peak_at = at;
        }
        bytes
    }

    fn table(&mut self, at: &'static str, width: usize, log_height: u32) -> u64 {
        self.take(at, ((width as u64) << log_height) * ELEMENT_BYTES)
    }

    fn tree(&mut self, at: &'static str, log_leaves: u32) -> u64 {
        self.take(at, ((2u64 << log_leaves) - 1) * DIGEST_BYTES)
    }

    fn release(&mut self, bytes: u64) {
        self.live -= bytes;
    }
}

/// The plan of a statement: sizes, the way the composition is evaluated, peak memory.
///
/// # Errors
/// [`ProveError::Options`] if the options do not fit the AIR.
pub fn plan<P: CosetProtocol>(recorded: &Recorded<P>, options: &ProofOptions) -> Result<Plan, ProveError> {
    let layout = recorded.layout();
    let log_trace = recorded.log_trace_length();
    options.validate(log_trace, layout.composition_parts)?;
    let log_blowup = options.log_blowup();
    let log_lde = log_trace + log_blowup;
    let parts = layout.composition_parts;
    let (main, aux) = (layout.main_columns, layout.aux_columns * P::DEGREE);
    let composition = choose_composition(recorded, log_blowup);

    let mut ledger = Ledger::default();
    let mut trace = ledger.table("trace", main, log_trace);
    ledger.table("main LDE", main, log_lde);
    ledger.tree("main tree", log_lde);
    let periodic = periodic_groups(recorded);
    if aux > 0 {
        let host = recorded.host_aux().len() * P::DEGREE;
        let mut pieces = 0;
        if host < aux {
            let rows: u64 = periodic.iter().map(|&(width, log)| ledger.table("periodic columns", width, log)).sum();
            pieces += ledger.table("running columns", aux - host, log_trace);
            ledger.release(rows);
        }
        if host > 0 {
            pieces += ledger.table("host columns", host, log_trace);
        }
        // Only a mixture is put together.
        trace += if host > 0 && host < aux {
            let whole = ledger.table("auxiliary trace", aux, log_trace);
            ledger.release(pieces);
            whole
        } else {
            pieces
        };
        ledger.table("auxiliary LDE", aux, log_lde);
        ledger.tree("auxiliary tree", log_lde);
    }
    let mut fixed: u64 =
        periodic.iter().map(|&(width, log)| ledger.table("periodic columns", width, log + log_blowup)).sum();
    for (role, group) in recorded.groups().iter().zip(recorded.constraints().groups()) {
        if matches!(role, GroupRole::Exemptions) {
            let coefficients = ledger.table("exemption columns", group.width, log_trace);
            fixed += ledger.table("exemption columns", group.width, log_lde);
            ledger.release(coefficients);
        }
    }
    match composition {
        Composition::Direct => {
            ledger.table("constraint evaluation", P::DEGREE, log_lde);
        }
        Composition::Prefix { log_eval } => {
            let values = ledger.table("constraint evaluation", P::DEGREE, log_eval);
            ledger.release(std::mem::take(&mut fixed));
            if parts == 1 {
                ledger.table("composition LDE", P::DEGREE, log_lde);
                ledger.release(values);
            } else {
                let split = ledger.table("composition parts", P::DEGREE * parts, log_trace);
                ledger.release(values);
                ledger.table("composition LDE", P::DEGREE * parts, log_lde);
                ledger.release(split);
            }
        }
    }
    ledger.release(fixed);
    ledger.tree("composition tree", log_lde - 1);
    ledger.release(trace);
    let quotient = ledger.table("DEEP quotient", P::DEGREE, log_lde);
    for k in 1..log_trace {
        ledger.table("FRI layer", P::DEGREE, log_lde - k);
        if k == 1 {
            ledger.release(quotient);
        }
        ledger.tree("FRI layer tree", log_lde - k - 1);
    }
    ledger.table("last FRI layer", P::DEGREE, log_blowup);
    Ok(Plan {
        peak_bytes: ledger.peak,
        peak_at: ledger.peak_at,
        upload_bytes: ((main as u64) << log_trace) * ELEMENT_BYTES,
        composition,
        log_trace,
        log_lde,
    })
}

/// (width, log period) of the periodic tables.
fn periodic_groups<P: CosetProtocol>(recorded: &Recorded<P>) -> Vec<(usize, u32)> {
    let groups = recorded.constraints().groups().iter();
    groups
        .zip(recorded.groups())
        .filter_map(|(group, role): (&Group, &GroupRole)| match role {
            GroupRole::Periodic { log_period } => Some((group.width, *log_period)),
            _ => None,
        })
        .collect()
}

/// With one part and few operations a row it is cheaper to evaluate the constraints on the whole LDE domain than to evaluate
/// them on `n` points and extend the result; the choice changes no byte of a proof.
fn choose_composition<P: CosetProtocol>(recorded: &Recorded<P>, log_blowup: u32) -> Composition {
    let parts = recorded.layout().composition_parts;
    let log_trace = recorded.log_trace_length();
    let log_eval = log_trace + parts.next_power_of_two().trailing_zeros();
    if parts > 1 {
        return Composition::Prefix { log_eval };
    }
    // Base multiplications a row: of the program, and of extending D columns, each about half a butterfly a level.
    let program = recorded.constraints();
    let degree = P::DEGREE as u64;
    let cost = |kind: Kind| if kind == Kind::Ext { degree * degree } else { 1 };
    let row: u64 = program
        .nodes()
        .iter()
        .map(|node| match node.op {
            Op::Mul(a, b) => cost(program.nodes()[a.index()].kind).max(cost(program.nodes()[b.index()].kind)),
            Op::Add(..) | Op::Sub(..) | Op::Neg(_) => 1,
            _ => 0,
        })
        .sum::<u64>()
        + program.outputs().len() as u64 * degree * 2;
    let lde = (1u64 << log_blowup) * degree * u64::from(log_trace + log_blowup) / 2;
    if row * ((1 << log_blowup) - 1) > lde { Composition::Prefix { log_eval } } else { Composition::Direct }
}
