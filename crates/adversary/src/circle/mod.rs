//! Statements of the Circle protocol: components of different heights, with lookups between them.

mod component;
mod lookup;
mod statement;
mod violations;

pub use statement::Statement;
