//! An order of evaluation with registers, for interpreters and code generators.

use alloc::vec;
use alloc::vec::Vec;

use crate::program::{ConstraintProgram, Kind, NodeId, NodeOp};
use field::protocol::Protocol;

/// Where an instruction finds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Base register.
    Base(u32),
    /// Extension register.
    Ext(u32),
    /// Entry of [`Schedule::constants`]: a base value equal on all rows.
    Constant(u32),
    /// Entry of [`Schedule::uniforms`]: an extension value equal on all rows.
    Uniform(u32),
}

impl Operand {
    /// Field of the value.
    pub fn kind(self) -> Kind {
        match self {
            Self::Base(_) | Self::Constant(_) => Kind::Base,
            Self::Ext(_) | Self::Uniform(_) => Kind::Ext,
        }
    }
}

/// One step. `dst` is a register; it may equal an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Reads a column.
    Load {
        /// Register.
        dst: Operand,
        /// Group.
        group: u32,
        /// Column of the group (extension columns count 1).
        column: u32,
        /// Row offset.
        offset: i32,
    },
    /// `a + b`.
    Add {
        /// Register.
        dst: Operand,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
    },
    /// `a - b`.
    Sub {
        /// Register.
        dst: Operand,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
    },
    /// `a * b`.
    Mul {
        /// Register.
        dst: Operand,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
    },
    /// `-a`.
    Neg {
        /// Register.
        dst: Operand,
        /// Operand.
        a: Operand,
    },
    /// Delivers an output.
    Output {
        /// Index into the program's outputs.
        index: u32,
        /// The value.
        src: Operand,
    },
}

/// A program in execution order: dead nodes dropped, each value computed just before its first user, registers reused
/// after the last, and everything that is equal on all rows moved out to [`Self::constants`] and [`Self::uniforms`].
#[derive(Clone, Debug)]
pub struct Schedule<P: Protocol> {
    /// The steps.
    pub instructions: Vec<Instruction>,
    /// Base registers needed.
    pub base_registers: u32,
    /// Extension registers needed.
    pub ext_registers: u32,
    /// Base constants.
    pub constants: Vec<P::Base>,
    uniform_nodes: Vec<NodeId>,
    program: ConstraintProgram<P>,
}

#[derive(Default)]
struct Registers {
    free: Vec<u32>,
    count: u32,
}

impl Registers {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

impl<P: Protocol> Schedule<P> {
    /// Schedules a program.
    pub fn new(program: &ConstraintProgram<P>) -> Self {
        let nodes = program.nodes();
        let mut uniform = Vec::with_capacity(nodes.len());
        for node in nodes {
            let is_uniform = match &node.op {
                NodeOp::ConstBase(_) | NodeOp::ConstExt(_) | NodeOp::Param(_) => true,
                NodeOp::Load { .. } => false,
                op => op.operands().all(|operand| uniform[operand.index()]),
            };
            uniform.push(is_uniform);
        }
        let mut schedule = Self {
            instructions: Vec::new(),
            base_registers: 0,
            ext_registers: 0,
            constants: Vec::new(),
            uniform_nodes: Vec::new(),
            program: program.clone(),
        };
        // Users left of every node: one per operand position, and one per output.
        let (order, mut uses) = postorder(program, &uniform);
        let mut place: Vec<Option<Operand>> = vec![None; nodes.len()];
        let (mut base, mut ext) = (Registers::default(), Registers::default());
        let mut outputs_of: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for (index, output) in program.outputs().iter().enumerate() {
            if uniform[output.index()] {
                let src = schedule.uniform_operand(*output, &mut place);
                schedule.instructions.push(Instruction::Output { index: index as u32, src });
            } else {
                outputs_of[output.index()].push(index as u32);
            }
        }
        for id in order {
            let node = &nodes[id.index()];
            let operands: Vec<(NodeId, Operand)> = node
                .op
                .operands()
                .map(|operand| {
                    let at = if uniform[operand.index()] {
                        schedule.uniform_operand(operand, &mut place)
                    } else {
                        place[operand.index()].expect("operands come before their users in a postorder")
                    };
                    (operand, at)
                })
                .collect();
            for (operand, at) in &operands {
                if !uniform[operand.index()] {
                    release(operand.index(), *at, &mut uses, &mut base, &mut ext);
                }
            }
            let dst = match node.kind {
                Kind::Base => Operand::Base(base.take()),
                Kind::Ext => Operand::Ext(ext.take()),
            };
            place[id.index()] = Some(dst);
            let at = |i: usize| operands[i].1;
            schedule.instructions.push(match node.op {
                NodeOp::Load { group, column, offset } => Instruction::Load { dst, group, column, offset },
                NodeOp::Add(..) => Instruction::Add { dst, a: at(0), b: at(1) },
                NodeOp::Sub(..) => Instruction::Sub { dst, a: at(0), b: at(1) },
                NodeOp::Mul(..) => Instruction::Mul { dst, a: at(0), b: at(1) },
                NodeOp::Neg(_) => Instruction::Neg { dst, a: at(0) },
                NodeOp::ConstBase(_) | NodeOp::ConstExt(_) | NodeOp::Param(_) => {
                    unreachable!("uniform nodes are never scheduled")
                }
            });
            for &index in &outputs_of[id.index()] {
                schedule.instructions.push(Instruction::Output { index, src: dst });
                release(id.index(), dst, &mut uses, &mut base, &mut ext);
            }
        }
        schedule.base_registers = base.count;
        schedule.ext_registers = ext.count;
        schedule
    }

    /// The program that was scheduled.
    pub fn program(&self) -> &ConstraintProgram<P> {
        &self.program
    }

    /// Values of the uniforms for the given parameters, in the order that [`Operand::Uniform`] counts.
    pub fn uniforms(&self, params: &[P::Ext]) -> Vec<P::Ext> {
        let nodes = self.program.nodes();
        // Uniform nodes depend on uniform nodes only, so one pass over the prefix that they need is enough.
        let end = self.uniform_nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let mut values: Vec<Option<P::Ext>> = Vec::with_capacity(end);
        for node in &nodes[..end] {
            let get = |id: NodeId| values[id.index()];
            let value = match &node.op {
                NodeOp::ConstBase(c) => Some(P::Ext::from(*c)),
                NodeOp::ConstExt(c) => Some(*c),
                NodeOp::Param(i) => Some(params[*i as usize]),
                NodeOp::Load { .. } => None,
                NodeOp::Add(a, b) => get(*a).zip(get(*b)).map(|(x, y)| x + y),
                NodeOp::Sub(a, b) => get(*a).zip(get(*b)).map(|(x, y)| x - y),
                NodeOp::Mul(a, b) => get(*a).zip(get(*b)).map(|(x, y)| x * y),
                NodeOp::Neg(a) => get(*a).map(|x| -x),
            };
            values.push(value);
        }
        self.uniform_nodes.iter().map(|node| values[node.index()].expect("uniform nodes depend on no column")).collect()
    }

    fn uniform_operand(&mut self, node: NodeId, place: &mut [Option<Operand>]) -> Operand {
        if let Some(operand) = place[node.index()] {
            return operand;
        }
        let operand = if let NodeOp::ConstBase(value) = self.program.nodes()[node.index()].op {
            self.constants.push(value);
            Operand::Constant(self.constants.len() as u32 - 1)
        } else {
            self.uniform_nodes.push(node);
            Operand::Uniform(self.uniform_nodes.len() as u32 - 1)
        };
        place[node.index()] = Some(operand);
        operand
    }
}

fn release(node: usize, at: Operand, uses: &mut [u32], base: &mut Registers, ext: &mut Registers) {
    uses[node] -= 1;
    if uses[node] == 0 {
        match at {
            Operand::Base(register) => base.free.push(register),
            Operand::Ext(register) => ext.free.push(register),
            Operand::Constant(_) | Operand::Uniform(_) => {}
        }
    }
}

/// Non-uniform nodes reachable from the outputs, operands first, and how often each is used. Iterative: a chain of a
/// million nodes is legal.
fn postorder<P: Protocol>(program: &ConstraintProgram<P>, uniform: &[bool]) -> (Vec<NodeId>, Vec<u32>) {
    let nodes = program.nodes();
    let mut uses = vec![0u32; nodes.len()];
    let mut visited = vec![false; nodes.len()];
    let mut order = Vec::new();
    let mut stack: Vec<(NodeId, bool)> = Vec::new();
    for &output in program.outputs() {
        if uniform[output.index()] {
            continue;
        }
        uses[output.index()] += 1;
        stack.push((output, false));
        while let Some((id, operands_done)) = stack.pop() {
            if operands_done {
                order.push(id);
                continue;
            }
            if core::mem::replace(&mut visited[id.index()], true) {
                continue;
            }
            stack.push((id, true));
            let mut operands: Vec<NodeId> =
                nodes[id.index()].op.operands().filter(|operand| !uniform[operand.index()]).collect();
            operands.iter().for_each(|operand| uses[operand.index()] += 1);
            operands.reverse();
            stack.extend(operands.into_iter().map(|operand| (operand, false)));
        }
    }
    (order, uses)
}
