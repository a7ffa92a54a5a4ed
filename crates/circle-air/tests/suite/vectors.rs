//! Columns, claimed sums and shapes of the golden vectors.

use crate::common::{digest, tables};
use circle_air::{RecordedStatement, Statement};
use golden::circle::{numbers, vectors};
use golden::{list, text};

#[test]
fn columns_and_claimed_sums_are_those_of_the_vectors() {
    for vector in vectors() {
        let (air, config, name) = (vector.statement(), vector.options(), &vector.name);
        let drawn = vector.drawn();
        let statement: &dyn Statement = &*air;
        let recorded = RecordedStatement::new(statement, config.lifting).unwrap();
        recorded.check_config(statement, config.log_blowup, config.lifting).unwrap();
        let tables = tables(&recorded, statement, config.lifting, air.trace(), &drawn);
        let digests = &vector.json["columns_sha256"];
        assert_eq!(digest(&tables.preprocessed), digests["preprocessed"], "{name}: preprocessed");
        for (tree, key) in [(1, "main"), (2, "interaction")] {
            let columns: Vec<_> = tables.groups.iter().flat_map(|groups| groups[tree].clone()).collect();
            if tree == 1 || !columns.is_empty() {
                assert_eq!(digest(&columns), digests[key], "{name}: {key}");
            }
        }
        assert_eq!(tables.claimed_sums, vector.claimed_sums(), "{name}: claimed sums");
        statement.check_claimed_sums(&drawn, &tables.claimed_sums).unwrap();
    }
}

#[test]
fn shapes_are_those_of_the_vectors() {
    for vector in vectors() {
        let (air, lifting, name) = (vector.statement(), vector.options().lifting, &vector.name);
        let (statement, json): (&dyn Statement, _) = (&*air, &vector.json);
        let recorded = RecordedStatement::new(statement, lifting).unwrap();
        assert_eq!(statement.words(), vector.words(), "{name}: words");
        let ids: Vec<_> = recorded.preprocessed.iter().map(|column| column.id.as_str()).collect();
        assert_eq!(ids, list(&json["preprocessed_ids"], |id| text(id).to_owned()), "{name}: ids");
        let sizes = &json["log_sizes"];
        for (tree, key) in ["preprocessed", "main", "interaction"].into_iter().enumerate() {
            assert_eq!(recorded.log_sizes(tree), numbers(&sizes[key]), "{name}: {key}");
        }
        let constraints: Vec<_> = recorded.components.iter().map(|c| c.constraint_count() as u32).collect();
        assert_eq!(constraints, numbers(&vector.json["n_constraints"]), "{name}: constraints");
        assert_eq!(recorded.constraint_count() as u32, constraints.iter().sum::<u32>());
        // Every preprocessed column that a component reads has one sample point, the composition has 8.
        let mut used: Vec<_> = recorded.preprocessed_indices.iter().flatten().collect();
        used.sort_unstable();
        used.dedup();
        let offsets = recorded.components.iter().flat_map(|c| &c.offsets[1..]).flatten().map(Vec::len).sum::<usize>();
        assert_eq!(used.len() + offsets + 8, vector.json["sampled_values"].as_u64().unwrap() as usize, "{name}");
    }
}

/// The programs of one shape serve all public values and elements: they encode to the same bytes.
#[test]
fn programs_do_not_depend_on_public_values() {
    let build = |name: &str, params: &[(&str, &str)]| {
        let params: Vec<_> = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        circle_air::airs::build(name, 5, &params).unwrap()
    };
    for (name, first, second) in [
        ("fibonacci", [("a", "1"), ("b", "1")], [("a", "0"), ("b", "2147483646")]),
        ("plonk", [("v0", "1"), ("v1", "1")], [("v0", "7"), ("v1", "3")]),
    ] {
        let programs = [first, second].map(|params| {
            let recorded = RecordedStatement::new(&*build(name, &params), None).unwrap();
            let component = &recorded.components[0];
            (component.constraints.encode(), component.logup.as_ref().map(|logup| logup.program.encode()))
        });
        assert_eq!(programs[0], programs[1], "{name}");
    }
    // The programs of one statement take the parameters of another of its shape.
    let (one, other) = (build("fibonacci", &[]), build("fibonacci", &[("a", "0"), ("b", "1")]));
    let recorded = RecordedStatement::new(&*one, None).unwrap();
    assert_eq!(recorded.components[0].params, 3);
    let expected = RecordedStatement::new(&*other, None).unwrap().params(&*other, &[], &[]).unwrap();
    assert_eq!(recorded.params(&*other, &[], &[]).unwrap(), expected);
}
