//! Running columns and compositions, whose programs are written here once more for a few AIRs.

use field::{ExtensionField, Field, Goldilocks, TwoAdicField};
use golden::goldilocks::elements;
use golden::{number, text};
use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
use gpu_hal::{
    Combination, CombinationGroup, ConstraintProgram, Constraints, CosetDomain, EvalOrder, Factor, GoldilocksStark,
    Multiplier, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend,
};

use super::{Run, Vector};
use crate::operations::common::{download, evaluations, one, unflatten};

type Program<E> = ConstraintProgram<GoldilocksStark<E>>;

impl<E: ExtensionField<Goldilocks>> Run<'_, E> {
    /// The aux column of AIRs that have one.
    pub(super) fn running(&self) {
        let Some(aux) = &self.aux else { return };
        let air = text(&self.vector.public["air"]);
        let challenges: Vec<E> = elements(&self.vector.public["rap_challenges"]);
        let groups = vec![Group { width: self.main.width, kind: Kind::Base }];
        let mut b = ProgramBuilder::<GoldilocksStark<E>>::new(groups, challenges.len());
        // mu - (address + alpha * value), the value in the column behind the address.
        let fingerprint = |b: &mut ProgramBuilder<_>, column: usize| -> NodeId {
            let (mu, alpha) = (b.param(0), b.param(1));
            let (address, value) = (b.load(0, column, 0), b.load(0, column + 1, 0));
            let scaled = b.mul(alpha, value);
            let sum = b.add(address, scaled);
            b.sub(mu, sum)
        };
        let (kind, inclusive, numerator, denominator) = match air {
            "fibonacci-rap" => {
                let gamma = b.param(0);
                let (x, y) = (b.load(0, 0, 0), b.load(0, 1, 0));
                (RunningKind::Product, false, b.add(x, gamma), b.add(y, gamma))
            }
            "read-only-memory" => (RunningKind::Product, true, fingerprint(&mut b, 0), fingerprint(&mut b, 2)),
            _ => {
                // m/W - 1/U = (m U - W) / (U W)
                assert_eq!(air, "read-only-memory-logup");
                let (u, w, m) = (fingerprint(&mut b, 0), fingerprint(&mut b, 2), b.load(0, 4, 0));
                let mu = b.mul(m, u);
                (RunningKind::Sum, true, b.sub(mu, w), b.mul(u, w))
            }
        };
        let (numerator, denominator) = (b.output(numerator), b.output(denominator));
        let program = self.backend.prepare(&b.finish().expect("a program")).expect("prepared");
        let column = self
            .backend
            .running(&[RunningRequest {
                program: &program,
                columns: &[self.main.as_ref()],
                log_height: self.vector.log_trace,
                params: &challenges,
                form: RunningForm::Columns(&[RunningColumn { kind, inclusive, numerator, denominator }]),
            }])
            .map(one)
            .expect("a column")
            .columns;
        assert_eq!(download(&self.backend, &column), download(&self.backend, aux), "{}: aux column", self.name);
    }

    /// The composition of three AIRs: one with an extension column, one with a periodic one, one with exempted rows.
    pub(super) fn constraints(&self) {
        let Vector { public, log_trace, domain, .. } = self.vector;
        let g = Goldilocks::two_adic_generator(*log_trace);
        let rows = 1_u64 << log_trace;
        let transition: Vec<E> = elements(&public["transition_coefficients"]);
        let boundary: Vec<E> = elements(&public["boundary_coefficients"]);
        let factor = |log_power, constant, inverse| Factor { log_power, constant, inverse };
        let group = |factors, terms| CombinationGroup { multiplier: Multiplier { factors, column: None }, terms };
        // 1/(x^n - 1) and the last `exempt` rows; 1/(x - g^row).
        let vanishing = |exempt: u64| {
            let last = (1..=exempt).map(|k| factor(0, g.pow(rows - k), false));
            std::iter::once(factor(*log_trace, Goldilocks::ONE, true)).chain(last).collect()
        };
        let at_row = |row: u64| vec![factor(0, g.pow(row), true)];
        let end = |t: usize| number(&public["params"]["transition_end_exemptions"][t]);

        let mut columns = vec![self.lde(&self.main)];
        let groups;
        let program: Program<E> = match text(&public["air"]) {
            "fibonacci-rap" => {
                columns.push(self.lde(self.aux.as_ref().expect("an aux column")));
                let inputs = vec![Group { width: 2, kind: Kind::Base }, Group { width: 1, kind: Kind::Ext }];
                let mut b = ProgramBuilder::new(inputs, 1);
                let [a0, a1, a2] = [0, 1, 2].map(|offset| b.load(0, 0, offset));
                let (b0, gamma, one) = (b.load(0, 1, 0), b.param(0), b.constant(Goldilocks::ONE));
                let [z0, z1] = [0, 1].map(|offset| b.load(1, 0, offset));
                let difference = b.sub(a2, a1);
                let first = b.sub(difference, a0);
                let (left, right) = (b.add(b0, gamma), b.add(a0, gamma));
                let (left, right) = (b.mul(z1, left), b.mul(z0, right));
                let second = b.sub(left, right);
                let (start_a, start_z) = (b.sub(a0, one), b.sub(z0, one));
                for node in [first, second, start_a, start_z] {
                    b.output(node);
                }
                groups = vec![
                    group(vanishing(end(0)), vec![(0, transition[0])]),
                    group(vanishing(end(1)), vec![(1, transition[1])]),
                    group(at_row(0), vec![(2, boundary[0]), (3, boundary[2])]),
                    group(at_row(1), vec![(2, boundary[1])]),
                ];
                b.finish().expect("a program")
            }
            "periodic" => {
                // Period 2: values on the domain of the (n/2)-th powers.
                let powers = CosetDomain::new(domain.shift.pow(rows / 2), domain.log_size - log_trace + 1);
                let values = self.backend.upload(&[Goldilocks::ZERO, Goldilocks::ONE], 1, 1).expect("upload");
                let from = evaluations(CosetDomain::subgroup(1), EvalOrder::Row);
                columns.push(self.backend.lde(values.as_ref(), from, powers).expect("lde"));
                let inputs = vec![Group { width: 1, kind: Kind::Base }; 2];
                let mut b = ProgramBuilder::new(inputs, 0);
                let [a0, a1, a2] = [0, 1, 2].map(|offset| b.load(0, 0, offset));
                let (s, first, last) =
                    (b.load(1, 0, 0), b.constant(Goldilocks::ONE), b.constant(Goldilocks::new(1 << ((rows - 2) / 2))));
                let difference = b.sub(a2, a1);
                let difference = b.sub(difference, a0);
                let step = b.mul(s, difference);
                let (first, last) = (b.sub(a0, first), b.sub(a0, last));
                for node in [step, first, last] {
                    b.output(node);
                }
                groups = vec![
                    group(vanishing(end(0)), vec![(0, transition[0])]),
                    group(at_row(0), vec![(1, boundary[0])]),
                    group(at_row(rows - 1), vec![(2, boundary[1])]),
                ];
                b.finish().expect("a program")
            }
            "bit-flags" => {
                let mut b = ProgramBuilder::new(vec![Group { width: 2, kind: Kind::Base }], 0);
                let [f0, f1, f15] = [0, 1, 15].map(|offset| b.load(0, 0, offset));
                let one = b.constant(Goldilocks::ONE);
                let twice = b.add(f1, f1);
                let bit = b.sub(f0, twice);
                let less = b.sub(bit, one);
                let boolean = b.mul(bit, less);
                for node in [boolean, f15] {
                    b.output(node);
                }
                // Rows 15, 31, ... are exempt from the first; the second holds on rows 0, 16, ....
                let exempt = factor(log_trace - 4, g.pow(15 * rows / 16), false);
                groups = vec![
                    group(vec![factor(*log_trace, Goldilocks::ONE, true), exempt], vec![(0, transition[0])]),
                    group(vec![factor(log_trace - 4, Goldilocks::ONE, true)], vec![(1, transition[1])]),
                ];
                b.finish().expect("a program")
            }
            _ => return,
        };
        let program = self.backend.prepare(&program).expect("prepared");
        let columns: Vec<_> = columns.iter().map(|table| table.as_ref()).collect();
        let expected = self.stored("composition_evaluations_natural_order");
        // The whole domain, and the prefix that is as long as the trace.
        for log_eval in [domain.log_size, *log_trace] {
            let result = self
                .backend
                .constraint_eval(&[Constraints {
                    program: &program,
                    columns: &columns,
                    domain: *domain,
                    log_trace: *log_trace,
                    log_eval,
                    params: &elements::<E>(&public["rap_challenges"]),
                    combination: &Combination { groups: groups.clone() },
                }])
                .map(one)
                .expect("an evaluation");
            let result: Vec<E> = unflatten(&download(&self.backend, &result));
            assert_eq!(result, expected[..1 << log_eval], "{}: composition", self.name);
        }
    }
}
