//! Constraint evaluation and running columns.

use std::collections::HashMap;

use field::{Field, Goldilocks, PrimeField};
use gpu_hal::{
    Combination, Constraints, CosetProtocol, Factor, Map, Operation, Protocol, Result, Running, RunningColumn,
    RunningKind, Shape, StarkBackend,
};

use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::{Argument, KernelDevice};
use crate::generate::Purpose;
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::program::{Encoded, GpuProgram, Sink, first_base_column};
use crate::slots::{Slots, packed_elements};
use crate::twiddles::twiddles;

/// Rows of a thread of `make_multipliers` and of `ratios`, as in the kernels.
const MULTIPLIER_ROWS: u64 = 8;
const RATIO_ROWS: u64 = 4;
/// Rows of a block of the scans, and its threads.
const SCAN_CHUNK: u64 = 1024;
const SCAN_THREADS: u32 = 256;
/// No multiplier, no column.
const NONE: u64 = u64::MAX;

/// A program on the device.
struct Uploaded<M> {
    code: Block<M>,
    constants: Block<M>,
    loads: Block<M>,
    instructions: u32,
}

fn upload_program<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    program: &GpuProgram<P, D>,
    encoded: &Encoded,
    tables: &[Table<'_, D>],
    slots: &Slots<'_, D>,
) -> Result<Uploaded<D::Memory>> {
    let loads: Vec<u64> = encoded
        .loads
        .iter()
        .flat_map(|&(group, column, offset)| {
            let log_height = tables[group].log_height;
            let start = (first_base_column(program.program(), group, column) as u64) << log_height;
            // The offset as 32 bits of two's complement.
            [slots.column(group, start), u64::from(log_height) | u64::from(offset as u32) << 32]
        })
        .collect();
    let code = call.alloc(2 * encoded.code.len() as u64)?;
    if !encoded.code.is_empty() {
        call.upload(&code, bytemuck::cast_slice(&encoded.code))?;
    }
    Ok(Uploaded {
        code,
        constants: call.alloc_words(&encoded.constants)?,
        loads: call.alloc_words(&loads)?,
        instructions: encoded.code.len() as u32,
    })
}

impl<M> Uploaded<M> {
    fn arguments(&self) -> [Argument<'_, M>; 3] {
        [whole(&self.code), whole(&self.constants), whole(&self.loads)]
    }
}

/// Tables of multipliers, one after the other.
struct Multipliers<M> {
    values: Block<M>,
    /// For every group: first element, and log2 of the rows that share one.
    places: Vec<u64>,
}

/// A table of multipliers: the factors, log2 of the rows that share an element, the first element.
struct Wanted<'f> {
    factors: &'f [Factor<Goldilocks>],
    log_base: u32,
    start: u64,
}

/// The tables that groups of a combination need, their elements in all, and the place of every group. Equal products have one table.
fn wanted_multipliers<'f, P: CosetProtocol>(
    combination: &'f Combination<P>,
    groups: &[usize],
    log_eval: u32,
) -> (Vec<Wanted<'f>>, u64, Vec<u64>) {
    let mut known: HashMap<Vec<(u32, u64, bool)>, u64> = HashMap::new();
    let (mut wanted, mut places, mut total) = (Vec::new(), Vec::new(), 0u64);
    for &group in groups {
        let factors = combination.groups[group].multiplier.factors.as_slice();
        let Some(log_base) = factors.iter().map(|factor| factor.log_power).min() else {
            places.push(NONE);
            continue;
        };
        let key = factors.iter().map(|f| (f.log_power, f.constant.as_u64(), f.inverse)).collect();
        let place = *known.entry(key).or_insert_with(|| {
            let start = total;
            total += 1 << log_eval.saturating_sub(log_base);
            wanted.push(Wanted { factors, log_base, start });
            start | u64::from(log_base) << 56
        });
        places.push(place);
    }
    (wanted, total, places)
}

/// Groups without a term add nothing.
fn groups_with_terms<P: CosetProtocol>(combination: &Combination<P>) -> Vec<usize> {
    (0..combination.groups.len()).filter(|g| !combination.groups[*g].terms.is_empty()).collect()
}

/// Words of the buffers that [`evaluate`] takes beside its result, at most.
pub(crate) fn evaluate_words<P: CosetProtocol, D: KernelDevice>(
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    combination: &Combination<P>,
    log_eval: u32,
) -> Vec<u64> {
    let groups = groups_with_terms(combination);
    let (wanted, multipliers, _) = wanted_multipliers(combination, &groups, log_eval);
    let factors: usize = wanted.iter().map(|wanted| wanted.factors.len()).sum();
    let sinks = groups.iter().map(|group| combination.groups[*group].terms.len()).sum();
    let mut words = program.words(sinks);
    words.extend(packed_elements(tables));
    words.extend([multipliers, 2 * factors as u64, 4 * groups.len() as u64]);
    words
}

/// Words of the buffers that [`running`] takes beside its result, at most.
pub(crate) fn running_words<P: CosetProtocol, D: KernelDevice>(
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    log_height: u32,
    columns: usize,
) -> Vec<u64> {
    let elements = columns as u64 * P::DEGREE as u64;
    let mut words = program.words(2 * columns);
    words.extend(packed_elements(tables));
    words.extend([2 * elements << log_height, columns.div_ceil(2) as u64]);
    // Totals of blocks, and what comes before each, level by level.
    let mut count = 1u64 << log_height;
    while count > SCAN_CHUNK {
        count = count.div_ceil(SCAN_CHUNK);
        words.extend([elements * count; 2]);
    }
    words
}

fn multipliers<'a, D, B>(
    call: Call<'_, D>,
    args: &Constraints<'a, B>,
    groups: &[usize],
) -> Result<Multipliers<D::Memory>>
where
    D: KernelDevice,
    B: StarkBackend<P: CosetProtocol>,
{
    let (wanted, total, places) = wanted_multipliers(args.combination, groups, args.log_eval);
    let values = call.alloc(total)?;
    if !wanted.is_empty() {
        let words: Vec<u64> = wanted
            .iter()
            .flat_map(|wanted| wanted.factors)
            .flat_map(|f| [u64::from(f.log_power) | u64::from(f.inverse) << 32, f.constant.as_u64()])
            .collect();
        let factors = call.alloc_words(&words)?;
        let twiddles = twiddles(call)?;
        let mut first_factor = 0;
        for Wanted { factors: list, log_base, start } in wanted {
            let log_height = args.log_eval - log_base;
            let count = 1u64 << log_height;
            let threads = count.div_ceil(MULTIPLIER_ROWS);
            let params = Params::new()
                .base(args.domain.shift.pow_two_to(log_base))
                .u64(count)
                .u64(threads)
                .u64(start)
                .u32(first_factor)
                .u32(list.len() as u32)
                .u32(log_base);
            let entry = Entry { unit: &library::MULTIPLIERS, name: "make_multipliers", defines: &[] };
            call.launch_items(entry, threads, 1, &[whole(&factors), whole(&twiddles.forward), whole(&values)], params)?;
            first_factor += list.len() as u32;
        }
    }
    Ok(Multipliers { values, places })
}

/// Runs a program by the kernel generated for it, or else by the interpreter.
fn run_program<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    program: &GpuProgram<P, D>,
    encoded: &Encoded,
    purpose: Purpose,
    count: u64,
    buffers: &[Argument<'_, D::Memory>],
    params: Params,
) -> Result<()> {
    let device = &call.runtime.device;
    let generated = program.generated(device, encoded, purpose, &call.degree());
    if let Some(generated) = generated.map_err(|error| call.named(error))? {
        return call.launch_kernel_items(&generated.kernel, count, buffers, params);
    }
    let defines = [call.degree()[0], ("REGISTERS", u64::from(encoded.registers))];
    let entry = Entry { unit: &library::INTERPRETER, name: purpose.entry(), defines: &defines };
    call.launch_items(entry, count, 1, buffers, params)
}

pub(crate) fn evaluate<D, P, B>(
    call: Call<'_, D>,
    program: &GpuProgram<P, D>,
    args: &Constraints<'_, B>,
) -> Result<NewTable<D>>
where
    D: KernelDevice,
    P: CosetProtocol,
    B: StarkBackend<P = P, Buffer = GpuBuffer<D::Memory>>,
{
    let op = Operation::ConstraintEval;
    let groups = groups_with_terms(args.combination);
    let mut sinks: Vec<Vec<Sink<P::Ext>>> = (0..program.program().outputs().len()).map(|_| Vec::new()).collect();
    for (accumulator, group) in groups.iter().enumerate() {
        for (output, weight) in &args.combination.groups[*group].terms {
            sinks[*output].push(Sink::Accumulate { accumulator: accumulator as u32, weight: *weight });
        }
    }
    let encoded = program.encode(op, args.params, groups.len(), &sinks)?;
    let slots = Slots::new(call, args.columns)?;
    let uploaded = upload_program(call, program, &encoded, args.columns, &slots)?;
    let multipliers = multipliers(call, args, &groups)?;
    let log_size = args.domain.log_size;
    let words: Vec<u64> = groups
        .iter()
        .enumerate()
        .flat_map(|(accumulator, group)| {
            let column = args.combination.groups[*group].multiplier.column;
            let (column, shift) = column.map_or((NONE, 0), |(table, column)| {
                let log_height = args.columns[table].log_height;
                (slots.column(table, (column as u64) << log_height), u64::from(log_size - log_height))
            });
            [u64::from(encoded.accumulators[accumulator]), multipliers.places[accumulator], column, shift]
        })
        .collect();
    let descriptors = call.alloc_words(&words)?;
    let result = new_table(call, op, P::DEGREE, args.log_eval)?;
    let count = 1u64 << args.log_eval;
    let params =
        Params::new().u64(count).u32(uploaded.instructions).u32(groups.len() as u32).u32(log_size).u32(args.log_trace);
    let mut buffers = slots.arguments(&result.data.block);
    buffers.extend(uploaded.arguments());
    buffers.extend([whole(&descriptors), whole(&multipliers.values), whole(&result.data.block)]);
    run_program(call, program, &encoded, Purpose::Constraints, count, &buffers, params)?;
    Ok(result)
}

pub(crate) fn map<D, P, B>(call: Call<'_, D>, program: &GpuProgram<P, D>, args: &Map<'_, B>) -> Result<NewTable<D>>
where
    D: KernelDevice,
    P: CosetProtocol,
    B: StarkBackend<P = P, Buffer = GpuBuffer<D::Memory>>,
{
    let op = Operation::Map;
    let mut sinks: Vec<Vec<Sink<P::Ext>>> = (0..program.program().outputs().len()).map(|_| Vec::new()).collect();
    for (column, output) in args.outputs.iter().enumerate() {
        sinks[*output].push(Sink::StoreBase { column: column as u32 });
    }
    // No output that is wanted depends on a parameter.
    let encoded = program.encode(op, &vec![P::Ext::ZERO; program.program().params()], 0, &sinks)?;
    let result = new_table(call, op, args.outputs.len(), args.log_height)?;
    let slots = Slots::new(call, args.columns)?;
    let uploaded = upload_program(call, program, &encoded, args.columns, &slots)?;
    let count = 1u64 << args.log_height;
    let params = Params::new().u64(count).u32(uploaded.instructions).u32(0).u32(args.log_height).u32(args.log_height);
    let mut buffers = slots.arguments(&result.data.block);
    buffers.extend(uploaded.arguments());
    buffers.push(whole(&result.data.block));
    run_program(call, program, &encoded, Purpose::Rows, count, &buffers, params)?;
    Ok(result)
}

pub(crate) fn running<D, P, B>(
    call: Call<'_, D>,
    program: &GpuProgram<P, D>,
    args: &Running<'_, B>,
) -> Result<NewTable<D>>
where
    D: KernelDevice,
    P: CosetProtocol,
    B: StarkBackend<P = P, Buffer = GpuBuffer<D::Memory>>,
{
    let op = Operation::Running;
    let columns = args.running.len();
    let mut sinks: Vec<Vec<Sink<P::Ext>>> = (0..program.program().outputs().len()).map(|_| Vec::new()).collect();
    for (number, column) in args.running.iter().enumerate() {
        sinks[column.numerator].push(Sink::Store { column: 2 * number as u32 });
        sinks[column.denominator].push(Sink::Store { column: 2 * number as u32 + 1 });
    }
    let encoded = program.encode(op, args.params, 0, &sinks)?;
    let result = new_table(call, op, columns * P::DEGREE, args.log_height)?;
    let slots = Slots::new(call, args.columns)?;
    let uploaded = upload_program(call, program, &encoded, args.columns, &slots)?;
    let count = 1u64 << args.log_height;
    // For every column numerator and denominator.
    let step = 2 * <P as Protocol>::DEGREE as u64;
    let values = call.alloc(columns as u64 * step * count)?;
    let params = Params::new().u64(count).u32(uploaded.instructions).u32(0).u32(args.log_height).u32(args.log_height);
    let mut buffers = slots.arguments(&values);
    buffers.extend(uploaded.arguments());
    buffers.push(whole(&values));
    run_program(call, program, &encoded, Purpose::Rows, count, &buffers, params)?;

    let degree = call.degree();
    let threads = count.div_ceil(RATIO_ROWS);
    let params = Params::new().u64(count).u64(threads).u32(columns as u32);
    let entry = Entry { unit: &library::SCAN, name: "ratios", defines: &degree };
    call.launch_items(entry, threads, columns as u32, &[whole(&values)], params)?;

    let flags: Vec<u32> = args.running.iter().map(flags).collect();
    let flag_words = call.alloc(columns.div_ceil(2) as u64)?;
    call.upload(&flag_words, bytemuck::cast_slice(&flags))?;
    let scan = Scan { columns: columns as u32, flags: &flag_words, degree: P::DEGREE as u64 };
    scan.run(call, (&values, step as u32), count, &result.data.block, false)?;
    Ok(result)
}

/// As in the kernel.
fn flags(column: &RunningColumn) -> u32 {
    u32::from(column.kind == RunningKind::Product) | u32::from(column.inclusive) << 1
}

struct Scan<'a, M> {
    columns: u32,
    flags: &'a Block<M>,
    degree: u64,
}

impl<M> Scan<'_, M> {
    /// Scans `count` rows of every column into `result`. `step`: base columns from a column of the values to the next.
    fn run<D: KernelDevice<Memory = M>>(
        &self,
        call: Call<'_, D>,
        (values, step): (&Block<M>, u32),
        count: u64,
        result: &Block<M>,
        exclusive: bool,
    ) -> Result<()> {
        let blocks = count.div_ceil(SCAN_CHUNK);
        let params = |has_carries: bool| {
            Params::new().u64(count).u32(step).u32(blocks as u32).u32(exclusive.into()).u32(has_carries.into())
        };
        let degree = call.degree();
        let entry = |name| Entry { unit: &library::SCAN, name, defines: &degree };
        let mut carries = None;
        if blocks > 1 {
            let words = u64::from(self.columns) * self.degree * blocks;
            let totals = call.alloc(words)?;
            let buffers = [whole(values), whole(self.flags), whole(&totals)];
            call.launch_blocks(entry("scan_totals"), blocks, self.columns, SCAN_THREADS, &buffers, params(false))?;
            let before = call.alloc(words)?;
            self.run(call, (&totals, self.degree as u32), blocks, &before, true)?;
            carries = Some(before);
        }
        let buffers = [whole(values), whole(self.flags), whole(carries.as_ref().unwrap_or(result)), whole(result)];
        call.launch_blocks(entry("scan_apply"), blocks, self.columns, SCAN_THREADS, &buffers, params(carries.is_some()))
    }
}
