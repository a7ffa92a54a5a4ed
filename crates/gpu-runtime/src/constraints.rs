//! Programs of constraints on a domain and on rows.

use field::Field;
use gpu_hal::{Combination, Constraints, DeviceProgram, Domain, Map, Protocol, Result, Shape};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, whole};
use crate::checked;
use crate::device::{Argument, KernelDevice};
use crate::encoding::{Encoded, NONE, Sink};
use crate::generate::{Purpose, Run};
use crate::kernel_set;
use crate::multipliers::{multipliers, wanted_multipliers};
use crate::params::Params;
use crate::pool::Block;
use crate::program::{GpuProgram, first_base_column};
use crate::protocol::GpuProtocol;
use crate::slots::{Slots, packed_words};
use crate::types::GpuTypes;

/// A program on the device.
pub(crate) struct Uploaded<M> {
    code: Block<M>,
    constants: Block<M>,
    loads: Block<M>,
    pub(crate) instructions: u32,
    /// The words of the loads and, of a combination, of the groups.
    pub(crate) load_words: Vec<u64>,
    pub(crate) group_words: Vec<u64>,
    /// The slot of every table.
    slots: Vec<u64>,
}

pub(crate) fn upload_program<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
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
    // A generated kernel has the instructions in its text.
    if !encoded.code.is_empty() && !program.is_generated(&call.runtime.device, encoded) {
        call.upload(&code, bytemuck::cast_slice(&encoded.code))?;
    }
    Ok(Uploaded {
        code,
        constants: call.alloc_as_elements(&encoded.constants)?,
        loads: call.alloc_words(&loads)?,
        load_words: loads,
        group_words: Vec::new(),
        instructions: encoded.code.len() as u32,
        slots: slots.of_tables(),
    })
}

impl<M> Uploaded<M> {
    /// The slot of every table.
    pub(crate) fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// The three buffers that kernels of programs take after the tables.
    pub(crate) fn arguments(&self) -> [Argument<'_, M>; 3] {
        [whole(&self.code), whole(&self.constants), whole(&self.loads)]
    }
}

/// Groups without a term add nothing.
fn groups_with_terms<P: Protocol>(combination: &Combination<P>) -> Vec<usize> {
    (0..combination.groups.len()).filter(|g| !combination.groups[*g].terms.is_empty()).collect()
}

/// What becomes of the outputs of a program in a combination: an accumulator for each of these groups.
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

/// Words of the memory in which kernels of one program hand on so many elements, if they do.
pub(crate) fn handed_words<P: GpuProtocol>(elements: u64) -> Option<u64> {
    (elements > 0).then(|| kernel_set::words::<P>(elements))
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
    let mut words = program.words(sinks.iter().map(Vec::len).sum(), groups.len());
    words.extend(handed_words::<P>(program.handed_elements(device, (groups.len(), &sinks), 1 << log_eval)));
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words.extend([kernel_set::words::<P>(multipliers), factors as u64, 4 * groups.len() as u64]);
    words
}

/// Runs a program by the kernels generated for it, or else by the interpreter.
pub(crate) fn run_program<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    program: &GpuProgram<P, D>,
    (encoded, uploaded): (&Encoded, &Uploaded<D::Memory>),
    purpose: Purpose,
    count: u64,
    buffers: &[Argument<'_, D::Memory>],
    params: Params,
) -> Result<()> {
    let device = &call.runtime.device;
    let source = || P::UNITS.program.source(&call.degree());
    let run = Run {
        encoded,
        slots: &uploaded.slots,
        loads: &uploaded.load_words,
        groups: &uploaded.group_words,
        element: size_of::<P::Base>() as u64,
    };
    let defines = [call.degree()[0], ("REGISTERS", u64::from(encoded.registers))];
    let entry = Entry { unit: P::UNITS.interpreter, name: purpose.entry(), defines: &defines };
    let generated = program.generated((device, &call.runtime.generated), &run, purpose, source, |generated| {
        let interpreter = call.runtime.library.kernel(device, entry.unit, entry.defines, entry.name)?;
        checked::check(call, (encoded, uploaded), purpose, (generated, &interpreter))
    });
    let Some(generated) = generated? else { return call.launch_items(entry, count, 1, buffers, params) };
    let words = handed_words::<P>(u64::from(generated.handed) * count);
    let handed = words.map(|words| call.alloc(words)).transpose()?;
    let mut buffers = buffers.to_vec();
    if let Some(handed) = &handed {
        // In place of the instructions.
        buffers[P::UNITS.slots] = whole(handed);
    }
    for kernel in &generated.kernels {
        call.launch_kernel_items(&kernel.kernel, count, &buffers, kernel.params(&run, params.clone()))?;
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
    let mut uploaded = upload_program(call, program, &encoded, args.columns, &slots)?;
    let multipliers = multipliers(call, args.combination, &groups, (&args.domain, args.log_eval))?;
    let log_size = args.domain.log_size();
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
    uploaded.group_words = words;
    let result = new_table(call, P::DEGREE, args.log_eval)?;
    let count = 1u64 << args.log_eval;
    let params = Params::new()
        .u64(count)
        .u32(uploaded.instructions)
        .u32(groups.len() as u32)
        .u32(P::log_rows(log_size, args.log_eval))
        .u32(args.log_trace);
    let mut buffers = slots.arguments(&result.data.block);
    buffers.extend(uploaded.arguments());
    buffers.extend([whole(&descriptors), whole(&multipliers.values), whole(&result.data.block)]);
    run_program(call, program, (&encoded, &uploaded), Purpose::Constraints, count, &buffers, params)?;
    Ok(result)
}

/// Outputs of a program as base columns.
fn stored<P: GpuProtocol, D: KernelDevice>(program: &GpuProgram<P, D>, outputs: &[usize]) -> Vec<Vec<Sink<P::Ext>>> {
    let mut sinks = program.no_sinks();
    for (column, output) in outputs.iter().enumerate() {
        sinks[*output].push(Sink::StoreBase { column: column as u32 });
    }
    sinks
}

/// Words of the buffers that [`map`] takes beside its result, at most.
pub(crate) fn map_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    log_height: u32,
    outputs: &[usize],
) -> Vec<u64> {
    rows_words(device, program, &stored(program, outputs), tables, log_height)
}

/// Words of the buffers that [`run_rows`] takes, at most.
pub(crate) fn rows_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    sinks: &[Vec<Sink<P::Ext>>],
    tables: &[Shape],
    log_height: u32,
) -> Vec<u64> {
    let mut words = program.words(sinks.iter().map(Vec::len).sum(), 0);
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words.extend(handed_words::<P>(program.handed_elements(device, (0, sinks), 1 << log_height)));
    words
}

pub(crate) fn map<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &Map<'_, GpuTypes<D, P>>,
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
    let uploaded = upload_program(call, program, &encoded, tables, &slots)?;
    let count = 1u64 << log_height;
    let params = Params::new().u64(count).u32(uploaded.instructions).u32(0).u32(log_height).u32(log_height);
    let mut buffers = slots.arguments(result);
    buffers.extend(uploaded.arguments());
    buffers.push(whole(result));
    run_program(call, program, (&encoded, &uploaded), Purpose::Rows, count, &buffers, params)
}
