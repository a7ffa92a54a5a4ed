//! What the subcommands do for the Circle protocol.

mod arguments;
mod contents;
mod views;

pub(super) use arguments::{CircleExpectArguments, CircleOptionArguments, LiftingArgument, policy, request};
pub(super) use contents::ContentsView;
pub(super) use views::{OptionsView, SecurityView, StatementView, security_rows, statement_rows};
