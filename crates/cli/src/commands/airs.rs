//! `polystark airs`.

use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::command::Command;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::hal::CircleStark;
use sdk::{Airs, Goldilocks3, Param, ParamDefault, ProofSystem, Registry, Request};

/// Rows of a statement that tells whether an AIR can be recorded, by log2, if it may be so small.
const LOG_ROWS: u32 = 6;

#[derive(Args)]
pub(crate) struct AirsCommand {}

impl Command for AirsCommand {
    /// Lists the AIRs and their parameters.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let view =
            View { airs: views(&registry.airs::<Goldilocks3>()), circle_airs: views(&registry.airs::<CircleStark>()) };
        output.result(&view, &text(&view))
    }
}

#[derive(Serialize)]
struct AirView {
    name: String,
    summary: String,
    /// Whether `record` can write it to a file; null if none of its statements could be made to find out.
    recordable: Option<bool>,
    parameters: Vec<ParameterView>,
}

#[derive(Serialize)]
struct ParameterView {
    name: String,
    summary: String,
    required: bool,
    default: Option<String>,
}

#[derive(Serialize)]
struct View {
    airs: Vec<AirView>,
    /// AIRs of the Circle protocol.
    circle_airs: Vec<AirView>,
}

fn views<F: ProofSystem>(airs: &Airs<F>) -> Vec<AirView> {
    let parameter = |family: &sdk::Family<F>, param: &Param| ParameterView {
        name: param.name.clone(),
        summary: param.summary.clone(),
        required: param.default.is_none(),
        default: param.default.map(|default| match default {
            ParamDefault::Value(value) => value.to_string(),
            ParamDefault::RowsMinusOne if family.takes_free_rows() => "rows - 1 - free".to_owned(),
            ParamDefault::RowsMinusOne => "rows - 1".to_owned(),
        }),
    };
    let air = |family: &sdk::Family<F>| AirView {
        name: family.name().to_owned(),
        summary: family.summary().to_owned(),
        recordable: is_recordable(airs, family),
        parameters: family.params().iter().map(|param| parameter(family, param)).collect(),
    };
    airs.all().map(air).collect()
}

/// Whether a file can hold the AIR: its smallest statement is made and encoded.
fn is_recordable<F: ProofSystem>(airs: &Airs<F>, family: &sdk::Family<F>) -> Option<bool> {
    let rows = 1 << (*family.log_rows().start()).clamp(LOG_ROWS, *family.log_rows().end());
    let required = family.params().iter().filter(|param| param.default.is_none());
    let parameters = required.map(|param| (param.name.clone(), param.example)).collect();
    let statement = airs.build(&Request { parameters, ..Request::new(family.name(), rows) }).ok()?;
    Some(F::air_to_file(&statement.air).is_ok())
}

fn text(view: &View) -> String {
    let width = view.airs.iter().chain(&view.circle_airs).map(|air| air.name.len()).max().unwrap_or(0);
    let mut text = "of the protocol goldilocks:\n".to_owned();
    text += &list(&view.airs, width);
    text += "\nof the protocol circle:\n";
    text + &list(&view.circle_airs, width)
}

fn list(airs: &[AirView], width: usize) -> String {
    let mut text = String::new();
    for air in airs {
        let note = if air.recordable == Some(false) { " (cannot be recorded)" } else { "" };
        text += &format!("{:width$}  {}{note}\n", air.name, air.summary);
        for parameter in &air.parameters {
            let default = parameter.default.as_ref().map_or("required".to_owned(), |value| format!("default {value}"));
            text += &format!("{:width$}  --param {}=VALUE  {} ({default})\n", "", parameter.name, parameter.summary);
        }
    }
    text
}
