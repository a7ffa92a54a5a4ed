//! Constraints and lookups of every component, next to those of the published verifier of circuits, at random points.

use std::collections::HashMap;

use circle_air::{PreProcessedColumnId, RecordedComponent, qm31, secure};
use circuit_verifier::statement::all_circuit_components;
use circuits::air::{NAMES, components};
use circuits_core::context::{Context, Var};
use circuits_stark_verifier::constraint_eval::{CircuitEval, ComponentDataTrait, CompositionConstraintAccumulator};
use circuits_stark_verifier::test_utils::TestComponentData;
use field::{M31, QM31};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stwo::core::fields::qm31::SecureField;

/// Log2 of the rows: those of tables are fixed, and the others' any.
const LOG_SIZES: [u32; 11] = [4, 5, 6, 7, 8, 16, 20, 8, 14, 18, 16];

/// Random values of all columns of a component, and of all that is drawn or claimed.
struct Point {
    preprocessed: Vec<QM31>,
    main: Vec<QM31>,
    /// By batch: of columns over the base field.
    interaction: Vec<QM31>,
    previous: QM31,
    weight: QM31,
    drawn: [QM31; 2],
    claimed_sum: QM31,
}

impl Point {
    fn new(recorded: &RecordedComponent, drawn: [QM31; 2], random: &mut ChaCha8Rng) -> Self {
        let mut some = |count: usize| (0..count).map(|_| element(random)).collect::<Vec<_>>();
        let [preprocessed, main, interaction] = [0, 1, 2].map(|tree| recorded.width(tree));
        let [previous, weight, claimed_sum] = [0; 3].map(|_| some(1)[0]);
        let (preprocessed, main, interaction) = (some(preprocessed), some(main), some(interaction / 4));
        Self { preprocessed, main, interaction, previous, weight, drawn, claimed_sum }
    }

    fn load(&self, group: usize, column: usize, offset: i32) -> QM31 {
        match (group, offset) {
            (0, 0) => self.preprocessed[column],
            (1, 0) => self.main[column],
            (2, 0) => QM31::from(self.interaction[column / 4].0[column % 4]),
            (2, -1) => QM31::from(self.previous.0[column % 4]),
            other => panic!("no component reads {other:?}"),
        }
    }

    /// The weighted sum of the constraints, and the fractions of the batches.
    fn ours(&self, recorded: &RecordedComponent) -> (QM31, Vec<[QM31; 2]>) {
        let rows = QM31::from(M31::new(1 << recorded.log_size));
        let shift = self.claimed_sum * field::Field::inverse(rows).unwrap();
        let load = |group, column, offset| self.load(group, column, offset);
        let constraints = recorded.constraints.evaluate(&vec![shift; recorded.params], load);
        let sum = constraints.iter().fold(QM31::default(), |sum, constraint| sum * self.weight + *constraint);
        let logup = recorded.logup.as_ref().expect("every component looks up");
        let fractions = logup.program.evaluate(&vec![shift; logup.params], load);
        (sum, fractions.chunks_exact(2).map(|fraction| [fraction[0], fraction[1]]).collect())
    }

    /// The same of the verifier's component.
    fn verifiers(
        &self,
        component: &dyn CircuitEval<SecureField>,
        recorded: &RecordedComponent,
    ) -> (QM31, Vec<[QM31; 2]>) {
        let all = |values: &[QM31]| values.iter().copied().map(secure).collect::<Vec<_>>();
        let mut context = Context::<SecureField>::default();
        let data = TestComponentData::from_values(
            &mut context,
            &all(&self.main),
            &all(&self.interaction),
            secure(self.previous),
            1 << recorded.log_size,
        );
        let variable = |context: &mut Context<SecureField>, value: QM31| context.new_var(secure(value));
        let ids = recorded.preprocessed.iter().zip(&self.preprocessed);
        let preprocessed: HashMap<PreProcessedColumnId, Var> =
            ids.map(|(id, value)| (PreProcessedColumnId { id: id.clone() }, variable(&mut context, *value))).collect();
        let (weight, drawn) = (variable(&mut context, self.weight), self.drawn);
        let drawn = drawn.map(|element| variable(&mut context, element));
        let mut sum = CompositionConstraintAccumulator::new(&mut context, preprocessed, HashMap::new(), weight, drawn);
        component.evaluate(&mut context, &data, &mut sum);
        let terms: Vec<_> = sum
            .terms
            .iter()
            .map(|term| [term.numerator, term.denominator].map(|value| qm31(context.get(value))))
            .collect();
        let columns = <TestComponentData as ComponentDataTrait<SecureField>>::interaction_columns(&data);
        let claimed_sum = variable(&mut context, self.claimed_sum);
        sum.finalize_logup_in_pairs(&mut context, columns, &data, claimed_sum);
        let result = sum.finalize();
        let pairs = terms.chunks(2).map(|pair| match *pair {
            [[n0, d0], [n1, d1]] => [n0 * d1 + n1 * d0, d0 * d1],
            [single] => single,
            _ => unreachable!("chunks of two"),
        });
        (qm31(context.get(result)), pairs.collect())
    }
}

fn element(random: &mut ChaCha8Rng) -> QM31 {
    QM31(std::array::from_fn(|_| M31::new(random.random_range(0..0x7fff_ffff))))
}

#[test]
fn components_are_those_of_the_verifier() {
    let theirs = all_circuit_components::<SecureField>();
    assert_eq!(theirs.keys().copied().collect::<Vec<_>>(), NAMES);
    let mut random = ChaCha8Rng::seed_from_u64(14);
    for _ in 0..4 {
        let drawn = [(); 2].map(|()| element(&mut random));
        for (ours, (name, theirs)) in components(&LOG_SIZES, &drawn).iter().zip(&theirs) {
            let recorded = ours.record().unwrap();
            let widths = [1, 2].map(|tree| recorded.width(tree));
            assert_eq!(widths, [theirs.trace_columns(), theirs.interaction_columns()], "{name}");
            let point = Point::new(&recorded, drawn, &mut random);
            let (sum, fractions) = point.ours(&recorded);
            let (expected, pairs) = point.verifiers(&**theirs, &recorded);
            assert_eq!(fractions, pairs, "{name}: lookups");
            assert_eq!(sum, expected, "{name}: constraints");
        }
    }
}

/// The comparison sees each column: another value of any of them changes the sum.
#[test]
fn every_column_is_read() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    let drawn = [(); 2].map(|()| element(&mut random));
    for component in components(&LOG_SIZES, &drawn) {
        let recorded = component.record().unwrap();
        let mut point = Point::new(&recorded, drawn, &mut random);
        let (sum, _) = point.ours(&recorded);
        for group in 0..3 {
            let width = [point.preprocessed.len(), point.main.len(), point.interaction.len()][group];
            for column in 0..width {
                let of = |point: &mut Point, value: QM31| {
                    let columns = match group {
                        0 => &mut point.preprocessed,
                        1 => &mut point.main,
                        _ => &mut point.interaction,
                    };
                    std::mem::replace(&mut columns[column], value)
                };
                let before = of(&mut point, element(&mut random));
                assert_ne!(point.ours(&recorded).0, sum, "column {column} of group {group}");
                of(&mut point, before);
            }
        }
    }
}
