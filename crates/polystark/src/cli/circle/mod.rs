//! What the subcommands do for the Circle protocol.

mod arguments;
mod contents;
mod views;

pub(crate) use arguments::{CircleExpectArguments, CircleOptionArguments, LiftingArgument, request};
pub(crate) use contents::ContentsView;
pub(crate) use views::{OptionsView, StatementView, statement_rows};
