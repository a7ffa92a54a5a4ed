//! Statements that are refused.

use crate::refused::component::{Component, Defect};
use circle_air::{
    AirComponent, ClaimedSumError, PreprocessedColumn, PublicCount, PublicLookup, RecordError, RecordedStatement,
    Statement, StatementError, airs,
};
use field::{Field, M31, QM31};

/// A defect that has an element.
pub(crate) type WithElement = fn(QM31) -> Defect;

/// Components of a statement; the drawn elements go to [`Defect::ShapeOf`].
pub(crate) struct Custom {
    columns: Vec<(&'static str, u32)>,
    components: Vec<(u32, Defect)>,
    draws: usize,
    claims: usize,
    /// The element that all components get.
    element: Option<(usize, WithElement)>,
    variant: Option<Defect>,
    vouches: bool,
    /// The preprocessed columns.
    values: Vec<Vec<M31>>,
    public: Vec<PublicLookup>,
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
        self.values.clone()
    }
    fn public_lookups(&self) -> Vec<PublicLookup> {
        self.public.clone()
    }
    fn draws(&self) -> usize {
        self.draws
    }
    fn claims(&self) -> usize {
        self.claims
    }
    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let defect = |defect| self.element.map_or(defect, |(element, defect)| defect(elements[element]));
        let boxed = |&(log_size, of): &(u32, Defect)| -> Box<dyn AirComponent> {
            Box::new(Component { log_size, bound: log_size + 1, defect: defect(of) })
        };
        self.components.iter().map(boxed).collect()
    }
    fn has_bounded_multiplicities(&self) -> bool {
        self.vouches
    }
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let variant = self.variant?;
        Some(Box::new(custom(&self.columns, &[(self.components[0].0, variant)], self.draws)))
    }
}

pub(crate) fn custom(columns: &[(&'static str, u32)], components: &[(u32, Defect)], draws: usize) -> Custom {
    let (columns, components) = (columns.to_vec(), components.to_vec());
    Custom {
        columns,
        components,
        draws,
        claims: 0,
        element: None,
        variant: None,
        vouches: false,
        values: Vec::new(),
        public: Vec::new(),
    }
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

/// Lookups that are not shown to be fewer than the prime are refused, unless the statement vouches for them.
#[test]
fn lookups_are_fewer_than_the_prime() {
    let of = |components: &[(u32, Defect)], vouches| {
        let statement = Custom { vouches, ..custom(&[], components, 2) };
        RecordedStatement::new(&statement, None).map(|recorded| recorded.lookups)
    };
    let prime = (1 << 31) - 1;
    // Each batch counts as a pair; a constant, or its negative, as often as it says, also where a flag stands beside
    // it.
    for (components, lookups) in [
        (&[(3, Defect::Logup)][..], 1 << 4),
        (&[(29, Defect::Logup)], 1 << 30),
        (&[(29, Defect::Logup), (28, Defect::Logup), (27, Defect::Logup)], 7 << 28),
        (&[(28, Defect::Times(7))], 7 << 28),
        (&[(28, Defect::Times(prime - 7))], 7 << 28),
        (&[(28, Defect::TimesColumn(7))], 7 << 28),
    ] {
        assert_eq!(of(components, false), Ok(lookups));
    }
    for (components, lookups) in [
        (&[(29, Defect::Logup), (29, Defect::Logup)][..], 1 << 31),
        (&[(28, Defect::Times(8))], 1 << 31),
        (&[(28, Defect::Times(prime - 8))], 1 << 31),
        (&[(20, Defect::TimesColumn(1 << 20))], 1 << 40),
        (&[(20, Defect::TimesColumn(prime - (1 << 20)))], 1 << 40),
    ] {
        assert_eq!(of(components, false), Err(StatementError::Lookups { lookups }));
        assert_eq!(of(components, true), Ok(lookups));
    }
}

/// Lookups of public values count like the lookups of components, as often as the statement says.
#[test]
fn public_lookups_are_counted() {
    let of = |log_size, times: &[u32]| {
        let lookup =
            |times: &u32| PublicLookup { relation: 0, tuple: vec![M31::new(1); 5], multiplicity: M31::new(*times) };
        let public = times.iter().map(lookup).collect();
        let statement = Custom { public, ..custom(&[], &[(log_size, Defect::Logup)], 2) };
        RecordedStatement::new(&statement, None).map(|recorded| (recorded.lookups, recorded.relation_width))
    };
    assert_eq!(of(3, &[1, 2, 1]), Ok((16 + 4, 5)));
    let prime = (1 << 31) - 1;
    assert_eq!(of(3, &[prime - 7, 0]), Ok((16 + 7, 5)));
    assert_eq!(of(29, &[(1 << 30) - 2]), Ok(((1 << 31) - 2, 5)));
    for times in [&[(1 << 30) - 1][..], &[prime - (1 << 29), 1 << 29, prime - 1]] {
        let lookups = times.iter().map(|times| u64::from((*times).min(prime - times))).sum::<u64>() + (1 << 30);
        assert_eq!(of(29, times), Err(StatementError::Lookups { lookups }));
    }
    // A statement says the same with its values and without.
    for info in airs::all() {
        let params: Vec<_> =
            info.params.iter().map(|param| (param.name.to_owned(), param.default.unwrap_or(4).to_string())).collect();
        let air = airs::build(info.name, 5, &params).unwrap();
        assert_eq!(air.public_count(), PublicCount::of(&air.public_lookups()), "{}", info.name);
    }
}

/// Multiplicities that are known are read, row by row.
#[test]
fn preprocessed_multiplicities_are_counted() {
    let of = |values: Vec<Vec<u32>>, times, vouches| {
        let values = values.into_iter().map(|column| column.into_iter().map(M31::new).collect()).collect();
        let statement = custom(&[("b", 3), ("a", 3)], &[(3, Defect::TimesId("a", times))], 2);
        RecordedStatement::new(&Custom { values, vouches, ..statement }, None).map(|recorded| recorded.lookups)
    };
    let prime = (1 << 31) - 1;
    let columns = |value: u32| vec![vec![0; 8], vec![1, 0, 0, prime - 1, 0, 0, 1 << 20, value]];
    assert_eq!(of(columns(prime - 5), 1, false), Ok((1 << 20) + 7));
    assert_eq!(of(columns(prime - 5), 3, false), Ok(3 * ((1 << 20) + 7)));
    // Batches count as pairs, whatever is in the columns.
    assert_eq!(of(vec![vec![0; 8]; 2], 1, false), Ok(16));
    assert_eq!(of(vec![vec![1 << 27; 8]; 2], 1, false), Ok(1 << 30));
    for (values, lookups) in [
        (vec![vec![1 << 28; 8]; 2], 1 << 31),
        // A statement that does not give its columns is not believed.
        (Vec::new(), 8 * u64::from(prime)),
    ] {
        assert_eq!(of(values.clone(), 1, false), Err(StatementError::Lookups { lookups }));
        assert_eq!(of(values, 1, true), Ok(16));
    }
}

/// The bounds that a statement gives of its columns are true, and need no columns.
#[test]
fn preprocessed_multiplicities_are_said() {
    let blake2s = golden::circle::air("blake2s", 6, "s=7");
    let most = blake2s.preprocessed_most(None).expect("said");
    let values = blake2s.preprocessed_values(None);
    assert_eq!(most.len(), values.len());
    for (column, most) in values.iter().zip(&most) {
        assert!(column.iter().all(|value| u64::from(value.value().min((1 << 31) - 1 - value.value())) <= *most));
    }
    assert!(most.contains(&1));
}

/// A claim that no constraint depends on says nothing, and one that a lookup entry depends on comes too late.
#[test]
fn claims_are_of_constraints() {
    let claims = |claims, element| {
        let statement = Custom { claims, element, ..custom(&[], &[(3, Defect::Tree(2))], 2) };
        RecordedStatement::new(&statement, None).map(|recorded| {
            let claimed = vec![QM31::ONE; claims];
            let drawn = [QM31::ZERO; 2];
            assert_eq!(recorded.elements(&drawn, &claimed), Ok([&drawn[..], &claimed].concat()));
            let count = ClaimedSumError::Count { given: 0, needed: claims };
            assert_eq!(recorded.elements(&drawn, &[]), Err(count));
            // The default says nothing of claims, so it takes none.
            assert_eq!(statement.check_claimed_sums(&drawn, &claimed), Err(ClaimedSumError::Claims { claims }));
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
    let drawn = [QM31::ONE; 2];
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
    let even = [QM31::from(M31::new(2))];
    let odd = [QM31::from(M31::new(1))];
    let shapes = [even, odd].map(|drawn| statement.components(&drawn)[0].record().unwrap().constraint_count());
    assert_eq!(shapes, [3, 2]);
    // RecordedComponent alone, elements are constants: other elements are other programs.
    let fixed = custom(&[], &[(3, Defect::ShapeOf(odd[0]))], 0);
    let recorded = RecordedStatement::new(&fixed, None).unwrap();
    let other = custom(&[], &[(3, Defect::ShapeOf(QM31::from(M31::new(3))))], 0);
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
