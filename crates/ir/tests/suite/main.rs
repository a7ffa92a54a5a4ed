//! Programs: what recorders fold, share and refuse, what schedules compute, how programs are encoded, what texts are.

mod program;
mod random;
mod row_programs;
mod text;
