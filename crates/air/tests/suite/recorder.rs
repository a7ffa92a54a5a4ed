//! Recording an AIR.

mod digests;
mod examples;
mod refusals;

use air::{Air, AirBuilder, AirError, Column, GroupRole, Layout, Rows, Scan, Trace, build_aux, check_trace, record};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::ir::Kind;
use gpu_hal::{CircleStark, RunningColumn, RunningKind};

use crate::common::{Stark, random_trace, rng};

type Define = fn(&AirBuilder<Stark>);

/// An AIR of any shape.
#[derive(Clone, Copy)]
struct Any {
    name: &'static str,
    log_n: u32,
    layout: Layout,
    define: Define,
}

const LAYOUT: Layout = Layout { main_columns: 2, aux_columns: 1, frame_rows: 2, challenges: 1, composition_parts: 2 };

impl Air<Stark> for Any {
    fn name(&self) -> &str {
        self.name
    }

    fn log_trace_length(&self) -> u32 {
        self.log_n
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn define(&self, builder: &AirBuilder<Stark>) {
        (self.define)(builder);
    }

    fn host_columns(&self, main: &Trace<Goldilocks>, challenges: &[Fp3]) -> Vec<Vec<Fp3>> {
        vec![main.column(1).iter().map(|&x| challenges[0] * x).collect()]
    }
}

fn plain(b: &AirBuilder<Stark>) {
    let sum = b.running_sum(&[(b.main(0, 0), b.challenge(0) + b.main(1, 0))], Scan::Exclusive);
    b.transition(b.main(0, 1) - b.main(0, 0), Rows::all().except_last(1));
    b.boundary(sum, 0, Goldilocks::ZERO);
}

const PLAIN: Any = Any { name: "any", log_n: 4, layout: LAYOUT, define: plain };

#[test]
fn operators_mean_what_they_say() {
    let define: Define = |b| {
        b.host_column();
        let (x, y) = (b.main(0, 0), b.main(1, 0));
        for expr in [
            x + y,
            x - y,
            x * y,
            -x,
            x + 3,
            3 + x,
            x - 3,
            3 - x,
            x * 3,
            3 * x,
            x.square(),
            x.pow(0),
            x.pow(1),
            x.pow(13),
            b.constant_ext(Fp3::new(Goldilocks::ONE, Goldilocks::ONE, Goldilocks::ZERO)) * x,
            b.challenge(0) - x * u64::MAX,
        ] {
            b.transition(expr, Rows::all().every(1));
        }
    };
    let layout = Layout { composition_parts: 13, ..LAYOUT };
    let recorded = record(&Any { define, layout, ..PLAIN }).expect("legal");
    let (x, y) = (Fp3::from(Goldilocks::new(1 << 40)), Fp3::from(Goldilocks::new(12345)));
    let three = Fp3::from(Goldilocks::new(3));
    let gamma = Fp3::new(Goldilocks::ONE, Goldilocks::new(8), Goldilocks::new(9));
    let values = recorded.constraints().evaluate(&[gamma], |group, column, offset| {
        assert_eq!((group, offset), (0, 0));
        [x, y][column]
    });
    let w = Fp3::new(Goldilocks::ONE, Goldilocks::ONE, Goldilocks::ZERO);
    let mut power = x;
    (0..12).for_each(|_| power *= x);
    // 2^64 - 1 = 2^32 - 2 (mod p)
    let large = Fp3::from(Goldilocks::new((1 << 32) - 2));
    let expected = [
        x + y,
        x - y,
        x * y,
        Fp3::ZERO - x,
        x + three,
        three + x,
        x - three,
        three - x,
        x * three,
        three * x,
        x * x,
        Fp3::ONE,
        x,
        power,
        w * x,
        gamma - x * large,
    ];
    assert_eq!(values, expected);
}

#[test]
fn a_mixture_of_everything() {
    let define: Define = |b| {
        let long = b.periodic(&[1, 2, 3, 4, 5, 6, 7, 8].map(Goldilocks::new));
        let short = b.periodic(&[Goldilocks::ZERO, Goldilocks::ONE]);
        let product = b.running_product(
            b.main(0, 1) + b.periodic_at(short, 0),
            b.challenge(0) - b.periodic_at(long, 1),
            Scan::Inclusive,
        );
        let host = b.host_column();
        let sum = b.running_sum(
            &[(b.main(0, 0), b.challenge(0)), (b.number(1), b.main(1, 0)), (b.number(5), b.number(7))],
            Scan::Exclusive,
        );
        let empty = b.running_sum(&[], Scan::Inclusive);
        assert_eq!([product, host, sum, empty], [0, 1, 2, 3].map(Column::Aux));
        b.transition(b.aux(1, 0) - b.challenge(0) * b.main(1, 0), Rows::all());
        b.transition(b.periodic_at(long, 1) * b.aux(3, 0), Rows::all().except_last(10));
        b.transition(b.aux(3, 1) - b.aux(3, 0), Rows::all());
        b.boundary_with(host, 3, |challenges| challenges[0] * Goldilocks::new(3));
        b.boundary(sum, 0, Goldilocks::ZERO);
    };
    // Column 1 is zero in row 0 alone.
    let (n, gamma) = (32usize, Fp3::new(Goldilocks::new(9), Goldilocks::new(8), Goldilocks::new(7)));
    let layout = Layout { aux_columns: 4, ..LAYOUT };
    let air = Any { log_n: 5, layout, define, ..PLAIN };
    let recorded = record(&air).expect("legal");
    let periodic = |log_period| GroupRole::Periodic { log_period };
    assert_eq!(recorded.groups(), [GroupRole::Main, GroupRole::Aux, periodic(1), periodic(3), GroupRole::Exemptions]);
    let groups: Vec<(usize, Kind)> = recorded.constraints().groups().iter().map(|g| (g.width, g.kind)).collect();
    assert_eq!(groups, [(2, Kind::Base), (4, Kind::Ext), (1, Kind::Base), (1, Kind::Base), (1, Kind::Base)]);
    assert_eq!(recorded.host_aux(), [1]);
    let running = recorded.running().expect("three running columns");
    assert_eq!(running.aux_index, [0, 2, 3]);
    assert_eq!(
        running.columns[1],
        RunningColumn { kind: RunningKind::Sum, inclusive: false, numerator: 2, denominator: 3 }
    );
    let running_groups: Vec<usize> = running.program.groups().iter().map(|g| g.width).collect();
    assert_eq!((running_groups, running.program.params()), (vec![2, 1, 1], 1));
    assert_eq!(recorded.constraints().params(), 3);
    assert_eq!(recorded.params(&[gamma]).expect("one challenge"), [gamma, gamma * Goldilocks::new(3), Fp3::ZERO]);

    let x = random_trace(&mut rng(3), 1, 5).data().into_owned();
    let y: Vec<Goldilocks> = (0..n as u64).map(Goldilocks::new).collect();
    let main = Trace::from_columns(vec![x.clone(), y]).expect("shape");
    let aux = build_aux(&recorded, &air, &main, &[gamma]).expect("fits");
    let inverse = |x: Fp3| x.inverse().expect("not zero");
    let base = |value: usize| Fp3::from(Goldilocks::new(value as u64));
    let (mut product, mut sum) = (Fp3::ONE, Fp3::ZERO);
    for row in 0..n {
        product *= (Fp3::from(x[(row + 1) % n]) + base(row % 2)) * inverse(gamma - base((row + 1) % 8 + 1));
        assert_eq!(aux[0][row], product);
        assert_eq!(aux[1][row], gamma * Goldilocks::new(row as u64));
        assert_eq!(aux[2][row], sum);
        // On row 0 one denominator is zero, so the whole row counts as zero.
        if row > 0 {
            sum += inverse(gamma) * x[row] + inverse(base(row)) + base(5) * inverse(base(7));
        }
    }
    assert_eq!(aux[3], vec![Fp3::ZERO; n]);
    check_trace(&recorded, &air, &main, &[gamma], 1).expect("satisfied");
}

/// The recorder and the row-by-row check know no domain, so they serve the circle protocol too.
#[test]
fn circle_statements_record() {
    struct Powers;
    impl Air<CircleStark> for Powers {
        fn name(&self) -> &str {
            "powers"
        }
        fn log_trace_length(&self) -> u32 {
            3
        }
        fn layout(&self) -> Layout {
            Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
        }
        fn define(&self, b: &AirBuilder<CircleStark>) {
            b.transition(b.main(0, 1) - 2 * b.main(0, 0), Rows::all().except_last(1));
            b.boundary(Column::Main(0), 0, field::M31::ONE);
        }
    }
    let recorded = record(&Powers).expect("legal");
    let column = std::iter::successors(Some(field::M31::ONE), |x| Some(x.double())).take(8).collect();
    let mut trace = Trace::from_columns(vec![column]).expect("shape");
    check_trace(&recorded, &Powers, &trace, &[], 1).expect("satisfied");
    trace.set(7, 0, field::M31::ONE);
    check_trace(&recorded, &Powers, &trace, &[], 1).expect_err("row 6 is violated");
}

#[test]
fn traces_have_one_shape() {
    let values = |n: u64| (0..n).map(Goldilocks::new).collect::<Vec<_>>();
    let trace = Trace::new(values(8), 2, 2).expect("shape");
    assert_eq!((trace.width(), trace.height(), trace.log_height()), (2, 4, 2));
    assert_eq!(trace.column(1), [4, 5, 6, 7].map(Goldilocks::new));
    assert_eq!(trace.get(3, 0), Goldilocks::new(3));
    assert_eq!(Trace::from_columns(vec![values(4), values(4)]).expect("shape").column(1), values(4));
    assert_eq!(Trace::from_columns(vec![values(4)]).expect("shape").data(), values(4));
    for (width, log_height) in [(0, 3), (1, 2), (2, 3), (1, 63), (1, 64), (usize::MAX, 3)] {
        assert!(matches!(Trace::new(values(8), width, log_height), Err(AirError::TraceShape(_))));
    }
    for columns in [vec![], vec![values(3)], vec![values(0)], vec![values(4), values(8)]] {
        assert!(matches!(Trace::from_columns(columns), Err(AirError::TraceShape(_))));
    }
}
