//! AIRs that cannot be proven as they are get an error that names the reason.

use std::borrow::Cow;

use p3_air::{
    Air, AirBuilder, BaseAir, BaseEntry, BoundaryEnd, BoundaryPublic, ExtensionBuilder, SymbolicAirBuilder,
    SymbolicExpression, SymbolicVariable, WindowAccess,
};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{Origin, P3Air, P3Error, P3Field};

type Builder<F> = SymbolicAirBuilder<F>;

/// An AIR of 8 rows of one kind or another.
struct Sample<F: P3Field> {
    eval: fn(&mut Builder<F>),
    preprocessed: (Option<RowMajorMatrix<F>>, usize),
    periodic: (Vec<Vec<F>>, usize),
    public: usize,
    cells: Vec<BoundaryPublic>,
    is_boolean: bool,
}

fn sample<F: P3Field>(eval: fn(&mut Builder<F>)) -> Sample<F> {
    Sample { eval, preprocessed: (None, 0), periodic: (vec![], 0), public: 0, cells: vec![], is_boolean: false }
}

impl<F: P3Field> BaseAir<F> for Sample<F> {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        self.preprocessed.0.clone()
    }

    fn preprocessed_width(&self) -> usize {
        self.preprocessed.1
    }

    fn num_periodic_columns(&self) -> usize {
        self.periodic.1
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        Cow::Borrowed(&self.periodic.0)
    }

    fn num_public_values(&self) -> usize {
        self.public
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        &self.cells
    }

    fn assumes_boolean_trace(&self) -> bool {
        self.is_boolean
    }
}

impl<F: P3Field> Air<Builder<F>> for Sample<F> {
    fn eval(&self, builder: &mut Builder<F>) {
        (self.eval)(builder);
    }
}

fn x<F: P3Field>(builder: &Builder<F>) -> SymbolicExpression<F> {
    builder.main().current_slice()[0].into()
}

fn error(sample: &Sample<Goldilocks>) -> P3Error {
    P3Air::new("sample", sample, 8, &vec![Goldilocks::ONE; sample.public]).expect_err("cannot be proven")
}

fn bool_check(builder: &mut Builder<Goldilocks>) {
    let x = x(builder);
    builder.assert_bool(x);
}

#[test]
fn selectors_that_meet_on_a_row() {
    let on_first: fn(&mut Builder<Goldilocks>) = |builder| {
        let (x, first) = (x(builder), builder.is_first_row());
        builder.assert_bool(x.clone());
        builder.assert_zero(x * (SymbolicExpression::ONE - first));
    };
    assert_eq!(error(&sample(on_first)), P3Error::Selectors { constraint: 1, row: "the first row" });
    let on_last: fn(&mut Builder<Goldilocks>) = |builder| {
        let (x, last) = (x(builder), builder.is_last_row());
        builder.assert_zero(x.clone() * last.clone() + last.square());
    };
    assert_eq!(error(&sample(on_last)), P3Error::Selectors { constraint: 0, row: "the last row" });
    let between: fn(&mut Builder<Goldilocks>) = |builder| {
        let (x, transition) = (x(builder), builder.is_transition());
        builder.assert_zero(x.clone() + transition * (x - SymbolicExpression::ONE));
    };
    assert_eq!(error(&sample(between)), P3Error::Selectors { constraint: 0, row: "all rows but the last" });
    let power: fn(&mut Builder<Goldilocks>) = |builder| {
        let first = builder.is_first_row().exp_power_of_2(16);
        builder.assert_zero(first);
    };
    assert_eq!(error(&sample(power)), P3Error::SelectorPower { origin: Origin::Constraint(0) });
}

#[test]
fn variables_that_do_not_exist() {
    let column: fn(&mut Builder<Goldilocks>) =
        |builder| builder.assert_zero(SymbolicVariable::new(BaseEntry::Main { offset: 1 }, 1));
    let expected = P3Error::Variable { origin: Origin::Constraint(0), what: "main column", index: 1, count: 1 };
    assert_eq!(error(&sample(column)), expected);
    let offset: fn(&mut Builder<Goldilocks>) =
        |builder| builder.assert_zero(SymbolicVariable::new(BaseEntry::Main { offset: 2 }, 0));
    assert_eq!(error(&sample(offset)), P3Error::Offset { origin: Origin::Constraint(0), offset: 2 });
    let public: fn(&mut Builder<Goldilocks>) =
        |builder| builder.assert_zero(SymbolicVariable::new(BaseEntry::Public, 0));
    let expected = P3Error::Variable { origin: Origin::Constraint(0), what: "public value", index: 0, count: 0 };
    assert_eq!(error(&sample(public)), expected);
    let extension: fn(&mut Builder<Goldilocks>) = |builder| {
        bool_check(builder);
        builder.assert_zero_ext(Goldilocks::ONE);
    };
    assert_eq!(error(&sample(extension)), P3Error::Extension { constraints: 1 });
}

#[test]
fn columns_and_values_that_do_not_fit() {
    for rows in [0, 2, 12] {
        let made = P3Air::new("sample", &sample(bool_check), rows, &[]);
        assert_eq!(made.expect_err("no trace has so many rows"), P3Error::Rows { rows });
    }
    let made = P3Air::new("sample", &sample(bool_check), 8, &[Goldilocks::ONE]);
    assert_eq!(made.expect_err("one too many"), P3Error::PublicValues { given: 1, needed: 0 });
    assert_eq!(error(&Sample { is_boolean: true, ..sample(bool_check) }), P3Error::BooleanTrace);

    let matrix = |rows: usize, width| Some(RowMajorMatrix::new(vec![Goldilocks::ONE; rows * width], width));
    for (trace, width, given_rows, given_width) in
        [(None, 1, 0, 0), (matrix(4, 1), 1, 4, 1), (matrix(8, 2), 1, 8, 2), (matrix(8, 1), 0, 8, 1)]
    {
        let preprocessed = Sample { preprocessed: (trace, width), ..sample(bool_check) };
        assert_eq!(error(&preprocessed), P3Error::Preprocessed { given_rows, given_width, rows: 8, width });
    }
    let periodic = |lengths: &[usize], count| {
        let columns = lengths.iter().map(|length| vec![Goldilocks::ONE; *length]).collect();
        error(&Sample { periodic: (columns, count), ..sample(bool_check) })
    };
    assert_eq!(periodic(&[2], 2), P3Error::PeriodicColumns { given: 1, needed: 2 });
    for length in [0, 3, 16] {
        assert_eq!(periodic(&[8, length], 2), P3Error::PeriodicLength { column: 1, length, rows: 8 });
    }
    let cell = |column, public_value| {
        let cells = vec![BoundaryPublic::new(column, BoundaryEnd::Last, public_value)];
        error(&Sample { cells, public: 1, ..sample(bool_check) })
    };
    assert_eq!(cell(1, 0), P3Error::BoundaryCell { cell: 0, what: "column", index: 1, count: 1 });
    assert_eq!(cell(0, 1), P3Error::BoundaryCell { cell: 0, what: "public value", index: 1, count: 1 });
}

#[test]
fn traces_of_another_shape() {
    let air = P3Air::new("sample", &sample(bool_check), 8, &[]).expect("can be recorded");
    for (given, given_width) in [(4, 1), (8, 2), (16, 2), (0, 1)] {
        let matrix = RowMajorMatrix::new(vec![Goldilocks::ONE; given], given_width);
        let expected = P3Error::Trace { given, given_width, rows: 8, width: 1 };
        assert_eq!(air.trace(&matrix).expect_err("another shape"), expected);
        assert_eq!(air.columns(&matrix).expect_err("another shape"), expected);
    }
}

/// `x^exponent = x` where the selector is.
fn power<F: P3Field + PrimeField64, const EXPONENT: u64>(builder: &mut Builder<F>) {
    let x = x(builder);
    builder.when_transition().assert_eq(x.exp_const_u64::<EXPONENT>(), x);
}

#[test]
fn degrees_that_no_blowup_or_no_circle_holds() {
    let recorded = |eval| air::record(&P3Air::new("sample", &sample(eval), 8, &[]).expect("recorded")).expect("sound");
    let parts = [recorded(power::<Goldilocks, 2>), recorded(power::<Goldilocks, 3>), recorded(power::<Goldilocks, 7>)]
        .map(|recorded| recorded.layout().composition_parts);
    assert_eq!(parts, [1, 2, 6]);
    let circle = |eval| P3Air::<Mersenne31>::new("sample", &sample(eval), 8, &[]).expect("recorded").statement();
    assert!(circle(power::<Mersenne31, 2>).is_ok());
    let error = circle(power::<Mersenne31, 3>).map(|_| ()).expect_err("of degree 4");
    assert_eq!(error, P3Error::CircleDegree { origin: Origin::Constraint(0), degree: 4, most: 3 });
    // No constraint at all.
    let nothing = circle(|_| ()).map(|_| ()).expect_err("nothing to prove");
    assert!(matches!(nothing, P3Error::Circle(_)), "{nothing}");
}
