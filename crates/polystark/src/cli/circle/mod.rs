//! What the subcommands do for the Circle protocol.

mod arguments;
mod contents;
mod views;

pub(super) use arguments::{CircleExpectArguments, CircleOptionArguments, LiftingArgument, request};
pub(super) use contents::ContentsView;
pub(super) use views::{OptionsView, StatementView, statement_rows};
