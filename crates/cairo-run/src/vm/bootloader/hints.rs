//! The hints by which bootloaders run their tasks, which cairo-vm and the library's hints lack.

use std::any::Any;
use std::cell::RefMut;
use std::collections::HashMap;

use cairo_vm::Felt252;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use super::load::{Places, load};
use super::span::HEADER;
use super::task_hint::{BEGIN_TASK, END_TASK};
use super::{Bootloader, FactTopology, NAME, Shared, TaskSource, TaskSpec, Turn};
use crate::BuiltinName;
use crate::pie::{AdditionalData, Program as TaskProgram};
use crate::vm::hints::error::custom;
use crate::vm::hints::library::{At, Hint};
use crate::vm::hints::machine::Machine;

/// The hints by the digests of their texts.
pub(super) const HINTS: &[(u64, Hint)] = &[
    // privacy_simple_bootloader
    (0x57d9_bdb6_7cc5_649d, take_tasks),
    (0xd646_069b_92d9_20fe, keep_preimage),
    // simple_bootloader
    (0xd748_7066_4a33_32d9, take_tasks),
    (0x1f1d_76ec_c415_f8a6, count_pages),
    // run_simple_bootloader
    (0x2029_492b_7959_aa88, begin),
    (0x7125_678c_b5ea_7e26, half),
    (0x9e21_1c26_54e4_565b, choose_task),
    (0xf404_65ea_c38e_1969, hash_of_task),
    // execute_task
    (0xb7bc_c35c_fbf5_ca3a, is_hash_known),
    (0x1f7f_fbed_6b3c_91f2, load_program),
    (0xc836_d858_dfc3_3a9b, check_program),
    (BEGIN_TASK, begin_task),
    (END_TASK, end_task),
    (0xa7a0_a247_0bcc_0475, return_builtins),
    (0xc31a_8131_38e8_7566, add_topology),
];

/// The labels around the call of a task.
const RET_PC_LABEL: &str = "starkware.cairo.bootloaders.simple_bootloader.execute_task.execute_task.ret_pc_label";
const CALL_TASK: &str = "starkware.cairo.bootloaders.simple_bootloader.execute_task.execute_task.call_task";

fn shared(at: &At<'_>) -> Result<Shared, HintError> {
    let none = |_| custom("this is a bootloader, and no tasks are given for it");
    at.scopes.get::<Shared>(NAME).map_err(none)
}

/// Does something with the state.
pub(super) fn with<T>(at: &At<'_>, act: impl FnOnce(RefMut<'_, Bootloader>) -> T) -> Result<T, HintError> {
    let shared = shared(at)?;
    let state = shared.try_borrow_mut().map_err(|_| custom("the bootloader runs itself"))?;
    Ok(act(state))
}

/// The task whose turn it is.
fn current(at: &At<'_>) -> Result<TaskSpec, HintError> {
    let task = with(at, |state| state.current(&state.tasks).cloned())?;
    task.ok_or_else(|| custom("no task is chosen"))
}

pub(super) fn take_tasks(at: &mut At<'_>) -> Result<(), HintError> {
    shared(at).map(drop)
}

/// Puts out how many tasks there are.
fn begin(at: &mut At<'_>) -> Result<(), HintError> {
    let tasks = with(at, |mut state| {
        state.output.fact_topologies.clear();
        state.tasks.list(state.turn.is_aggregator).len()
    })?;
    let output = at.pointer("output_ptr")?;
    at.write(output, 0, tasks)?;
    let segment = at.vm.add_temporary_segment()?;
    at.set("initial_subtasks_range_check_ptr", segment)
}

fn half(at: &mut At<'_>) -> Result<(), HintError> {
    let half = at.integer("num")? >> 1_u32;
    at.set_ap(Felt252::from(half))
}

/// The next task: `n_tasks` counts down.
fn choose_task(at: &mut At<'_>) -> Result<(), HintError> {
    let left = at.count("n_tasks")?;
    with(at, |mut state| {
        let tasks = state.tasks.list(state.turn.is_aggregator).len();
        match tasks.checked_sub(left) {
            Some(index) if left > 0 => {
                (state.turn.index, state.is_in_turn) = (index, true);
                Ok(())
            }
            _ => Err(custom(format!("{left} tasks are left of {tasks}"))),
        }
    })?
}

fn hash_of_task(at: &mut At<'_>) -> Result<(), HintError> {
    let hash = current(at)?.hash;
    at.set_ap(hash as usize)
}

/// Whether the hash is the one of the task before: of the same program, by the same hash function.
fn is_hash_known(at: &mut At<'_>) -> Result<(), HintError> {
    let task = current(at)?;
    let before = with(at, |state| {
        let index = state.turn.index.checked_sub(1)?;
        state.tasks.get(Turn { index, ..state.turn }).cloned()
    })?;
    let is_known = match before.filter(|before| before.hash == task.hash) {
        Some(before) => {
            let [known, program] = [&before, &task].map(|task| task.source.program());
            let is_same = std::ptr::eq(known, program);
            if !is_same && known.data.len() == program.data.len() {
                at.work(program.data.len())?;
            }
            is_same || known == program
        }
        None => false,
    };
    at.set("use_prev_hash", Felt252::from(is_known))
}

/// The name of a builtin as a number, its first letter most significant.
fn encoded(name: BuiltinName) -> Felt252 {
    Felt252::from_bytes_be_slice(name.to_str().as_bytes())
}

/// Writes the header and the words of the program into a segment of its own.
fn load_program(at: &mut At<'_>) -> Result<(), HintError> {
    let task = current(at)?;
    let TaskProgram { data, builtins, main } = task.source.program();
    at.work(data.len())?;
    let segment = at.vm.add_memory_segment()?;
    at.set("program_segment_ptr", segment)?;
    let start = at.pointer("program_header")?;
    let header = HEADER + builtins.len();
    at.vm.has_room(start, header + data.len())?;
    // The first word does not count itself. The second is the version of bootloaders.
    let numbers = [(header - 1 + data.len()) as u64, 0, *main, builtins.len() as u64].map(Felt252::from);
    let names = builtins.iter().map(|name| encoded(*name));
    let words = numbers.into_iter().chain(names).chain(data.iter().copied());
    at.vm.load_data(start, words.map(MaybeRelocatable::Int).collect())?;
    let program = (start + header)?;
    with(at, |mut state| state.program = Some(program))
}

fn program(at: &At<'_>) -> Result<Relocatable, HintError> {
    with(at, |state| state.program)?.ok_or_else(|| custom("no program of a task is loaded"))
}

fn check_program(at: &mut At<'_>) -> Result<(), HintError> {
    let (said, loaded) = (at.pointer("program_address")?, program(at)?);
    if said == loaded { Ok(()) } else { Err(custom(format!("the program is at {loaded}, not at {said}"))) }
}

/// Loads the cells of a run, and lets it return behind the call. A program runs with named values of its own.
fn begin_task(at: &mut At<'_>) -> Result<(), HintError> {
    let task = current(at)?;
    let mut values: HashMap<String, Box<dyn Any>> = HashMap::new();
    match &task.source {
        TaskSource::Pie(pie) => {
            at.work(pie.memory.len() + pie.metadata.extra_segments.len())?;
            let bootloader: &Program = at.scopes.get_ref("program_object")?;
            let label = |name: &str| {
                let pc = bootloader.get_identifier(name).and_then(|identifier| identifier.pc);
                pc.ok_or_else(|| custom(format!("the bootloader has no label `{name}`")))
            };
            let behind = label(RET_PC_LABEL)?.checked_sub(label(CALL_TASK)?);
            let behind = behind.ok_or_else(|| custom("the bootloader returns before it calls"))?;
            let places = Places {
                program: program(at)?,
                stack: (at.vm.get_ap() - pie.metadata.program.builtins.len())?,
                ret_fp: at.vm.get_fp(),
                ret_pc: (at.vm.get_pc() + behind)?,
            };
            load(at.vm, pie, &places)?;
        }
        TaskSource::Program(task) => {
            values.insert("program_object".into(), Box::new(task.program().clone()));
        }
    }
    at.scopes.enter_scope(values);
    Ok(())
}

/// The pointer of the output in a structure of the pointers of all builtins, of which it is the first.
fn output(at: &At<'_>, pointers: &str) -> Result<Relocatable, HintError> {
    Ok(at.vm.get_relocatable(at.address(pointers)?)?)
}

fn end_task(at: &mut At<'_>) -> Result<(), HintError> {
    Ok(at.scopes.exit_scope()?)
}

/// Writes the pointers of all builtins behind the task: its own as it returned them, the others as they were. A run
/// must have used as much as its CairoPIE says.
fn return_builtins(at: &mut At<'_>) -> Result<(), HintError> {
    let task = current(at)?;
    let builtins = &task.source.program().builtins;
    let (returns, before) = (at.address("return_builtin_ptrs")?, at.address("pre_execution_builtin_ptrs")?);
    let used = at.pointer("used_builtins_addr")?;
    let value =
        |vm: &Machine<'_>, cell: Relocatable| vm.get_maybe(&cell).ok_or_else(|| custom(format!("{cell} has no value")));
    for (index, name) in BuiltinName::PUBLIC.into_iter().enumerate() {
        let start = value(at.vm, (before + index)?)?;
        let end = match builtins.iter().position(|builtin| *builtin == name) {
            None => start,
            Some(place) => {
                let end = value(at.vm, (used + place)?)?;
                if let (
                    TaskSource::Pie(pie),
                    MaybeRelocatable::RelocatableValue(start),
                    MaybeRelocatable::RelocatableValue(end),
                ) = (&task.source, &start, &end)
                    && let Some((_, segment)) = pie.metadata.builtin_segments.get(place)
                    && (*end - *start)? as u64 != segment.size
                {
                    return Err(custom(format!("the task has used {name} as its CairoPIE does not say")));
                }
                end
            }
        };
        at.vm.insert_value((returns + index)?, end)?;
    }
    let count = Felt252::from(builtins.len());
    at.scopes.enter_scope([("n_selected_builtins".to_owned(), Box::new(count) as Box<_>)].into());
    Ok(())
}

/// Adds the fact topology of the task, which has ended.
pub(super) fn add_topology(at: &mut At<'_>) -> Result<(), HintError> {
    let task = current(at)?;
    let [start, end] = ["pre_execution_builtin_ptrs", "return_builtin_ptrs"].map(|name| output(at, name));
    let size = (end? - start?)? as u64;
    if with(at, |state| state.output.fact_topologies.len() > state.turn.index)? {
        return Err(custom("the task has a fact topology already"));
    }
    let topology = match &task.source {
        TaskSource::Pie(pie) => {
            at.work(pie.additional_data.iter().map(|(_, data)| pages(data)).sum())?;
            FactTopology::of_pie(pie, size)
        }
        TaskSource::Program(_) => Ok(FactTopology::plain(size)),
    };
    let topology = topology.map_err(|error| custom(format!("the task has no fact topology: {error}")))?;
    with(at, |mut state| {
        state.output.fact_topologies.push(topology);
        state.is_in_turn = false;
    })
}

/// The pages that the data of a builtin name.
fn pages(data: &AdditionalData) -> usize {
    match data {
        AdditionalData::Output { pages, .. } => pages.len(),
        _ => 0,
    }
}

/// Takes a turn for each page of fact topologies.
pub(super) fn work_on(at: &mut At<'_>, topologies: &[FactTopology]) -> Result<(), HintError> {
    at.work(topologies.iter().map(|task| task.page_sizes.len()).sum())
}

/// The pages of the output are those of the tasks, unless it is to be one page. No proof says them.
fn count_pages(at: &mut At<'_>) -> Result<(), HintError> {
    let topologies = with(at, |state| state.output.fact_topologies.clone())?;
    work_on(at, &topologies)
}

/// Keeps the felts whose hash is put out.
fn keep_preimage(at: &mut At<'_>) -> Result<(), HintError> {
    let (start, end) = (at.pointer("simple_bl_output_start")?, at.pointer("simple_bl_output")?);
    let words = (end - start)?;
    at.work(words)?;
    let felts = (0..words).map(|word| at.read(start, word)).collect::<Result<Vec<_>, _>>()?;
    with(at, |mut state| state.output.preimage = Some(felts))
}
