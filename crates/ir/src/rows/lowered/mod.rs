//! A row program as a machine runs it: instructions on registers of single words, felts in Montgomery form and
//! elements.

mod bounds;
mod instruction;
mod lower;
mod lru_cache;
mod registers;
mod schedule;
mod schedules;

pub use instruction::{Class, Digit, FeltOp, FieldOp, Form, Instruction, JoinPart, Op, ShiftOp, VectorOp};
pub use lru_cache::LruCache;
pub use schedule::Schedule;
pub(super) use schedules::Schedules;
