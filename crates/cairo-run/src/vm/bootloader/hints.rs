//! The hints of the simple bootloader and of its privacy variant, which cairo-vm and the library's hints lack.

use std::cell::RefMut;
use std::collections::HashMap;
use std::sync::Arc;

use cairo_vm::Felt252;
use cairo_vm::types::builtin_name::BuiltinName as Name;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::runners::builtin_runner::{EcOpBuiltinRunner, KeccakBuiltinRunner, SignatureBuiltinRunner};
use num_bigint::BigUint;

use super::load::{Places, load};
use super::{Bootloader, FactTopology, NAME, Shared, Tasks};
use crate::BuiltinName;
use crate::pie::Program as TaskProgram;
use crate::vm::hints::custom;
use crate::vm::library::{Context, Function};

/// Digests of the hints that load.
const LOAD_PROGRAM: u64 = 0x1f7f_fbed_6b3c_91f2;
const LOAD_TASK: u64 = 0xdfb7_4442_3acf_2c9b;

/// The hints by the digests of their texts, as the library has its own.
pub(in crate::vm) const HINTS: &[(u64, Function)] = &[
    // privacy_simple_bootloader
    (0x57d9_bdb6_7cc5_649d, take_tasks),
    (0xd646_069b_92d9_20fe, keep_preimage),
    // simple_bootloader
    (0xd748_7066_4a33_32d9, take_tasks),
    (0x1f1d_76ec_c415_f8a6, set_pages),
    // run_simple_bootloader
    (0x2029_492b_7959_aa88, begin),
    (0x7125_678c_b5ea_7e26, half),
    (0x9e21_1c26_54e4_565b, choose_task),
    (0xf404_65ea_c38e_1969, hash_of_task),
    // execute_task
    (0xb7bc_c35c_fbf5_ca3a, is_hash_known),
    (LOAD_PROGRAM, load_program),
    (0xc836_d858_dfc3_3a9b, check_program),
    (LOAD_TASK, load_task),
    (0xffc2_37d5_f1c0_4c13, leave_task),
    (0xa7a0_a247_0bcc_0475, return_builtins),
    (0xc31a_8131_38e8_7566, add_topology),
    // simulate builtins that the run does not have
    (0xad5e_d71b_4116_a4b3, simulate_ec_op),
    (0xb88e_02c0_d8b5_e5ca, simulate_keccak),
    (0x745d_008c_b7d9_232c, simulate_ecdsa),
    (0x456c_8ef7_817d_b304, signature),
    (0x9b3b_5d32_e206_83f8, inverses),
    (0xe66d_4735_6c03_e832, limbs),
];

/// The labels around the call of a task.
const RET_PC_LABEL: &str = "starkware.cairo.bootloaders.simple_bootloader.execute_task.execute_task.ret_pc_label";
const CALL_TASK: &str = "starkware.cairo.bootloaders.simple_bootloader.execute_task.execute_task.call_task";

/// Words of a program's header before the names of its builtins.
const HEADER: usize = 4;

/// Words of a program of a task with its header.
pub(super) fn words(program: &TaskProgram) -> usize {
    HEADER + program.builtins.len() + program.data.len()
}

/// Hints that write as much as a task has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::vm) enum Loads {
    /// The words of its program.
    Program,
    /// Its cells.
    Task,
}

impl Loads {
    /// What the hint of this digest loads.
    pub(in crate::vm) fn of(digest: u64) -> Option<Self> {
        match digest {
            LOAD_PROGRAM => Some(Self::Program),
            LOAD_TASK => Some(Self::Task),
            _ => None,
        }
    }
}

fn shared(at: &Context<'_>) -> Result<Shared, HintError> {
    let none = |_| custom("this is a bootloader, and no tasks are given for it");
    at.scopes.get::<Shared>(NAME).map_err(none)
}

/// Does something with the state.
fn with<T>(at: &Context<'_>, act: impl FnOnce(RefMut<'_, Bootloader>) -> T) -> Result<T, HintError> {
    let shared = shared(at)?;
    let state = shared.try_borrow_mut().map_err(|_| custom("the bootloader runs itself"))?;
    Ok(act(state))
}

/// The tasks, and the number of the current one, which exists.
fn current(at: &Context<'_>) -> Result<(Arc<Tasks>, usize), HintError> {
    let (tasks, current) = with(at, |state| (state.tasks.clone(), state.current))?;
    match tasks.tasks.get(current) {
        Some(_) => Ok((tasks, current)),
        None => Err(custom(format!("there is no task {current}"))),
    }
}

fn take_tasks(at: &mut Context<'_>) -> Result<(), HintError> {
    shared(at).map(drop)
}

/// Puts out how many tasks there are.
fn begin(at: &mut Context<'_>) -> Result<(), HintError> {
    let tasks = with(at, |mut state| {
        state.output.fact_topologies.clear();
        state.tasks.tasks.len()
    })?;
    let output = at.pointer("output_ptr")?;
    at.write(output, 0, tasks)?;
    let segment = at.vm.add_temporary_segment();
    at.set("initial_subtasks_range_check_ptr", segment)
}

fn half(at: &mut Context<'_>) -> Result<(), HintError> {
    let half = at.integer("num")? >> 1_u32;
    at.set_ap(Felt252::from(half))
}

/// The next task: `n_tasks` counts down.
fn choose_task(at: &mut Context<'_>) -> Result<(), HintError> {
    let left = at.count("n_tasks")?;
    with(at, |mut state| match state.tasks.tasks.len().checked_sub(left) {
        Some(current) if left > 0 => {
            state.current = current;
            Ok(())
        }
        _ => Err(custom(format!("{left} tasks are left of {}", state.tasks.tasks.len()))),
    })?
}

fn hash_of_task(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    at.set_ap(tasks.tasks[current].hash as usize)
}

/// Whether the hash is the one of the task before: of the same program, by the same hash function.
fn is_hash_known(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    let is_known = match current.checked_sub(1).map(|before| [before, current].map(|index| &tasks.tasks[index])) {
        Some([before, task]) if before.hash == task.hash => {
            let [known, program] = [before, task].map(|task| &task.pie.metadata.program);
            let is_same = Arc::ptr_eq(&before.pie, &task.pie);
            if !is_same && known.data.len() == program.data.len() {
                at.work(program.data.len())?;
            }
            is_same || known == program
        }
        _ => false,
    };
    at.set("use_prev_hash", Felt252::from(is_known))
}

/// The name of a builtin as a number, its first letter most significant.
fn encoded(name: BuiltinName) -> Felt252 {
    Felt252::from_bytes_be_slice(name.to_str().as_bytes())
}

/// Writes the header and the words of the program into a segment of its own.
fn load_program(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    let TaskProgram { data, builtins, main } = &tasks.tasks[current].pie.metadata.program;
    at.work(data.len())?;
    let segment = at.vm.add_memory_segment();
    at.set("program_segment_ptr", segment)?;
    let start = at.pointer("program_header")?;
    let header = HEADER + builtins.len();
    // The first word does not count itself. The second is the version of bootloaders.
    let numbers = [(header - 1 + data.len()) as u64, 0, *main, builtins.len() as u64].map(Felt252::from);
    let names = builtins.iter().map(|name| encoded(*name));
    for (index, word) in numbers.into_iter().chain(names).chain(data.iter().copied()).enumerate() {
        at.write(start, index, word)?;
    }
    at.vm.segments.finalize(Some(header + data.len()), segment.segment_index as usize, None);
    let program = (start + header)?;
    with(at, |mut state| state.program = Some(program))
}

fn program(at: &Context<'_>) -> Result<Relocatable, HintError> {
    with(at, |state| state.program)?.ok_or_else(|| custom("no program of a task is loaded"))
}

fn check_program(at: &mut Context<'_>) -> Result<(), HintError> {
    let (said, loaded) = (at.pointer("program_address")?, program(at)?);
    if said == loaded { Ok(()) } else { Err(custom(format!("the program is at {loaded}, not at {said}"))) }
}

/// Loads the cells of the task, and lets it return behind the call.
fn load_task(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    let pie = &tasks.tasks[current].pie;
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
    at.scopes.enter_scope(HashMap::new());
    Ok(())
}

fn leave_task(at: &mut Context<'_>) -> Result<(), HintError> {
    Ok(at.scopes.exit_scope()?)
}

/// Writes the pointers of all builtins behind the task: its own as it returned them, the others as they were. A task
/// must have used as much as its CairoPIE says.
fn return_builtins(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    let segments = &tasks.tasks[current].pie.metadata.builtin_segments;
    let (returns, before) = (at.address("return_builtin_ptrs")?, at.address("pre_execution_builtin_ptrs")?);
    let used = at.pointer("used_builtins_addr")?;
    let value = |vm: &cairo_vm::vm::vm_core::VirtualMachine, cell: Relocatable| {
        vm.get_maybe(&cell).ok_or_else(|| custom(format!("{cell} has no value")))
    };
    for (index, name) in BuiltinName::PUBLIC.into_iter().enumerate() {
        let start = value(at.vm, (before + index)?)?;
        let of_task = segments.iter().position(|(builtin, _)| *builtin == name);
        let end = match of_task {
            None => start,
            Some(place) => {
                let end = value(at.vm, (used + place)?)?;
                if let (MaybeRelocatable::RelocatableValue(start), MaybeRelocatable::RelocatableValue(end)) =
                    (&start, &end)
                    && (*end - *start)? as u64 != segments[place].1.size
                {
                    return Err(custom(format!("the task has used {name} as its CairoPIE does not say")));
                }
                end
            }
        };
        at.vm.insert_value((returns + index)?, end)?;
    }
    let count = Felt252::from(segments.len());
    at.scopes.enter_scope([("n_selected_builtins".to_owned(), Box::new(count) as Box<_>)].into());
    Ok(())
}

/// Adds the fact topology of the task.
fn add_topology(at: &mut Context<'_>) -> Result<(), HintError> {
    let (tasks, current) = current(at)?;
    // The output is the first builtin.
    let [start, end] = ["pre_execution_builtin_ptrs", "return_builtin_ptrs"].map(|name| {
        let cell = at.address(name)?;
        Ok::<_, HintError>(at.vm.get_relocatable(cell)?)
    });
    let size = (end? - start?)? as u64;
    if with(at, |state| state.output.fact_topologies.len() > current)? {
        return Err(custom(format!("task {current} has a fact topology already")));
    }
    let pie = &tasks.tasks[current].pie;
    at.work(FactTopology::pages(pie))?;
    let topology = FactTopology::of_task(pie, size);
    let topology = topology.map_err(|error| custom(format!("task {current} has no fact topology: {error}")))?;
    with(at, |mut state| state.output.fact_topologies.push(topology))
}

/// Makes pages of the output of each page of a task, unless the output is to be one page.
fn set_pages(at: &mut Context<'_>) -> Result<(), HintError> {
    let pages =
        |state: RefMut<'_, Bootloader>| state.output.fact_topologies.iter().map(|task| task.page_sizes.len()).sum();
    at.work(with(at, pages)?)?;
    let (tasks, topologies) = with(at, |state| (state.tasks.clone(), state.output.fact_topologies.clone()))?;
    if tasks.single_page {
        return Ok(());
    }
    let output = at.vm.get_output_builtin_mut()?;
    // The first word is the number of tasks. Before the output of a task are its size and its hash.
    let mut start = Relocatable::from((output.base() as isize, 1));
    let mut number = 0;
    for topology in &topologies {
        start = (start + 2_usize)?;
        for size in &topology.page_sizes {
            number += 1;
            output.add_page(number, start, *size as usize).map_err(|error| custom(error.to_string()))?;
            start = (start + *size as usize)?;
        }
    }
    Ok(())
}

/// Keeps the felts whose hash is put out.
fn keep_preimage(at: &mut Context<'_>) -> Result<(), HintError> {
    let (start, end) = (at.pointer("simple_bl_output_start")?, at.pointer("simple_bl_output")?);
    let felts = at.vm.get_integer_range(start, (end - start)?)?;
    let felts: Vec<Felt252> = felts.into_iter().map(|felt| felt.into_owned()).collect();
    with(at, |mut state| state.output.preimage = Some(felts))
}

/// Refuses a second simulated builtin of a name: bootloaders make one of each, and cairo-vm looks through all of them.
fn is_first(at: &Context<'_>, name: Name) -> Result<(), HintError> {
    match at.vm.simulated_builtin_runners.iter().any(|builtin| builtin.name() == name) {
        true => Err(custom(format!("{name} is simulated already"))),
        false => Ok(()),
    }
}

fn simulate_ec_op(at: &mut Context<'_>) -> Result<(), HintError> {
    is_first(at, Name::ec_op)?;
    let mut builtin = EcOpBuiltinRunner::new(Some(1), false);
    builtin.initialize_segments(&mut at.vm.segments);
    at.set("new_ec_op_ptr", Relocatable::from((builtin.base as isize, 0)))?;
    at.vm.simulated_builtin_runners.push(builtin.into());
    Ok(())
}

fn simulate_keccak(at: &mut Context<'_>) -> Result<(), HintError> {
    is_first(at, Name::keccak)?;
    let mut builtin = KeccakBuiltinRunner::new(Some(1), false);
    builtin.initialize_segments(&mut at.vm.segments);
    at.set("new_keccak_ptr", Relocatable::from((builtin.base as isize, 0)))?;
    at.vm.simulated_builtin_runners.push(builtin.into());
    Ok(())
}

fn simulate_ecdsa(at: &mut Context<'_>) -> Result<(), HintError> {
    is_first(at, Name::ecdsa)?;
    let mut builtin = SignatureBuiltinRunner::new(Some(1), false);
    builtin.initialize_segments(&mut at.vm.segments);
    at.set("new_ecdsa_ptr", Relocatable::from((builtin.base() as isize, 0)))?;
    builtin.add_validation_rule(&mut at.vm.segments.memory);
    at.vm.simulated_builtin_runners.push(builtin.into());
    Ok(())
}

/// The signature whose public key stands at `start`.
fn signature(at: &mut Context<'_>) -> Result<(), HintError> {
    let start = at.pointer("start")?;
    let signature = at.vm.get_signature_builtin()?.signatures.borrow().get(&start).map(|known| (known.r, known.s));
    let (r, s) = signature.ok_or_else(|| custom(format!("there is no signature for the public key at {start}")))?;
    at.set("r", r)?;
    at.set("s", s)
}

/// `1 / s`, `message / s` and `r / s` modulo the order of the curve.
fn inverses(at: &mut Context<'_>) -> Result<(), HintError> {
    let order = at.constant("StarkCurve.ORDER")?.to_biguint();
    if order == BigUint::ZERO {
        return Err(custom("the constant StarkCurve.ORDER is 0"));
    }
    let [message, r, s] = ["message", "signature_r", "signature_s"].map(|name| at.integer(name));
    let w = s?.modinv(&order).ok_or_else(|| custom("the signature has no inverse"))?;
    let (wz, wr) = (&w * message? % &order, &w * r? % &order);
    at.set("wz", Felt252::from(wz))?;
    at.set("wr", Felt252::from(wr))?;
    at.set("w", Felt252::from(w))
}

/// A number in three limbs of 96 bits.
fn limbs(at: &mut Context<'_>) -> Result<(), HintError> {
    let (number, to) = (at.integer("num")?, at.pointer("res_96_felts")?);
    let mask = (BigUint::from(1_u32) << 96) - 1_u32;
    (0..3).try_for_each(|index| at.write(to, index, Felt252::from((&number >> (96 * index)) & &mask)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use cairo_vm::hint_processor::hint_processor_definition::HintReference;
    use cairo_vm::serde::deserialize_program::ApTracking;
    use cairo_vm::types::exec_scope::ExecutionScopes;
    use cairo_vm::vm::vm_core::VirtualMachine;

    use super::*;
    use crate::pie::read;
    use crate::vm::bootloader::{PieTask, TaskHash, TasksOutput};
    use crate::vm::bounds::{Bounds, Budget};
    use crate::vm::library::Variables;
    use crate::vm::machine::VmMemory;

    /// A machine whose frame begins with these cells.
    fn machine(cells: &[MaybeRelocatable]) -> VirtualMachine {
        let mut vm = VirtualMachine::new(false, false);
        let [_, frame] = [(); 2].map(|()| vm.add_memory_segment());
        vm.load_data(frame, cells).unwrap();
        vm
    }

    /// Runs a hint whose variables are the cells of the frame.
    fn run(
        vm: &mut VirtualMachine,
        scopes: &mut ExecutionScopes,
        function: Function,
        names: &[&str],
        order: u32,
    ) -> Result<(), HintError> {
        let references: Vec<_> =
            names.iter().zip(0..).map(|(name, cell)| (*name, HintReference::new_simple(cell))).collect();
        let constants = vec![("StarkCurve.ORDER".to_owned(), order.into())];
        let references = references.iter().map(|(name, reference)| (*name, reference));
        let ids = Variables::new(references, &ApTracking::default(), constants);
        let bounds = Bounds { steps: 1000, addresses: 1000, memory: None };
        function(&mut Context { vm: &mut VmMemory { vm, budget: &mut Budget::new(bounds) }, scopes, ids: &ids })
    }

    #[test]
    fn no_number_has_an_inverse_modulo_0() {
        let names = ["message", "signature_r", "signature_s", "w", "wr", "wz"];
        let inverse = |order| {
            let mut vm = machine(&[1, 2, 3].map(|number: u32| Felt252::from(number).into()));
            run(&mut vm, &mut ExecutionScopes::new(), inverses, &names, order)
        };
        assert!(inverse(7).is_ok());
        assert!(inverse(0).unwrap_err().to_string().contains("ORDER is 0"));
    }

    #[test]
    fn a_builtin_is_simulated_once() {
        let mut vm = machine(&[]);
        let simulated: [(Function, [&str; 3]); 3] = [
            (simulate_ec_op, ["new_ec_op_ptr", "", ""]),
            (simulate_keccak, ["", "new_keccak_ptr", ""]),
            (simulate_ecdsa, ["", "", "new_ecdsa_ptr"]),
        ];
        for (function, names) in simulated {
            assert!(run(&mut vm, &mut ExecutionScopes::new(), function, &names, 1).is_ok(), "{names:?}");
        }
        for (function, names) in simulated {
            let error = run(&mut vm, &mut ExecutionScopes::new(), function, &names, 1).unwrap_err();
            assert!(error.to_string().contains("simulated already"), "{error}");
        }
        assert_eq!(vm.simulated_builtin_runners.len(), 3);
    }

    #[test]
    fn a_task_has_one_fact_topology() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/pies/fib.zip");
        let pie = Arc::new(read(&std::fs::read(path).unwrap(), 1 << 20).unwrap());
        let tasks = Arc::new(Tasks { tasks: vec![PieTask { pie, hash: TaskHash::Blake }], single_page: true });
        let state = Bootloader { tasks, current: 0, program: None, output: TasksOutput::default() };
        let mut scopes = ExecutionScopes::new();
        scopes.insert_value(NAME, Rc::new(RefCell::new(state)));
        let mut vm = machine(&[Relocatable::from((0, 0)).into(), Relocatable::from((0, 3)).into()]);
        let names = ["pre_execution_builtin_ptrs", "return_builtin_ptrs"];
        assert!(run(&mut vm, &mut scopes, add_topology, &names, 1).is_ok());
        let error = run(&mut vm, &mut scopes, add_topology, &names, 1).unwrap_err();
        assert!(error.to_string().contains("a fact topology already"), "{error}");
    }
}
