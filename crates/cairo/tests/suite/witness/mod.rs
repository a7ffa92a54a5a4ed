//! The witness: main columns of every component.

mod columns;
mod files;
mod rehearsal;
mod sources;

pub(crate) use files::run;
