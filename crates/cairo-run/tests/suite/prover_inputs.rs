//! ProverInputs that contradict themselves: each edit is refused for its own reason.

use cairo_run::{BuiltinName, Options, Pages, Place, Problem, PublicSegmentContext, Reason, Run, State, load};

use super::programs::loaded;

fn load_input(input: &Run) -> Result<(), Problem> {
    let bytes = bincode1::serialize(input).unwrap();
    load(&bytes, &Options::default()).map(drop).map_err(|error| *error.problem)
}

fn refused(name: &str, what: &str, edit: impl FnOnce(&mut Run)) -> (Reason, Place) {
    let mut input = loaded(name).run;
    assert!(load_input(&input).is_ok(), "{name} is sound before the edit");
    edit(&mut input);
    match load_input(&input) {
        Err(Problem::Refused(refusal)) => (refusal.reason, refusal.place),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn memory_tables() {
    let reason = |what: &str, edit: fn(&mut Run)| assert_eq!(refused("fib_10", what, edit).0, Reason::Memory, "{what}");
    reason("a small value of 73 bits", |input| input.memory.small_values[3] = 1 << 72);
    reason("a big value that is the prime", |input| input.memory.f252_values[0] = [1, 0, 0, 0, 0, 0, 17, 1 << 27]);
    reason("a big value of 2^256 - 1", |input| input.memory.f252_values[0] = [u32::MAX; 8]);
    reason("a small id beyond the values", |input| input.memory.address_to_id[9] = 1000);
    reason("a big id beyond the values", |input| input.memory.address_to_id[9] = (1 << 30) + 1000);
    reason("an id of no kind", |input| input.memory.address_to_id[9] = u32::MAX);
    reason("a value at address 0", |input| input.memory.address_to_id[0] = 0);
    reason("no small value", |input| input.memory.small_values.truncate(0));
    reason("no address", |input| input.memory.address_to_id.truncate(0));
    let hole = refused("fib_10", "a hole in the program", |input| input.memory.address_to_id[9] = (1 << 30) - 1);
    assert_eq!(hole, (Reason::Memory, Place::Address(9)));
}

#[test]
fn registers_and_public_segments() {
    let reason = |expected: Reason, what: &str, edit: fn(&mut Run)| {
        assert_eq!(refused("fib_10", what, edit).0, expected, "{what}");
    };
    reason(Reason::ProgramStart, "initial pc", |input| input.state_transitions.initial_state.pc = 2);
    reason(Reason::ProgramStart, "initial ap", |input| input.state_transitions.initial_state.ap = 37);
    reason(Reason::ProgramStart, "initial ap and fp", |input| {
        input.state_transitions.initial_state.ap = u32::MAX;
        input.state_transitions.initial_state.fp = u32::MAX;
    });
    reason(Reason::ProgramStart, "final pc", |input| input.state_transitions.final_state.pc = 7);
    reason(Reason::ProgramStart, "final fp", |input| input.state_transitions.final_state.fp = 35);
    reason(Reason::ProgramStart, "final ap before the initial one", |input| {
        input.state_transitions.final_state.ap = 30
    });
    reason(Reason::Address, "final ap beyond the memory", |input| input.state_transitions.final_state.ap = 5000);
    reason(Reason::ProgramStart, "another number of segments", |input| {
        input.public_segment_context = PublicSegmentContext::new(&[BuiltinName::Output]);
    });
    reason(Reason::PublicMemory, "a public address more", |input| input.public_memory_addresses.push(50));
    reason(Reason::PublicMemory, "a public address less", |input| input.public_memory_addresses.truncate(40));
    reason(Reason::Step, "pc_count", |input| input.pc_count += 1);
    // The verifier demands the cell before the stack, which holds ap.
    reason(Reason::ProgramStart, "safe call", |input| input.memory.address_to_id[34] = input.memory.address_to_id[35]);
}

fn take_last(states: &mut Pages<State>) -> State {
    let last = *states.last().unwrap();
    states.truncate(states.len() - 1);
    last
}

#[test]
fn steps() {
    let reason = |what: &str, edit: fn(&mut Run)| assert_eq!(refused("fib_10", what, edit).0, Reason::Step, "{what}");
    reason("a step less", |input| input.state_transitions.casm_states_by_opcode.add_opcode_small.truncate(20));
    reason("a step twice", |input| {
        let states = &mut input.state_transitions.casm_states_by_opcode.jnz_opcode_taken;
        states.push(states[0]);
    });
    reason("a step in the list of big sums", |input| {
        let states = &mut input.state_transitions.casm_states_by_opcode;
        let state = take_last(&mut states.add_opcode_small);
        states.add_opcode.push(state);
    });
    reason("a jump that is not taken in the list of those that are", |input| {
        let states = &mut input.state_transitions.casm_states_by_opcode;
        let state = take_last(&mut states.jnz_opcode_non_taken);
        states.jnz_opcode_taken.push(state);
    });
    reason("a pc in the stack", |input| input.state_transitions.casm_states_by_opcode.ret_opcode[0].pc = 60);
    reason("ap beyond the memory", |input| {
        input.state_transitions.casm_states_by_opcode.assert_eq_opcode[0].ap = 10_000
    });
    reason("a register of 31 bits", |input| input.state_transitions.casm_states_by_opcode.ret_opcode[0].ap = u32::MAX);
    reason("fp of 0", |input| input.state_transitions.casm_states_by_opcode.ret_opcode[0].fp = 0);
    // A value in the stack: the sum that wrote it does not hold any more.
    reason("a value of the stack", |input| input.memory.address_to_id[60] = input.memory.address_to_id[61]);
}

#[test]
fn builtin_segments() {
    let reason = |name: &str, expected: Reason, what: &str, edit: fn(&mut Run)| {
        assert_eq!(refused(name, what, edit).0, expected, "{name}, {what}");
    };
    reason("range_check_30", Reason::Builtin, "half of the segment", |input| {
        input.builtin_segments.range_check_builtin.as_mut().unwrap().stop_ptr -= 1;
    });
    reason("range_check_30", Reason::PublicSegments, "another start", |input| {
        input.builtin_segments.range_check_builtin.as_mut().unwrap().begin_addr -= 32;
    });
    reason("range_check_30", Reason::PublicSegments, "no segment", |input| {
        input.builtin_segments.range_check_builtin = None
    });
    reason("range_check_30", Reason::PublicSegments, "the end beyond the memory", |input| {
        let segment = input.builtin_segments.range_check_builtin.as_mut().unwrap();
        segment.stop_ptr = segment.begin_addr;
    });
    reason("bitwise_40", Reason::Builtin, "the end beyond the memory", |input| {
        let segment = input.builtin_segments.bitwise_builtin.as_mut().unwrap();
        segment.stop_ptr = segment.begin_addr + 5 * (1 << 20);
    });
    reason("range_check96_30", Reason::Builtin, "two builtins in one place", |input| {
        input.builtin_segments.range_check_builtin = input.builtin_segments.range_check96_builtin;
    });
}

/// The cells of padding instances are read by the component alone; an edit there must be found too.
#[test]
fn builtin_values() {
    let reason = |name: &str, what: &str, edit: &dyn Fn(&mut Run)| {
        assert_eq!(refused(name, what, edit).0, Reason::BuiltinValue, "{name}, {what}");
    };
    let last = |input: &mut Run, cell: usize, id: u32| {
        let builtins = &input.builtin_segments;
        let segments = [
            builtins.range_check_builtin,
            builtins.range_check96_builtin,
            builtins.bitwise_builtin,
            builtins.mul_mod_builtin,
            builtins.ec_op_builtin,
        ];
        let segment = segments.into_iter().flatten().next().unwrap();
        input.memory.address_to_id[segment.stop_ptr - cell] = id;
    };
    // -1 as a range-checked value.
    let minus_one = |input: &mut Run| {
        input.memory.f252_values.push([0, 0, 0, 0, 0, 0, 17, 1 << 27]);
        (1 << 30) + input.memory.f252_values.len() as u32 - 1
    };
    for name in ["range_check_30", "range_check96_30"] {
        reason(name, "-1", &|input| {
            let id = minus_one(input);
            last(input, 1, id);
        });
    }
    reason("bitwise_40", "another result", &|input| {
        let id = minus_one(input);
        last(input, 1, id);
    });
    reason("modops_5_20", "the number of instances left", &|input| {
        let id = minus_one(input);
        last(input, 1, id);
    });
    reason("modops_5_20", "another modulus", &|input| {
        let id = input.memory.address_to_id[2];
        last(input, 7, id);
    });
    reason("ec_op_3", "a point that is not on the curve", &|input| {
        let id = minus_one(input);
        last(input, 7, id);
    });
}
