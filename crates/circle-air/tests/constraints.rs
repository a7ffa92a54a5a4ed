//! Recorded constraints: zero on honest rows, not on changed ones, and equal to stwo's own evaluation at a point.

mod common;

use circle_air::airs::{ShippedAir, build};
use circle_air::{RecordedStatement, Statement, TraceLocationAllocator, qm31, secure};
use common::{Tables, air_of, config_of, drawn_of, params_of, row_values, tables, vectors, violated};
use field::{Field, M31, QM31};
use stwo::core::air::accumulation::PointEvaluationAccumulator;
use stwo::core::circle::CirclePoint;
use stwo::core::constraints::coset_vanishing;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::TreeVec;
use stwo::core::poly::circle::CanonicCoset;

/// A random-looking element.
fn element(seed: u32) -> SecureField {
    let mut x = u64::from(seed) + 1;
    secure(QM31(std::array::from_fn(|_| {
        x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        M31::reduce(x >> 13)
    })))
}

fn drawn(statement: &dyn Statement) -> Vec<SecureField> {
    (0..statement.draws()).map(|i| element(90 + i as u32)).collect()
}

/// One of each AIR, small.
fn small_airs() -> Vec<Box<dyn ShippedAir>> {
    [
        ("fibonacci", 4, "a=3;b=5"),
        ("wide-fibonacci", 3, "w=7;s=9"),
        ("plonk", 4, "v0=2;v1=3"),
        ("range-squares", 4, "table=3;s=1"),
        ("range-squares", 3, "table=5;s=2"),
        ("poseidon2", 2, "s=2147483000"),
    ]
    .into_iter()
    .map(|(name, log_rows, params)| build(name, log_rows, &params_of(params)).unwrap())
    .collect()
}

#[test]
fn constraints_hold_on_the_vectors_traces() {
    for (name, vector) in vectors() {
        let (air, lifting, drawn) = (air_of(&vector), config_of(&vector).lifting_log_size, drawn_of(&vector));
        let recorded = RecordedStatement::new(&*air, lifting).unwrap();
        let tables = tables(&recorded, &*air, lifting, air.trace(), &drawn);
        let params = recorded.params(&*air, &drawn, &tables.claimed_sums).unwrap();
        assert_eq!(violated(&recorded, &tables, &params), [], "{name}");
    }
}

#[test]
fn every_changed_cell_is_noticed() {
    for air in small_airs() {
        let recorded = RecordedStatement::new(&*air, None).unwrap();
        let drawn = drawn(&*air);
        let mut tables = tables(&recorded, &*air, None, air.trace(), &drawn);
        let params = recorded.params(&*air, &drawn, &tables.claimed_sums).unwrap();
        assert_eq!(violated(&recorded, &tables, &params), []);
        for component in 0..tables.groups.len() {
            for tree in [1, 2] {
                for column in 0..tables.groups[component][tree].len() {
                    for row in 0..tables.groups[component][tree][column].len() {
                        let honest = tables.groups[component][tree][column][row];
                        tables.groups[component][tree][column][row] += M31::ONE;
                        let found = violated(&recorded, &tables, &params);
                        let cell = (component, tree, column, row);
                        assert!(!found.is_empty(), "{}: {cell:?}", air.name());
                        tables.groups[component][tree][column][row] = honest;
                    }
                }
            }
        }
    }
}

#[test]
fn a_wrong_claimed_sum_is_noticed() {
    for air in small_airs().into_iter().filter(|air| air.draws() > 0) {
        let recorded = RecordedStatement::new(&*air, None).unwrap();
        let drawn = drawn(&*air);
        let tables = tables(&recorded, &*air, None, air.trace(), &drawn);
        air.check_claimed_sums(&drawn, &tables.claimed_sums).unwrap();
        let mut sums = tables.claimed_sums.clone();
        sums[0] += element(1);
        assert!(air.check_claimed_sums(&drawn, &sums).is_err());
        assert!(air.check_claimed_sums(&drawn, &sums[1..]).is_err());
        let params = recorded.params(&*air, &drawn, &sums).unwrap();
        assert!(!violated(&recorded, &tables, &params).is_empty(), "{}", air.name());
        assert!(recorded.params(&*air, &drawn, &sums[1..]).is_err());
    }
}

/// The same for the hash AIR with a large table: all its rows hold, and with a changed cell those of some do not. (Rows of
/// rounds that no node uses are free.)
#[test]
fn blake2s_constraints_hold_and_changed_cells_are_noticed() {
    let air = build("blake2s", 5, &params_of("s=4294967000")).unwrap();
    let recorded = RecordedStatement::new(&*air, None).unwrap();
    let drawn = drawn(&*air);
    let mut tables = tables(&recorded, &*air, None, air.trace(), &drawn);
    air.check_claimed_sums(&drawn, &tables.claimed_sums).unwrap();
    let params = recorded.params(&*air, &drawn, &tables.claimed_sums).unwrap();
    assert_eq!(violated(&recorded, &tables, &params), []);
    for (component, recorded) in recorded.components.iter().enumerate() {
        let rows = 1 << recorded.log_size;
        let holds = |tables: &Tables, row: usize| {
            let groups = &tables.groups[component];
            let values = row_values(&recorded.constraints, groups, &params[component], recorded.log_size, row);
            values.iter().all(|value| value.is_zero())
        };
        let last = if component == 0 { 29 } else { rows - 1 };
        for (tree, row) in [(1, 0), (1, 1), (1, 2), (1, last), (2, 0), (2, last)] {
            for column in 0..recorded.width(tree) {
                tables.groups[component][tree][column][row] += M31::ONE;
                let noticed = !holds(&tables, row)
                    || !holds(&tables, (row + 1) % rows)
                    || !holds(&tables, (row + rows - 1) % rows);
                assert!(noticed, "component {component}, tree {tree}, column {column}, row {row}");
                tables.groups[component][tree][column][row] -= M31::ONE;
            }
        }
    }
}

/// The recorded constraints at a random mask, weighted and divided as the protocol says, are what stwo's verifier computes.
#[test]
fn constraints_are_those_of_stwo() {
    let blake2s = build("blake2s", 16, &params_of("s=1")).unwrap();
    for air in small_airs().into_iter().chain([blake2s]) {
        let statement: &dyn Statement = &*air;
        let recorded = RecordedStatement::new(statement, None).unwrap();
        let drawn = drawn(statement);
        let logups = recorded.components.iter().filter(|c| c.logup.is_some()).count();
        let sums: Vec<SecureField> = (0..logups).map(|i| element(500 + i as u32)).collect();
        let params = recorded.params(statement, &drawn, &sums).unwrap();
        let ids: Vec<_> = recorded.preprocessed.iter().map(|column| column.id.clone()).collect();
        let mut allocator = TraceLocationAllocator::new_with_preprocessed_columns(&ids);
        let mut seed = 1000;
        let mut mask = |offsets: &Vec<isize>| -> Vec<SecureField> {
            offsets
                .iter()
                .map(|_| {
                    seed += 1;
                    element(seed)
                })
                .collect()
        };
        let of_tree = |tree: usize| recorded.components.iter().flat_map(move |c| &c.offsets[tree]);
        let mut masks = vec![
            (0..ids.len()).map(|_| mask(&vec![0])).collect(),
            of_tree(1).map(&mut mask).collect(),
            of_tree(2).map(&mut mask).collect::<Vec<_>>(),
        ];
        if air.draws() == 0 {
            masks.pop();
        }
        let masks: TreeVec<Vec<Vec<SecureField>>> = TreeVec::new(masks);

        let point = CirclePoint::<SecureField>::get_point(987_654_321_987_654_321);
        let (log_size, alpha) = (recorded.max_log_size(), element(7));
        let mut accumulator = PointEvaluationAccumulator::new(alpha);
        let spread = recorded.spread(&sums).unwrap();
        for (component, sum) in statement.components(&drawn).iter().zip(spread) {
            let component = component.verifier_component(&mut allocator, sum);
            component.evaluate_constraint_quotients_at_point(point, &masks, &mut accumulator, log_size);
        }

        let inverse = coset_vanishing(CanonicCoset::new(log_size).coset, point).inverse();
        let mut first = [0; 3];
        let mut combined = QM31::ZERO;
        for (index, component) in recorded.components.iter().enumerate() {
            let values = component.constraints.evaluate(&params[index], |group, column, offset| {
                let place = component.offsets[group][column].iter().position(|&o| o == offset as isize).unwrap();
                let column =
                    if group == 0 { recorded.preprocessed_indices[index][column] } else { first[group] + column };
                qm31(masks[group][column][place])
            });
            (1..3).for_each(|tree| first[tree] += component.width(tree));
            combined = values.into_iter().fold(combined, |sum, value| sum * qm31(alpha) + value * qm31(inverse));
        }
        assert_eq!(combined, qm31(accumulator.finalize()), "{}", air.name());
    }
}
