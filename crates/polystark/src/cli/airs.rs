//! `polystark airs`.

use serde::Serialize;

use super::exit::Failure;
use super::output::Output;
use crate::air::airs::{self, ParamDefault};
use crate::circle_air;

#[derive(Serialize)]
struct AirView {
    name: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterView>,
}

#[derive(Serialize)]
struct ParameterView {
    name: &'static str,
    summary: &'static str,
    required: bool,
    default: Option<String>,
}

#[derive(Serialize)]
struct View {
    airs: Vec<AirView>,
    /// Those of the Circle protocol.
    circle_airs: Vec<AirView>,
}

/// Lists the AIRs and their parameters.
pub(crate) fn run(output: &Output) -> Result<(), Failure> {
    let parameter = |info: &airs::ParamInfo| ParameterView {
        name: info.name,
        summary: info.summary,
        required: info.default.is_none(),
        default: info.default.map(|default| match default {
            ParamDefault::Value(value) => value.to_string(),
            ParamDefault::RowsMinusOne => "rows - 1".to_owned(),
        }),
    };
    let airs = airs::all()
        .iter()
        .map(|info| AirView {
            name: info.name,
            summary: info.summary,
            parameters: info.params.iter().map(parameter).collect(),
        })
        .collect();
    let view = View { airs, circle_airs: circle_air::airs::all().iter().map(circle_view).collect() };
    output.result(&view, &text(&view))
}

fn circle_view(info: &circle_air::airs::AirInfo) -> AirView {
    let parameter = |info: &circle_air::airs::ParamInfo| ParameterView {
        name: info.name,
        summary: info.summary,
        required: info.default.is_none(),
        default: info.default.map(|value| value.to_string()),
    };
    AirView { name: info.name, summary: info.summary, parameters: info.params.iter().map(parameter).collect() }
}

fn text(view: &View) -> String {
    let width = view.airs.iter().chain(&view.circle_airs).map(|air| air.name.len()).max().unwrap_or(0);
    let mut text = "prove --protocol goldilocks (the default):\n".to_owned();
    text += &list(&view.airs, width);
    text += "\nprove --protocol circle:\n";
    text + &list(&view.circle_airs, width)
}

fn list(airs: &[AirView], width: usize) -> String {
    let mut text = String::new();
    for air in airs {
        text += &format!("{:width$}  {}\n", air.name, air.summary);
        for parameter in &air.parameters {
            let default = parameter.default.as_ref().map_or("required".to_owned(), |value| format!("default {value}"));
            text += &format!("{:width$}  --param {}=VALUE  {} ({default})\n", "", parameter.name, parameter.summary);
        }
    }
    text
}
