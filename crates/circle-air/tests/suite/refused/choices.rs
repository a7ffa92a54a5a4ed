//! Options, parameters and sizes that are refused.

use crate::refused::component::Defect;
use crate::refused::statements::custom;
use circle_air::airs::{Blake2s, Fibonacci, Plonk, Poseidon2, RangeSquares, RpoM31, Secret, WideFibonacci, all, build};
use circle_air::{BuildError, ConfigError, RecordedStatement, Statement};
use field::M31;

const LOG_BLOWUP: u32 = 2;

#[test]
fn configurations_are_refused() {
    let check = |statement: &dyn Statement, lifting| {
        RecordedStatement::new(statement, lifting).unwrap().check_config(statement, LOG_BLOWUP, lifting)
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
    assert_eq!((check(&fibonacci, Some(8)), fibonacci.check_config(LOG_BLOWUP, Some(8))), (offsets.clone(), offsets));

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

/// A statement that is built without the registry is refused, too.
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
