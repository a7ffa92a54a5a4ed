//! Components of Cairo programs and of circuits, which are exported without a statement.

use cairo::shapes::Shapes;
use circle_air::MakeComponents;
use field::{QM31, SplitMix64};
use gpu_hal::CircleStark;
use serde_json::Value;

use crate::circle::{cell, element};
use crate::evaluate::Reader;

/// Rows, by log2, of components of any size.
const LOG_ROWS: u32 = 6;

/// Compares the text of each component with the program that is recorded of it under drawn elements.
fn compare(names: &[&str], document: &export::Document, make: &MakeComponents<'_>) {
    let mut random = SplitMix64::new(23);
    let drawn = [0; 2].map(|_| element(&mut random));
    let shift = element(&mut random);
    let text = export::json::text(document);
    let document: Value = serde_json::from_str(&text).unwrap();
    let made = make(&drawn);
    let components = document["components"].as_array().unwrap();
    assert_eq!((components.len(), made.len()), (names.len(), names.len()));
    for ((name, component), made) in names.iter().zip(components).zip(made) {
        assert_eq!(component["name"], *name);
        let recorded = made.record().unwrap();
        let load = |group: usize, column: usize, offset: i32| cell(group, column, i64::from(offset));
        // The claimed sum's share is the only parameter.
        let expected = recorded.constraints.evaluate(&vec![shift; recorded.params], load);
        let reader = Reader::<CircleStark> { component, elements: &drawn, shift, load: &cell };
        assert_eq!(reader.constraints(), expected, "{name}");
        for lookup in component["lookups"].as_array().unwrap() {
            assert!(!lookup["kind"].is_null(), "{name}: a tuple of no kind: {lookup}");
        }
    }
}

#[test]
fn cairos_components_are_what_is_proven() {
    let names: Vec<&str> = Shapes::<cairo::Version>::names().collect();
    let shapes = Shapes::<cairo::Version>::new(LOG_ROWS, 100).unwrap();
    let make = |drawn: &[QM31]| shapes.components(drawn);
    let document = export::circle::components("cairo", &names, &make, Shapes::<cairo::Version>::kinds(), 2).unwrap();
    compare(&names, &document, &make);
    let columns = |component: &export::Component| component.tables[1].columns.len();
    let columns: usize = document.components.iter().map(columns).sum();
    assert_eq!((names.len(), columns), (68, 5033));
}

#[test]
fn no_component_has_impossible_rows() {
    assert!(Shapes::<cairo::Version>::new(3, 0).is_none() && Shapes::<cairo::Version>::new(26, 0).is_none());
}

#[test]
fn circuits_components_are_what_is_proven() {
    let log_sizes = circuits::air::log_sizes(LOG_ROWS);
    let make = |drawn: &[QM31]| circuits::air::components(&log_sizes, drawn);
    let names = circuits::air::NAMES;
    let document = export::circle::components("circuit", &names, &make, circuits::air::kinds(), 2).unwrap();
    compare(&names, &document, &make);
    // Heights of tables are those of the columns that they read.
    let rows = |name: &str| document.components.iter().find(|one| one.name.as_deref() == Some(name)).unwrap().log_rows;
    let heights =
        [("verify_bitwise_xor_8", 16), ("verify_bitwise_xor_12", 20), ("range_check_16", 16), ("eq", LOG_ROWS)];
    heights.iter().for_each(|(name, height)| assert_eq!(rows(name), *height, "{name}"));
}
