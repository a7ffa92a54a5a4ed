//! The shipped Goldilocks AIRs.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{ExampleAir, all, build};
use air::record;
use field::{Field, Fp3, Goldilocks, PrimeField, SplitMix64};
use gpu_hal::GoldilocksStark;
use serde_json::{Value, json};

use crate::evaluate::{Reader, index};

/// An arbitrary value for each cell.
fn cell(table: usize, column: usize, offset: i64) -> Fp3 {
    let mut random = SplitMix64::new((table as u64) << 56 ^ (column as u64) << 16 ^ offset as u64);
    Fp3(std::array::from_fn(|_| Goldilocks::from_canonical(random.word() >> 1).unwrap()))
}

fn shipped() -> impl Iterator<Item = Arc<dyn ExampleAir<GoldilocksStark>>> {
    all().iter().map(|info| {
        let value = |param: &air::airs::ParamInfo| (param.name.to_owned(), 2);
        let params: BTreeMap<_, _> = info.params.iter().filter(|param| param.default.is_none()).map(value).collect();
        build(info.name, 16, &params).unwrap()
    })
}

#[test]
fn texts_say_what_provers_compute() {
    let (mut with_rows, mut with_aux, mut with_periods) = (0, 0, 0);
    for air in shipped() {
        let recorded = record::<GoldilocksStark, _>(&*air).unwrap();
        let text = export::json::text(&export::goldilocks::document(&*air).unwrap());
        let document: Value = serde_json::from_str(&text).unwrap();
        let component = &document["components"][0];
        let elements: Vec<Fp3> = (0..recorded.layout().challenges).map(|k| cell(9, k, 0)).collect();
        let reader = Reader::<GoldilocksStark> { component, elements: &elements, shift: Fp3::ZERO, load: &cell };
        // Boundary values are parameters behind the challenges.
        let params = recorded.params(&elements).unwrap();
        let load = |group: usize, column: usize, offset: i32| cell(group, column, i64::from(offset));
        let expected = recorded.constraints().evaluate(&params, load);
        let transitions = recorded.transitions();
        assert_eq!(reader.constraints(), expected[..transitions.len()], "{}", recorded.name());
        for (constraint, rows) in component["constraints"].as_array().unwrap().iter().zip(transitions) {
            let expected = json!({
                "period": rows.period(),
                "offset": rows.offset(),
                "except_last": rows.end_exemptions(),
                "except": rows.exempted(),
            });
            match constraint.get("rows") {
                None => assert_eq!(*rows, air::Rows::all()),
                Some(found) => {
                    assert_eq!(*found, expected);
                    with_rows += 1;
                }
            }
        }
        for (found, expected) in component["boundaries"].as_array().unwrap().iter().zip(recorded.boundaries()) {
            assert_eq!(index(&found["row"]), expected.row());
            assert_eq!(found["value"].as_u64(), expected.constant_value().map(PrimeField::as_u64));
        }
        assert_eq!(component["boundaries"].as_array().unwrap().len(), recorded.boundaries().len());
        let nodes = reader.nodes();
        let auxiliary = component["auxiliary"].as_array().unwrap();
        assert_eq!(auxiliary.len(), recorded.layout().aux_columns);
        if let Some(running) = recorded.running() {
            // Their program has no group of auxiliary columns, which here is table 1.
            let load = |group: usize, column: usize, offset: i32| {
                cell(if group == 0 { 0 } else { group + 1 }, column, i64::from(offset))
            };
            let values = running.program.evaluate(&elements, load);
            for (column, at) in running.columns.iter().zip(&running.aux_index) {
                let found = |side: &str| nodes[index(&auxiliary[*at][side])];
                assert_eq!(found("numerator"), values[column.numerator]);
                assert_eq!(found("denominator"), values[column.denominator]);
                with_aux += 1;
            }
        }
        for table in component["tables"].as_array().unwrap().iter().filter(|table| table["role"] == "periodic") {
            let length = table["columns"][0]["values"].as_array().unwrap().len();
            assert_eq!(length, 1 << index(&table["log_period"]));
            with_periods += 1;
        }
    }
    assert!(with_rows > 0 && with_aux > 0 && with_periods > 0);
}
