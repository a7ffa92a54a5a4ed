//! What is refused, and with which error.

use circle_air::airs::{Blake2s, Fibonacci, Plonk, Poseidon2, RangeSquares, RpoM31, Secret, WideFibonacci, all, build};
use circle_air::{
    AirComponent, BuildError, ClaimedSumError, ConfigError, PreProcessedColumnId, PreprocessedColumn, RecordError,
    RecordedStatement, Shared, Statement, StatementError,
};
use field::M31;
use num_traits::{One, Zero};
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriConfig;
use stwo::core::pcs::PcsConfig;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEFTraitBound, RelationEntry};

/// What a component does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Defect {
    None,
    DegreeFour,
    NoColumns,
    NoConstraints,
    Inverse,
    InverseOfZero,
    Branch,
    Tree(usize),
    EmptyMask,
    Offset(isize),
    NotFinalised,
    Finalised(usize),
    Late,
    NoFractions,
    Batching(&'static [usize]),
    ReadsInteraction,
    LookupOfInteraction,
    /// What an interaction column is said to be.
    Claim(SecureField),
    /// An element that lookups depend on.
    Denominator(SecureField),
    ManyOffsets,
    Ids(&'static [&'static str]),
    ShapeOf(SecureField),
    Constants([u32; 2]),
    Logup,
}

/// `v - element`, for the one value of an entry.
struct Single(SecureField);

impl<F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Single {
    fn combine(&self, values: &[F]) -> EF {
        EF::from(values[0].clone()) - EF::from(self.0)
    }

    fn get_name(&self) -> &str {
        "Single"
    }

    fn get_size(&self) -> usize {
        1
    }
}

#[derive(Clone)]
struct Component {
    log_size: u32,
    bound: u32,
    defect: Defect,
}

impl FrameworkEval for Component {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.bound
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        if self.defect == Defect::NoColumns {
            eval.add_constraint(E::F::zero());
            return eval;
        }
        let x = eval.next_trace_mask();
        if self.defect == Defect::NoConstraints {
            return eval;
        }
        eval.add_constraint(x.clone() * (x.clone() - E::F::one()));
        let relation = Single(SecureField::from_u32_unchecked(1, 2, 3, 4));
        let entry = |eval: &mut E, x: &E::F| {
            eval.add_to_relation(RelationEntry::new(&relation, E::EF::one(), std::slice::from_ref(x)));
        };
        match self.defect {
            Defect::None | Defect::NoColumns | Defect::NoConstraints => {}
            Defect::DegreeFour => eval.add_constraint(x.pow(4)),
            Defect::Inverse => eval.add_constraint(x.inverse() - E::F::one()),
            Defect::InverseOfZero => eval.add_constraint(x * E::F::from(BaseField::from(0)).inverse()),
            Defect::Branch => {
                if !x.is_zero() {
                    eval.add_constraint(x);
                }
            }
            Defect::Tree(tree) => {
                let [y] = eval.next_interaction_mask(tree, [0]);
                eval.add_constraint(y);
            }
            Defect::EmptyMask => {
                let [] = eval.next_interaction_mask(1, []);
            }
            Defect::Offset(offset) => {
                let [y] = eval.next_interaction_mask(1, [offset]);
                eval.add_constraint(y);
            }
            Defect::NotFinalised => entry(&mut eval, &x),
            Defect::Finalised(times) => {
                entry(&mut eval, &x);
                (0..times).for_each(|_| eval.finalize_logup());
            }
            Defect::Late => {
                entry(&mut eval, &x);
                eval.finalize_logup();
                entry(&mut eval, &x);
            }
            Defect::NoFractions => eval.finalize_logup_in_pairs(),
            Defect::Batching(batching) => {
                (0..3).for_each(|_| entry(&mut eval, &x));
                eval.finalize_logup_batched(&batching.to_vec());
            }
            Defect::ReadsInteraction => {
                let [sum] = eval.next_extension_interaction_mask(2, [0]);
                eval.add_constraint(sum);
            }
            Defect::LookupOfInteraction => {
                let [y] = eval.next_interaction_mask(2, [0]);
                entry(&mut eval, &y);
                eval.finalize_logup();
            }
            Defect::Claim(element) => {
                let [y] = eval.next_extension_interaction_mask(2, [0]);
                eval.add_constraint(y - E::EF::from(element));
            }
            Defect::Denominator(element) => {
                eval.add_to_relation(RelationEntry::new(&Single(element), E::EF::one(), &[x]));
                eval.finalize_logup();
            }
            Defect::ManyOffsets => {
                let [a, b, c] = eval.next_interaction_mask(1, [-1, 0, 1]);
                eval.add_constraint(a + b - c);
            }
            Defect::Ids(ids) => {
                for id in ids {
                    let value = eval.get_preprocessed_column(PreProcessedColumnId { id: (*id).to_owned() });
                    eval.add_constraint(value);
                }
            }
            Defect::ShapeOf(element) => {
                if element.0.0.0 % 2 == 0 {
                    eval.add_constraint(x.clone());
                }
                eval.add_constraint(E::EF::from(x) * element);
            }
            Defect::Constants(constants) => {
                for constant in constants {
                    eval.add_constraint(x.clone() * BaseField::from(constant));
                }
            }
            Defect::Logup => {
                entry(&mut eval, &x);
                eval.finalize_logup();
            }
        }
        eval
    }
}

fn component(defect: Defect) -> Component {
    Component { log_size: 3, bound: 4, defect }
}

#[test]
fn components_are_refused() {
    use RecordError::*;
    let offset = |offset| Offset { tree: 1, column: 1, offset, log_size: 3 };
    for (defect, error) in [
        (Defect::DegreeFour, ConstraintDegree { constraint: 1, degree: 4 }),
        (Defect::NoColumns, NoColumns),
        (Defect::NoConstraints, NoConstraints),
        (Defect::Inverse, Inverse),
        (Defect::InverseOfZero, InverseOfZero),
        (Defect::Branch, Branch),
        (Defect::Tree(0), Tree { tree: 0 }),
        (Defect::Tree(3), Tree { tree: 3 }),
        (Defect::LookupOfInteraction, LookupOfInteraction { column: 0 }),
        (Defect::EmptyMask, EmptyMask { tree: 1, column: 1 }),
        (Defect::Offset(8), offset(8)),
        (Defect::Offset(-8), offset(-8)),
        (Defect::Offset(isize::MIN), offset(isize::MIN)),
        (Defect::NotFinalised, LogupNotFinalised { fractions: 1 }),
        (Defect::Finalised(2), LogupFinalisedTwice),
        (Defect::Late, FractionAfterFinalise),
        (Defect::NoFractions, LogupWithoutFractions),
        (Defect::Batching(&[0, 1]), BatchingLength { batching: 2, fractions: 3 }),
        (Defect::Batching(&[0, 0, 2]), BatchingGap { batch: 1 }),
        (Defect::Batching(&[1, 1, 1]), BatchingGap { batch: 0 }),
        (Defect::Batching(&[0, 1, usize::MAX]), BatchingGap { batch: 2 }),
        // Three denominators and the sum's difference: degree 4.
        (Defect::Batching(&[0, 0, 0]), ConstraintDegree { constraint: 1, degree: 4 }),
    ] {
        assert_eq!(component(defect).record().err(), Some(error));
    }
    for (defect, width, given) in [
        (Defect::None, 0, 0),
        (Defect::Offset(7), 0, 0),
        (Defect::Finalised(1), 4, 0),
        (Defect::Batching(&[1, 0, 1]), 8, 0),
        (Defect::ManyOffsets, 0, 0),
        (Defect::Tree(2), 1, 1),
        (Defect::ReadsInteraction, 4, 4),
    ] {
        let recorded = component(defect).record().unwrap();
        assert_eq!((recorded.width(2), recorded.given_columns().count()), (width, given));
    }
    for (log_size, bound, error) in [
        (0, 1, LogSize { log_size: 0 }),
        (30, 31, LogSize { log_size: 30 }),
        (3, 3, DegreeBound { bound: 3, log_size: 3 }),
        (3, 5, DegreeBound { bound: 5, log_size: 3 }),
    ] {
        assert_eq!(Component { log_size, bound, defect: Defect::None }.record().err(), Some(error));
    }
}

/// A recording that failed, or whose `evaluate` panicked, leaves nothing behind for the next on the thread.
#[test]
fn recordings_are_independent() {
    let expected = component(Defect::Logup).record().unwrap().constraints.encode();
    assert!(component(Defect::Inverse).record().is_err());
    struct Panics;
    impl FrameworkEval for Panics {
        fn log_size(&self) -> u32 {
            3
        }
        fn max_constraint_log_degree_bound(&self) -> u32 {
            4
        }
        fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
            let x = eval.next_trace_mask();
            // A recording inside a recording.
            assert!(component(Defect::Logup).record().is_ok());
            eval.add_constraint(x);
            panic!("on purpose");
        }
    }
    // Not clonable, hence shared.
    let panics = Shared::new(Panics);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| panics.record())).is_err());
    assert_eq!(component(Defect::Logup).record().unwrap().constraints.encode(), expected);
}

/// A defect that has an element.
type WithElement = fn(SecureField) -> Defect;

/// Components of a statement; the drawn elements go to [`Defect::ShapeOf`].
struct Custom {
    columns: Vec<(&'static str, u32)>,
    components: Vec<(u32, Defect)>,
    draws: usize,
    claims: usize,
    /// The element that all components get.
    element: Option<(usize, WithElement)>,
    variant: Option<Defect>,
}

impl Statement for Custom {
    fn name(&self) -> &str {
        "custom"
    }
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        self.columns.iter().map(|(id, log_size)| PreprocessedColumn::new(id, *log_size)).collect()
    }
    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        Vec::new()
    }
    fn draws(&self) -> usize {
        self.draws
    }
    fn claims(&self) -> usize {
        self.claims
    }
    fn components(&self, elements: &[SecureField]) -> Vec<Box<dyn AirComponent>> {
        let defect = |defect| self.element.map_or(defect, |(element, defect)| defect(elements[element]));
        let boxed = |&(log_size, of): &(u32, Defect)| -> Box<dyn AirComponent> {
            Box::new(Component { log_size, bound: log_size + 1, defect: defect(of) })
        };
        self.components.iter().map(boxed).collect()
    }
    fn check_claimed_sums(&self, _: &[SecureField], _: &[SecureField]) -> Result<(), ClaimedSumError> {
        Ok(())
    }
    fn check_config(&self, _: &PcsConfig) -> Result<(), ConfigError> {
        Ok(())
    }
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let variant = self.variant?;
        Some(Box::new(custom(&self.columns, &[(self.components[0].0, variant)], self.draws)))
    }
}

fn custom(columns: &[(&'static str, u32)], components: &[(u32, Defect)], draws: usize) -> Custom {
    let (columns, components) = (columns.to_vec(), components.to_vec());
    Custom { columns, components, draws, claims: 0, element: None, variant: None }
}

#[test]
fn statements_are_refused() {
    let reads = Defect::Ids(&["a", "b", "a"]);
    let id = |id: &str| id.to_owned();
    for (statement, error) in [
        (custom(&[], &[], 0), StatementError::NoComponents),
        (custom(&[("a", 3), ("a", 4)], &[(3, Defect::None)], 0), StatementError::DuplicateId { id: id("a") }),
        (custom(&[("a", 0)], &[(3, Defect::None)], 0), StatementError::PreprocessedSize { id: id("a"), log_size: 0 }),
        (
            custom(&[("a", 3)], &[(3, reads)], 0),
            StatementError::UnknownId { component: 0, id: id("b"), known: vec![id("a")] },
        ),
        (
            custom(&[("a", 3), ("b", 4)], &[(3, Defect::None), (3, reads)], 0),
            StatementError::SizeMismatch { component: 1, id: id("b"), log_size: 3, column_log_size: 4 },
        ),
        (custom(&[], &[(3, Defect::Logup)], 0), StatementError::Draws { draws: 0, with_interaction: 1 }),
        (custom(&[], &[(3, Defect::None)], 2), StatementError::Draws { draws: 2, with_interaction: 0 }),
        (custom(&[], &[(3, Defect::Logup)], 1), StatementError::Draws { draws: 1, with_interaction: 1 }),
        (
            custom(&[], &[(3, Defect::None), (3, Defect::Logup)], 5),
            StatementError::Draws { draws: 5, with_interaction: 1 },
        ),
        (custom(&[], &[(3, Defect::Tree(2))], 0), StatementError::Draws { draws: 0, with_interaction: 1 }),
        (
            custom(&[], &[(3, Defect::None), (3, Defect::Inverse)], 0),
            StatementError::Component { component: 1, source: RecordError::Inverse },
        ),
    ] {
        assert_eq!(RecordedStatement::new(&statement, None).err(), Some(error));
    }
    let recorded = RecordedStatement::new(&custom(&[("b", 3), ("a", 3)], &[(3, reads)], 0), None).unwrap();
    assert_eq!((recorded.components[0].width(0), &recorded.preprocessed_indices[0]), (2, &vec![1, 0]));
}

/// A claim that no constraint depends on says nothing, and one that a lookup entry depends on comes too late.
#[test]
fn claims_are_of_constraints() {
    let claims = |claims, element| {
        let statement = Custom { claims, element, ..custom(&[], &[(3, Defect::Tree(2))], 2) };
        RecordedStatement::new(&statement, None).map(|recorded| {
            let claimed = vec![SecureField::one(); claims];
            let drawn = [SecureField::zero(); 2];
            assert_eq!(recorded.elements(&drawn, &claimed), Ok([&drawn[..], &claimed].concat()));
            let count = ClaimedSumError::Count { given: 0, needed: claims };
            assert_eq!(recorded.elements(&drawn, &[]), Err(count));
        })
    };
    let interaction: WithElement = Defect::Claim;
    assert_eq!(claims(1, Some((2, interaction))), Ok(()));
    assert_eq!(claims(2, Some((2, interaction))), Err(StatementError::UnusedClaim { claim: 1, claims: 2 }));
    assert_eq!(claims(1, Some((0, interaction))), Err(StatementError::UnusedClaim { claim: 0, claims: 1 }));
    let source = RecordError::LookupOfClaim { claim: 0 };
    let late = StatementError::Component { component: 0, source };
    assert_eq!(claims(1, Some((2, Defect::Denominator))), Err(late));
}

/// A component whose shape depends on drawn elements is refused; one of other constants than when it was recorded, too.
#[test]
fn other_shapes_are_refused() {
    let mut statement = custom(&[], &[(3, Defect::Logup)], 2);
    let recorded = RecordedStatement::new(&statement, None).unwrap();
    let drawn = [SecureField::one(); 2];
    assert!(recorded.logup_params(&statement, &drawn).is_ok());
    assert_eq!(recorded.logup_params(&statement, &drawn[1..]), Err(StatementError::Drawn { given: 1, needed: 2 }));
    statement.components = vec![(4, Defect::Logup)];
    let shape = |result: Result<_, StatementError>| {
        matches!(result, Err(StatementError::Component { component: 0, source: RecordError::Shape { .. } }))
    };
    assert!(shape(recorded.logup_params(&statement, &drawn)));
    statement.components = vec![(3, Defect::None)];
    assert!(shape(recorded.logup_params(&statement, &drawn)));
    statement.components.clear();
    assert_eq!(recorded.logup_params(&statement, &drawn), Err(StatementError::Components { recorded: 1, now: 0 }));

    statement = custom(&[], &[(3, Defect::None)], 1);
    statement.element = Some((0, Defect::ShapeOf));
    let even = [SecureField::from_u32_unchecked(2, 0, 0, 0)];
    let odd = [SecureField::from_u32_unchecked(1, 0, 0, 0)];
    let shapes = [even, odd].map(|drawn| statement.components(&drawn)[0].record().unwrap().constraint_count());
    assert_eq!(shapes, [3, 2]);
    // Recorded alone, elements are constants: other elements are other programs.
    let fixed = custom(&[], &[(3, Defect::ShapeOf(odd[0]))], 0);
    let recorded = RecordedStatement::new(&fixed, None).unwrap();
    let other = custom(&[], &[(3, Defect::ShapeOf(SecureField::from_u32_unchecked(3, 0, 0, 0)))], 0);
    assert!(matches!(
        recorded.params(&other, &[], &[]),
        Err(StatementError::Component { component: 0, source: RecordError::Constant { .. } })
    ));
}

/// Two constants that are equal in a statement and in its variant are one parameter: they cannot become different.
#[test]
fn parameters_are_told_apart_by_the_variant() {
    let with = |constants| custom(&[], &[(3, Defect::Constants(constants))], 0);
    let recorded = |constants, variant| {
        let mut statement = with(constants);
        statement.variant = Some(Defect::Constants(variant));
        RecordedStatement::new(&statement, None).unwrap()
    };
    let params = |recorded: &RecordedStatement, constants: [u32; 2]| {
        recorded
            .params(&with(constants), &[], &[])
            .map(|params| params[0].iter().map(|p| p.0[0].value()).collect::<Vec<_>>())
    };
    let constant = |result| {
        matches!(result, Err(StatementError::Component { component: 0, source: RecordError::Constant { .. } }))
    };
    let one = recorded([1, 1], [5, 5]);
    assert_eq!(params(&one, [7, 7]), Ok(vec![7]));
    assert!(constant(params(&one, [7, 8])));
    let two = recorded([1, 1], [5, 6]);
    assert_eq!((params(&two, [7, 7]), params(&two, [0, 8])), (Ok(vec![7, 7]), Ok(vec![0, 8])));
    let half = recorded([1, 2], [5, 2]);
    assert_eq!(params(&half, [7, 2]), Ok(vec![7]));
    assert!(constant(params(&half, [7, 3])));
}

fn config(lifting: Option<u32>) -> PcsConfig {
    let fri_config = FriConfig { log_blowup_factor: 2, log_last_layer_degree_bound: 0, n_queries: 3, fold_step: 1 };
    PcsConfig { pow_bits: 0, fri_config, lifting_log_size: lifting }
}

#[test]
fn configurations_are_refused() {
    let check = |statement: &dyn Statement, lifting| {
        RecordedStatement::new(statement, lifting).unwrap().check_config(statement, &config(lifting))
    };
    let wide = WideFibonacci::new(5, 3, M31::new(1)).unwrap();
    assert_eq!(check(&wide, None), Ok(()));
    assert_eq!(check(&wide, Some(7)), Ok(()));
    assert_eq!(check(&wide, Some(6)), Err(ConfigError::LiftingTooSmall { lifting: 6, needed: 7 }));
    assert_eq!(check(&wide, Some(31)), Err(ConfigError::DomainTooLarge { log_size: 31 }));
    // Its column `zero` is larger than the trace.
    assert_eq!(
        check(&WideFibonacci::new(2, 3, M31::new(1)).unwrap(), Some(5)),
        Err(ConfigError::LiftingTooSmall { lifting: 5, needed: 6 })
    );

    let fibonacci = Fibonacci::new(5, M31::new(1), M31::new(1)).unwrap();
    let offsets = Err(ConfigError::Offsets { component: 0, offsets: 3, log_size: 7, needed: 8 });
    assert_eq!((check(&fibonacci, None), check(&fibonacci, Some(7))), (Ok(()), Ok(())));
    assert_eq!((check(&fibonacci, Some(8)), fibonacci.check_config(&config(Some(8)))), (offsets.clone(), offsets));

    let many = custom(&[("a", 3)], &[(5, Defect::None), (4, Defect::ManyOffsets)], 0);
    assert_eq!(check(&many, None), Err(ConfigError::Offsets { component: 1, offsets: 3, log_size: 6, needed: 7 }));
    let squares = RangeSquares::new(5, 7, 0).unwrap();
    assert_eq!((check(&squares, None), check(&squares, Some(10))), (Ok(()), Ok(())));
    // The largest component has no lookups.
    let uneven = custom(&[("a", 3)], &[(5, Defect::None), (4, Defect::Logup)], 2);
    assert_eq!(check(&uneven, None), Err(ConfigError::TreeHeight { tree: 2, height: 6, needed: 7 }));
    assert_eq!(check(&uneven, Some(7)), Ok(()));
    let empty = custom(&[], &[(5, Defect::None)], 0);
    assert_eq!((check(&empty, None), check(&empty, Some(7))), (Ok(()), Err(ConfigError::EmptyPreprocessed)));
}

#[test]
fn choices_are_refused() {
    let params = |params: &[(&str, &str)]| -> Vec<(String, String)> {
        params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let error = |name, log_rows, given: &[(&str, &str)]| build(name, log_rows, &params(given)).err().unwrap();
    let known: Vec<_> = all().iter().map(|air| air.name).collect();
    assert_eq!(error("nothing", 4, &[]), BuildError::UnknownAir { name: "nothing".to_owned(), known });
    assert!(error("plonk", 4, &[("a", "1")]).to_string().ends_with("it has: v0, v1"));
    assert!(matches!(error("plonk", 4, &[("v0", "1"), ("v0", "1")]), BuildError::DuplicateParam { .. }));
    assert!(matches!(error("range-squares", 4, &[]), BuildError::MissingParam { param: "table", .. }));
    for (name, log_rows, given) in [
        ("fibonacci", 1, &[][..]),
        ("fibonacci", 30, &[]),
        ("wide-fibonacci", 0, &[]),
        ("poseidon2", 0, &[]),
        ("rpo-m31", 0, &[]),
        ("rpo-m31", 30, &[]),
        ("rpo-m31", 4, &[("s", "2147483647")]),
        ("blake2s", 4, &[]),
        ("blake2s", 24, &[]),
        ("range-squares", 4, &[("table", "4294967297")]),
        ("fibonacci", 4, &[("a", "2147483647")]),
        ("fibonacci", 4, &[("a", "-1")]),
        ("fibonacci", 4, &[("a", "")]),
        ("wide-fibonacci", 4, &[("w", "2")]),
        ("wide-fibonacci", 4, &[("w", "4097")]),
        ("range-squares", 4, &[("table", "0")]),
        ("range-squares", 4, &[("table", "30")]),
        ("range-squares", 4, &[("table", "4"), ("s", "4294967296")]),
    ] {
        assert!(matches!(error(name, log_rows, given), BuildError::BadParam { .. }), "{name} {given:?}");
    }
    for air in all() {
        let given: Vec<_> =
            air.params.iter().filter(|param| param.default.is_none()).map(|param| (param.name, "4")).collect();
        assert_eq!(build(air.name, air.least_log_rows, &params(&given)).unwrap().name(), air.name);
    }
}

/// Whoever builds a statement without the registry is refused, too.
#[test]
fn sizes_are_refused() {
    let one = M31::new(1);
    for log_rows in [0, 30] {
        let refused = [
            Fibonacci::new(log_rows, one, one).err(),
            WideFibonacci::new(log_rows, 3, one).err(),
            Plonk::new(log_rows, one, one).err(),
            RangeSquares::new(log_rows, 3, 0).err(),
            Poseidon2::new(log_rows, one).err(),
            Poseidon2::<Secret>::of_root(log_rows, [one; 8]).err(),
            RpoM31::new(log_rows, one).err(),
            RpoM31::<Secret>::of_root(log_rows, [one; 8]).err(),
        ];
        for (index, error) in refused.into_iter().enumerate() {
            assert!(matches!(error, Some(BuildError::BadParam { param: "rows", .. })), "{index}: {error:?}");
        }
    }
    for log_rows in [4, 24] {
        for error in [Blake2s::new(log_rows, 0).err(), Blake2s::<Secret>::of_root(log_rows, [0; 8]).err()] {
            assert!(matches!(error, Some(BuildError::BadParam { param: "rows", .. })), "{error:?}");
        }
    }
}
