//! Generated kernels are compared with the interpreter on random rows before their first use: compilers of GPUs have
//! been seen to translate long straight-line kernels wrongly, and a proof of such values would not verify, at best.
//!
//! Both run on a small statement of the same form: the same instructions, constants and buffers, but low tables of
//! random elements. Launches here are no part of an operation: they are not counted, and take memory only while they
//! last.

use bytemuck::cast_slice;
use field::{PrimeField, SplitMix64};
use gpu_hal::{ErrorKind, HalError, Result};
use ir::text::constraints::{Encoded, GROUP_WORDS, LOAD_WORDS, NONE, Purpose, Run};

use crate::call::{Call, as_elements};
use crate::device::{Argument, DIALECT, KernelDevice, Launch};
use crate::generated::Generated;
use crate::params::Params;
use crate::placed::PlacedProgram;
use crate::protocol::{GpuProtocol, PLACE_BITS};
use crate::sum_frame::SumFrame;

/// Threads of a launch for sums, the fewest that can be.
const GROUP_THREADS: u32 = 32;

/// Log2 of the rows, and the rows.
const LOG_ROWS: u32 = 6;
const ROWS: u64 = 1 << LOG_ROWS;

/// The slot of a column, in the top bits of the word by which kernels know it.
const SLOT_BITS: u32 = 60;

/// Draws the same rows every time, so that a failure can be seen again.
struct Draw(SplitMix64);

impl Draw {
    /// A canonical element; one in eight is at an end of the range.
    fn element(&mut self, order: u64) -> u64 {
        match self.0.word() % 24 {
            0 => 0,
            1 => 1,
            2 => order - 1,
            _ => self.0.word() % order,
        }
    }

    /// New memory with elements.
    fn memory<D: KernelDevice, P: GpuProtocol>(&mut self, device: &D, elements: u64) -> Result<D::Memory> {
        let elements = elements.max(1).next_multiple_of(2);
        let drawn = (0..elements).map(|_| self.element(P::Base::ORDER));
        if size_of::<P::Base>() == 4 {
            let words: Vec<u32> = drawn.map(|word| word as u32).collect();
            return with_bytes(device, cast_slice(&words));
        }
        let words: Vec<u64> = drawn.collect();
        with_bytes(device, cast_slice(&words))
    }
}

fn whole<M>(memory: &M) -> Argument<'_, M> {
    Argument { memory, offset: 0 }
}

fn with_bytes<D: KernelDevice>(device: &D, bytes: &[u8]) -> Result<D::Memory> {
    let memory = device.alloc(bytes.len() as u64)?;
    device.upload(&memory, 0, bytes)?;
    Ok(memory)
}

/// The word of a column of the small statement: in the slot that it has, the column of that number.
fn column_word<P: GpuProtocol>(word: u64, number: usize) -> u64 {
    ((word >> SLOT_BITS) << SLOT_BITS) | (number as u64 * P::DEGREE as u64 * ROWS)
}

/// Compares the kernels that were generated for a program with the interpreter.
///
/// # Errors
/// [`ErrorKind::Backend`] if they differ, and the errors of the device.
pub(crate) fn check<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    (encoded, placed): (&Encoded, &PlacedProgram<D::Memory>),
    purpose: Purpose,
    (generated, interpreter): (&Generated<D>, &D::Kernel),
) -> Result<()> {
    let device = &call.runtime.device;
    let element = size_of::<P::Base>() as u64;
    let mut draw = Draw(SplitMix64::new(encoded.code.len() as u64));
    let mut loads = placed.load_words.clone();
    for (number, load) in loads.chunks_exact_mut(LOAD_WORDS).enumerate() {
        load[0] = column_word::<P>(load[0], number);
        let (height, offset) = (load[1] & u64::from(u32::MAX), load[1] >> 32);
        load[1] = height.min(LOG_ROWS.into()) | (offset << 32);
    }
    let columns = loads.len() / LOAD_WORDS;
    let mut groups = placed.group_words.clone();
    for (number, group) in groups.chunks_exact_mut(GROUP_WORDS).enumerate() {
        if group[1] != NONE {
            group[1] = ((group[1] >> PLACE_BITS) << PLACE_BITS) | (number as u64 * ROWS);
        }
        if group[2] != NONE {
            group[2] = column_word::<P>(group[2], columns + number);
        }
    }
    let number_of_groups = (groups.len() / GROUP_WORDS) as u64;
    // Every slot has elements of its own, so that a column from another's shows.
    let of_slot = (columns as u64 + number_of_groups).max(1) * P::DEGREE as u64 * ROWS;
    let slots = P::UNITS.slots as u64;
    // A column that is bound goes on for as many rows again, and as many of its upper values.
    let tables = draw.memory::<D, P>(device, slots * of_slot + 4 * ROWS)?;
    let multipliers = draw.memory::<D, P>(device, number_of_groups * ROWS)?;
    let weights = draw.memory::<D, P>(device, P::DEGREE as u64 * ROWS)?;
    let words = |words: &[u64]| with_bytes(device, cast_slice(if words.is_empty() { &[0] } else { words }));
    let (load_words, group_words) = (words(&loads)?, words(&groups)?);

    let (columns, values) = encoded.stored(P::DEGREE as u32);
    let least = if purpose == Purpose::Constraints { P::DEGREE as u64 } else { 1 };
    let (result_columns, values) = (least.max(columns.into()), u64::from(values.max(1)));
    let result_bytes = (result_columns * ROWS * element).next_multiple_of(8);
    // A load that is bound has a column of two values for each row.
    let bound_columns = if purpose == Purpose::BoundSums { loads.len() / LOAD_WORDS * P::DEGREE } else { 0 };
    let children_bytes = 2 * values.max(bound_columns as u64) * ROWS * element;
    // Threads sum up several rows each.
    let threads = if purpose.is_of_sums() { GROUP_THREADS } else { ROWS as u32 };
    let challenge: Vec<u64> = (0..P::DEGREE).map(|_| draw.element(P::Base::ORDER)).collect();
    let params = || {
        if purpose.is_of_sums() {
            let frame = SumFrame {
                count: ROWS,
                weights: [[0, ROWS]; 2],
                challenge: challenge.clone(),
                log_low: LOG_ROWS - 2,
                has_one_low: true,
                instructions: placed.instructions,
                first_sum: encoded.accumulators[0],
                sums: columns / P::DEGREE as u32,
            };
            return frame.params();
        }
        let params = Params::new().u64(ROWS);
        match purpose {
            // The level of the leaves: children are written in the other half of the rows.
            Purpose::Nodes => params.u64(ROWS / 2).u64(ROWS / 2).u32(placed.instructions).u32(values as u32),
            _ => params.u32(placed.instructions).u32(number_of_groups as u32).u32(LOG_ROWS).u32(LOG_ROWS - 2),
        }
    };
    let run = Run { encoded, slots: placed.slots(), loads: &loads, groups: &groups, element, dialect: DIALECT };
    let constants = words(&as_elements::<P>(&encoded.constants))?;
    // An operation uploads instructions only for the interpreter.
    let code = with_bytes(device, if encoded.code.is_empty() { &[0; 16] } else { cast_slice(&encoded.code) })?;
    let handed = device.alloc((u64::from(generated.handed.max(1)) * ROWS * element).next_multiple_of(8))?;
    let run_all = |kernels: &[(&D::Kernel, Params)], code: &D::Memory| -> Result<[Vec<u8>; 2]> {
        let outputs = [device.alloc(result_bytes)?, device.alloc(children_bytes)?];
        device.fill(&outputs[0], 0, result_bytes, 0)?;
        device.fill(&outputs[1], 0, children_bytes, 0)?;
        let mut buffers: Vec<_> =
            (0..slots).map(|slot| Argument { memory: &tables, offset: slot * of_slot * element }).collect();
        buffers.extend([whole(code), whole(&constants), whole(&load_words)]);
        match purpose {
            Purpose::Constraints => buffers.extend([whole(&group_words), whole(&multipliers), whole(&outputs[0])]),
            Purpose::Rows => buffers.push(whole(&outputs[0])),
            Purpose::Nodes => buffers.extend([whole(&outputs[0]), whole(&outputs[1])]),
            Purpose::Sums => buffers.extend([whole(&weights), whole(&weights), whole(&outputs[0])]),
            Purpose::BoundSums => {
                buffers.extend([whole(&weights), whole(&weights), whole(&outputs[0]), whole(&outputs[1])]);
            }
        }
        for (kernel, params) in kernels {
            let params = params.clone().bytes();
            device.launch(&Launch { kernel, grid: [1; 3], block: threads, buffers: &buffers, params: &params })?;
        }
        let mut out = [vec![0; result_bytes as usize], vec![0; children_bytes as usize]];
        for (memory, bytes) in outputs.iter().zip(&mut out) {
            device.download(memory, 0, bytes)?;
        }
        Ok(out)
    };
    let kernels: Vec<_> =
        generated.kernels.iter().map(|kernel| (&kernel.kernel, kernel.params(&run, params()))).collect();
    let found = run_all(&kernels, &handed)?;
    let expected = run_all(&[(interpreter, params())], &code)?;
    for (found, expected) in found.iter().zip(&expected) {
        let elements = found.chunks_exact(element as usize).zip(expected.chunks_exact(element as usize));
        if let Some(at) = elements.into_iter().position(|(found, expected)| found != expected) {
            let detail = format!(
                "the kernel '{}' that was generated for a program of {} instructions differs from the interpreter in row {} of \
                 random ones: the compiler of {} translates it wrongly; please report it",
                purpose.entry(),
                encoded.code.len(),
                at as u64 % ROWS,
                device.info().name
            );
            return Err(HalError::new(ErrorKind::Backend, call.op, detail));
        }
    }
    Ok(())
}
