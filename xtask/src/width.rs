//! Comments and prose are at most 120 columns wide, which rustfmt does not see to.

use crate::sources;

const COLUMNS: usize = 120;

/// Fails with the places of lines that are wider. Rows of tables, blocks of code and lines with a link to a page stay
/// as they are.
pub(crate) fn check() -> crate::Result {
    let wide = sources::places(prose, comments)?;
    if wide.is_empty() { Ok(()) } else { Err(format!("wider than {COLUMNS} columns: {}", wide.join(", "))) }
}

fn is_wide(line: &str) -> bool {
    line.chars().count() > COLUMNS
}

/// The numbers of wide lines of a page.
fn prose(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let start = line.trim_start();
        is_code ^= start.starts_with("```");
        !is_code && !start.starts_with(['|', '[']) && is_wide(line)
    });
    lines.map(|(_, number)| number).collect()
}

/// The numbers of wide comments.
fn comments(text: &str) -> Vec<usize> {
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let words = line.trim_start().strip_prefix("//").map(|words| words.trim_start_matches(['/', '!', ' ']));
        words.is_some_and(|words| !words.starts_with('|') && !words.contains("http")) && is_wide(line)
    });
    lines.map(|(_, number)| number).collect()
}

#[test]
fn tables_and_code_may_be_wide() {
    let wide = "x".repeat(COLUMNS + 1);
    assert_eq!(prose(&format!("{wide}\n| {wide}\n```text\n{wide}\n```\n\n{wide}\n")), [1, 7]);
    assert_eq!(comments(&format!("let {wide};\n    // {wide}\n//! | {wide}\n/// {wide}")), [2, 4]);
}
