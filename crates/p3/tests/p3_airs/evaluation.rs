//! The recorded AIR has Plonky3's values: on random rows, against an evaluation of `eval` itself on field elements.

use air::{Air as _, GroupRole};
use field::{ExtensionField as _, PrimeField as _, SplitMix64};
use p3_air::{Air, AirBuilder, AirLayout, SymbolicAirBuilder};
use p3_field::PrimeField64;
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{P3Air, P3Field};

use crate::airs::{Fibonacci, OddSelectors, Weighted};

/// Field elements in the place of expressions.
pub(crate) struct Values<F> {
    main: RowMajorMatrix<F>,
    preprocessed: RowMajorMatrix<F>,
    periodic: Vec<F>,
    public: Vec<F>,
    /// The selectors of first row, last row, transition.
    selectors: [F; 3],
    asserted: Vec<F>,
}

impl<F: PrimeField64> AirBuilder for Values<F> {
    type F = F;
    type Expr = F;
    type Var = F;
    type PreprocessedWindow = RowMajorMatrix<F>;
    type MainWindow = RowMajorMatrix<F>;
    type PublicVar = F;
    type PeriodicVar = F;

    fn main(&self) -> RowMajorMatrix<F> {
        self.main.clone()
    }

    fn preprocessed(&self) -> &RowMajorMatrix<F> {
        &self.preprocessed
    }

    fn is_first_row(&self) -> F {
        self.selectors[0]
    }

    fn is_last_row(&self) -> F {
        self.selectors[1]
    }

    fn is_transition(&self) -> F {
        self.selectors[2]
    }

    fn assert_zero<I: Into<F>>(&mut self, x: I) {
        self.asserted.push(x.into());
    }

    fn public_values(&self) -> &[F] {
        &self.public
    }

    fn periodic_values(&self) -> &[F] {
        &self.periodic
    }
}

/// Compares all constraints on the first row, on a row between, and on the last, with random cells on them and on the
/// next. Returns how many values were compared.
pub(crate) fn compare<F: P3Field, A>(air: &A, rows: usize, public: &[F]) -> usize
where
    A: Air<SymbolicAirBuilder<F>> + Air<Values<F>>,
{
    let p3_air = P3Air::new("compared", air, rows, public).expect("an AIR that can be recorded");
    let recorded = air::record(&p3_air).expect("a sound AIR");
    assert_eq!(recorded.public_inputs(), public.iter().map(|value| value.to_base()).collect::<Vec<_>>());
    let layout = AirLayout::from_air::<F>(air);
    let mut random = SplitMix64::new(rows as u64);
    let mut seen = 0;
    for row in [0, 1, rows - 2, rows - 1] {
        let cells: Vec<F> = (0..2 * layout.main_width).map(|_| F::from_u64(random.word())).collect();
        let preprocessed = |row: usize| {
            let matrix = air.preprocessed_trace();
            matrix.map_or(Vec::new(), |matrix| matrix.values[row * matrix.width..][..matrix.width].to_vec())
        };
        let both = [preprocessed(row), preprocessed((row + 1) % rows)].concat();
        let selectors = [row == 0, row == rows - 1, row != rows - 1].map(F::from_bool);
        let mut values = Values {
            main: RowMajorMatrix::new(cells.clone(), layout.main_width),
            preprocessed: RowMajorMatrix::new(both, layout.preprocessed_width),
            periodic: air.periodic_values(row),
            public: public.to_vec(),
            selectors,
            asserted: Vec::new(),
        };
        air.eval(&mut values);
        for cell in air.public_boundary_io().iter().filter(|cell| cell.row(rows) == row) {
            values.asserted.push(cells[cell.column] - public[cell.public_value]);
        }
        let mut expected: Vec<u64> = values.asserted.iter().map(|value| value.as_canonical_u64()).collect();
        let outputs =
            recorded.constraints().evaluate(&recorded.params(&[]).expect("no challenges"), |group, column, ahead| {
                let ahead = ahead as usize;
                let value = match recorded.groups()[group] {
                    GroupRole::Main => cells[ahead * layout.main_width + column].to_base(),
                    _ => {
                        let table = &recorded.periodic()[group - 1];
                        table.get((row + ahead) % table.height(), column)
                    }
                };
                value.into()
            });
        let places = recorded.transitions().iter().map(|at| at.contains(row, rows));
        let holds = places.chain(recorded.boundaries().iter().map(|boundary| boundary.row() == row));
        let mut made: Vec<u64> = outputs
            .iter()
            .zip(holds)
            .filter(|(_, holds)| *holds)
            .map(|(value, _)| value.as_base().expect("all columns are base columns").as_u64())
            .collect();
        // An assertion that this row is not about is zero there, and one may be a boundary here; the sign of that is
        // free.
        let order = F::ORDER_U64;
        for values in [&mut expected, &mut made] {
            values.retain(|value| *value != 0);
            values.iter_mut().for_each(|value| *value = (*value).min(order - *value));
            values.sort_unstable();
        }
        assert_eq!(made, expected, "{}, row {row}", p3_air.name());
        seen += made.len();
    }
    seen
}

fn small<F: P3Field>() -> [usize; 3] {
    let public = |count: u64| (0..count).map(|at| F::from_u64(1000 + at)).collect::<Vec<F>>();
    [
        compare(&Fibonacci, 8, &public(3)),
        compare(&Weighted::new(16), 16, &public(3)),
        compare(&OddSelectors, 4, &public(1)),
    ]
}

#[test]
fn small_airs_have_the_values_of_their_own_evaluation() {
    // Transitions on three of the four rows, and the constraints on the ends.
    let expected = [3 * 2 + 3, 3 + 4 + 1, 3 * 3 + 3 + 3];
    assert_eq!(small::<Goldilocks>(), expected);
    assert_eq!(small::<Mersenne31>(), expected);
}
