//! The circle group, its domains and the index maps against stwo and against the points themselves.

use std::collections::HashMap;

use field::circle::{
    circle_domain_index_to_coset_row, coset_row_to_circle_domain_index, coset_row_to_storage, lift_index,
    neighbour_index, storage_to_coset_row,
};
use field::{CanonicDomain, CirclePoint, CirclePointIndex, Coset, Field, M31, QM31, bit_reverse};
use proptest::prelude::*;
use stwo::core::circle as stwo_circle;
use stwo::core::poly::circle::CanonicCoset;
use stwo::core::utils as stwo_utils;

use crate::inputs::element;

/// Domains up to this log size are checked point by point.
const SMALL: u32 = 8;

fn coordinates(point: CirclePoint<M31>) -> [u32; 2] {
    [point.x.value(), point.y.value()]
}

fn is_on_circle<F: Field>(point: CirclePoint<F>) -> bool {
    point.x.square() + point.y.square() == F::ONE
}

fn antipode(point: CirclePoint<M31>) -> CirclePoint<M31> {
    CirclePoint { x: -point.x, y: -point.y }
}

fn stwo_coordinates(point: stwo_circle::CirclePoint<stwo::core::fields::m31::M31>) -> [u32; 2] {
    [point.x.0, point.y.0]
}

proptest! {
    #[test]
    fn group(a in 0..1_u64 << 31, b in 0..1_u64 << 31, scalar: u64, log in 0..=31_u32) {
        let [p, q] = [a, b].map(CirclePointIndex::new);
        let [sp, sq] = [a, b].map(|index| stwo_circle::CirclePointIndex(index as usize));
        prop_assert_eq!(coordinates(p.to_point()), stwo_coordinates(sp.to_point()));
        prop_assert!(is_on_circle(p.to_point()));
        for (ours, theirs) in [
            (p + q, sp + sq),
            (p - q, sp - sq),
            (-p, -sp),
            (p * scalar, sp * scalar as usize),
            (CirclePointIndex::subgroup_generator(log), stwo_circle::CirclePointIndex::subgroup_gen(log)),
        ] {
            // stwo leaves the index of subgroup_gen(0), which is 2^31, unreduced.
            prop_assert_eq!(ours.value() as usize, theirs.reduce().0);
        }
        // Points follow their indices.
        let (x, y) = (p.to_point(), q.to_point());
        prop_assert_eq!(x + y, (p + q).to_point());
        prop_assert_eq!(x - y, (p - q).to_point());
        prop_assert_eq!(-x, (-p).to_point());
        prop_assert_eq!(x.conjugate(), -x);
        prop_assert_eq!(antipode(x), x + CirclePointIndex::subgroup_generator(1).to_point());
        prop_assert_eq!(x.double(), (p + p).to_point());
        prop_assert_eq!(x * scalar, (p * scalar).to_point());
        prop_assert_eq!(x.repeated_double(log), x * (1 << log));
        prop_assert_eq!(CirclePoint::double_x(x.x), x.double().x);
        prop_assert_eq!(CirclePoint::repeated_double_x(x.x, log), x.repeated_double(log).x);
        prop_assert_eq!(x.into_extension::<QM31>().x, QM31::from(x.x));
    }

    #[test]
    fn parameters(t in element::<M31, QM31>()) {
        match CirclePoint::from_parameter(t) {
            Some(point) => {
                prop_assert!(is_on_circle(point));
                prop_assert_eq!(point.y * (QM31::ONE + t.square()), t.double());
                // The chord through (-1, 0) has slope t.
                prop_assert_eq!(point.y, t * (point.x + QM31::ONE));
                prop_assert_eq!(point.double(), point + point);
                prop_assert_eq!(point - point, CirclePoint::ZERO);
            }
            None => prop_assert_eq!(t.square(), -QM31::ONE),
        }
    }

    #[test]
    fn large_domains(n in 1..=30_u32, position: usize) {
        let position = position % (1 << n);
        let theirs = CanonicCoset::new(n);
        prop_assert_eq!(Coset::canonic(n).index_at(position).value() as usize, theirs.index_at(position).0);
        let domain = CanonicDomain::new(n);
        prop_assert_eq!(domain.index_at(position).value() as usize, theirs.circle_domain().index_at(position).0);
        prop_assert_eq!(
            coset_row_to_circle_domain_index(position, n),
            stwo_utils::coset_index_to_circle_domain_index(position, n)
        );
        prop_assert_eq!(
            circle_domain_index_to_coset_row(position, n),
            stwo_utils::circle_domain_index_to_coset_index(position, n)
        );
        let row = CirclePointIndex::subgroup_generator(n + 1) + CirclePointIndex::subgroup_generator(n) * position as u64;
        prop_assert_eq!(domain.at_storage(coset_row_to_storage(position, n)), row.to_point());
        prop_assert_eq!(storage_to_coset_row(coset_row_to_storage(position, n), n), position);
    }

    #[test]
    fn large_neighbours(n in 1..=28_u32, blowup in 1..=2_u32, storage: usize, offset in -9..9_i64) {
        let e = n + blowup;
        let storage = storage % (1 << e);
        let ours = neighbour_index(storage, offset, n, e);
        prop_assert_eq!(
            ours,
            stwo_utils::offset_bit_reversed_circle_domain_index(storage, n, e, offset as isize)
        );
    }

    /// Offsets of any size wrap around.
    #[test]
    fn neighbours_wrap(n in 1..=20_u32, blowup in 0..=3_u32, storage: usize, offset: i64) {
        let e = n + blowup;
        let storage = storage % (1 << e);
        prop_assert_eq!(
            neighbour_index(storage, offset, n, e),
            neighbour_index(storage, offset.rem_euclid(1 << n), n, e)
        );
    }
}

#[test]
fn the_generator_has_order_2_to_31() {
    let generator = CirclePoint::<M31>::GENERATOR;
    assert!(is_on_circle(generator));
    assert_eq!(generator.repeated_double(30), antipode(CirclePoint::ZERO));
    assert_eq!(generator.repeated_double(31), CirclePoint::ZERO);
    assert_eq!(CirclePoint::<M31>::default(), CirclePoint::ZERO);
    assert_eq!(CirclePointIndex::ZERO.to_point(), CirclePoint::ZERO);
}

#[test]
fn small_domains_point_by_point() {
    for n in 1..=SMALL {
        let domain = CanonicDomain::new(n);
        let theirs = CanonicCoset::new(n);
        let points: Vec<_> = domain.points().collect();
        assert_eq!((points.len(), domain.size(), domain.log_size()), (1 << n, 1 << n, n));
        for (i, (&point, their_point)) in points.iter().zip(theirs.circle_domain().iter()).enumerate() {
            assert_eq!(coordinates(point), stwo_coordinates(their_point));
            assert_eq!(domain.at(i), point);
            assert_eq!(domain.at_storage(bit_reverse(i, n)), point);
        }
        let coset: Vec<_> = Coset::canonic(n).points().collect();
        assert_eq!(coset.len(), Coset::canonic(n).size());
        for (row, &point) in coset.iter().enumerate() {
            assert_eq!(coordinates(point), stwo_coordinates(theirs.at(row)));
            assert_eq!(Coset::canonic(n).at(row), point);
            assert_eq!(domain.at_storage(coset_row_to_storage(row, n)), point);
            assert_eq!(storage_to_coset_row(coset_row_to_storage(row, n), n), row);
        }
        for pair in 0..1 << (n - 1) {
            assert_eq!(domain.at_storage(2 * pair), domain.at_storage(2 * pair + 1).conjugate());
        }
        let line = Coset::half_odds(n);
        let their_line = stwo_circle::Coset::half_odds(n);
        for (i, point) in line.points().enumerate() {
            assert_eq!(coordinates(point), stwo_coordinates(their_line.at(i)));
        }
        for (i, point) in line.double().points().enumerate() {
            assert_eq!(point, line.at(i).double());
        }
        assert_eq!(line.double(), Coset::half_odds(n - 1));
    }
}

/// `lifted(P) = column([2^(difference)] P)`: look the multiplied point up in the smaller domain.
#[test]
fn lifting_follows_the_points() {
    for lifted in 1..=SMALL {
        let large = CanonicDomain::new(lifted);
        for column in 1..=lifted {
            let small = CanonicDomain::new(column);
            let places: HashMap<_, _> = (0..small.size()).map(|i| (small.at_storage(i), i)).collect();
            for storage in 0..large.size() {
                let target = large.at_storage(storage).repeated_double(lifted - column);
                assert_eq!(lift_index(storage, column, lifted), places[&target]);
            }
        }
    }
}

/// `P + offset g_n`: look the moved point up in the same domain.
#[test]
fn neighbours_follow_the_points() {
    for rows in 1..=SMALL - 2 {
        let step = CirclePointIndex::subgroup_generator(rows);
        for evaluation in rows..=SMALL {
            let domain = CanonicDomain::new(evaluation);
            let places: HashMap<_, _> = (0..domain.size()).map(|i| (domain.at_storage(i), i)).collect();
            for offset in [-5, -2, -1, 0, 1, 2, 3, 7] {
                let shift = (step * offset as u64).to_point();
                for storage in 0..domain.size() {
                    let target = domain.at_storage(storage) + shift;
                    assert_eq!(neighbour_index(storage, offset, rows, evaluation), places[&target]);
                }
            }
        }
    }
}
