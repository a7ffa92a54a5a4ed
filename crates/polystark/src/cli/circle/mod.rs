//! What the subcommands do for the Circle protocol.

mod arguments;
mod contents;
mod views;

pub(crate) use arguments::{CircleExpectArguments, CircleOptionArguments, LiftingArgument, policy, request};
pub(crate) use contents::ContentsView;
pub(crate) use views::{OptionsView, SecurityView, StatementView, security_rows, statement_rows};
