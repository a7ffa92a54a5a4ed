//! The contract's own backends around the reference: decorators, and backends as values.

mod decorators;
mod erased;
