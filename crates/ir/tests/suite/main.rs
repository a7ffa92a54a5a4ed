//! Programs: folding, sharing and refusals of recorders, computation by schedules, encoding, and texts.

mod program;
mod random;
mod row_programs;
mod text;
