//! A circuit of alternating additions and multiplications, wired by lookups.

use field::{Field, M31, PrimeField, QM31};
use gpu_hal::LinearRecurrence;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use num_traits::One;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry};

use super::lookup::Lookup;
use super::sequences::{alternating, count_from, steps};
use super::{AirInfo, ParamInfo, ParamKind, ShippedAir, column, flag};
use crate::{
    AirComponent, BuildError, ColumnProgram, PreprocessedColumn, PublicLookup, SourceColumn, Statement, TableProgram,
    TupleKind,
};

pub(super) const INFO: AirInfo = AirInfo {
    name: "plonk",
    summary: "demonstration: 2^n gates, in turn + and *, each of the two wires before it",
    least_log_rows: 1,
    most_log_rows: 29,
    params: &[
        ParamInfo { name: "v0", summary: "value of wire 0, below 2^31 - 1", default: Some(1), kind: ParamKind::Public },
        ParamInfo { name: "v1", summary: "value of wire 1, below 2^31 - 1", default: Some(1), kind: ParamKind::Public },
    ],
};

const IDS: [&str; 4] = ["op", "a_wire", "b_wire", "c_wire"];
/// `op` of even and odd gates.
const OPERATIONS: [M31; 2] = [M31::ONE, M31::ZERO];

/// Gate `r` computes wire `r + 2` from wires `r` and `r + 1`: their sum if `r` is even, their product if odd. Public
/// are the values of wires 0 and 1. Every use of a wire is looked up among the outputs, with the number of uses as
/// multiplicity.
#[derive(Clone, Debug)]
pub struct Plonk {
    log_size: u32,
    inputs: [M31; 2],
}

impl Plonk {
    /// `2^log_size` gates behind two wires of the given values.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn new(log_size: u32, v0: M31, v1: M31) -> Result<Self, BuildError> {
        INFO.check_rows(log_size)?;
        Ok(Self { log_size, inputs: [v0, v1] })
    }

    /// The values of all wires, two more than there are gates.
    ///
    /// Each gate waits for the one before it, which is all that takes time, so values are reduced in part while others
    /// wait for them: with `fold(x) = x mod 2^31 + floor(x / 2^31)`, `a` and `b` are below `2^31 + 4`, so that
    /// `b (a + b)` is below `2^64` and folded twice it is below `2^31 + 4` again.
    fn wires(&self) -> Vec<M31> {
        const P: u64 = <M31 as PrimeField>::ORDER;
        let fold = |x: u64| (x & P) + (x >> 31);
        let canonical = |x: u64| M31::new((if x >= P { x - P } else { x }) as u32);
        let [mut a, mut b] = self.inputs.map(|input| u64::from(input.value()));
        let mut wires = vec![M31::new(0); (1 << self.log_size) + 2];
        wires[..2].copy_from_slice(&self.inputs);
        for gates in wires[2..].chunks_exact_mut(2) {
            let sum = a + b;
            (a, b) = (fold(sum), fold(fold(b * sum)));
            gates.copy_from_slice(&[canonical(a), canonical(b)]);
        }
        wires
    }
}

#[derive(Clone)]
struct Eval {
    log_size: u32,
    lookup: Lookup<2>,
}

impl FrameworkEval for Eval {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [op, a_wire, b_wire, c_wire] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let [uses, a, b, c, product] = std::array::from_fn(|_| eval.next_trace_mask());
        eval.add_constraint(product.clone() - a.clone() * b.clone());
        eval.add_constraint(c.clone() - op.clone() * (a.clone() + b.clone()) - (E::F::one() - op) * product);
        let entries = [(E::EF::one(), a_wire, a), (E::EF::one(), b_wire, b), (-E::EF::from(uses), c_wire, c)];
        for (multiplicity, wire, value) in entries {
            eval.add_to_relation(RelationEntry::new(&self.lookup, multiplicity, &[wire, value]));
        }
        eval.finalize_logup();
        eval
    }
}

impl Statement for Plonk {
    fn name(&self) -> &str {
        INFO.name
    }

    fn words(&self) -> Vec<u32> {
        let [v0, v1] = self.inputs.map(M31::value);
        vec![3, self.log_size, v0, v1]
    }

    /// A wire has one value.
    fn tuple_kinds(&self) -> Vec<TupleKind> {
        vec![TupleKind::new(0, None, "wire").with_keys(1)]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        IDS.map(|id| PreprocessedColumn::new(id, self.log_size)).into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let wire = |ahead: u32| column(self.log_size, |row| M31::new(row as u32 + ahead));
        vec![column(self.log_size, |row| flag(row % 2 == 0)), wire(0), wire(1), wire(2)]
    }

    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        let log_size = self.log_size;
        let wires = [0, 1, 2].map(|ahead| count_from(log_size, M31::new(ahead)));
        Some(std::iter::once(alternating(log_size, OPERATIONS)).chain(wires).collect())
    }

    /// The wires are no linear recurrence, so that one column of them is uploaded: `V_{r+1}`. It gives `V_r` on all
    /// rows but the first.
    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let (log_size, rows) = (self.log_size, 1usize << self.log_size);
        let plonk = self.clone();
        let second_to_last = move || {
            let mut wires = plonk.wires();
            wires.truncate(rows + 1);
            wires.remove(0);
            wires
        };
        let wires = SourceColumn::Host { log_height: log_size, values: Box::new(second_to_last) };
        let head = steps(log_size, &[(0, self.inputs[0]), (1, M31::ZERO)]);
        let is_tail = steps(log_size, &[(0, M31::ZERO), (1, M31::ONE)]);
        let uses = steps(log_size, &[(0, M31::new(2)), (rows - 2, M31::ONE), (rows - 1, M31::ZERO)]);
        let made = [head, is_tail, alternating(1, OPERATIONS), uses].map(SourceColumn::Recurrence);
        let sources: Vec<SourceColumn> = std::iter::once(wires).chain(made).collect();

        let groups = sources.iter().map(|_| Group { width: 1, kind: Kind::Base }).collect();
        let mut program = ProgramBuilder::new(groups, 0);
        let [b, head, is_tail, op, uses] = std::array::from_fn(|source| program.load(source, 0, 0));
        let before = program.load(0, 0, -1);
        let before = program.mul(is_tail, before);
        let a = program.add(head, before);
        let (sum, product) = (program.add(a, b), program.mul(a, b));
        // op (a + b) + (1 - op) a b
        let difference = program.sub(sum, product);
        let difference = program.mul(op, difference);
        let c = program.add(product, difference);
        for column in [uses, a, b, c, product] {
            program.output(column);
        }
        Some(vec![TableProgram { sources, columns: ColumnProgram::Map(program.finish().ok()?) }])
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Eval { log_size: self.log_size, lookup: Lookup::new(drawn) })]
    }

    /// Uses and outputs of all wires cancel, except the use of wire 0 by one gate and of wire 1 by two.
    fn public_lookups(&self) -> Vec<PublicLookup> {
        let yielded = |wire: u32, times: M31| PublicLookup {
            relation: 0,
            tuple: vec![M31::new(wire), self.inputs[wire as usize]],
            multiplicity: -times,
        };
        vec![yielded(0, M31::ONE), yielded(1, M31::new(2))]
    }
}

impl ShippedAir for Plonk {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let (rows, wires) = (1usize << self.log_size, self.wires());
        let wire = |ahead: usize| wires[ahead..ahead + rows].to_vec();
        let uses = column(self.log_size, |row| flag(row + 2 < rows) + flag(row + 1 < rows));
        let product = column(self.log_size, |row| wires[row] * wires[row + 1]);
        vec![vec![uses, wire(0), wire(1), wire(2), product]]
    }
}
