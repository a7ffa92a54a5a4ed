//! The order of a program's operations: group by group of the terms that are added up, each value just before its first
//! user, and reduced to a word below the modulus where a user asks for it.

use std::collections::HashSet;

use crate::straight::{Operation, Source, Straight};

/// A step of straight-line code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Value `dst` is the result.
    Compute { dst: u32, operation: Operation },
    /// Adds the weighted value to the sum of a group; terms are counted in the order in which they are added.
    Accumulate { value: Source, group: u32 },
}

impl Step {
    /// The sources that it reads.
    pub(crate) fn sources(self) -> impl Iterator<Item = Source> {
        let (value, operation) = match self {
            Self::Accumulate { value, .. } => (Some(value), None),
            Self::Compute { operation, .. } => (None, Some(operation)),
        };
        value.into_iter().chain(operation.into_iter().flat_map(Operation::sources))
    }
}

/// Steps in their order.
pub(crate) struct Ordered {
    pub(crate) steps: Vec<Step>,
    /// Values that steps count.
    pub(crate) values: u32,
}

/// Outputs that are computed side by side: each waits for its own operations, and the processor has others to do.
const TOGETHER: usize = 8;

/// The order for the sums of these groups of outputs.
pub(crate) fn order(code: &Straight, groups: &[Vec<usize>]) -> Ordered {
    let mut placing = Placing { code, placed: vec![false; code.operations.len()], steps: Vec::new() };
    for (group, outputs) in groups.iter().enumerate() {
        let values: Vec<Source> = outputs.iter().flat_map(|output| &code.outputs[*output]).copied().collect();
        for values in values.chunks(TOGETHER) {
            let needed = values.iter().map(|value| placing.needed(*value)).collect();
            placing.together(needed);
            let sums = values.iter().map(|value| Step::Accumulate { value: *value, group: group as u32 });
            placing.steps.extend(sums);
        }
    }
    reduced(placing.steps, code.operations.len() as u32)
}

struct Placing<'c> {
    code: &'c Straight,
    placed: Vec<bool>,
    steps: Vec<Step>,
}

impl Placing<'_> {
    /// The operations that a value needs and that are not placed yet, which they are then: operands before users.
    fn needed(&mut self, of: Source) -> Vec<u32> {
        let mut needed = Vec::new();
        // Not by recursion: a chain of a million operations is legal.
        let mut stack = Vec::new();
        if let Source::Value(root) = of {
            stack.push((root, false));
        }
        while let Some((value, is_ready)) = stack.pop() {
            if is_ready {
                needed.push(value);
            } else if !std::mem::replace(&mut self.placed[value as usize], true) {
                stack.push((value, true));
                let operands: Vec<Source> = self.code.operations[value as usize].sources().collect();
                for operand in operands.into_iter().rev() {
                    if let Source::Value(value) = operand {
                        stack.push((value, false));
                    }
                }
            }
        }
        needed
    }

    /// Takes one operation of each list in turn. One may wait for operations of the lists before it.
    fn together(&mut self, lists: Vec<Vec<u32>>) {
        let mut open: HashSet<u32> = lists.iter().flatten().copied().collect();
        let mut lists: Vec<_> = lists.into_iter().map(|list| list.into_iter().peekable()).collect();
        while !open.is_empty() {
            for list in &mut lists {
                let is_ready = |value: &u32| {
                    let operation = self.code.operations[*value as usize];
                    operation.sources().all(|source| !matches!(source, Source::Value(value) if open.contains(&value)))
                };
                if let Some(dst) = list.next_if(is_ready) {
                    open.remove(&dst);
                    self.steps.push(Step::Compute { dst, operation: self.code.operations[dst as usize] });
                }
            }
        }
    }
}

/// The facts of a value that are known so far.
#[derive(Clone, Copy)]
struct ValueFacts {
    /// The value that stands for it: itself, or itself reduced.
    now: u32,
    /// Whether that is at most the modulus, as the second operand of a sum or a difference must be.
    is_small: bool,
    /// Users to come.
    uses: u32,
}

/// Puts in the reductions that operands need. Elements in memory and those that are equal on all rows are canonical.
fn reduced(steps: Vec<Step>, values: u32) -> Ordered {
    let unknown = |value| ValueFacts { now: value, is_small: false, uses: 0 };
    let mut reducing = Reducing { known: (0..values).map(unknown).collect(), steps: Vec::new(), values };
    for step in &steps {
        for source in step.sources() {
            if let Source::Value(value) = source {
                reducing.known[value as usize].uses += 1;
            }
        }
    }
    for step in steps {
        for source in step.sources() {
            if let Source::Value(value) = source {
                reducing.known[value as usize].uses -= 1;
            }
        }
        let step = match step {
            Step::Accumulate { value, group } => Step::Accumulate { value: reducing.now(value), group },
            Step::Compute { dst, operation } => {
                let (operation, is_small) = reducing.operation(operation);
                reducing.known[dst as usize].is_small = is_small;
                Step::Compute { dst, operation }
            }
        };
        reducing.steps.push(step);
    }
    Ordered { steps: reducing.steps, values: reducing.values }
}

struct Reducing {
    known: Vec<ValueFacts>,
    steps: Vec<Step>,
    values: u32,
}

impl Reducing {
    fn now(&self, source: Source) -> Source {
        match source {
            Source::Value(value) => Source::Value(self.known[value as usize].now),
            other => other,
        }
    }

    fn is_small(&self, source: Source) -> bool {
        match source {
            Source::Value(value) => self.known[value as usize].is_small,
            Source::Load(_) | Source::Pool(_) => true,
        }
    }

    fn uses(&self, source: Source) -> u32 {
        match source {
            Source::Value(value) => self.known[value as usize].uses,
            Source::Load(_) | Source::Pool(_) => 0,
        }
    }

    /// The source, at most the modulus.
    fn small(&mut self, source: Source) -> Source {
        if let (Source::Value(value), false) = (source, self.is_small(source)) {
            let dst = self.values;
            self.values += 1;
            self.steps.push(Step::Compute { dst, operation: Operation::Reduce(self.now(source)) });
            let known = &mut self.known[value as usize];
            (known.now, known.is_small) = (dst, true);
        }
        self.now(source)
    }

    /// The operation on what stands for its operands, and whether its result is at most the modulus.
    fn operation(&mut self, operation: Operation) -> (Operation, bool) {
        match operation {
            Operation::Add(a, b) => {
                // Reduced is the one that others use, too.
                let swap = !self.is_small(b) && (self.is_small(a) || self.uses(a) > self.uses(b));
                let (a, b) = if swap { (b, a) } else { (a, b) };
                let b = self.small(b);
                (Operation::Add(self.now(a), b), false)
            }
            Operation::Sub(a, b) => {
                let b = self.small(b);
                (Operation::Sub(self.now(a), b), self.is_small(a))
            }
            Operation::Mul(a, b) => (Operation::Mul(self.now(a), self.now(b)), false),
            Operation::Neg(a) => (Operation::Neg(self.small(a)), true),
            Operation::Reduce(a) => (Operation::Reduce(self.now(a)), true),
        }
    }
}
