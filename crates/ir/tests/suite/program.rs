//! Programs: folding and sharing by the builder, computation by a schedule, encoding of a program.

mod builder;
mod encoding;

use std::collections::HashSet;

use field::protocol::{CircleStark, GoldilocksStark, Protocol};
use field::{ExtensionField, Field, Goldilocks, PrimeField};
use ir::{ConstraintProgram, Group, Instruction, Kind, NodeId, NodeOp, Operand, ProgramBuilder, Schedule};

use crate::random::Random;

/// Value of an input, a function of its place.
fn input<P: Protocol>(seed: u64, groups: &[Group], group: usize, column: usize, offset: i32) -> P::Ext {
    let place = ((group as u64) << 40) ^ ((column as u64) << 20) ^ (offset as u32 as u64);
    let random = &mut Random::new(seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    match groups[group].kind {
        Kind::Base => P::Ext::from(random.base::<P::Base>()),
        Kind::Ext => random.ext(),
    }
}

/// A program recorded by random calls of the builder, and the outputs' values computed beside it without any folding.
struct RecordedAir<P: Protocol> {
    program: ConstraintProgram<P>,
    params: Vec<P::Ext>,
    values: Vec<P::Ext>,
}

fn record<P: Protocol>(seed: u64, steps: usize) -> RecordedAir<P> {
    let random = &mut Random::new(seed);
    let groups = vec![Group { width: 3, kind: Kind::Base }, Group { width: 2, kind: Kind::Ext }];
    let params: Vec<P::Ext> = (0..3).map(|_| random.ext()).collect();
    let mut builder = ProgramBuilder::<P>::new(groups.clone(), params.len());
    let mut nodes: Vec<(NodeId, P::Ext)> = Vec::new();
    for step in 0..steps {
        let mut pick = || nodes[random.below(nodes.len())];
        let ((a, x), (b, y)) =
            if step == 0 { ((NodeId(0), P::Ext::ZERO), (NodeId(0), P::Ext::ZERO)) } else { (pick(), pick()) };
        nodes.push(match if step == 0 { 0 } else { random.below(16) } {
            0..=3 => {
                let group = random.below(2);
                let (column, offset) = (random.below(groups[group].width), random.below(3) as i32 - 1);
                (builder.load(group, column, offset), input::<P>(seed, &groups, group, column, offset))
            }
            4 => {
                let param = random.below(params.len());
                (builder.param(param), params[param])
            }
            5 => {
                // The constants that are folded away, and one that is not.
                let value = [P::Base::ZERO, P::Base::ONE, -P::Base::ONE, P::Base::from_u64(5)][random.below(4)];
                (builder.constant(value), value.into())
            }
            6 => {
                let value = random.ext();
                (builder.constant_ext(value), value)
            }
            7 | 8 => (builder.neg(a), -x),
            9 | 10 => (builder.add(a, b), x + y),
            11 | 12 => (builder.sub(a, b), x - y),
            _ => (builder.mul(a, b), x * y),
        });
    }
    let mut values = Vec::new();
    for _ in 0..5 {
        let (node, value) = nodes[random.below(nodes.len())];
        assert_eq!(builder.output(node), values.len());
        values.push(value);
    }
    RecordedAir { program: builder.finish().expect("within the layout"), params, values }
}

/// Runs a schedule with strict registers: a read of a register that was never written, or a value in a register of the
/// wrong field, fails.
fn interpret<P: Protocol>(
    schedule: &Schedule<P>,
    params: &[P::Ext],
    load: impl Fn(usize, usize, i32) -> P::Ext,
) -> Vec<P::Ext> {
    let uniforms = schedule.uniforms(params);
    let mut base: Vec<Option<P::Base>> = vec![None; schedule.base_registers as usize];
    let mut ext: Vec<Option<P::Ext>> = vec![None; schedule.ext_registers as usize];
    let mut outputs: Vec<Option<P::Ext>> = vec![None; schedule.program().outputs().len()];
    for instruction in &schedule.instructions {
        let get = |operand: Operand| -> P::Ext {
            match operand {
                Operand::Base(r) => base[r as usize].expect("a base register that was written").into(),
                Operand::Ext(r) => ext[r as usize].expect("an extension register that was written"),
                Operand::Constant(i) => schedule.constants[i as usize].into(),
                Operand::Uniform(i) => uniforms[i as usize],
            }
        };
        let (dst, value) = match *instruction {
            Instruction::Load { dst, group, column, offset } => {
                assert_eq!(dst.kind(), schedule.program().groups()[group as usize].kind);
                (dst, load(group as usize, column as usize, offset))
            }
            Instruction::Add { dst, a, b } => {
                assert_eq!(dst.kind(), a.kind().max(b.kind()));
                (dst, get(a) + get(b))
            }
            Instruction::Sub { dst, a, b } => {
                assert_eq!(dst.kind(), a.kind().max(b.kind()));
                (dst, get(a) - get(b))
            }
            Instruction::Mul { dst, a, b } => {
                assert_eq!(dst.kind(), a.kind().max(b.kind()));
                (dst, get(a) * get(b))
            }
            Instruction::Neg { dst, a } => {
                assert_eq!(dst.kind(), a.kind());
                (dst, -get(a))
            }
            Instruction::Output { index, src } => {
                let value = get(src);
                assert!(outputs[index as usize].replace(value).is_none(), "output {index} is delivered twice");
                continue;
            }
        };
        match dst {
            Operand::Base(r) => base[r as usize] = Some(value.as_base().expect("a base value in a base register")),
            Operand::Ext(r) => ext[r as usize] = Some(value),
            Operand::Constant(_) | Operand::Uniform(_) => panic!("{dst:?} is no register"),
        }
    }
    outputs.into_iter().map(|value| value.expect("every output is delivered")).collect()
}

fn random_programs_agree<P: Protocol>() {
    for seed in 0..400 {
        let RecordedAir { program, params, values } = record::<P>(seed, 1 + seed as usize % 120);
        let load = |group: usize, column: usize, offset: i32| input::<P>(seed, program.groups(), group, column, offset);
        assert_eq!(program.evaluate(&params, load), values, "evaluate, seed {seed}");
        let schedule = Schedule::new(&program);
        assert_eq!(interpret(&schedule, &params, load), values, "schedule, seed {seed}");
    }
}

#[test]
fn evaluation_and_schedule_agree_with_plain_arithmetic() {
    random_programs_agree::<GoldilocksStark>();
    random_programs_agree::<GoldilocksStark<Goldilocks>>();
    random_programs_agree::<CircleStark>();
}

fn operands(instruction: &Instruction) -> (Option<Operand>, Vec<Operand>) {
    match *instruction {
        Instruction::Load { dst, .. } => (Some(dst), vec![]),
        Instruction::Add { dst, a, b } | Instruction::Sub { dst, a, b } | Instruction::Mul { dst, a, b } => {
            (Some(dst), vec![a, b])
        }
        Instruction::Neg { dst, a } => (Some(dst), vec![a]),
        Instruction::Output { src, .. } => (None, vec![src]),
    }
}

fn is_register(operand: Operand) -> bool {
    matches!(operand, Operand::Base(_) | Operand::Ext(_))
}

/// Most values of a kind that are alive at once: defined, and used later.
fn most_alive(instructions: &[Instruction], kind: Kind) -> u32 {
    let mut alive: HashSet<Operand> = HashSet::new();
    let mut most = 0;
    // Backwards: a use brings a value to life, its definition ends it. Right after its definition a value is alive.
    for instruction in instructions.iter().rev() {
        let (dst, sources) = operands(instruction);
        if let Some(dst) = dst {
            assert!(alive.contains(&dst), "{instruction:?} computes what nobody uses");
            most = most.max(alive.iter().filter(|operand| operand.kind() == kind).count());
            alive.remove(&dst);
        }
        alive.extend(sources.into_iter().filter(|operand| is_register(*operand)));
    }
    assert!(alive.is_empty(), "{alive:?} read before they are written");
    most as u32
}

#[test]
fn a_schedule_has_no_register_and_no_instruction_too_many() {
    for seed in 0..200 {
        let program = record::<GoldilocksStark>(seed, 80).program;
        let schedule = Schedule::new(&program);
        assert_eq!(schedule.base_registers, most_alive(&schedule.instructions, Kind::Base), "seed {seed}");
        assert_eq!(schedule.ext_registers, most_alive(&schedule.instructions, Kind::Ext), "seed {seed}");

        // One instruction for each node that an output needs and that depends on the row.
        let nodes = program.nodes();
        let mut on_rows = Vec::new();
        for node in nodes {
            let depends = matches!(node.op, NodeOp::Load { .. }) || node.op.operands().any(|id| on_rows[id.index()]);
            on_rows.push(depends);
        }
        let mut needed = vec![false; nodes.len()];
        program.outputs().iter().for_each(|id| needed[id.index()] = true);
        for index in (0..nodes.len()).rev() {
            if needed[index] {
                nodes[index].op.operands().for_each(|id| needed[id.index()] = true);
            }
        }
        let expected = (0..nodes.len()).filter(|index| needed[*index] && on_rows[*index]).count();
        let steps = schedule.instructions.iter().filter(|step| !matches!(step, Instruction::Output { .. })).count();
        assert_eq!(steps, expected, "seed {seed}");
    }
}

#[test]
fn a_long_sum_needs_two_registers_and_a_long_chain_no_stack() {
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 1000, kind: Kind::Base }], 0);
    let mut sum = builder.load(0, 0, 0);
    for column in 1..1000 {
        let next = builder.load(0, column, 0);
        sum = builder.add(sum, next);
    }
    builder.output(sum);
    let schedule = Schedule::new(&builder.finish().expect("within the layout"));
    assert_eq!((schedule.base_registers, schedule.ext_registers), (2, 0));

    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 1, kind: Kind::Ext }], 0);
    let mut node = builder.load(0, 0, 0);
    for _ in 0..300_000 {
        node = builder.mul(node, node);
    }
    builder.output(node);
    let schedule = Schedule::new(&builder.finish().expect("within the layout"));
    assert_eq!((schedule.base_registers, schedule.ext_registers), (0, 1));
    assert_eq!(schedule.instructions.len(), 300_002);
}

#[test]
fn what_is_equal_on_all_rows_is_hoisted() {
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 1, kind: Kind::Base }], 2);
    let column = builder.load(0, 0, 0);
    let (alpha, beta, five) = (builder.param(0), builder.param(1), builder.constant(Goldilocks::new(5)));
    let product = builder.mul(alpha, beta);
    let uniform = builder.add(product, five);
    let scaled = builder.mul(column, five);
    let result = builder.mul(scaled, uniform);
    builder.output(result);
    builder.output(uniform);
    builder.output(five);
    let schedule = Schedule::new(&builder.finish().expect("within the layout"));
    let params = [field::Fp3::from(Goldilocks::new(3)), field::Fp3::from(Goldilocks::new(7))];
    assert_eq!(schedule.uniforms(&params), [field::Fp3::from(Goldilocks::new(26))]);
    assert_eq!(schedule.constants, [Goldilocks::new(5)]);
    let steps: Vec<_> =
        schedule.instructions.iter().filter(|step| !matches!(step, Instruction::Output { .. })).collect();
    assert_eq!(steps.len(), 3, "a load and two products: {steps:?}");
    // The product of two base values stays in the base field.
    assert_eq!((schedule.base_registers, schedule.ext_registers), (1, 1));
}
