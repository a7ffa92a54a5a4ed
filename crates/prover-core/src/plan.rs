//! How much device memory a proof needs, known before any work.

use std::fmt;

use air::{GroupRole, Recorded};
use field::{Field, Goldilocks};
use gpu_hal::{
    Basis, CosetDomain, CosetProtocol, EvalOrder, Footprint, Group, Kind, Op, Protocol, Shape, StarkBackend,
};
use proof::ProofOptions;

use crate::ProveError;
use crate::domains::Domains;
use crate::ledger::{Ledger, shape};

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

impl Composition {
    /// How it is evaluated for an AIR. With one part and few operations a row it is cheaper to evaluate the constraints on the whole LDE domain than to evaluate
    /// them on `n` points and extend the result; the choice changes no byte of a proof.
    pub fn of<P: CosetProtocol>(recorded: &Recorded<P>, log_blowup: u32) -> Self {
        let parts = recorded.layout().composition_parts;
        let log_trace = recorded.log_trace_length();
        let log_eval = log_trace + parts.next_power_of_two().trailing_zeros();
        if parts > 1 {
            return Self::Prefix { log_eval };
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
        if row * ((1 << log_blowup) - 1) > lde { Self::Prefix { log_eval } } else { Self::Direct }
    }
}

/// What a proof will take on the device: at least what it takes, and little more. Buffers, trees, and what an operation takes while it
/// runs count as [`StarkBackend::footprint`] has them.
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

/// An AIR's programs on a backend.
pub(crate) struct Programs<B: StarkBackend> {
    pub(crate) constraints: B::Program,
    pub(crate) running: Option<B::Program>,
}

/// The plan of a statement: sizes, the way the composition is evaluated, peak memory.
///
/// # Errors
/// [`ProveError::Options`] if the options do not fit the AIR.
pub(crate) fn plan<B: StarkBackend<P: CosetProtocol>>(
    backend: &B,
    programs: &Programs<B>,
    recorded: &Recorded<B::P>,
    options: &ProofOptions,
) -> Result<Plan, ProveError> {
    let layout = recorded.layout();
    let log_trace = recorded.log_trace_length();
    options.validate(log_trace, layout.composition_parts)?;
    let log_blowup = options.log_blowup();
    let log_lde = log_trace + log_blowup;
    let degree = <B::P as Protocol>::DEGREE;
    let parts = layout.composition_parts;
    let (main, aux) = (layout.main_columns, layout.aux_columns * degree);
    let composition = Composition::of(recorded, log_blowup);
    let domains = Domains { log_trace, log_blowup, lde: options.lde_domain(log_trace) };
    let on_trace = Basis::Evaluations { domain: domains.trace(), order: EvalOrder::Row };

    let mut ledger = Ledger::new(backend);
    ledger.take("tables of the backend", Footprint::Kept { log_domain: log_lde });
    let mut trace = ledger.table("trace", main, log_trace);
    ledger.table("main LDE", main, log_lde);
    ledger.pass("main LDE", Footprint::UploadLde { table: shape(main, log_trace), from: on_trace, keep: true });
    ledger.tree("main tree", log_lde);
    let periodic = periodic_groups(recorded);
    if aux > 0 {
        let host = recorded.host_aux().len() * degree;
        let mut pieces = 0;
        if let Some(program) = &programs.running {
            let rows: u64 = periodic.iter().map(|&(width, log)| ledger.table("periodic columns", width, log)).sum();
            pieces += ledger.table("running columns", aux - host, log_trace);
            let mut tables = vec![shape(main, log_trace)];
            tables.extend(periodic.iter().map(|&(width, log)| shape(width, log)));
            let columns = (aux - host) / degree;
            let running = Footprint::Running { program, tables: &tables, log_height: log_trace, columns };
            ledger.pass("running columns", running);
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
        ledger.pass("auxiliary LDE", Footprint::Lde { table: shape(aux, log_trace), from: on_trace });
        ledger.tree("auxiliary tree", log_lde);
    }
    let mut fixed = fixed_tables(&mut ledger, recorded, &periodic, &domains);
    let log_eval = match composition {
        Composition::Direct => log_lde,
        Composition::Prefix { log_eval } => log_eval,
    };
    let values = ledger.table("constraint evaluation", degree, log_eval);
    let tables: Vec<Shape> = recorded
        .groups()
        .iter()
        .enumerate()
        .map(|(index, role)| {
            let log_height = match role {
                GroupRole::Periodic { log_period } => log_period + log_blowup,
                GroupRole::Main | GroupRole::Aux | GroupRole::Exemptions => log_lde,
            };
            shape(recorded.constraints().base_width(index), log_height)
        })
        .collect();
    let program = &programs.constraints;
    let combination = recorded.combination(Field::ONE);
    let evaluation = Footprint::ConstraintEval { program, tables: &tables, log_eval, combination: &combination };
    ledger.pass("constraint evaluation", evaluation);
    ledger.release(std::mem::take(&mut fixed));
    if composition != Composition::Direct {
        if parts == 1 {
            ledger.table("composition LDE", degree, log_lde);
            let on_prefix = Basis::Evaluations { domain: domains.lde.prefix(log_eval), order: EvalOrder::Storage };
            ledger.pass("composition LDE", Footprint::Lde { table: shape(degree, log_eval), from: on_prefix });
            ledger.release(values);
        } else {
            let split = ledger.table("composition parts", degree * parts, log_trace);
            ledger.release(values);
            ledger.table("composition LDE", degree * parts, log_lde);
            let table = shape(degree * parts, log_trace);
            ledger.pass("composition LDE", Footprint::Lde { table, from: Basis::Coefficients });
            ledger.release(split);
        }
    }
    ledger.tree("composition tree", log_lde - 1);
    for width in [main, aux] {
        let table = shape(width, log_trace);
        let frame = Footprint::EvalAt { table, log_size: log_trace, points: layout.frame_rows };
        ledger.pass("out-of-domain values", frame);
    }
    let table = shape(degree * parts, log_lde);
    ledger.pass("out-of-domain values", Footprint::EvalAt { table, log_size: log_trace, points: 1 });
    ledger.release(trace);
    let quotient = ledger.table("DEEP quotient", degree, log_lde);
    let tables = [main, aux, degree * parts].map(|width| shape(width, log_lde));
    ledger.pass("DEEP quotient", Footprint::DeepQuotient { tables: &tables, terms: layout.frame_rows + 1 });
    for k in 1..log_trace {
        ledger.table("FRI layer", degree, log_lde - k);
        if k == 1 {
            ledger.release(quotient);
        }
        ledger.tree("FRI layer tree", log_lde - k - 1);
    }
    let last = ledger.table("last FRI layer", degree, log_blowup);
    ledger.release(last);
    ledger.pass("grinding", Footprint::Grind { bits: options.grinding });
    ledger.pass("openings", openings(options.queries as usize, main, aux, degree, parts, log_trace, log_lde));
    Ok(Plan {
        peak_bytes: ledger.peak(),
        peak_at: ledger.peak_at(),
        upload_bytes: ((main as u64) << log_trace) * size_of::<Goldilocks>() as u64,
        composition,
        log_trace,
        log_lde,
    })
}

/// Tables of the periodic and exemption groups on the LDE domain; gives what they take.
fn fixed_tables<B: StarkBackend<P: CosetProtocol>>(
    ledger: &mut Ledger<'_, B>,
    recorded: &Recorded<B::P>,
    periodic: &[(usize, u32)],
    domains: &Domains,
) -> u64 {
    let mut fixed = 0;
    // All are uploaded, then one after the other is extended.
    let rows: Vec<u64> = periodic.iter().map(|&(width, log)| ledger.table("periodic columns", width, log)).collect();
    for (&(width, log), rows) in periodic.iter().zip(rows) {
        let from = Basis::Evaluations { domain: CosetDomain::subgroup(log), order: EvalOrder::Row };
        fixed += ledger.table("periodic columns", width, log + domains.log_blowup);
        ledger.pass("periodic columns", Footprint::Lde { table: shape(width, log), from });
        ledger.release(rows);
    }
    for (role, group) in recorded.groups().iter().zip(recorded.constraints().groups()) {
        if matches!(role, GroupRole::Exemptions) {
            let table = shape(group.width, domains.log_trace);
            let coefficients = ledger.take("exemption columns", Footprint::Table(table));
            fixed += ledger.table("exemption columns", group.width, domains.log_trace + domains.log_blowup);
            ledger.pass("exemption columns", Footprint::Lde { table, from: Basis::Coefficients });
            ledger.release(coefficients);
        }
    }
    fixed
}

/// Two points a query in each trace table and the composition, one in each layer of FRI.
fn openings<'a, B: StarkBackend>(
    queries: usize,
    main: usize,
    aux: usize,
    degree: usize,
    parts: usize,
    log_trace: u32,
    log_lde: u32,
) -> Footprint<'a, B> {
    let trace_trees = 1 + usize::from(aux > 0);
    let layers = log_trace as usize - 1;
    let layer_digests: usize = (1..log_trace).map(|k| (log_lde - k - 1) as usize).sum();
    Footprint::Open {
        numbers: queries * (4 * trace_trees + 3 + 2 * layers),
        elements: queries * (2 * (main + aux + degree * parts) + degree * layers),
        digests: queries * (2 * trace_trees * log_lde as usize + log_lde as usize - 1 + layer_digests),
    }
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
