//! The words of subcommands: results as text and as JSON, errors and their exit codes.

pub(crate) mod exit;
pub(crate) mod facts;
pub(crate) mod findings;
pub(crate) mod output;
pub(crate) mod pretty;
pub(crate) mod statement_view;
pub(crate) mod views;
