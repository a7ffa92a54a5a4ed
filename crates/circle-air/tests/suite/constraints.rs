//! RecordedComponent constraints: zero on honest rows, not on changed ones.

mod check;
mod relations;

use crate::common::{Tables, drawn, element, row_values, small_airs, tables, violated};
use circle_air::{ClaimedSumError, RecordedStatement};
use field::{Field, M31};
use golden::circle::{air, vectors};

#[test]
fn constraints_hold_on_the_vectors_traces() {
    for vector in vectors() {
        let (air, lifting, drawn) = (vector.statement(), vector.options().lifting, vector.drawn());
        let recorded = RecordedStatement::new(&*air, lifting).unwrap();
        let tables = tables(&recorded, &*air, lifting, air.trace(), &drawn);
        let params = recorded.params(&*air, &drawn, &tables.claimed_sums).unwrap();
        assert_eq!(violated(&recorded, &tables, &params), [], "{}", vector.name);
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
        // One more, of nothing.
        let more = [&tables.claimed_sums[..], &[element(0) - element(0)]].concat();
        let needed = tables.claimed_sums.len();
        let count = ClaimedSumError::Count { given: needed + 1, needed };
        assert_eq!(recorded.spread(&more), Err(count));
        assert!(air.check_claimed_sums(&drawn[1..], &tables.claimed_sums).is_err());
        let params = recorded.params(&*air, &drawn, &sums).unwrap();
        assert!(!violated(&recorded, &tables, &params).is_empty(), "{}", air.name());
        assert!(recorded.params(&*air, &drawn, &sums[1..]).is_err());
    }
}

#[test]
fn a_sum_of_no_lookups_is_refused() {
    for air in small_airs().into_iter().filter(|air| air.draws() == 0) {
        assert_eq!(air.check_claimed_sums(&[], &[]), Ok(()));
        assert!(air.check_claimed_sums(&[], &[element(1)]).is_err(), "{}", air.name());
        let count = ClaimedSumError::Count { given: 1, needed: 0 };
        assert_eq!(RecordedStatement::new(&*air, None).unwrap().spread(&[element(0)]), Err(count), "{}", air.name());
    }
}

/// The same for the hash AIR with a large table: all its rows hold, and with a changed cell some rows do not. (Rows of
/// rounds that no node uses are free.)
#[test]
fn blake2s_constraints_hold_and_changed_cells_are_noticed() {
    let air = air("blake2s", 5, "s=4294967000");
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
