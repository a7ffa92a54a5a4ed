//! `polystark airs`.

use serde::Serialize;

use super::exit::Failure;
use super::output::Output;
use crate::hal::CircleStark;
use crate::{Airs, FlavourTypes, Goldilocks3, Param, ParamDefault, Registry};

#[derive(Serialize)]
struct AirView {
    name: String,
    summary: String,
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
    /// Those of the Circle protocol.
    circle_airs: Vec<AirView>,
}

/// Lists the AIRs and their parameters.
pub(crate) fn run(registry: &Registry, output: &Output) -> Result<(), Failure> {
    let view = View { airs: views(registry.airs::<Goldilocks3>()), circle_airs: views(registry.airs::<CircleStark>()) };
    output.result(&view, &text(&view))
}

fn views<F: FlavourTypes>(airs: &Airs<F>) -> Vec<AirView> {
    let parameter = |param: &Param| ParameterView {
        name: param.name.clone(),
        summary: param.summary.clone(),
        required: param.default.is_none(),
        default: param.default.map(|default| match default {
            ParamDefault::Value(value) => value.to_string(),
            ParamDefault::RowsMinusOne => "rows - 1".to_owned(),
        }),
    };
    let air = |family: &crate::Family<F>| AirView {
        name: family.name().to_owned(),
        summary: family.summary().to_owned(),
        parameters: family.params().iter().map(parameter).collect(),
    };
    airs.all().map(air).collect()
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
        text += &format!("{:width$}  {}\n", air.name, air.summary);
        for parameter in &air.parameters {
            let default = parameter.default.as_ref().map_or("required".to_owned(), |value| format!("default {value}"));
            text += &format!("{:width$}  --param {}=VALUE  {} ({default})\n", "", parameter.name, parameter.summary);
        }
    }
    text
}
