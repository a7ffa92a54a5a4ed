//! Weighted sums of programs over the corners of hypercubes. A thread sums up many corners in registers, a block its
//! threads, the host the blocks: no value of a program is put down.

use field::{ExtensionField, Field};
use gpu_hal::{Multilinear, Result, Shape};
use ir::text::constraints::{LOAD_WORDS, Purpose, Sink, bound_place};

use crate::buffer::Table;
use crate::call::{Call, from_element, whole};
use crate::constraints::{Buffers, rows_words, run_program};
use crate::device::{BLOCK_THREADS, KernelDevice};
use crate::elements;
use crate::params::words;
use crate::placed::placed;
use crate::pool::Block;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;
use crate::slots::Slots;
use crate::sum_frame::SumFrame;
use crate::types::GpuTypes;

/// The most blocks of a launch: enough for all multiprocessors of a large GPU, few enough that the host adds up their
/// sums in less time than another launch takes. A power of two, so that a thread meets one low weight.
const MOST_BLOCKS: u64 = 512;

/// Outputs of a program to be summed.
pub(crate) struct Summands<'a, D: KernelDevice, P: GpuProtocol> {
    pub(crate) program: &'a GpuProgram<P, D>,
    pub(crate) values: &'a [Multilinear<'a, GpuTypes<D, P>>],
    pub(crate) params: &'a [P::Ext],
    pub(crate) outputs: &'a [usize],
    pub(crate) weights: [Multilinear<'a, GpuTypes<D, P>>; 2],
    /// If the first variable of the values is bound on the way: its value, and the memory for all columns.
    pub(crate) bound: Option<(P::Ext, &'a Block<D::Memory>)>,
}

impl<D: KernelDevice, P: GpuProtocol> Summands<'_, D, P> {
    /// The corners.
    fn count(&self) -> u64 {
        1 << self.weights.iter().map(|weights| weights.variables).sum::<u32>()
    }

    /// Blocks, and the threads of one.
    fn blocks(&self, device: &D) -> (u64, u64) {
        let threads = u64::from(BLOCK_THREADS.min(device.info().max_threads));
        (self.count().div_ceil(threads).min(MOST_BLOCKS), threads)
    }
}

/// The sinks of the outputs that are summed, in their order.
fn summed<D: KernelDevice, P: GpuProtocol>(program: &GpuProgram<P, D>, outputs: &[usize]) -> Vec<Vec<Sink<P::Ext>>> {
    program.sinks(outputs, |column| Sink::Store { column })
}

/// Words of the buffers that a request of [`sums`] takes, at most, and of the sums of all requests.
pub(crate) fn sum_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    variables: u32,
    outputs: &[usize],
    sums: usize,
) -> Vec<u64> {
    let accumulators = outputs.len();
    let mut words = rows_words(device, program, (accumulators, &summed(program, outputs)), tables, variables - 1);
    words.push(elements::words::<P>(sums as u64 * MOST_BLOCKS * P::DEGREE as u64));
    words
}

/// The sums of all requests, which are enqueued before the first is waited for.
pub(crate) fn sums<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[Summands<'_, D, P>],
) -> Result<Vec<Vec<P::Ext>>> {
    let device = &call.runtime.device;
    let blocks = |request: &Summands<'_, D, P>| request.blocks(device).0;
    let all: u64 = requests.iter().map(|request| request.outputs.len() as u64 * blocks(request)).sum();
    if all == 0 {
        return Ok(Vec::new());
    }
    let partial = call.alloc_elements(all * P::DEGREE as u64)?;
    let mut first = 0;
    for request in requests {
        enqueue(call, request, (&partial, first))?;
        first += request.outputs.len() as u64 * blocks(request) * P::DEGREE as u64;
    }
    // Transfers are whole words.
    let mut words = vec![0u64; elements::words::<P>(all * P::DEGREE as u64) as usize];
    call.download(&partial, 0, &mut words)?;
    let elements: &[P::Base] = bytemuck::cast_slice(&words);
    let mut partial = elements.chunks_exact(P::DEGREE).filter_map(P::Ext::from_coordinates);
    let of = |request: &Summands<'_, D, P>| {
        let blocks = blocks(request) as usize;
        request
            .outputs
            .iter()
            .map(|_| partial.by_ref().take(blocks).fold(P::Ext::ZERO, |sum, next| sum + next))
            .collect()
    };
    Ok(requests.iter().map(of).collect())
}

/// Sums up a request by blocks, from element `first` on.
fn enqueue<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &Summands<'_, D, P>,
    (partial, first): (&Block<D::Memory>, u64),
) -> Result<()> {
    let &Summands { program, values, params, outputs, weights: [high, low], bound } = request;
    let (count, (blocks, threads)) = (request.count(), request.blocks(&call.runtime.device));
    let encoded = program.encode(call.op, params, outputs.len(), &summed(program, outputs))?;
    let tables: Vec<Table<'_, D>> = values.iter().map(|values| values.table).collect();
    let slots = Slots::new(call, &tables)?;
    let mut placed = placed(program, &encoded, &tables, &slots);
    for (load, words) in encoded.loads.iter().zip(placed.load_words.chunks_exact_mut(LOAD_WORDS)) {
        let &(group, column, offset) = load;
        words[0] += values[group].first as u64 + offset as u64 * count;
        words[1] = words[1] & u64::from(u32::MAX) | bound_place(column, offset) << 32;
    }
    let challenge = bound.map_or(P::Ext::ZERO, |(challenge, _)| challenge);
    let frame = SumFrame {
        count,
        weights: [high, low].map(|of| [of.first as u64, of.table.height() as u64]),
        challenge: words::<P::Base, P::Ext>(&challenge).collect(),
        log_low: low.variables,
        has_one_low: (blocks * threads).is_multiple_of(1 << low.variables),
        instructions: placed.instructions,
        first_sum: encoded.accumulators[0],
        sums: outputs.len() as u32,
    };
    let partial = from_element::<P, _>(partial, first);
    let mut others = vec![whole(&high.table.data.block), whole(&low.table.data.block), partial];
    let purpose = if bound.is_some() { Purpose::BoundSums } else { Purpose::Sums };
    others.extend(bound.map(|(_, memory)| whole(memory)));
    let buffers = Buffers { tables: slots.arguments(&high.table.data.block), others };
    run_program(call, program, (&encoded, &placed), purpose, (count, blocks * threads), buffers, frame.params())
}
