//! The compact format: the cheapest options, and what they are worth and cost.

use field::{Goldilocks, PrimeField};
use goldilocks_proof::compact::opening::{positions, siblings, unknown};
use goldilocks_proof::compact::{Options, Sizes, cheapest, security};
use goldilocks_proof::{AnyOptions, Draw, FixedOptions, Format, Goal, Hiding, OptionsError, Shape};
use proof_format::security::{Code, Fold, NoOptions};
use proof_format::{Profile, SecurityKind};

use super::compact::{P, SIZES, options, with};

/// The statements of section 12, with as many constraints as make no difference.
const RAP: Sizes = Sizes { log_rows: 20, ..SIZES };
const WIDE: Sizes = Sizes { log_rows: 20, main: 64, aux: 0, frame_rows: 2, challenges: 0, parts: 2 };

fn shape(sizes: &Sizes) -> Shape {
    Shape {
        log_trace: sizes.log_rows,
        extension_degree: 3,
        columns: sizes.columns(),
        frame_rows: sizes.frame_rows,
        composition_parts: sizes.parts,
        constraints: 64,
        max_degree: if sizes.parts > 1 { 3 } else { 2 },
        challenges: sizes.challenges,
    }
}

/// The options that section 12 has for provable bits.
#[test]
fn the_cheapest_options_are_those_of_section_12() {
    let (rap, wide) = (RAP, WIDE);
    // Bits, blowup, queries, work before them, folds, last layer.
    type Row = (Sizes, u32, u32, u32, u32, &'static [u32], u32);
    let rows: [Row; 12] = [
        (rap, 100, 4, 82, 19, &[3, 3, 3, 3], 8),
        (wide, 100, 4, 79, 22, &[0, 3, 3, 3, 3], 8),
        (rap, 100, 8, 54, 20, &[3, 3, 3, 3], 8),
        (wide, 100, 8, 52, 23, &[0, 3, 3, 3, 3], 8),
        (rap, 100, 16, 40, 21, &[3, 3, 3, 3], 8),
        (wide, 100, 16, 39, 24, &[0, 4, 3, 3, 3], 7),
        (rap, 128, 4, 110, 19, &[2, 3, 3, 3], 9),
        (wide, 128, 4, 107, 22, &[0, 3, 3, 3, 2], 9),
        (rap, 128, 8, 73, 20, &[3, 3, 3, 3], 8),
        (wide, 128, 8, 71, 23, &[0, 3, 3, 3, 3], 8),
        (rap, 128, 16, 54, 21, &[3, 3, 3, 3], 8),
        (wide, 128, 16, 53, 24, &[0, 4, 4, 3], 9),
    ];
    for (sizes, bits, blowup, queries, work, folds, log_last) in rows {
        let shape = shape(&sizes);
        let profile = Profile { kind: SecurityKind::Provable, bits };
        let given = FixedOptions { blowup: Some(blowup), ..FixedOptions::default() };
        let found = cheapest(profile, &given, &options(), &sizes, &shape).expect("in reach");
        assert_eq!((found.queries, found.points), (queries, 1), "{found:?}");
        assert_eq!((&found.folds[..], found.log_last), (folds, log_last), "{found:?}");
        let none = vec![0; found.work.len() - 1];
        assert_eq!(found.work, [&none[..], &[work]].concat(), "{found:?}");
        assert_eq!(found.validate::<P>(&sizes), Ok(()));
        // A given number of queries is kept, and has to be enough.
        let more = FixedOptions { queries: Some(queries + 10), ..given.clone() };
        assert_eq!(cheapest(profile, &more, &options(), &sizes, &shape).expect("in reach").queries, queries + 10);
        let fewer = FixedOptions { queries: Some(queries - 2), ..given };
        assert!(matches!(cheapest(profile, &fewer, &options(), &sizes, &shape), Err(NoOptions::OutOfReach(_))));
    }
    let too_small = FixedOptions { blowup: Some(3), ..FixedOptions::default() };
    let shape = Shape {
        log_trace: 6,
        extension_degree: 3,
        columns: 3,
        frame_rows: 3,
        composition_parts: 1,
        constraints: 6,
        max_degree: 2,
        challenges: 1,
    };
    let refused = cheapest(Profile::DEFAULT, &too_small, &options(), &SIZES, &shape);
    assert!(matches!(refused, Err(NoOptions::Impossible(OptionsError::Blowup(3)))), "{refused:?}");
    // Short traces have small last layers.
    let found = cheapest(Profile::DEFAULT, &FixedOptions::default(), &options(), &SIZES, &shape).expect("in reach");
    assert_eq!(found.validate::<P>(&SIZES), Ok(()));
}

/// The options that section 12 has for bits by the newer bounds. No query and no bit of work is too many.
#[test]
fn past_the_johnson_radius_the_cheapest_options_are_those_of_section_12() {
    // Bits, blowup, queries, out-of-domain points, work before each draw.
    type Row = (Sizes, u32, u32, u32, u32, &'static [u32]);
    let rows: [Row; 12] = [
        (RAP, 100, 4, 75, 1, &[0, 0, 1, 0, 0, 0, 0, 0, 19]),
        (WIDE, 100, 4, 73, 1, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 22]),
        (RAP, 100, 8, 49, 1, &[0, 0, 3, 0, 0, 0, 0, 0, 20]),
        (WIDE, 100, 8, 48, 1, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 23]),
        (RAP, 100, 16, 37, 1, &[0, 0, 0, 0, 0, 0, 0, 0, 21]),
        (WIDE, 100, 16, 35, 1, &[0, 0, 4, 0, 0, 0, 0, 0, 0, 24]),
        (RAP, 128, 4, 101, 2, &[0, 0, 0, 12, 6, 1, 0, 0, 19]),
        (WIDE, 128, 4, 98, 2, &[0, 0, 0, 18, 0, 7, 1, 0, 0, 22]),
        (RAP, 128, 8, 67, 2, &[0, 0, 0, 10, 3, 0, 0, 0, 20]),
        (WIDE, 128, 8, 65, 2, &[0, 0, 0, 14, 0, 4, 0, 0, 0, 23]),
        (RAP, 128, 16, 50, 2, &[0, 0, 0, 10, 3, 0, 0, 0, 21]),
        (WIDE, 128, 16, 48, 2, &[0, 0, 0, 18, 0, 6, 0, 0, 0, 24]),
    ];
    for (sizes, bits, blowup, queries, points, work) in rows {
        let (shape, profile) = (shape(&sizes), Profile { kind: SecurityKind::FirstOrder, bits });
        let given = FixedOptions { blowup: Some(blowup), ..FixedOptions::default() };
        let found = cheapest(profile, &given, &options(), &sizes, &shape).expect("in reach");
        assert_eq!((found.queries, found.points, &found.work[..]), (queries, points, work), "{found:?}");
        let reached = |options: &Options| {
            let security = security::estimate_by(options, &shape, profile.kind);
            assert!(security.provable.bits <= profile.kind.of(&security).bits);
            profile.kind.of(&security).bits >= bits
        };
        assert!(reached(&found));
        assert!(!reached(&Options { queries: queries - 1, ..found.clone() }));
        for position in (0..work.len()).filter(|position| work[*position] > 0) {
            let mut less = found.clone();
            less.work[position] -= 1;
            assert!(!reached(&less), "{less:?}");
        }
        // The older bounds do not reach it with these queries.
        assert!(security::estimate(&found, &shape).provable.bits < bits && found.validate::<P>(&sizes).is_ok());
    }
}

/// The codes that the newer bounds are about, in whole numbers.
#[test]
fn the_rounds_have_codes() {
    let options = Options { points: 2, folds: vec![0, 3, 1, 2], work: vec![0; 9], log_last: 0, ..options() };
    let rounds = security::rounds(&options, &shape(&SIZES)).expect("valid");
    let fold = |log_shorter, degree| Fold { log_shorter, degree };
    let code = Code {
        log_points: 8,
        log_rows: 6,
        // n + R + A - 1.
        columns: 64 + 3 + 1,
        words: 64,
        characteristic: Goldilocks::ORDER,
        // 3 columns at 3 rows and an anchor, a part: as many terms less one.
        combined: 12,
        folds: vec![fold(3, 7), fold(4, 1), fold(6, 3)],
    };
    assert_eq!(rounds.code, Some(code));
    // Folds that leave nothing are of no code; the options are refused with the statement's numbers.
    let long = Options { folds: vec![4, 4], work: vec![0; 7], ..options };
    assert_eq!(security::rounds(&long, &shape(&SIZES)).expect("in range").code, None);
}

/// The shortest proofs have the largest blowup that is looked at; the fastest the least, more rows in a leaf, and no
/// work before the queries. Each is the best of its kind by its own measure.
#[test]
fn other_options_are_cheap_for_other_goals() {
    let profile = Profile { kind: SecurityKind::Provable, bits: 128 };
    for sizes in [RAP, WIDE] {
        let find = |goal, blowup, folds| {
            let given = FixedOptions { goal, blowup, folds, ..FixedOptions::default() };
            cheapest(profile, &given, &options(), &sizes, &shape(&sizes)).expect("in reach")
        };
        let [cheap, small, fast] = Goal::ALL.map(|goal| find(goal, None, None));
        let length = |options: &Options| sizes.expected_length(options);
        assert_eq!((cheap.blowup, small.blowup, fast.blowup), (2, 16, 2));
        assert!(length(&small) < length(&cheap) && length(&cheap) < length(&fast));
        for blowup in [2, 4, 8, 16] {
            let other = find(Goal::Smallest, Some(blowup), None);
            assert!(blowup == 16 || length(&other) > length(&small), "{blowup}");
            assert_eq!(other, find(Goal::Cheapest, Some(blowup), None), "of one blowup they are the same");
        }
        // A leaf of 16 rows is hashed with the fewest calls for both, and so are the layers.
        assert_eq!((&fast.folds[..], fast.log_last), (&[4, 4, 4][..], 8));
        assert_eq!((fast.work_of(Draw::Queries), cheap.work_of(Draw::Queries) > 0), (0, true));
        assert!(fast.queries > cheap.queries);
        // Given folds stay.
        assert_eq!(find(Goal::Fastest, None, Some(vec![1, 3, 3, 3])).folds, [1, 3, 3, 3]);
    }
}

/// The witness is hidden where the given options say it, and where those that the search starts from do.
#[test]
fn no_search_shows_what_is_to_be_hidden() {
    let find = |hiding, of_base| {
        let (given, base) = (FixedOptions { hiding, ..FixedOptions::default() }, with(|o| o.hiding = of_base));
        cheapest(Profile::DEFAULT, &given, &base, &RAP, &shape(&RAP)).expect("in reach")
    };
    let (none, hides) = (Hiding::None, Hiding::FreeRows);
    let hidden = find(hides, none);
    assert_eq!((hidden.hiding, find(none, none).hiding), (hides, none));
    // The folds are those of leaves with salts, too.
    assert_eq!((find(none, hides), find(hides, hides)), (hidden.clone(), hidden));
}

/// A blowup whose masks take more rows than can be free is passed over: larger ones take fewer queries.
#[test]
fn a_larger_blowup_is_taken_where_masks_find_no_rows() {
    let sizes = Sizes { log_rows: 11, parts: 2, ..SIZES };
    let find = |goal, free_rows, blowup| {
        let given = FixedOptions { goal, free_rows, blowup, hiding: Hiding::FreeRows, ..FixedOptions::default() };
        cheapest(Profile::DEFAULT, &given, &options(), &sizes, &shape(&sizes))
    };
    let needed = |options: &Options| u64::try_from(options.masked_rows(&sizes)).expect("few");
    for goal in [Goal::Cheapest, Goal::Fastest] {
        let any = find(goal, None, None).expect("in reach");
        assert_eq!((any.blowup, needed(&any) > 1 << 11), (2, true));
        assert_eq!(find(goal, Some(needed(&any)), None), Ok(any.clone()), "just enough");
        let next = find(goal, Some(needed(&any) - 1), None).expect("in reach");
        assert_eq!((next.blowup, needed(&next) < needed(&any)), (4, true));
        // A blowup that is given stays, and the refusal says what it takes.
        let refused = OptionsError::FreeRows { needed: needed(&any), found: 2045 };
        assert_eq!(find(goal, Some(2045), Some(2)), Err(NoOptions::Impossible(refused)));
    }
    // The fewest rows that any blowup takes.
    let all = [1, 2, 3, 4, 5, 6, 7].map(|log| find(Goal::Cheapest, None, Some(1 << log)).expect("in reach"));
    let least = all.iter().map(needed).min().expect("some");
    let refused = OptionsError::FreeRows { needed: least, found: least - 1 };
    assert_eq!(find(Goal::Cheapest, Some(least - 1), None), Err(NoOptions::Impossible(refused)));
}

/// The expected length is the mean of the lengths of proofs, by section 12.
#[test]
fn lengths_are_expected() {
    let mut random = field::SplitMix64::new(7);
    for (sizes, options) in [
        (SIZES, options()),
        (Sizes { aux: 0, challenges: 0, parts: 2, ..SIZES }, with(|o| (o.points, o.queries) = (2, 30))),
        (SIZES, with(|o| (o.folds, o.log_last, o.work, o.queries) = (vec![0, 2, 2], 2, vec![0; 8], 20))),
    ] {
        let log_first = options.lde_domain(sizes.log_rows).log_size - options.log_leaf();
        let mean = (0..400).map(|_| {
            let drawn = (0..options.queries).map(|_| random.word() % (1 << log_first)).collect();
            let sets = positions(&options, drawn);
            let trees = if sizes.aux > 0 { 3 } else { 2 };
            let rows = (sets[0].len() << options.log_leaf()) * (8 * sizes.main + 24 * (sizes.aux + sizes.parts));
            let mut openings = rows + 32 * trees * siblings(&sets[0], log_first).len();
            let mut depth = log_first;
            for (layer, &step) in options.folds.iter().enumerate().skip(1) {
                depth -= step;
                let sent = unknown(&sets[layer - 1], &sets[layer], step).count();
                openings += 24 * sent + 32 * siblings(&sets[layer], depth).len();
            }
            (sizes.head_length(&options) as usize + openings) as f64 / 400.0
        });
        let (mean, expected) = (mean.sum::<f64>(), sizes.expected_length(&options));
        assert!((mean / expected - 1.0).abs() < 0.005, "{mean} {expected}");
    }
}

/// The default options, which know nothing but the rows: possible, and worth 100 bits of frames of three rows at most,
/// as those of the other format are.
#[test]
fn the_default_is_worth_a_hundred_bits() {
    for log_rows in 2..=26 {
        let options = Options::for_rows(1 << log_rows);
        let sizes = Sizes { log_rows, main: 3, aux: 1, frame_rows: 3, challenges: 2, parts: 4 };
        assert_eq!(options.validate::<P>(&sizes), Ok(()), "2^{log_rows}");
        let found = security::estimate(&options, &shape(&sizes));
        assert!(found.provable.bits >= 100, "2^{log_rows}: {found:?}");
        assert_eq!(AnyOptions::for_rows(Format::default(), 1 << log_rows), options.into());
    }
    // A number of rows that no trace has is refused where the statement is known.
    for rows in [0, 1, 2, 3, u64::MAX] {
        let sizes = Sizes { log_rows: 1, main: 1, aux: 0, frame_rows: 1, challenges: 0, parts: 1 };
        assert!(Options::for_rows(rows).validate::<P>(&sizes).is_err(), "{rows}");
    }
}
