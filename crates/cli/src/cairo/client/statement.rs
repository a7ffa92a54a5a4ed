//! The statement of a client proof, as JSON and as text.

use cairo_run::Felt252;
use cairo_run::felt::text;
use serde::Serialize;

use crate::protocol::Rows;
use crate::report::views::listed;

/// Facts before the output of the task: version, variant and the hash of its program.
const HEADER: usize = 3;

#[derive(Serialize)]
pub(super) struct StatementView {
    /// The hash of the task's program, Blake2s over its words.
    program_hash: String,
    /// The output of the task.
    output: Vec<String>,
    /// The facts, as Starknet's blocks name them.
    facts: Vec<String>,
}

impl StatementView {
    /// The statement of facts.
    pub(super) fn new(facts: &[Felt252]) -> Self {
        let facts: Vec<String> = facts.iter().map(text).collect();
        let program_hash = facts.get(HEADER - 1).cloned().unwrap_or_default();
        Self { program_hash, output: facts.get(HEADER..).unwrap_or_default().to_vec(), facts }
    }

    /// In lines for [`crate::report::output::table`].
    pub(super) fn rows(&self) -> Rows {
        vec![("task's program", self.program_hash.clone()), ("task's output", listed(&self.output))]
    }
}
