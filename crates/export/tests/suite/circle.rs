//! The shipped Circle AIRs.

use circle_air::{RecordedStatement, Statement, airs};
use field::{Field, M31, QM31, SplitMix64};
use gpu_hal::CircleStark;
use serde_json::Value;

use crate::evaluate::{Reader, index};

pub(crate) fn element(random: &mut SplitMix64) -> QM31 {
    QM31(std::array::from_fn(|_| M31::reduce(random.word())))
}

/// An arbitrary value for each cell.
pub(crate) fn cell(table: usize, column: usize, offset: i64) -> QM31 {
    let seed = (table as u64) << 56 ^ (column as u64) << 16 ^ offset.rem_euclid(1 << 8) as u64;
    element(&mut SplitMix64::new(seed))
}

pub(crate) fn shipped() -> impl Iterator<Item = std::sync::Arc<dyn airs::ShippedAir>> {
    airs::all().iter().map(|info| {
        let value = |param: &airs::ParamInfo| (param.name.to_owned(), param.default.unwrap_or(4).to_string());
        airs::build(info.name, 5, &info.params.iter().map(value).collect::<Vec<_>>()).unwrap()
    })
}

#[test]
fn texts_say_what_provers_compute() {
    let mut lookups = 0;
    for air in shipped() {
        let statement: &dyn Statement = &*air;
        let recorded = RecordedStatement::new(statement, None).unwrap();
        let mut random = SplitMix64::new(17);
        let drawn: Vec<QM31> = (0..statement.draws()).map(|_| element(&mut random)).collect();
        let with_lookups = recorded.components.iter().filter(|component| component.logup.is_some()).count();
        let sums: Vec<QM31> = (0..with_lookups).map(|_| element(&mut random)).collect();
        let params = recorded.params(statement, &drawn, &sums).unwrap();
        let spread = recorded.spread(&sums).unwrap();

        let text = export::json::text(&export::circle::document(statement).unwrap());
        let document: Value = serde_json::from_str(&text).unwrap();
        let components = document["components"].as_array().unwrap();
        assert_eq!(components.len(), recorded.components.len());
        for (number, (component, expected)) in components.iter().zip(&recorded.components).enumerate() {
            let rows = QM31::from(M31::new(1 << expected.log_size));
            let shift = spread[number] * rows.inverse_or_zero();
            let reader = Reader::<CircleStark> { component, elements: &drawn, shift, load: &cell };
            let load = |group: usize, column: usize, offset: i32| cell(group, column, i64::from(offset));
            let expected_values = expected.constraints.evaluate(&params[number], load);
            assert_eq!(reader.constraints(), expected_values, "{}, component {number}", statement.name());
            assert_eq!(index(&component["log_rows"]) as u32, expected.log_size);
            for (tree, table) in component["tables"].as_array().unwrap().iter().enumerate() {
                let offsets = table["columns"].as_array().unwrap().iter().map(|column| column["offsets"].clone());
                let offsets: Vec<Vec<isize>> =
                    offsets.map(|offsets| serde_json::from_value(offsets).unwrap()).collect();
                assert_eq!(offsets, expected.offsets[tree], "{}, tree {tree}", statement.name());
            }
            lookups += component["lookups"].as_array().unwrap().len();
        }
        let words: Vec<u32> = serde_json::from_value(document["public"].clone()).unwrap();
        assert_eq!(words, statement.words());
        let values = statement.preprocessed_values(None);
        for (column, values) in document["preprocessed"].as_array().unwrap().iter().zip(values) {
            let found: Option<Vec<u32>> = serde_json::from_value(column["values"].clone()).unwrap();
            // blake2s has a table of 2^16 rows.
            assert_eq!(found.is_none(), statement.name() == "blake2s");
            assert!(found.is_none_or(|found| found.into_iter().map(M31::new).eq(values)), "{}", column["name"]);
        }
    }
    assert_eq!(lookups, 270);
}
