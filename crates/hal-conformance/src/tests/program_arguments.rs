//! Arguments of operations that run a program of expressions that every backend must refuse.

use field::{ExtensionField, Field};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Combination, CombinationGroup, Constraints, Factor, LinearRecurrence, MapArgs, Multiplier, Operation,
    RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend, TreeMapArgs,
};

use super::arguments::{Calls, reshape};
use crate::{Random, TestProtocol, tree_programs};

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    pub(super) fn programs(&self) {
        if !self.has(Operation::Prepare) {
            return;
        }
        let (b, random) = (self.backend, &mut Random::new(4));
        let groups = vec![Group { width: 2, kind: Kind::Base }, Group { width: 1, kind: Kind::Ext }];
        let mut builder = ProgramBuilder::<P>::new(groups, 1);
        let (x, y, c) = (builder.load(0, 1, 0), builder.load(1, 0, 1), builder.param(0));
        let product = builder.mul(x, y);
        let sum = builder.add(product, c);
        for node in [sum, x] {
            builder.output(node);
        }
        let program = builder.finish().expect("loads and parameters are within the layout");
        let prepared = b.prepare(&program).expect("a small program");
        let (main, extension) = (self.small(2, 3), self.small(P::DEGREE, 3));
        let (wide, tall, low) = (self.small(3, 3), self.small(2, 4), self.small(2, 0));
        let both = [main.as_ref(), extension.as_ref()];
        let params = [P::Ext::ONE];

        if self.has(Operation::Running) {
            let column = |numerator, denominator| RunningColumn {
                kind: RunningKind::Sum,
                inclusive: true,
                numerator,
                denominator,
            };
            let refused = |what: &str, columns: &[_], log_height, params: &[_], form: RunningForm<'_>| {
                let args = RunningRequest { program: &prepared, columns, log_height, params, form };
                self.refused(Operation::Running, what, || b.running(&[args]));
            };
            let running = |what: &str, columns: &[_], log_height, params: &[_], running: &[_]| {
                refused(what, columns, log_height, params, RunningForm::Columns(running));
            };
            running("a table missing", &both[..1], 3, &params, &[column(0, 1)]);
            running("a table too wide", &[wide.as_ref(), both[1]], 3, &params, &[column(0, 1)]);
            running("a table too tall", &[tall.as_ref(), both[1]], 3, &params, &[column(0, 1)]);
            running("a wrong shape", &[reshape(&main, 2, 2), both[1]], 3, &params, &[column(0, 1)]);
            running("a parameter missing", &both, 3, &[], &[column(0, 1)]);
            running("an unknown numerator", &both, 3, &params, &[column(2, 1)]);
            running("an unknown denominator", &both, 3, &params, &[column(0, 2)]);
            running("nothing to build", &both, 3, &params, &[]);
            running("a height that overflows", &both, 64, &params, &[column(0, 1)]);
            running("a height that overflows in bytes", &both, 62, &params, &[column(0, 1)]);
            let logup = |what: &str, columns: &[_], log_height, params: &[_], fractions: &[_]| {
                refused(what, columns, log_height, params, RunningForm::Logup(fractions));
            };
            logup("a table missing", &both[..1], 3, &params, &[(0, 1)]);
            logup("a table of another height", &both, 4, &params, &[(0, 1)]);
            logup("a parameter missing", &both, 3, &[], &[(0, 1)]);
            logup("an unknown output", &both, 3, &params, &[(0, 2)]);
            logup("no fraction", &both, 3, &params, &[]);
        }
        if self.has(Operation::Map) {
            let map = |what: &str, columns: &[_], log_height, outputs: &[_]| {
                let args = MapArgs { program: &prepared, columns, log_height, outputs };
                self.refused(Operation::Map, what, || b.map(&args));
            };
            map("a table missing", &both[..1], 3, &[1]);
            map("an unknown output", &both, 3, &[2]);
            map("an extension output", &both, 3, &[0]);
            map("a height that overflows", &both, 64, &[1]);
            map("nothing to build", &both, 3, &[]);
        }
        if self.has(Operation::Recurrence) {
            let ones = |count: usize| vec![P::Base::ONE; count];
            let recurrence =
                |what: &str, coefficients: usize, initial: usize, restarts: &[(usize, usize)], log_height| {
                    let restarts = restarts.iter().map(|(row, values)| (*row, ones(*values))).collect();
                    let (coefficients, initial) = (ones(coefficients), ones(initial));
                    let recurrence = LinearRecurrence { coefficients, initial, restarts, log_height };
                    self.refused(Operation::Recurrence, what, || b.recurrence(&recurrence));
                };
            recurrence("no order", 0, 0, &[], 3);
            recurrence("an order of five", 5, 5, &[], 3);
            recurrence("a row too few", 2, 1, &[], 3);
            recurrence("a row too few at a later start", 2, 2, &[(4, 1)], 3);
            recurrence("a second start at row 0", 1, 1, &[(0, 1)], 3);
            recurrence("starts that do not ascend", 1, 1, &[(4, 1), (4, 1)], 3);
            recurrence("a start behind the end", 1, 1, &[(8, 1)], 3);
            recurrence("a height that overflows", 1, 1, &[], 64);
        }
        if self.has(Operation::ConstraintEval) {
            let group = |multiplier, output| Combination::<P> {
                groups: vec![CombinationGroup { multiplier, terms: vec![(output, P::Ext::ONE)] }],
            };
            let plain = || Multiplier { factors: Vec::new(), column: None };
            let right = group(plain(), 0);
            let domain = P::trace_domain(random, 3);
            let evaluate = |what: &str, columns: &[_], domain, logs: (u32, u32), params: &[_], combination: &_| {
                let (log_trace, log_eval) = logs;
                let program = &prepared;
                let args = Constraints { program, columns, domain, log_trace, log_eval, params, combination };
                self.refused(Operation::ConstraintEval, what, || b.constraint_eval(&[args]));
            };
            evaluate("a table missing", &both[..1], domain, (2, 3), &params, &right);
            evaluate("a table too wide", &[wide.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a table too tall", &[tall.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a table lower than the blowup", &[low.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a wrong shape", &[reshape(&main, 1, 3), both[1]], domain, (2, 3), &params, &right);
            evaluate("a parameter too many", &both, domain, (2, 3), &[P::Ext::ONE; 2], &right);
            evaluate("no domain", &both, P::no_domain(), (2, 3), &params, &right);
            evaluate("a smaller domain", &both, P::trace_domain(random, 2), (2, 2), &params, &right);
            evaluate("a trace larger than what is evaluated", &both, domain, (3, 2), &params, &right);
            evaluate("more points than the domain has", &both, domain, (2, 4), &params, &right);
            evaluate("an unknown output", &both, domain, (2, 3), &params, &group(plain(), 2));
            let factor = Factor { log_power: 3, constant: P::Base::ONE, inverse: false };
            let power = Multiplier { factors: vec![factor], column: None };
            evaluate("a power above the trace length", &both, domain, (2, 3), &params, &group(power, 0));
            for column in [(0, 2), (1, P::DEGREE), (2, 0)] {
                let multiplier = Multiplier { factors: Vec::new(), column: Some(column) };
                evaluate("an unknown multiplier column", &both, domain, (2, 3), &params, &group(multiplier, 0));
            }
        }
    }

    pub(super) fn trees_of_programs(&self) {
        if ![Operation::Prepare, Operation::TreeMap].into_iter().all(|op| self.has(op)) {
            return;
        }
        let b = self.backend;
        let prepare = |program: &_| b.prepare(program).expect("a small program");
        // Two columns, two values.
        let [leaf, node] = tree_programs::<P>(&mut Random::new(7), &[2], 2, 2).map(|program| prepare(&program));
        let [_, narrow] = tree_programs::<P>(&mut Random::new(7), &[2], 3, 1).map(|program| prepare(&program));
        let [_, short] = tree_programs::<P>(&mut Random::new(7), &[2], 2, 1).map(|program| prepare(&program));
        let [_, others] = tree_programs::<P>(&mut Random::new(7), &[1], 2, 2).map(|program| prepare(&program));
        let base = |width| Group { width, kind: Kind::Base };
        let of_four = |offset, is_extension: bool| {
            let mut builder = ProgramBuilder::<P>::new(vec![base(2), base(4)], 0);
            let (first, one) = (builder.load(1, 0, offset), builder.constant_ext(P::Ext::basis(P::DEGREE - 1)));
            let last = if is_extension { builder.mul(first, one) } else { first };
            for node in [first, first, first, last] {
                builder.output(node);
            }
            prepare(&builder.finish().expect("loads are within the layout"))
        };
        let (main, tall, single) = (self.small(2, 3), self.small(2, 4), self.small(2, 0));
        let table = main.as_ref();
        let tree_map = |what: &str, programs: [&B::Program; 2], columns: &[_], log_height, width| {
            let [leaf, node] = programs;
            let args = TreeMapArgs { leaf, node, columns, log_height, width };
            self.refused(Operation::TreeMap, what, || b.tree_map(&args));
        };
        let right = [&leaf, &node];
        tree_map("a table missing", right, &[], 3, 2);
        tree_map("a table too tall", right, &[tall.as_ref()], 3, 2);
        tree_map("a wrong shape", right, &[reshape(&main, 1, 3)], 3, 2);
        tree_map("a single row", right, &[single.as_ref()], 0, 2);
        tree_map("a height that overflows", right, &[table], 64, 2);
        tree_map("a height that overflows in bytes", right, &[table], 62, 2);
        tree_map("no column to build", right, &[table], 3, 0);
        tree_map("nothing that goes up", right, &[table], 3, 4);
        tree_map("another number of values", right, &[table], 3, 1);
        tree_map("a node of other values", [&leaf, &narrow], &[table], 3, 2);
        tree_map("a node of fewer outputs", [&leaf, &short], &[table], 3, 2);
        tree_map("a node of other tables", [&leaf, &others], &[table], 3, 2);
        tree_map("a leaf for a node", [&leaf, &leaf], &[table], 3, 2);
        tree_map("a node that reads what goes up to another", [&leaf, &of_four(1, false)], &[table], 3, 2);
        if P::DEGREE > 1 {
            tree_map("an extension output", [&leaf, &of_four(0, true)], &[table], 3, 2);
        }
    }
}
