//! Statements of the Goldilocks protocol: one table, public cells, arguments on auxiliary columns.

mod argument;
mod compact;
mod statement;
mod violations;

pub use statement::Statement;
