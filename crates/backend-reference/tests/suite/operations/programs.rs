//! Constraint programs: combinations on domains, and running columns, against the formulas they stand for.

use backend_reference::CpuReference;
use field::{ExtensionField, Field, Fp3, Goldilocks, TwoAdicField, bit_reverse};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Combination, CombinationGroup, ConstraintProgram, Constraints, CosetDomain, EvalOrder, Factor, GoldilocksStark,
    Multiplier, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend,
};

use crate::operations::common::{
    coset, download, evaluations, flatten, interpolate, natural_points, one, random, unflatten,
};

const LOG_TRACE: u32 = 4;
const LOG_PERIOD: u32 = 2;

/// Rows of the inputs: two base columns, one extension column, one base column of period 4.
struct Inputs<E> {
    a: Vec<Goldilocks>,
    b: Vec<Goldilocks>,
    z: Vec<E>,
    periodic: Vec<Goldilocks>,
    params: Vec<E>,
}

impl<E: ExtensionField<Goldilocks>> Inputs<E> {
    fn random(seed: u64) -> Self {
        let rows = 1 << LOG_TRACE;
        Self {
            a: random(seed, rows),
            b: random(seed + 1, rows),
            z: unflatten(&random(seed + 2, rows * E::DEGREE)),
            // A zero is among them, so that a denominator vanishes.
            periodic: [vec![Goldilocks::ZERO], random(seed + 3, 3)].concat(),
            params: unflatten(&random(seed + 4, 2 * E::DEGREE)),
        }
    }
}

/// The outputs as they are written in the test, with values of any kind. `s` is the periodic column.
fn outputs<E: ExtensionField<Goldilocks>>(load: impl Fn(char, i32) -> E, params: &[E], constant: E) -> [E; 5] {
    [
        load('a', 1) * load('b', -2) + params[0],
        load('s', 0) * (load('z', 3) - load('a', 0)),
        load('z', 1) * load('z', 0) + constant - params[1] * load('s', 1),
        E::from(Goldilocks::new(5)),
        -load('s', 0),
    ]
}

fn program<E: ExtensionField<Goldilocks>>(constant: E) -> ConstraintProgram<GoldilocksStark<E>> {
    let group = |width, kind| Group { width, kind };
    let groups = vec![group(2, Kind::Base), group(1, Kind::Ext), group(1, Kind::Base)];
    let mut builder = ProgramBuilder::new(groups, 2);
    let (p0, p1) = (builder.param(0), builder.param(1));
    let (a0, a1, b) = (builder.load(0, 0, 0), builder.load(0, 0, 1), builder.load(0, 1, -2));
    let (z0, z1, z3) = (builder.load(1, 0, 0), builder.load(1, 0, 1), builder.load(1, 0, 3));
    let (s0, s1) = (builder.load(2, 0, 0), builder.load(2, 0, 1));

    let product = builder.mul(a1, b);
    let first = builder.add(product, p0);
    let difference = builder.sub(z3, a0);
    let second = builder.mul(s0, difference);
    let square = builder.mul(z1, z0);
    let constant = builder.constant_ext(constant);
    let shifted = builder.add(square, constant);
    let scaled = builder.mul(p1, s1);
    let third = builder.sub(shifted, scaled);
    let fourth = builder.constant(Goldilocks::new(5));
    let fifth = builder.neg(s0);
    for (index, node) in [first, second, third, fourth, fifth].into_iter().enumerate() {
        assert_eq!(builder.output(node), index);
    }
    builder.finish().expect("all inputs are declared")
}

fn combination<E: ExtensionField<Goldilocks>>(seed: u64) -> Combination<GoldilocksStark<E>> {
    let g = Goldilocks::two_adic_generator(LOG_TRACE);
    let weights: Vec<E> = unflatten(&random(seed, 6 * E::DEGREE));
    let factor = |log_power, constant, inverse| Factor { log_power, constant, inverse };
    let group = |factors, column, terms| CombinationGroup { multiplier: Multiplier { factors, column }, terms };
    Combination {
        groups: vec![
            group(
                vec![factor(LOG_TRACE, Goldilocks::ONE, true), factor(0, g.pow(15), false)],
                None,
                vec![(0, weights[0]), (1, weights[1])],
            ),
            group(vec![factor(0, g.pow(3), true)], Some((0, 1)), vec![(2, weights[2]), (0, weights[3])]),
            group(vec![], Some((2, 0)), vec![(3, weights[4])]),
            // A coordinate of an extension column, and the square of a factor.
            group(
                vec![factor(2, Goldilocks::new(9), false), factor(2, Goldilocks::new(9), false)],
                Some((1, E::DEGREE - 1)),
                vec![(4, weights[5])],
            ),
            group(vec![], None, vec![]),
        ],
    }
}

/// Compares `constraint_eval` with the polynomials of the columns, evaluated at `x g^offset` by lambdaworks.
fn constraint_eval_is_its_formula<E: ExtensionField<Goldilocks>>(shift: u64, log_blowup: u32, log_eval: u32) {
    let backend = CpuReference::<GoldilocksStark<E>>::new();
    let inputs = Inputs::<E>::random(shift + u64::from(log_eval));
    let domain = coset(shift, LOG_TRACE + log_blowup);
    let rows = evaluations(CosetDomain::subgroup(LOG_TRACE), EvalOrder::Row);

    let main = backend.upload(&[&inputs.a[..], &inputs.b].concat(), 2, LOG_TRACE).expect("upload");
    let main = backend.lde(main.as_ref(), rows, domain).expect("lde");
    let aux = backend.upload(&flatten(&inputs.z), E::DEGREE, LOG_TRACE).expect("upload");
    let aux = backend.lde(aux.as_ref(), rows, domain).expect("lde");
    // s(x) = p(x^(n/period)) with p of degree below the period: its values on the domain are the values of p on the
    // domain of the powers, which is smaller.
    let powers = CosetDomain::new(domain.shift.pow(1 << (LOG_TRACE - LOG_PERIOD)), LOG_PERIOD + log_blowup);
    let periodic = backend.upload(&inputs.periodic, 1, LOG_PERIOD).expect("upload");
    let on_period = evaluations(CosetDomain::subgroup(LOG_PERIOD), EvalOrder::Row);
    let periodic = backend.lde(periodic.as_ref(), on_period, powers).expect("lde");

    let constant: E = unflatten(&random(1, E::DEGREE))[0];
    let combination = combination::<E>(shift);
    let program = backend.prepare(&program(constant)).expect("a program");
    let result = backend
        .constraint_eval(&[Constraints {
            program: &program,
            columns: &[main.as_ref(), aux.as_ref(), periodic.as_ref()],
            domain,
            log_trace: LOG_TRACE,
            log_eval,
            params: &inputs.params,
            combination: &combination,
        }])
        .map(one)
        .expect("an evaluation");
    assert_eq!((result.width, result.log_height), (E::DEGREE, log_eval));
    let result: Vec<E> = unflatten(&download(&backend, &result));

    let g = Goldilocks::two_adic_generator(LOG_TRACE);
    let repeated: Vec<_> = (0..1 << LOG_TRACE).map(|row| inputs.periodic[row % 4]).collect();
    let z: Vec<_> = flatten(&inputs.z).chunks_exact(1 << LOG_TRACE).map(interpolate).collect();
    let [a, b, s] = [&inputs.a, &inputs.b, &repeated].map(|column| interpolate(column));
    let points = natural_points(domain);
    for (storage, value) in result.into_iter().enumerate() {
        let x = points[bit_reverse(storage, domain.log_size)];
        let at = |polynomial: &lambdaworks_math::polynomial::Polynomial<_>, offset: i32| {
            let step = if offset < 0 { g.inverse_or_zero().pow(-offset as u64) } else { g.pow(offset as u64) };
            Goldilocks::from(polynomial.evaluate(&crate::operations::common::LwBase::from(x * step)))
        };
        let load = |column, offset| match column {
            'a' => E::from(at(&a, offset)),
            'b' => E::from(at(&b, offset)),
            's' => E::from(at(&s, offset)),
            _ => E::from_coordinates(&z.iter().map(|c| at(c, offset)).collect::<Vec<_>>()).expect("the degree"),
        };
        let outputs = outputs(load, &inputs.params, constant);
        let expected: E = combination
            .groups
            .iter()
            .map(|group| {
                let terms: E = group.terms.iter().map(|(output, weight)| *weight * outputs[*output]).sum();
                let factors = group.multiplier.factors.iter().fold(Goldilocks::ONE, |product, factor| {
                    let value = x.pow(1 << factor.log_power) - factor.constant;
                    product * if factor.inverse { value.inverse_or_zero() } else { value }
                });
                let column = match group.multiplier.column {
                    Some((0, 1)) => at(&b, 0),
                    Some((1, _)) => at(&z[E::DEGREE - 1], 0),
                    Some(_) => at(&s, 0),
                    None => Goldilocks::ONE,
                };
                terms * (factors * column)
            })
            .sum();
        assert_eq!(
            value, expected,
            "storage index {storage}, shift {shift}, blowup 2^{log_blowup}, 2^{log_eval} points"
        );
    }
}

#[test]
fn combinations_are_their_formulas() {
    // With shift 1 the domain contains the trace domain, so that denominators vanish there.
    for shift in [3, 1] {
        for (log_blowup, log_eval) in [(2, 6), (2, 5), (2, 4), (1, 5), (0, 4)] {
            constraint_eval_is_its_formula::<Fp3>(shift, log_blowup, log_eval);
            constraint_eval_is_its_formula::<Goldilocks>(shift, log_blowup, log_eval);
        }
    }
}

fn running_is_a_loop<E: ExtensionField<Goldilocks>>() {
    let backend = CpuReference::<GoldilocksStark<E>>::new();
    let inputs = Inputs::<E>::random(77);
    let constant: E = unflatten(&random(2, E::DEGREE))[0];
    let main = backend.upload(&[&inputs.a[..], &inputs.b].concat(), 2, LOG_TRACE).expect("upload");
    let aux = backend.upload(&flatten(&inputs.z), E::DEGREE, LOG_TRACE).expect("upload");
    let periodic = backend.upload(&inputs.periodic, 1, LOG_PERIOD).expect("upload");
    let program = backend.prepare(&program(constant)).expect("a program");
    // Output 4 is zero in every fourth row.
    let columns: Vec<RunningColumn> = [(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)]
        .into_iter()
        .flat_map(|(numerator, denominator)| {
            [RunningKind::Product, RunningKind::Sum].into_iter().flat_map(move |kind| {
                [true, false].map(|inclusive| RunningColumn { kind, inclusive, numerator, denominator })
            })
        })
        .collect();
    let result = backend
        .running(&[RunningRequest {
            program: &program,
            columns: &[main.as_ref(), aux.as_ref(), periodic.as_ref()],
            log_height: LOG_TRACE,
            params: &inputs.params,
            form: RunningForm::Columns(&columns),
        }])
        .map(one)
        .expect("running columns")
        .columns;
    assert_eq!((result.width, result.log_height), (columns.len() * E::DEGREE, LOG_TRACE));
    let result = download(&backend, &result);

    let height = 1_i32 << LOG_TRACE;
    let ratios: Vec<[E; 5]> = (0..height)
        .map(|row| {
            let load = |column, offset: i32| {
                let row = (row + offset + height) as usize % height as usize;
                match column {
                    'a' => inputs.a[row].into(),
                    'b' => inputs.b[row].into(),
                    's' => inputs.periodic[row % 4].into(),
                    _ => inputs.z[row],
                }
            };
            outputs(load, &inputs.params, constant)
        })
        .collect();
    for (column, values) in columns.iter().zip(result.chunks_exact(E::DEGREE << LOG_TRACE)) {
        let values: Vec<E> = unflatten(values);
        for (row, value) in values.into_iter().enumerate() {
            let ratios = ratios[..row + usize::from(column.inclusive)].iter().map(|outputs| {
                // A ratio with denominator zero counts as zero.
                let denominator = outputs[column.denominator];
                if denominator.is_zero() {
                    E::ZERO
                } else {
                    outputs[column.numerator] * denominator.inverse().expect("not zero")
                }
            });
            let expected: E = match column.kind {
                RunningKind::Product => ratios.product(),
                RunningKind::Sum => ratios.sum(),
            };
            assert_eq!(value, expected, "row {row} of {column:?}");
        }
    }
}

#[test]
fn running_columns_are_their_loops() {
    running_is_a_loop::<Fp3>();
    running_is_a_loop::<Goldilocks>();
}
