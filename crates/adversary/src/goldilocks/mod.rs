//! Statements of the Goldilocks protocol: one table, public cells, arguments on auxiliary columns.

mod argument;
mod statement;
mod violations;

pub use statement::Statement;
