//! Random constraint programs and combinations.

use core::ops::RangeInclusive;

use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
use gpu_hal::{Combination, CombinationGroup, ConstraintProgram, Factor, Multiplier};

use crate::{Random, TestProtocol};

/// A random program: groups of both kinds, loads at offsets in `-3..=3`, constants of both kinds, parameters, and about
/// `steps` operations, of which some are shared and some dead. It has at least five outputs; output 0 is a product of
/// two loads, output 1 a load: neither is zero where the tables have no zero.
pub fn random_program<P: TestProtocol>(random: &mut Random, width: usize, steps: usize) -> ConstraintProgram<P> {
    random_program_at(random, width, steps, -3..=3)
}

/// [`random_program`] with loads at these offsets.
pub(crate) fn random_program_at<P: TestProtocol>(
    random: &mut Random,
    width: usize,
    steps: usize,
    offsets: RangeInclusive<i32>,
) -> ConstraintProgram<P> {
    let groups: Vec<Group> = (0..1 + random.below(3))
        .map(|index| Group {
            width: if index == 0 { width.max(1) } else { 1 + random.below(3) },
            kind: if random.one_in(2) { Kind::Base } else { Kind::Ext },
        })
        .collect();
    random_program_of(random, &groups, steps, offsets)
}

/// [`random_program_at`] of these groups.
pub(crate) fn random_program_of<P: TestProtocol>(
    random: &mut Random,
    groups: &[Group],
    steps: usize,
    offsets: RangeInclusive<i32>,
) -> ConstraintProgram<P> {
    let params = random.below(4);
    let mut builder = ProgramBuilder::<P>::new(groups.to_vec(), params);
    let load = |builder: &mut ProgramBuilder<P>, random: &mut Random| {
        let group = random.below(groups.len());
        let column = random.below(groups[group].width);
        builder.load(group, column, offsets.start() + random.below(offsets.clone().count()) as i32)
    };
    let (a, b) = (load(&mut builder, random), load(&mut builder, random));
    let mut nodes = vec![builder.mul(a, b), a, b];
    for _ in 0..steps {
        let (a, b) = (nodes[random.below(nodes.len())], nodes[random.below(nodes.len())]);
        let node = match random.below(12) {
            0 | 1 => load(&mut builder, random),
            2 => builder.constant(random.base()),
            3 => builder.constant_ext(random.ext()),
            4 if params > 0 => builder.param(random.below(params)),
            4 | 5 => builder.neg(a),
            6 | 7 => builder.add(a, b),
            8 | 9 => builder.sub(a, b),
            _ => builder.mul(a, b),
        };
        nodes.push(node);
    }
    builder.output(nodes[0]);
    builder.output(nodes[1]);
    for _ in 0..3 + random.below(4) {
        // Late nodes have more below them.
        let late = nodes.len() - 1 - random.below(nodes.len().min(8));
        builder.output(if random.one_in(3) { nodes[random.below(nodes.len())] } else { nodes[late] });
    }
    builder.finish().expect("loads and parameters are drawn within the layout")
}

/// Random programs of a leaf and of a node for [`gpu_hal::StarkBackend::tree_map`]: base tables of the given widths,
/// read at offsets in `-3..=3`, `width` columns and `values` that go up. Every output of a node but a constant depends
/// on all that its children hand up.
pub fn tree_programs<P: TestProtocol>(
    random: &mut Random,
    widths: &[usize],
    width: usize,
    values: usize,
) -> [ConstraintProgram<P>; 2] {
    [0, 2 * values].map(|children| {
        let widths = widths.iter().copied().chain((children > 0).then_some(children));
        let groups: Vec<Group> = widths.map(|width| Group { width, kind: Kind::Base }).collect();
        let tables = groups.len() - usize::from(children > 0);
        let mut builder = ProgramBuilder::<P>::new(groups.clone(), 0);
        for output in 0..width + values {
            if output < width && random.one_in(8) {
                let constant = builder.constant(random.base());
                builder.output(constant);
                continue;
            }
            let [a, b]: [NodeId; 2] = std::array::from_fn(|_| {
                let group = random.below(tables);
                builder.load(group, random.below(groups[group].width), random.below(7) as i32 - 3)
            });
            let mut sum = builder.mul(a, b);
            for child in 0..children {
                let (factor, value) = (builder.constant(random.nonzero()), builder.load(tables, child, 0));
                let product = builder.mul(factor, value);
                sum = builder.add(sum, product);
            }
            builder.output(sum);
        }
        builder.finish().expect("loads are drawn within the layout")
    })
}

/// A random combination of a program's outputs: groups with and without factors (some of which meet zero on the
/// domain), inverse factors, column multipliers, repeated outputs, and now and then an empty group.
pub fn random_combination<P: TestProtocol>(
    random: &mut Random,
    program: &ConstraintProgram<P>,
    domain: &P::Domain,
    log_trace: u32,
) -> Combination<P> {
    let groups = (0..1 + random.below(4))
        .map(|_| {
            let factors = (0..random.below(4))
                .map(|_| {
                    let log_power = random.between(0, log_trace);
                    let constant = if random.one_in(4) { P::root(domain, log_power) } else { random.base() };
                    Factor { log_power, constant, inverse: random.one_in(2) }
                })
                .collect();
            let column = random.one_in(3).then(|| {
                let group = random.below(program.groups().len());
                (group, random.below(program.base_width(group)))
            });
            let terms = (0..random.below(5)).map(|_| (random.below(program.outputs().len()), random.ext())).collect();
            CombinationGroup { multiplier: Multiplier { factors, column }, terms }
        })
        .collect();
    Combination { groups }
}
