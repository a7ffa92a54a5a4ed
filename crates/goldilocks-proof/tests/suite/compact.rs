//! The compact format: options, lengths, openings, bytes.

use field::{Fp3, Goldilocks, PrimeField};
use goldilocks_proof::compact::opening::{positions, root, siblings, unknown};
use goldilocks_proof::compact::{
    Head, Opening, Openings, Options, Proof, Sizes, Suite, decode_head, decode_openings, encode, mask_key, security,
    shortest,
};
use goldilocks_proof::{Digest, Draw, FixedOptions, GoldilocksStark, HashFn, Hiding, OptionsError, Shape, lambdaworks};
use proof_format::DecodeErrorKind;
use proof_format::wire::Reader;
use proptest::prelude::*;

pub(super) type P = GoldilocksStark;

/// The first vector of section 16.
pub(super) fn options() -> Options {
    Options {
        blowup: 4,
        queries: 5,
        coset_offset: 3,
        points: 1,
        folds: vec![3, 2],
        log_last: 1,
        work: vec![1, 2, 3, 0, 4, 1, 5],
        suite: Suite::Keccak256,
        hiding: Hiding::None,
    }
}

/// The statement of that vector.
pub(super) const SIZES: Sizes = Sizes { log_rows: 6, main: 2, aux: 1, frame_rows: 3, challenges: 1, parts: 1 };

pub(super) fn with(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = options();
    change(&mut options);
    options
}

#[test]
fn the_table_of_section_2() {
    let check = |options: Options| options.validate::<P>(&SIZES);
    assert_eq!(check(options()), Ok(()));
    assert_eq!(check(with(|o| o.blowup = 3)), Err(OptionsError::Blowup(3)));
    assert_eq!(check(with(|o| o.queries = 0)), Err(OptionsError::Queries(0)));
    assert_eq!(check(with(|o| o.queries = 65537)), Err(OptionsError::Queries(65537)));
    assert_eq!(check(with(|o| o.coset_offset = 0)), Err(OptionsError::ZeroOffset));
    assert_eq!(check(with(|o| o.coset_offset = 1)), Err(OptionsError::OffsetInSubgroup { offset: 1, log_lde: 8 }));
    for points in [0, 3] {
        assert_eq!(check(with(|o| o.points = points)), Err(OptionsError::Points(points)));
    }
    assert_eq!(check(with(|o| o.folds.clear())), Err(OptionsError::Folds(0)));
    assert_eq!(check(with(|o| o.folds = vec![1; 33])), Err(OptionsError::Folds(33)));
    assert_eq!(check(with(|o| o.folds = vec![3, 0])), Err(OptionsError::FoldStep { fold: 1, step: 0 }));
    assert_eq!(check(with(|o| o.folds = vec![5, 1])), Err(OptionsError::FoldStep { fold: 0, step: 5 }));
    assert_eq!(check(with(|o| o.log_last = 11)), Err(OptionsError::LogLast(11)));
    assert_eq!(check(with(|o| o.log_last = 2)), Err(OptionsError::FoldSum { steps: 7, log_rows: 6 }));
    let short = with(|o| o.work.truncate(6));
    assert_eq!(check(short), Err(OptionsError::WorkLength { expected: 7, found: 6 }));
    assert_eq!(check(with(|o| o.work[6] = 65)), Err(OptionsError::Work { draw: Draw::Queries, bits: 65 }));
    let unfolded = with(|o| (o.folds, o.log_last) = (vec![0, 2], 4));
    assert_eq!(check(unfolded), Err(OptionsError::WorkOfNothing(Draw::Fold(0))));
    let no_challenges = options().validate::<P>(&Sizes { challenges: 0, ..SIZES });
    assert_eq!(no_challenges, Err(OptionsError::WorkOfNothing(Draw::Challenges)));
    assert_eq!(options().validate::<P>(&Sizes { parts: 0, ..SIZES }), Err(OptionsError::NoParts));
    let too_many = options().validate::<P>(&Sizes { parts: 5, ..SIZES });
    assert_eq!(too_many, Err(OptionsError::TooManyParts { parts: 5, blowup: 4 }));
    let base = options().validate::<GoldilocksStark<Goldilocks>>(&SIZES);
    assert_eq!(base, Err(OptionsError::Extension(1)), "a point out of the domain would never be drawn");
}

#[test]
fn each_draw_has_its_work() {
    let work: Vec<u32> = Draw::all(2).map(|draw| options().work_of(draw)).collect();
    assert_eq!(work, options().work);
    assert_eq!(options().work_of(Draw::Fold(2)), 0);
    assert_eq!(options().work_of(Draw::Queries), 5);
}

#[test]
fn lengths_are_those_of_section_7_and_9() {
    let head = 3 * 32 + 6 * 8 + 24 * 9 + 32 + 24 * 2;
    assert_eq!(SIZES.head_length(&options()), head);
    let of_query = 8 * (8 * 2 + 24 + 24) + 32 * 3 * 5 + 24 * 3 + 32 * 3;
    assert_eq!(SIZES.most(&options()), head + 5 * of_query);
    assert!(SIZES.check_length(&options(), 3928).is_ok(), "the vector");
    let (least, most) = (head as usize, (head + 5 * of_query) as usize);
    for (found, is_taken) in [(least - 1, false), (least, true), (most, true), (most + 1, false)] {
        assert_eq!(SIZES.check_length(&options(), found).is_ok(), is_taken, "{found}");
    }
    // Two points and two parts: anchors, and one part that is sent.
    let two = with(|o| o.points = 2);
    assert_eq!(Sizes { parts: 2, ..SIZES }.head_length(&two), head + 24 * (3 + 1));
}

#[test]
fn positions_are_sets() {
    let options = with(|o| (o.folds, o.log_last) = (vec![3, 1, 1], 1));
    let sets = positions(&options, vec![21, 2, 6, 15, 2, 7]);
    assert_eq!(sets, [vec![2, 6, 7, 15, 21], vec![1, 3, 7, 10], vec![0, 1, 3, 5]]);
    assert!(unknown(&sets[0], &sets[1], 1).eq([3, 14, 20]));
}

fn leaf(index: u64) -> Digest {
    HashFn::Keccak256.leaf([Goldilocks::new(index + 1)])
}

/// All nodes of a tree, level by level.
fn tree(depth: u32) -> Vec<Vec<Digest>> {
    let mut levels = vec![(0..1 << depth).map(leaf).collect::<Vec<_>>()];
    for _ in 0..depth {
        let below = &levels[levels.len() - 1];
        let parent = |pair: &[Digest]| HashFn::Keccak256.parent(&pair[0], &pair[1]).expect("digests");
        levels.push(below.chunks(2).map(parent).collect());
    }
    levels
}

proptest! {
    #[test]
    fn an_opening_leads_to_the_root(depth in 1_u32..7, picks in proptest::collection::vec(0_u64..64, 1..20)) {
        let mut leaves: Vec<u64> = picks.into_iter().map(|pick| pick & ((1 << depth) - 1)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let levels = tree(depth);
        let nodes = siblings(&leaves, depth);
        // The nodes whose parent is above a leaf and that are above none, in order.
        let above = |level: u32, index: u64| leaves.iter().any(|leaf| leaf >> level == index);
        let expected: Vec<(u32, u64)> = (0..depth)
            .flat_map(|level| (0..1_u64 << (depth - level)).map(move |index| (level, index)))
            .filter(|&(level, index)| above(level, index ^ 1) && !above(level, index))
            .collect();
        prop_assert_eq!(&nodes, &expected);
        let digests: Vec<Digest> = nodes.iter().map(|&(level, index)| levels[level as usize][index as usize]).collect();
        let of = |digests: &[Digest]| {
            root(HashFn::Keccak256, leaves.iter().map(|index| (*index, leaf(*index))), depth, digests)
        };
        let expected = levels[depth as usize][0];
        prop_assert_eq!(of(&digests), Some(expected));
        prop_assert_eq!(of(&[&digests[..], &[[0; 32]]].concat()), None);
        if let Some((last, rest)) = digests.split_last() {
            prop_assert_eq!(of(rest), None);
            let mut other = *last;
            other[31] ^= 1;
            prop_assert!(of(&[rest, &[other]].concat()) != Some(expected));
        }
        // A leaf in another place.
        let moved = leaves.iter().map(|index| (*index, leaf(index ^ 1)));
        prop_assert!(root(HashFn::Keccak256, moved, depth, &digests) != Some(expected));
    }
}

/// A proof of the right lengths whose elements count up from 1.
fn counting(options: &Options, positions: &[Vec<u64>]) -> Proof<P> {
    let mut next = 0;
    let mut number = || {
        next += 1;
        next
    };
    let mut element = || Fp3([number(), number(), number()].map(Goldilocks::new));
    let digest = |byte: u8| [byte; 32];
    let mut of_rows = |count: usize| -> Vec<Fp3> { (0..count).map(|_| element()).collect() };
    let digests = |leaves: &[u64], depth| vec![digest(9); siblings(leaves, depth).len()];
    let rows = positions[0].len() * 8;
    let salts = |rows: usize| (1..=(rows * options.salts()) as u64).map(Goldilocks::new).collect();
    let head = Head {
        main_root: digest(1),
        aux_root: Some(digest(2)),
        composition_root: digest(3),
        out_of_domain: of_rows(9),
        layers: vec![digest(4)],
        last: of_rows(2),
        nonces: vec![10, 11, 12, 13, 14, 15],
    };
    let paths = digests(&positions[0], 5);
    let sent = unknown(&positions[0], &positions[1], 2).count();
    let layer = Opening { values: of_rows(sent), salts: Vec::new(), digests: digests(&positions[1], 3) };
    let main = (0..2 * rows as u64).map(Goldilocks::new).collect();
    let openings = Openings {
        main: Opening { values: main, salts: salts(rows), digests: paths.clone() },
        aux: Some(Opening { values: of_rows(rows), salts: salts(rows), digests: paths.clone() }),
        composition: Opening { values: of_rows(rows * (1 + options.mask_words())), salts: salts(rows), digests: paths },
        layers: vec![layer],
    };
    Proof { head, openings }
}

fn decode(bytes: &[u8], positions: &[Vec<u64>]) -> Result<Proof<P>, DecodeErrorKind> {
    decode_with(&options(), bytes, positions)
}

fn decode_with(options: &Options, bytes: &[u8], positions: &[Vec<u64>]) -> Result<Proof<P>, DecodeErrorKind> {
    let mut reader = Reader::new(bytes);
    let head = decode_head(&mut reader, &SIZES, options).map_err(|error| error.kind)?;
    let openings = decode_openings(reader, &SIZES, options, positions).map_err(|error| error.kind)?;
    Ok(Proof { head, openings })
}

#[test]
fn a_proof_has_one_encoding() {
    let positions = positions(&options(), vec![2, 15, 6, 21, 2]);
    let proof = counting(&options(), &positions);
    let bytes = encode(&proof, &options());
    assert_eq!(bytes.len(), 3928, "as long as the vector, of which these are the positions");
    assert_eq!(decode(&bytes, &positions), Ok(proof));
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        let error = decode(&bytes[..length], &positions).expect_err("cut");
        assert!(matches!(error, DecodeErrorKind::Truncated { .. }), "{length}: {error:?}");
    }
    assert_eq!(decode(&[&bytes[..], &[0]].concat(), &positions), Err(DecodeErrorKind::TrailingBytes));
    // The first out-of-domain value, the last layer, the first row, the auxiliary rows.
    let head = SIZES.head_length(&options()) as usize;
    for at in [32 * 3 + 8 * 3, head - 8 - 24, head, head + 4 * 8 * 16 + 32 * siblings(&positions[0], 5).len()] {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&Goldilocks::ORDER.to_be_bytes());
        assert_eq!(decode(&bytes, &positions), Err(DecodeErrorKind::NotCanonical), "{at}");
        // The length of the openings is compared before they are read, and the head is read before it is known.
        let is_head = at < head;
        let error = decode(&bytes[..bytes.len() - 1], &positions).expect_err("cut");
        assert_eq!(matches!(error, DecodeErrorKind::Truncated { missing: 1, .. }), !is_head, "{at}: {error:?}");
        let error = decode(&[&bytes[..], &[0]].concat(), &positions).expect_err("too long");
        assert_eq!(error == DecodeErrorKind::TrailingBytes, !is_head, "{at}: {error:?}");
    }
}

/// Each row of the first trees has its salt, and the composition a word more. Two salts where a leaf is a row.
#[test]
fn rows_of_a_hidden_witness_have_salts() {
    let hidden = with(|o| o.hiding = Hiding::FreeRows);
    let positions = positions(&hidden, vec![2, 15, 6, 21, 2]);
    let proof = counting(&hidden, &positions);
    let bytes = encode(&proof, &hidden);
    // 32 rows of three trees.
    assert_eq!(bytes.len(), 3928 + 32 * (24 + 3 * 8));
    assert_eq!(decode_with(&hidden, &bytes, &positions), Ok(proof));
    let open = options();
    assert_eq!(SIZES.most(&hidden) - SIZES.most(&open), 5 * 8 * (24 + 3 * 8));
    assert_eq!(SIZES.head_length(&hidden), SIZES.head_length(&open));
    // Behind two elements of the first row stands its salt, 1, and behind two of the next one 2.
    let head = SIZES.head_length(&hidden) as usize;
    let number = |at: usize| u64::from_be_bytes(bytes[head + 8 * at..][..8].try_into().expect("eight"));
    assert_eq!([number(2), number(5)], [1, 2]);
    assert!(decode_with(&hidden, &bytes[..bytes.len() - 8], &positions).is_err());

    let numbers = |log_leaf: u32, hiding| {
        let options = Options { folds: vec![log_leaf, 2], hiding, ..open.clone() };
        (options.salts(), options.mask_words())
    };
    let leaves = (0..=4).map(|log_leaf| numbers(log_leaf, Hiding::FreeRows));
    assert_eq!(leaves.collect::<Vec<_>>(), [(2, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
    assert_eq!((0..=4).map(|log_leaf| numbers(log_leaf, Hiding::None)).max(), Some((0, 0)));
}

/// The rows that section 2 asks for.
#[test]
fn the_budget_of_section_2() {
    let hidden = with(|o| o.hiding = Hiding::FreeRows);
    let rows = |options: &Options, sizes: &Sizes| options.masked_rows(sizes);
    // q 2^3 (1 + P R) + 3 P R, and three for a second point.
    assert_eq!(rows(&hidden, &SIZES), 5 * 8 * 4 + 9);
    assert_eq!(rows(&Options { points: 2, ..hidden.clone() }, &SIZES), 5 * 8 * 4 + 9 + 3);
    assert_eq!(rows(&hidden, &Sizes { parts: 2, ..SIZES }), 5 * 8 * 7 + 18);
    assert_eq!(rows(&options(), &SIZES), 0);
    let check = |free| hidden.check_free_rows(&SIZES, free);
    assert_eq!((check(169), check(170)), (Ok(()), Ok(())));
    assert_eq!(check(168), Err(OptionsError::FreeRows { needed: 169, found: 168 }));
    assert_eq!(options().check_free_rows(&SIZES, 0), Ok(()));
    // Any numbers that a file has.
    let most = Sizes { log_rows: 32, frame_rows: 1 << 31, parts: 128, ..SIZES };
    let huge = Options { queries: 65536, folds: vec![4, 2], ..hidden };
    assert!(
        matches!(huge.check_free_rows(&most, 1 << 31), Err(OptionsError::FreeRows { needed, .. }) if needed > 1 << 57)
    );
}

/// The bytes of the options, and the key of the masks: of another seed or statement it is another one.
#[test]
fn hiding_is_in_the_options_and_masks_in_none() {
    let hidden = with(|o| o.hiding = Hiding::FreeRows);
    let differing = |at: usize| options().to_bytes()[at] != hidden.to_bytes()[at];
    assert_eq!((0..28).filter(|at| differing(*at)).collect::<Vec<_>>(), [15]);
    assert_eq!(hidden.to_bytes()[15], 1);
    assert_eq!([0, 1, 2].map(Hiding::of_number), [Some(Hiding::None), Some(Hiding::FreeRows), None]);
    let key = mask_key(&[1; 32], b"statement");
    assert_ne!(key, mask_key(&[2; 32], b"statement"));
    assert_ne!(key, mask_key(&[1; 32], b"Statement"));
}

/// The search of folds counts salts and the word: rows that cost more are fewer.
#[test]
fn the_folds_of_a_hidden_witness_are_as_short_as_can_be() {
    let sizes = Sizes { log_rows: 20, ..SIZES };
    let common = lambdaworks::Options { blowup: 4, queries: 40, ..lambdaworks::Options::default() };
    let found = |hiding| shortest(&common, &FixedOptions { hiding, ..FixedOptions::default() }, &sizes).expect("some");
    let (open, hidden) = (found(Hiding::None), found(Hiding::FreeRows));
    assert_eq!((open.hiding, hidden.hiding), (Hiding::None, Hiding::FreeRows));
    assert_eq!((open.folds[0], hidden.folds[0]), (3, 2));
}

/// The options of the first row of section 12, with today's bounds.
#[test]
fn each_round_has_its_bits() {
    let options = Options {
        blowup: 4,
        queries: 82,
        coset_offset: 3,
        points: 1,
        folds: vec![3, 3, 3, 3],
        log_last: 8,
        work: vec![0, 0, 0, 0, 0, 0, 0, 0, 19],
        suite: Suite::Keccak256,
        hiding: Hiding::None,
    };
    let shape = Shape {
        log_trace: 20,
        extension_degree: 3,
        columns: 3,
        frame_rows: 3,
        composition_parts: 1,
        constraints: 6,
        max_degree: 2,
        challenges: 1,
    };
    let bits = |options: &Options| security::estimate(options, &shape).provable.bits;
    assert_eq!(bits(&options), 100);
    assert_eq!(bits(&Options { queries: 81, ..options.clone() }), 99, "not one query too many");
    assert_eq!(bits(&Options { blowup: 3, ..options.clone() }), 0, "no options");
    let rounds = security::rounds(&options, &shape).expect("valid");
    // Challenges, constraints, point, terms, four folds.
    assert_eq!(rounds.terms.len(), 8);
    let unfolded = Options { folds: vec![0, 3, 3, 3, 3], work: vec![0; 10], points: 2, ..options };
    assert_eq!(security::rounds(&unfolded, &shape).expect("valid").terms.len(), 9, "no fold 0, two sums of points");
}
