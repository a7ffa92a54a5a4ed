//! The hints of the bootloaders that take outputs of tasks apart: the unpacking one, which the reference calls
//! `bootloader`, and the applicative one.
//!
//! Packed outputs are named values of a scope, since each composite one opens a scope of its own, in which nothing else
//! of the bootloader is known.

use std::collections::HashMap;
use std::sync::Arc;

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::hints::{take_tasks, with, work_on};
use super::packed::{CompositeOutput, HEADER, PackedOutput};
use super::{BootloaderConfig, Turn, Unpacking};
use crate::vm::hints::error::custom;
use crate::vm::hints::library::{At, Hint};

/// By the digests of their texts.
pub(super) const HINTS: &[(u64, Hint)] = &[
    // bootloader
    (0x305d_0941_75c2_e755, take_tasks),
    (0xef82_ebc2_6bf2_eb48, take_tasks),
    (0x4c41_4297_5ada_99f3, keep_plain_topologies),
    // run_bootloader
    (0x7c83_874b_ef1a_1c5c, begin_simple_output),
    (0xb581_f113_7cf0_9a93, take_simple_tasks),
    (0xfce9_5a8d_bd87_d4b4, nothing),
    (0x14fc_4f39_2e69_f52e, write_config),
    (0xc881_1bb8_4420_f8b2, nothing),
    (0xbab9_d1d2_9587_771d, take_packed_outputs),
    (0x3391_00ce_8771_ca2e, enter_packed_output),
    (0x8b1e_27c0_edda_cbbb, nothing),
    (0xe3b7_0a46_1cf3_dfb0, is_plain),
    (0x5c3d_02ca_dbd0_d99b, is_composite),
    (0x72b0_b495_d780_fc31, write_outputs),
    (0xa570_e09b_f04d_a625, take_subtasks),
    // applicative_bootloader
    (0x0e1c_9ed2_62a5_6652, begin_aggregator),
    (0x3150_68e0_16db_1a0a, begin_tasks),
    (0x1c41_6c56_3f8b_808b, nothing),
    (0x5182_b8db_2da4_3acf, keep_aggregator_topology),
];

/// The names of values in a scope.
const PACKED_OUTPUTS: &str = "packed_outputs";
const PACKED_OUTPUT: &str = "packed_output";

fn unpacking(at: &mut At<'_>) -> Result<Unpacking, HintError> {
    let unpacking = with(at, |state| state.tasks.unpacking.clone())?;
    // It was copied.
    let config = unpacking.as_ref().map(|unpacking| &unpacking.config);
    at.work(config.map_or(0, |config| config.simple_bootloaders.len() + config.cairo_verifiers.len()))?;
    unpacking.ok_or_else(|| custom("this bootloader needs a `bootloader_config` and `packed_outputs`"))
}

/// Nobody says the pages of the output of a proof, nor where it begins for the tasks.
fn nothing(_: &mut At<'_>) -> Result<(), HintError> {
    Ok(())
}

/// Lets the output of the tasks go to a segment of its own.
fn begin_simple_output(at: &mut At<'_>) -> Result<(), HintError> {
    let segment = at.vm.add_memory_segment()?;
    at.set("simple_bootloader_output_start", segment)
}

fn take_simple_tasks(at: &mut At<'_>) -> Result<(), HintError> {
    with(at, |mut state| state.turn = Turn::default())
}

/// Writes a list of felts into a segment of its own.
fn write_list(at: &mut At<'_>, felts: &[Felt252]) -> Result<Relocatable, HintError> {
    at.work(felts.len())?;
    let segment = at.vm.add_memory_segment()?;
    felts.iter().enumerate().try_for_each(|(index, felt)| at.write(segment, index, *felt))?;
    Ok(segment)
}

/// Writes the hashes of the programs that the bootloader trusts.
fn write_config(at: &mut At<'_>) -> Result<(), HintError> {
    let BootloaderConfig { simple_bootloaders, applicative_bootloader, cairo_verifiers } = unpacking(at)?.config;
    let segment = at.vm.add_memory_segment()?;
    for (index, list) in [simple_bootloaders, cairo_verifiers].iter().enumerate() {
        at.write(segment, 2 * index, list.len())?;
        let list = write_list(at, list)?;
        at.vm.insert_value((segment + (2 * index + 1))?, list)?;
    }
    at.write(segment, 4, applicative_bootloader)?;
    at.set("bootloader_config", segment)
}

fn take_packed_outputs(at: &mut At<'_>) -> Result<(), HintError> {
    let outputs = unpacking(at)?.packed_outputs;
    at.scopes.insert_value(PACKED_OUTPUTS, outputs);
    Ok(())
}

/// The next packed output, in a scope of its own: `n_subtasks` counts down.
fn enter_packed_output(at: &mut At<'_>) -> Result<(), HintError> {
    let left = at.count("n_subtasks")?;
    let outputs: &Arc<[PackedOutput]> = at.scopes.get_ref(PACKED_OUTPUTS)?;
    let output = outputs.len().checked_sub(left).and_then(|index| outputs.get(index));
    let output = output.cloned().ok_or_else(|| {
        custom(format!("{left} tasks are left, and {} packed outputs are given: each task needs one", outputs.len()))
    })?;
    at.scopes.enter_scope(HashMap::from([(PACKED_OUTPUT.to_owned(), Box::new(output) as Box<_>)]));
    Ok(())
}

fn is_plain(at: &mut At<'_>) -> Result<(), HintError> {
    let is_plain = matches!(at.scopes.get_ref(PACKED_OUTPUT)?, PackedOutput::Plain);
    at.set_ap(is_plain)
}

fn composite(at: &At<'_>) -> Result<Arc<CompositeOutput>, HintError> {
    match at.scopes.get_ref(PACKED_OUTPUT)? {
        PackedOutput::Composite(composite) => Ok(composite.clone()),
        PackedOutput::Plain => Err(custom("a packed output is plain, and its task is a bootloader")),
    }
}

fn is_composite(at: &mut At<'_>) -> Result<(), HintError> {
    composite(at).map(drop)
}

/// Writes the outputs whose hash a task has put out.
fn write_outputs(at: &mut At<'_>) -> Result<(), HintError> {
    let composite = composite(at)?;
    at.set("nested_subtasks_output_len", Felt252::from(composite.outputs.len()))?;
    let outputs = write_list(at, &composite.outputs)?;
    at.set("nested_subtasks_output", outputs)
}

fn take_subtasks(at: &mut At<'_>) -> Result<(), HintError> {
    let subtasks = composite(at)?.subtasks.clone();
    at.scopes.insert_value(PACKED_OUTPUTS, subtasks);
    Ok(())
}

/// Keeps the fact topologies of plain tasks.
fn keep_plain_topologies(at: &mut At<'_>) -> Result<(), HintError> {
    let Unpacking { config, packed_outputs } = unpacking(at)?;
    let topologies = with(at, |mut state| std::mem::take(&mut state.output.fact_topologies))?;
    if packed_outputs.len() != topologies.len() {
        let (packed, tasks) = (packed_outputs.len(), topologies.len());
        return Err(custom(format!("there are {packed} packed outputs and {tasks} tasks: each task needs one")));
    }
    let mut plain = Vec::new();
    for (index, (output, topology)) in packed_outputs.iter().zip(topologies).enumerate() {
        match output {
            PackedOutput::Plain => plain.push(topology),
            PackedOutput::Composite(composite) => composite
                .plain_topologies(config.applicative_bootloader, &mut plain)
                .map_err(|error| custom(format!("the packed output of task {index}: {error}")))?,
        }
    }
    work_on(at, &plain)?;
    with(at, |mut state| state.output.fact_topologies = plain)
}

/// Begins with the aggregator, whose output goes to a segment of its own.
fn begin_aggregator(at: &mut At<'_>) -> Result<(), HintError> {
    let is_given = with(at, |mut state| {
        state.turn = Turn { is_aggregator: true, index: 0 };
        state.tasks.aggregator.is_some()
    })?;
    if !is_given {
        return Err(custom("the applicative bootloader needs an `aggregator_task`"));
    }
    let segment = at.vm.add_memory_segment()?;
    at.set("aggregator_output_ptr", segment)
}

/// Goes on with the tasks, whose output goes to a segment of its own.
fn begin_tasks(at: &mut At<'_>) -> Result<(), HintError> {
    with(at, |mut state| {
        state.aggregator = state.output.fact_topologies.pop();
        state.output.fact_topologies.clear();
        state.turn = Turn::default();
    })?;
    let segment = at.vm.add_memory_segment()?;
    at.set("bootloader_output_ptr", segment)
}

/// Keeps the fact topology of the aggregator, whose first page has a header in place of the outputs of the tasks.
fn keep_aggregator_topology(at: &mut At<'_>) -> Result<(), HintError> {
    let topology = with(at, |mut state| state.aggregator.take())?;
    let mut topology = topology.ok_or_else(|| custom("the aggregator has no fact topology"))?;
    work_on(at, std::slice::from_ref(&topology))?;
    let (end, start) = (at.pointer("bootloader_output_end")?, at.pointer("bootloader_tasks_output_ptr")?);
    let tasks = (end - start)? as u64;
    let first = topology.page_sizes.first_mut().ok_or_else(|| custom("the aggregator has no page"))?;
    *first = first.checked_sub(tasks).and_then(|rest| rest.checked_add(HEADER)).ok_or_else(|| {
        custom(format!("the first page of the aggregator has {first} words, and the outputs of the tasks {tasks}"))
    })?;
    with(at, |mut state| state.output.fact_topologies = vec![topology])
}
