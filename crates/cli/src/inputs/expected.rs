//! The expectations of a verifier, and the ones that it could have had. A valid proof of something is easy to make.

use serde::Serialize;

/// Characters of flags that are shown; JSON has them all.
const SHOWN: usize = 2000;

/// Whether something was expected, and the flags that expect the found values.
#[derive(Serialize)]
pub(crate) struct Expected {
    /// Whether the proof may be of any AIR, or of any program: nobody named it.
    nothing_expected: bool,
    /// The flags that insist on this statement, one after the other.
    expect_flags: Vec<String>,
}

impl Expected {
    pub(crate) fn new(is_expected: bool, expect_flags: Vec<String>) -> Self {
        Self { nothing_expected: !is_expected, expect_flags }
    }

    /// The warning, if `what` was not named. It has the flags, to be copied.
    pub(crate) fn warning(&self, what: &str) -> Option<String> {
        let line = self.expect_flags.join(" ");
        let shown = match line.len() {
            ..=SHOWN => line,
            _ => "the list `expect_flags` of --json, which is long".to_owned(),
        };
        self.nothing_expected.then(|| {
            format!(
                "nothing was expected of the {what}: a valid proof of any other is taken as well. To expect this one:\n  {shown}"
            )
        })
    }
}
