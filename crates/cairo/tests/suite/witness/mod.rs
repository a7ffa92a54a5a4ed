//! The witness: main columns of every component.

mod columns;
mod files;
mod rehearsal;

pub(crate) use files::run;
