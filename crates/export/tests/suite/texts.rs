//! The texts to the letter, and the rule of inputs.

use std::path::Path;

use circle_air::airs::build;
use export::{Component, Document, Node};

use crate::circle::shipped;

/// The document of a small Plonk.
fn plonk() -> Document {
    let params = [("v0".to_owned(), "1".to_owned()), ("v1".to_owned(), "2".to_owned())];
    export::circle::document(&*build("plonk", 2, &params).unwrap()).unwrap()
}

/// A changed text is another version of the format, or a mistake.
#[test]
fn texts_are_those_of_files() {
    let document = plonk();
    let texts = [
        ("plonk.json", export::json::text(&document)),
        ("plonk.smt2", export::smt::text(&document, &[])),
        ("plonk.lean", export::lean::text(&document)),
    ];
    for (name, text) in texts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts").join(name);
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != text {
            let made = std::env::temp_dir().join(name);
            std::fs::write(&made, text).unwrap();
            panic!("{} differs from {}", path.display(), made.display());
        }
    }
}

#[test]
fn equal_airs_have_equal_texts() {
    for air in shipped() {
        let text = || export::json::text(&export::circle::document(&*air).unwrap());
        assert!(text() == text(), "{}", air.name());
    }
}

/// The main columns that a component's inputs are, in their own row.
fn input_columns(component: &Component) -> Vec<usize> {
    let cell = |input: &usize| match component.nodes[*input] {
        Node::Load { table: 1, column, offset: 0 } => Some(column),
        _ => None,
    };
    let mut columns: Vec<usize> = component.inputs.iter().filter_map(cell).collect();
    columns.sort_unstable();
    columns
}

#[test]
fn inputs_follow_from_lookups_and_offsets() {
    // How often a wire is used: `uses`.
    assert_eq!(input_columns(&plonk().components[0]), [0]);
    let params = [("table".to_owned(), "4".to_owned()), ("s".to_owned(), "0".to_owned())];
    let document = export::circle::document(&*build("range-squares", 4, &params).unwrap()).unwrap();
    // `x`, which is read in the next row too, and the flag `e`, which says how often the pair is looked up; the uses.
    assert_eq!(input_columns(&document.components[0]), [0, 4]);
    assert_eq!(input_columns(&document.components[1]), [0]);

    type Shapes = cairo::shapes::Shapes<cairo::Version>;
    let names: Vec<&str> = Shapes::names().collect();
    let shapes = Shapes::new(4, 0).unwrap();
    let document =
        export::circle::components("cairo", &names, &|drawn| shapes.components(drawn), Shapes::kinds(), 2).unwrap();
    let columns = |name: &str| {
        let number = names.iter().position(|other| *other == name).unwrap();
        input_columns(&document.components[number])
    };
    // pc, ap, fp and the enabler.
    assert_eq!(columns("ret_opcode"), [0, 1, 2, columns("ret_opcode")[3]]);
    // The state that a round takes, not the one that it hands on.
    assert_eq!(columns("blake_round")[..35], (0..35).collect::<Vec<_>>()[..]);
    // All ids are chosen.
    assert_eq!(columns("memory_address_to_id"), (0..32).collect::<Vec<_>>());
}
