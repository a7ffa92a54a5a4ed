//! `prove --check`, with AIRs whose traces are wrong as a parameter says.

use std::sync::Arc;

use clap::Parser;
use serde_json::{Value, json};

use super::*;
use crate::report::exit::Code;
use sdk::air::{Air, AirBuilder, Column, Layout, Rows, Trace as Table, airs};
use sdk::field::{Field, Goldilocks, M31};
use sdk::{Goldilocks3, Param, circle, circle_air, goldilocks};

/// A number is doubled in each row.
struct Doubled(u32);

impl Air<Goldilocks3> for Doubled {
    fn name(&self) -> &str {
        "doubled"
    }
    fn log_trace_length(&self) -> u32 {
        self.0
    }
    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    }
    fn define(&self, builder: &AirBuilder<Goldilocks3>) {
        builder.name_main(0, "number");
        let double = || builder.transition(builder.main(0, 1) - 2 * builder.main(0, 0), Rows::all().except_last(1));
        builder.named("double", double);
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
    }
}

/// The AIRs of both protocols; `add` is added to a cell of an honest trace.
fn registry() -> Registry {
    let doubled = goldilocks::Family::of_parameters("doubled", "", |rows, parameters| {
        let add = Goldilocks::new(parameters.get("add")?);
        let trace = move || {
            let number = |row: u64| Goldilocks::new(1 << row) + if row == 5 { add } else { Goldilocks::ZERO };
            Ok(Table::from_columns(vec![(0..rows).map(number).collect()])?)
        };
        Ok(goldilocks::AirInstance::new(Arc::new(Doubled(rows.ilog2())), trace))
    });
    let squares = circle::Family::of_parameters("squares", "", |rows, parameters| {
        let add = M31::new(parameters.get("add")? as u32);
        let params = [("table".to_owned(), "3".to_owned())];
        let air = circle_air::airs::build("range-squares", rows.ilog2(), &params)?;
        let mut trace = air.trace();
        trace[1][0][4] += add;
        Ok(circle::AirInstance::new(air, move || Ok(trace.clone().into())))
    });
    let add = || Param::public("add", "").or(0);
    Registry::shipped().with_air(doubled.with(add())).with_air(squares.with(add()))
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: ProveCommand,
}

/// The result of `prove` with these arguments and a file, and whether there is a file.
fn prove(line: &str) -> (Result<(), Failure>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof");
    let line = format!("prove {line} --backend cpu --threads 1 -o {}", file.display());
    let Line { arguments } = Line::try_parse_from(line.split(' ')).unwrap();
    (arguments.run(&Arc::new(registry()), &Output::new(true, false)), file.exists())
}

/// The findings as JSON has them, and the message.
fn wrong(line: &str) -> (Value, String) {
    let (result, is_proven) = prove(line);
    let failure = result.expect_err("the trace is wrong");
    assert!(failure.code == Code::Invalid && !is_proven, "{failure:?}");
    let findings = failure.findings.expect("it says where");
    (serde_json::to_value(findings).unwrap(), failure.message)
}

#[test]
fn a_wrong_trace_is_named_and_not_proven() {
    let line = "--air doubled --rows 8 --param add=3 --check";
    let (found, message) = wrong(line);
    let cell =
        |row: usize, value: &str| json!({"table": "main", "column": 0, "name": "number", "row": row, "value": value});
    let first = json!({
        "component": null, "component_name": null, "constraint": 0, "kind": "transition", "number": 0,
        "name": "double", "row": 4, "value": "3", "cells": [cell(4, "16"), cell(5, "35")]
    });
    assert_eq!((&found["violated"], &found["violations"][0], &found["lookups"]), (&json!(2), &first, &Value::Null));
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[1], "transition constraint 0 `double` is 3 on row 4, not 0: number[4] = 16, number[5] = 35");
    assert_eq!((lines.len(), found["violations"][1]["row"].as_u64()), (3, Some(5)));
    let (found, message) = wrong(&format!("{line} --check-limit 1"));
    assert_eq!((found["violations"].as_array().unwrap().len(), &found["violated"]), (1, &json!(2)));
    assert!(message.ends_with("\nand 1 more"), "{message}");

    let (found, message) = wrong("--protocol circle --air squares --rows 8 --param add=2 --check");
    assert_eq!((&found["violated"], &found["violations"]), (&json!(0), &json!([])));
    assert_eq!(found["lookups"]["uncancelled"], json!(1));
    let tuple = &found["lookups"]["tuples"][0];
    assert_eq!((&tuple["tuple"], &tuple["sum"]), (&json!(["4", "16"]), &json!("-2")));
    let table = tuple["uses"].as_array().unwrap().last().unwrap();
    assert_eq!((&table["component"], &table["lookup"], &table["row"]), (&json!(1), &json!(0), &json!(4)));
    assert!(message.contains("the tuple (4, 16) has multiplicities that add up to -2, not 0: "), "{message}");
}

#[test]
fn an_honest_trace_is_proven_after_the_check() {
    let options = "--queries 3 --security claimed-0 --check";
    for line in ["--air doubled --grinding 1", "--protocol circle --air squares --pow-bits 1"] {
        let (result, is_proven) = prove(&format!("{line} {options} --rows 8"));
        assert!(result.is_ok() && is_proven, "{line}: {result:?}");
    }
    // Without the check it is the prover that finds out, and not where.
    let failure = prove("--air doubled --rows 8 --param add=3 --queries 3 --grinding 1 --security claimed-0")
        .0
        .expect_err("it is wrong");
    assert!(failure.code == Code::Invalid && failure.findings.is_none(), "{failure:?}");
    let unused = "prove --air doubled --rows 8 --check-limit 3 -o file";
    assert!(Line::try_parse_from(unused.split(' ')).is_err());
}

#[test]
fn shipped_traces_pass_the_check() {
    for info in airs::all() {
        let needed = [("width", 3), ("degree", 4)];
        let parameters = needed.into_iter().filter(|(name, _)| info.params.iter().any(|param| param.name == *name));
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).collect();
        let request = goldilocks::Request { parameters, ..goldilocks::Request::new(info.name, 16) };
        goldilocks::Airs::default().build(&request).unwrap().check(1).unwrap_or_else(|error| panic!("{error}"));
    }
}
