//! Random programs over Goldilocks, with columns and weights.

use field::protocol::{GoldilocksStark, Protocol};
use field::{ExtensionField, Field, Goldilocks, SplitMix64};
use ir::{ConstraintProgram, Group, Kind, NodeId, ProgramBuilder};
use jit::Load;

/// Elements, programs and columns that follow from a seed.
pub(crate) struct Random(SplitMix64);

/// A program and what it is run with.
pub(crate) struct Case<P: Protocol> {
    pub(crate) program: ConstraintProgram<P>,
    pub(crate) params: Vec<P::Ext>,
    /// Outputs of each group, with their weights.
    pub(crate) groups: Vec<Vec<(usize, P::Ext)>>,
    columns: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// One in three is where carries and borrows are.
    fn base(&mut self) -> Goldilocks {
        match self.below(24) {
            0 => Goldilocks::ZERO,
            1 => Goldilocks::ONE,
            2 => -Goldilocks::ONE,
            3 => Goldilocks::new(u64::from(u32::MAX)),
            4 => Goldilocks::new(1 << 32),
            5 => -Goldilocks::new(1 << 32),
            6 => Goldilocks::new(self.0.word() >> 32),
            7 => -Goldilocks::new(self.0.word() >> 32),
            _ => Goldilocks::new(self.0.word()),
        }
    }

    fn ext<E: ExtensionField<Goldilocks>>(&mut self) -> E {
        (0..E::DEGREE).map(|k| E::basis(k) * self.base()).sum()
    }

    /// A program of about so many operations.
    pub(crate) fn case<E: ExtensionField<Goldilocks>>(&mut self, operations: usize) -> Case<GoldilocksStark<E>> {
        let groups = vec![Group { width: 5, kind: Kind::Base }, Group { width: 2, kind: Kind::Ext }];
        let mut builder = ProgramBuilder::<GoldilocksStark<E>>::new(groups, 2);
        let mut nodes: Vec<NodeId> = Vec::new();
        for column in 0..5 {
            nodes.push(builder.load(0, column, self.below(3) as i32 - 1));
        }
        nodes.push(builder.load(1, self.below(2), self.below(2) as i32));
        nodes.push(builder.param(self.below(2)));
        let small = Goldilocks::new(2 + self.below(100) as u64);
        for value in [small, self.base()] {
            nodes.push(builder.constant(value));
        }
        // How often operands are far behind.
        let far = 1 + self.below(8);
        // Few values over the extension: each makes all that follow from it so.
        let of_base = self.below(3) > 0;
        for _ in 0..operations {
            let pick = |random: &mut Self| loop {
                let near = nodes.len().min(12);
                let back = if random.below(8) < far { random.below(nodes.len()) } else { random.below(near) };
                let node = nodes[nodes.len() - 1 - back];
                if !(of_base && builder.kind(node) == Kind::Ext) || random.below(16) == 0 {
                    return node;
                }
            };
            let (a, b) = (pick(self), pick(self));
            let node = match self.below(8) {
                0 | 1 => builder.add(a, b),
                2 | 3 => builder.sub(a, b),
                4 => builder.mul(a, a),
                5 => builder.neg(a),
                _ => builder.mul(a, b),
            };
            nodes.push(node);
        }
        let outputs = 1 + self.below(nodes.len().min(200));
        for _ in 0..outputs {
            builder.output(nodes[nodes.len() - 1 - self.below(nodes.len())]);
        }
        let groups = (0..1 + self.below(3))
            .map(|_| (0..self.below(2 * outputs + 1)).map(|_| (self.below(outputs), self.ext())).collect())
            .collect();
        let params = (0..2).map(|_| self.ext()).collect();
        Case { program: builder.finish().expect("declared inputs"), params, groups, columns: self.0.word() }
    }
}

impl<P: Protocol<Base = Goldilocks>> Case<P> {
    /// The values of a column in a run.
    pub(crate) fn column(&self, load: &Load, rows: usize) -> Vec<Goldilocks> {
        let name = u64::from(load.table) << 48 | u64::from(load.column) << 16 | load.offset as u16 as u64;
        let mut random = Random::new(self.columns ^ name.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (0..rows).map(|_| random.base()).collect()
    }

    /// The sums of all groups on all rows, by definition.
    pub(crate) fn expected(&self, rows: usize) -> Vec<Vec<P::Ext>> {
        let mut sums = vec![Vec::with_capacity(rows); self.groups.len()];
        for row in 0..rows {
            let coordinate = |table: usize, column: usize, offset| {
                self.column(&Load { table: table as u32, column: column as u32, offset }, rows)[row]
            };
            let outputs = self.program.evaluate(&self.params, |table, column, offset| {
                let degree = if table == 0 { 1 } else { P::DEGREE };
                let coordinates = (0..degree).map(|k| coordinate(table, column * degree + k, offset));
                coordinates.enumerate().map(|(k, value)| P::Ext::basis(k) * value).sum()
            });
            for (group, sums) in self.groups.iter().zip(&mut sums) {
                sums.push(group.iter().map(|(output, weight)| outputs[*output] * *weight).sum());
            }
        }
        sums
    }
}
