//! Recording an AIR: the result, the refusals, and the digest.

use std::collections::{BTreeMap, HashSet};

use crate::common::{Stark, random_trace, rng};
use air::{
    Air, AirBuilder, AirError, Column, GroupRole, Layout, Rows, Scan, Trace, airs, build_aux, check_trace, record,
};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::ir::Kind;
use gpu_hal::{CircleStark, CosetProtocol, Protocol, RunningColumn, RunningKind};

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

fn error(any: Any) -> AirError {
    record(&any).expect_err("the AIR is wrong")
}

fn error_of(define: Define) -> AirError {
    error(Any { define, ..PLAIN })
}

#[test]
fn shapes_are_checked() {
    record(&PLAIN).expect("legal");
    for log_n in [0, 1, 33, u32::MAX] {
        assert_eq!(error(Any { log_n, ..PLAIN }), AirError::TraceLength { log_trace_length: log_n });
    }
    let layout = |change: fn(&mut Layout)| {
        let mut layout = LAYOUT;
        change(&mut layout);
        error(Any { layout, ..PLAIN })
    };
    assert_eq!(layout(|l| l.main_columns = 0), AirError::NoMainColumns);
    assert_eq!(layout(|l| l.composition_parts = 0), AirError::NoParts);
    assert_eq!(layout(|l| l.frame_rows = 0), AirError::FrameRows { frame_rows: 0, rows: 16 });
    assert_eq!(layout(|l| l.frame_rows = 17), AirError::FrameRows { frame_rows: 17, rows: 16 });
    assert_eq!(layout(|l| l.frame_rows = 1), AirError::Offset { offset: 1, frame_rows: 1 });
    assert_eq!(layout(|l| l.aux_columns = 2), AirError::AuxColumns { declared: 1, layout: 2 });
    assert_eq!(layout(|l| l.main_columns = 1), AirError::Column { kind: "main", column: 1, columns: 1 });
    assert_eq!(layout(|l| l.challenges = 0), AirError::Challenge { challenge: 0, challenges: 0 });
}

#[test]
fn uses_are_checked() {
    let none = |_: &AirBuilder<Stark>| {};
    assert_eq!(error_of(none), AirError::AuxColumns { declared: 0, layout: 1 });
    assert_eq!(
        error(Any { layout: Layout { aux_columns: 0, ..LAYOUT }, define: none, ..PLAIN }),
        AirError::NoConstraints
    );
    assert_eq!(
        error_of(|b| b.transition(b.aux(1, 0), Rows::all())),
        AirError::Column { kind: "auxiliary", column: 1, columns: 1 }
    );
    assert_eq!(
        error_of(|b| b.boundary(Column::Aux(3), 0, Goldilocks::ONE)),
        AirError::Column { kind: "auxiliary", column: 3, columns: 1 }
    );
    assert_eq!(
        error_of(|b| b.boundary(Column::Main(0), 16, Goldilocks::ONE)),
        AirError::BoundaryRow { row: 16, rows: 16 }
    );
    assert_eq!(error_of(|b| b.transition(b.main(0, 2), Rows::all())), AirError::Offset { offset: 2, frame_rows: 2 });
    for (define, length) in [
        ((|b| _ = b.periodic(&[])) as Define, 0),
        (|b| _ = b.periodic(&[Goldilocks::ONE; 3]), 3),
        (|b| _ = b.periodic(&[Goldilocks::ONE; 32]), 32),
    ] {
        assert_eq!(error_of(define), AirError::PeriodicLength { length, rows: 16 });
    }
    assert_eq!(
        error_of(|b| {
            let column = b.running_product(b.main(0, 0), b.number(1), Scan::Inclusive);
            assert_eq!(column, Column::Aux(0));
            // Hidden behind two operations.
            b.running_sum(&[(b.number(1), 3 - b.aux(0, 0) * 2)], Scan::Inclusive);
        }),
        AirError::AuxInRunning { column: 1 }
    );
    assert_eq!(
        error_of(|b| {
            // The first wrong use is the one reported.
            b.challenge(4);
            b.main(9, 9);
        }),
        AirError::Challenge { challenge: 4, challenges: 1 }
    );
}

#[test]
fn rows_are_checked() {
    let rows = |define: Define| match error_of(define) {
        AirError::Rows { reason, .. } => reason,
        other => panic!("{other}"),
    };
    let bad: [(Define, &str); 8] = [
        (|b| b.transition(b.main(0, 0), Rows::all().every(0)), "period 0"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(3)), "period 3"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(32)), "period 32"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(4).from(4)), "offset 4"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_last(17)), "17 end exemptions of 16 rows"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(4).except_last(5)), "5 end exemptions of 4 rows"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_every(5, 0)), "exemptions period 5"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_every(4, 4)), "offset 4"),
    ];
    for (define, reason) in bad {
        assert!(rows(define).contains(reason), "{reason}");
    }
}

#[test]
fn degrees_are_checked() {
    // n = 16, two parts: degrees below 32. A degree-3 constraint on all rows has 3 * 15 - 16 = 29.
    let degree = |define: Define| match record(&Any { define, ..PLAIN }) {
        Err(AirError::Degree { degree, parts: 2, bound: 32, .. }) => Some(degree),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    assert_eq!(degree(|b| cube(b, Rows::all())), None);
    assert_eq!(degree(|b| cube(b, Rows::all().except_last(2))), None);
    assert_eq!(degree(|b| cube(b, Rows::all().except_last(3))), Some(32));
    assert_eq!(degree(|b| cube(b, Rows::all().every(2))), Some(37));
    assert_eq!(degree(|b| cube(b, Rows::all().except_every(4, 0))), Some(33));
    // A periodic column of period 4 has degree 12.
    assert_eq!(degree(|b| periodic_cube(b, 0)), Some(41));
    assert_eq!(degree(|b| periodic_cube(b, 1)), None);
}

fn cube(b: &AirBuilder<Stark>, rows: Rows) {
    b.host_column();
    b.transition(b.main(0, 0).pow(3) - b.main(1, 1) * 4, rows);
}

/// One of three main columns may be replaced.
fn periodic_cube(b: &AirBuilder<Stark>, replaced: usize) {
    b.host_column();
    let column = b.periodic(&[Goldilocks::ZERO, Goldilocks::ONE, Goldilocks::ZERO, Goldilocks::ZERO]);
    let x = b.main(0, 0).pow(3 - replaced as u64);
    b.transition(x * b.periodic_at(column, 1), Rows::all());
}

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

#[test]
fn digests_tell_everything_apart() {
    let digest = |any: Any| record(&any).expect("legal").digest();
    assert_eq!(digest(PLAIN), digest(PLAIN));
    let layout = |change: fn(&mut Layout)| {
        let mut layout = LAYOUT;
        change(&mut layout);
        Any { layout, ..PLAIN }
    };
    let defined = |define: Define| Any { define, ..PLAIN };
    let variants = [
        PLAIN,
        Any { name: "any2", ..PLAIN },
        Any { log_n: 5, ..PLAIN },
        layout(|l| l.main_columns = 3),
        layout(|l| l.frame_rows = 3),
        layout(|l| l.challenges = 2),
        layout(|l| l.composition_parts = 3),
        defined(|b| variant(b, Rows::all(), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all(), RunningKind::Sum, Scan::Exclusive)),
        defined(|b| variant(b, Rows::all(), RunningKind::Product, Scan::Exclusive)),
        defined(|b| variant(b, Rows::all().except_last(1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_last(2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().every(2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().every(2).from(1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_every(4, 1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_every(4, 2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| bounded(b, Column::Main(0), 0, Some(1))),
        defined(|b| bounded(b, Column::Main(0), 0, Some(2))),
        defined(|b| bounded(b, Column::Main(0), 0, None)),
        defined(|b| bounded(b, Column::Main(0), 1, Some(1))),
        defined(|b| bounded(b, Column::Main(1), 0, Some(1))),
        defined(|b| bounded(b, Column::Aux(0), 0, Some(1))),
        defined(|b| cycle(b, &[1, 2])),
        defined(|b| cycle(b, &[1, 3])),
        defined(|b| cycle(b, &[1, 2, 1, 2])),
    ];
    let digests: HashSet<[u8; 32]> = variants.iter().map(|any| digest(*any)).collect();
    assert_eq!(digests.len(), variants.len());
}

fn variant(b: &AirBuilder<Stark>, rows: Rows, kind: RunningKind, scan: Scan) {
    match kind {
        RunningKind::Sum => b.running_sum(&[(b.main(0, 0), b.main(1, 0))], scan),
        RunningKind::Product => b.running_product(b.main(0, 0), b.main(1, 0), scan),
    };
    b.transition(b.main(0, 0), rows);
}

fn bounded(b: &AirBuilder<Stark>, column: Column, row: usize, value: Option<u64>) {
    b.host_column();
    match value {
        Some(value) => b.boundary(column, row, Goldilocks::new(value)),
        None => b.boundary_with(column, row, |_| Fp3::ONE),
    }
}

fn cycle(b: &AirBuilder<Stark>, values: &[u64]) {
    b.host_column();
    let values: Vec<Goldilocks> = values.iter().copied().map(Goldilocks::new).collect();
    let column = b.periodic(&values);
    b.transition(b.periodic_at(column, 0) * b.main(0, 0), Rows::all());
}

#[test]
fn the_registry_refuses_what_it_does_not_have() {
    let build = |name: &str, rows: u64, params: &[(&str, u64)]| {
        let params: BTreeMap<String, u64> = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        airs::build::<Stark>(name, rows, &params).map(|air| air.layout())
    };
    match build("fibonaci", 16, &[]) {
        Err(AirError::UnknownAir { name, known }) => {
            assert_eq!((name.as_str(), known.len()), ("fibonaci", airs::all().len()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        build("wide", 16, &[("width", 2), ("depth", 3)]),
        Err(AirError::UnknownParam { air: "wide", param: "depth".into(), known: vec!["width", "degree"] })
    );
    assert!(matches!(build("quadratic", 16, &[("steps", 3)]), Err(AirError::UnknownParam { .. })));
    assert!(matches!(
        build("wide", 16, &[("width", 2)]),
        Err(AirError::MissingParam { air: "wide", param: "degree", .. })
    ));
    for (name, rows, params) in [
        ("fibonacci-rap", 16, &[("steps", 1)][..]),
        ("fibonacci-rap", 16, &[("steps", 16)]),
        ("fibonacci-rap", 16, &[("steps", u64::MAX)]),
        ("wide", 16, &[("width", 0), ("degree", 1)]),
        ("wide", 16, &[("width", u64::MAX), ("degree", 1)]),
        ("wide", 16, &[("width", 1), ("degree", 0)]),
        ("wide", 16, &[("width", 1), ("degree", 9)]),
        ("bit-flags", 8, &[]),
        ("quadratic", 2, &[]),
        ("quadratic", 0, &[]),
        ("quadratic", 1 << 33, &[]),
        ("quadratic", u64::MAX, &[]),
        ("read-only-memory", 24, &[]),
    ] {
        let result = build(name, rows, params);
        assert!(matches!(result, Err(AirError::BadParam { .. })), "{name} {rows} {params:?}: {result:?}");
    }
    let most = if usize::BITS > 32 { 32 } else { 31 };
    assert!(build("quadratic", 1 << most, &[]).is_ok());
    assert_eq!(build("fibonacci-rap", 16, &[]), build("fibonacci-rap", 16, &[("steps", 15)]));
}

/// Records and checks the honest trace of every AIR at the smallest sizes, wide ones of all degrees, both extensions.
fn all_honest<P: CosetProtocol>(challenge: <P as Protocol>::Ext) {
    for info in airs::all() {
        for rows in [4u64, 8, 16, 32, 128] {
            if info.name == "bit-flags" && rows < 16 {
                continue;
            }
            let sets: Vec<Vec<u64>> = match info.name {
                "fibonacci-rap" => [2, 3, rows / 2, rows - 2, rows - 1].map(|steps| vec![steps.max(2)]).to_vec(),
                "wide" => (1..=8).flat_map(|degree| [1, 2, 5].map(|width| vec![width, degree])).collect(),
                _ => vec![vec![]],
            };
            for values in sets {
                let params = info.params.iter().map(|param| param.name.to_owned()).zip(values).collect();
                let air = airs::build::<P>(info.name, rows, &params).expect("legal");
                let recorded = record(air.as_ref()).expect("records");
                let challenges = [challenge, challenge.square()][..recorded.layout().challenges].to_vec();
                check_trace(&recorded, air.as_ref(), &air.trace(), &challenges, 1)
                    .unwrap_or_else(|error| panic!("{} {rows} {params:?}: {error}", info.name));
            }
        }
    }
}

#[test]
fn honest_traces_of_all_sizes() {
    all_honest::<Stark>(Fp3::new(Goldilocks::new(1), Goldilocks::new(2), Goldilocks::new(3)));
    all_honest::<gpu_hal::GoldilocksStark<Goldilocks>>(Goldilocks::new(0x1234_5678_9abc_def0));
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
