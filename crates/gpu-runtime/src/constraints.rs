//! Programs of constraints on a domain and on rows.

use field::Field;
use gpu_hal::{Combination, Constraints, DeviceProgram, Domain, MapArgs, Protocol, Result, Shape};
use ir::text::constraints::{Encoded, NONE, Purpose, Run, Sink};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, part, whole};
use crate::checked;
use crate::device::{Argument, DIALECT, KernelDevice};
use crate::elements;
use crate::multipliers::{multipliers, wanted_multipliers};
use crate::params::Params;
use crate::placed::{PlacedProgram, Words, placed};
use crate::pool::Block;
use crate::program::{GpuProgram, handed_words};
use crate::protocol::GpuProtocol;
use crate::slots::{Slots, packed_words};
use crate::types::GpuTypes;

/// Groups without a term add nothing.
fn groups_with_terms<P: Protocol>(combination: &Combination<P>) -> Vec<usize> {
    (0..combination.groups.len()).filter(|g| !combination.groups[*g].terms.is_empty()).collect()
}

/// The sinks of a program's outputs in a combination: an accumulator for each of these groups.
fn combined<P: GpuProtocol, D: KernelDevice>(
    program: &GpuProgram<P, D>,
    combination: &Combination<P>,
    groups: &[usize],
) -> Vec<Vec<Sink<P::Ext>>> {
    let mut sinks = program.no_sinks();
    for (accumulator, group) in groups.iter().enumerate() {
        for (output, weight) in &combination.groups[*group].terms {
            sinks[*output].push(Sink::Accumulate { accumulator: accumulator as u32, weight: *weight });
        }
    }
    sinks
}

/// Words of the buffers that [`evaluate`] takes beside its result, at most.
pub(crate) fn evaluate_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    combination: &Combination<P>,
    log_eval: u32,
) -> Vec<u64> {
    let groups = groups_with_terms(combination);
    let (wanted, multipliers, _) = wanted_multipliers(combination, &groups, log_eval);
    let factors = P::factor_words(&wanted).len();
    let sinks = combined(program, combination, &groups);
    let taken = program.taken(device, (groups.len(), &sinks), tables.len());
    let mut words = taken.words::<P>(1 << log_eval);
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words.extend([elements::words::<P>(multipliers), factors as u64]);
    words
}

/// The buffers of a run: the buffers of the tables, and the buffers behind the words of the program, the result last or
/// next to last.
pub(crate) struct Buffers<'a, M> {
    pub(crate) tables: Vec<Argument<'a, M>>,
    pub(crate) others: Vec<Argument<'a, M>>,
}

/// Runs a program on some rows, with some threads, by the kernels generated for it, or else by the interpreter.
pub(crate) fn run_program<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    program: &GpuProgram<P, D>,
    (encoded, placed): (&Encoded, &PlacedProgram<D::Memory>),
    purpose: Purpose,
    (count, threads): (u64, u64),
    buffers: Buffers<'_, D::Memory>,
    params: Params,
) -> Result<()> {
    let device = &call.runtime.device;
    let (prelude, interpreter) = match purpose.is_of_sums() {
        true => (P::UNITS.sum_program, P::UNITS.sum_interpreter),
        false => (P::UNITS.program, P::UNITS.interpreter),
    };
    let source = || prelude.source(&call.degree());
    let run = Run {
        encoded,
        slots: placed.slots(),
        loads: &placed.load_words,
        groups: &placed.group_words,
        element: size_of::<P::Base>() as u64,
        dialect: DIALECT,
    };
    let defines = [call.degree()[0], ("REGISTERS", encoded.registers)];
    let entry = Entry { unit: interpreter, name: purpose.entry(), defines: &defines };
    let generated = program.generated((device, &call.runtime.generated), &run, purpose, source, |generated| {
        let interpreter = call.runtime.library.kernel(device, entry.unit, entry.defines, entry.name)?;
        checked::check(call, (encoded, placed), purpose, (generated, &interpreter))
    })?;
    let Buffers { tables, others } = buffers;
    // An argument that is not read.
    let none = others[0];
    let handed = generated.as_ref().and_then(|generated| handed_words::<P>(u64::from(generated.handed) * count));
    let handed = handed.map(|words| call.alloc(words)).transpose()?;
    let mut read = [none; 4];
    if generated.as_ref().is_none_or(|generated| generated.reads) {
        let Words { block, firsts } = placed.words(call, encoded, generated.is_some())?;
        read = [part(block, 0), part(block, firsts[0]), part(block, firsts[1]), part(block, firsts[2])];
    }
    if let Some(handed) = &handed {
        // In place of the instructions.
        read[0] = whole(handed);
    }
    let read = if purpose == Purpose::Constraints { &read[..] } else { &read[..3] };
    let buffers = [&tables[..], read, &others[..]].concat();
    let Some(generated) = generated else { return call.launch_items(entry, threads, 1, &buffers, params) };
    for kernel in &generated.kernels {
        call.launch_kernel_items(&kernel.kernel, threads, &buffers, kernel.params(&run, params.clone()))?;
    }
    Ok(())
}

pub(crate) fn evaluate<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &Constraints<'_, GpuTypes<D, P>>,
) -> Result<NewTable<D>> {
    let program = args.program;
    let groups = groups_with_terms(args.combination);
    let sinks = combined(program, args.combination, &groups);
    let encoded = program.encode(call.op, args.params, groups.len(), &sinks)?;
    let slots = Slots::new(call, args.columns)?;
    let mut placed = placed(program, &encoded, args.columns, &slots);
    let multipliers = multipliers(call, args.combination, &groups, (&args.domain, args.log_eval))?;
    let log_size = args.domain.log_size();
    let group_words = groups.iter().enumerate().flat_map(|(accumulator, group)| {
        let column = args.combination.groups[*group].multiplier.column;
        let (column, shift) = column.map_or((NONE, 0), |(table, column)| {
            let log_height = args.columns[table].log_height;
            (slots.column(table, (column as u64) << log_height), u64::from(log_size - log_height))
        });
        [u64::from(encoded.accumulators[accumulator]), multipliers.places[accumulator], column, shift]
    });
    placed.group_words = group_words.collect();
    let result = new_table(call, P::DEGREE, args.log_eval)?;
    let count = 1u64 << args.log_eval;
    let params = Params::new()
        .u64(count)
        .u32(placed.instructions)
        .u32(groups.len() as u32)
        .u32(P::log_rows(log_size, args.log_eval))
        .u32(args.log_trace);
    let buffers = Buffers {
        tables: slots.arguments(&result.data.block),
        others: vec![whole(&multipliers.values), whole(&result.data.block)],
    };
    run_program(call, program, (&encoded, &placed), Purpose::Constraints, (count, count), buffers, params)?;
    Ok(result)
}

/// Outputs of a program as base columns.
fn stored<P: GpuProtocol, D: KernelDevice>(program: &GpuProgram<P, D>, outputs: &[usize]) -> Vec<Vec<Sink<P::Ext>>> {
    program.sinks(outputs, |column| Sink::StoreBase { column })
}

/// Words of the buffers that [`map`] takes beside its result, at most.
pub(crate) fn map_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    log_height: u32,
    outputs: &[usize],
) -> Vec<u64> {
    rows_words(device, program, (0, &stored(program, outputs)), tables, log_height)
}

/// Words of the buffers that [`run_rows`] takes, at most, with so many accumulators.
pub(crate) fn rows_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    sinks: (usize, &[Vec<Sink<P::Ext>>]),
    tables: &[Shape],
    log_height: u32,
) -> Vec<u64> {
    let mut words = program.taken(device, sinks, tables.len()).words::<P>(1 << log_height);
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words
}

pub(crate) fn map<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &MapArgs<'_, GpuTypes<D, P>>,
) -> Result<NewTable<D>> {
    let program = args.program;
    let sinks = stored(program, args.outputs);
    let result = new_table(call, args.outputs.len(), args.log_height)?;
    // No output that is wanted depends on a parameter.
    let params = vec![P::Ext::ZERO; program.program().params()];
    run_rows(call, program, &params, &sinks, (args.columns, args.log_height), &result.data.block)?;
    Ok(result)
}

/// Stores outputs of a program at the rows of tables.
pub(crate) fn run_rows<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    program: &GpuProgram<P, D>,
    params: &[P::Ext],
    sinks: &[Vec<Sink<P::Ext>>],
    (tables, log_height): (&[Table<'_, D>], u32),
    result: &Block<D::Memory>,
) -> Result<()> {
    let encoded = program.encode(call.op, params, 0, sinks)?;
    let slots = Slots::new(call, tables)?;
    let placed = placed(program, &encoded, tables, &slots);
    let count = 1u64 << log_height;
    let params = Params::new().u64(count).u32(placed.instructions).u32(0).u32(log_height).u32(log_height);
    let buffers = Buffers { tables: slots.arguments(result), others: vec![whole(result)] };
    run_program(call, program, (&encoded, &placed), Purpose::Rows, (count, count), buffers, params)
}
