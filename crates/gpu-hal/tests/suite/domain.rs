//! Blocks of domains, and where neighbours are, against the points themselves.

use field::circle::{CirclePoint, CirclePointIndex};
use field::{Field, Goldilocks, M31, TwoAdicField};
use gpu_hal::{CircleDomain, CosetDomain, Domain};

/// Every block of every size holds the points that its name says.
fn blocks_are_slices<D: Domain<At: PartialEq>>(whole: D, smallest: u32) {
    let points = whole.points();
    for log_size in smallest..=whole.log_size() {
        for index in 0..1 << (whole.log_size() - log_size) {
            let block = whole.block(log_size, index).expect("a block of the domain");
            assert!(block.is_valid(), "{block:?}");
            assert_eq!(block.points(), points[(index as usize) << log_size..][..1 << log_size], "{block:?}");
        }
        assert_eq!(whole.block(log_size, 1 << (whole.log_size() - log_size)), None, "past the end");
    }
    assert_eq!(whole.block(whole.log_size() + 1, 0), None, "more points than there are");
    assert_eq!(whole.prefix(smallest), whole.block(smallest, 0));
}

#[test]
fn blocks_hold_the_points_of_the_whole() {
    blocks_are_slices(CosetDomain::new(Goldilocks::new(7), 6), 0);
    blocks_are_slices(CosetDomain::<Goldilocks>::subgroup(5), 0);
    blocks_are_slices(CircleDomain::canonic(7), 1);
    // A block of a block is a block.
    let half = CircleDomain::canonic(7).block(6, 1).expect("the second half");
    assert_eq!(half.block(4, 2), CircleDomain::canonic(7).block(4, 6));
    blocks_are_slices(half, 1);
    blocks_are_slices(CircleDomain::line(4), 0);
}

/// Neighbours differ by the sign of one coordinate and become one point of the folded domain, in blocks too.
fn folds<D: Domain>(domain: D, same: impl Fn(&D, D::At, D::At) -> bool) {
    let (points, Some(folded)) = (domain.points(), domain.folded()) else {
        panic!("{domain:?} folds");
    };
    for (pair, expected) in points.chunks_exact(2).zip(folded.points()) {
        assert_eq!(domain.twin(pair[0]), -domain.twin(pair[1]), "{domain:?}");
        assert!(pair.iter().all(|at| same(&folded, domain.fold_point(*at), expected)), "{domain:?}");
    }
}

#[test]
fn neighbours_fold_to_one_point() {
    let coset = CosetDomain::new(Goldilocks::new(7), 5);
    for index in 0..4 {
        folds(coset.block(3, index).expect("a quarter"), |_, a, b| a == b);
        let x = |_: &CircleDomain, a: CirclePoint<M31>, b: CirclePoint<M31>| a.x == b.x;
        folds(CircleDomain::canonic(6).block(4, index).expect("a quarter"), x);
        folds(CircleDomain::line(6).block(4, index).expect("a quarter"), x);
    }
    assert_eq!(CosetDomain::new(Goldilocks::new(7), 0).folded(), None);
    assert_eq!(CircleDomain::line(0).folded(), None);
}

#[test]
fn a_block_that_does_not_exist_is_invalid() {
    let circle = |log_size, log_coset, block| CircleDomain::Circle { log_size, log_coset, block };
    assert!(circle(3, 5, 3).is_valid());
    for domain in [circle(3, 5, 4), circle(0, 5, 0), circle(6, 5, 0), circle(5, 31, 0)] {
        assert!(!domain.is_valid(), "{domain:?}");
    }
}

#[test]
fn neighbours_on_a_coset_are_steps_of_the_trace_domain() {
    let (log_size, log_trace) = (6, 4);
    let step = Goldilocks::two_adic_generator(log_trace);
    for domain in (0..4).map(|index| CosetDomain::new(Goldilocks::new(7), log_size + 2).block(log_size, index)) {
        let domain = domain.expect("a quarter");
        let points = domain.points();
        for (index, offset) in (0..1 << log_size).flat_map(|index| (-17..18).map(move |offset| (index, offset))) {
            let rows = i64::from(offset).rem_euclid(1 << log_trace) as u64;
            let expected = points[index] * step.pow(rows);
            assert_eq!(points[domain.neighbour(index, offset, log_trace)], expected, "{domain:?} {index} {offset}");
        }
    }
}

#[test]
fn neighbours_on_a_circle_are_steps_of_the_trace_domain() {
    let (log_size, log_trace) = (5, 3);
    let step: CirclePoint<M31> = CirclePointIndex::subgroup_generator(log_trace).to_point();
    for domain in (0..8).map(|index| CircleDomain::canonic(log_size + 3).block(log_size, index)) {
        let domain = domain.expect("an eighth");
        let points = domain.points();
        for (index, offset) in (0..1 << log_size).flat_map(|index| (-9..10).map(move |offset| (index, offset))) {
            let expected = points[index] + step * i64::from(offset).rem_euclid(1 << log_trace) as u64;
            assert_eq!(points[domain.neighbour(index, offset, log_trace)], expected, "{domain:?} {index} {offset}");
        }
    }
}
