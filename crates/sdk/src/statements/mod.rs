//! Kinds of statements, AIRs among them.

pub(crate) mod air_statement;
pub(crate) mod statement;
pub(crate) mod statement_error;
