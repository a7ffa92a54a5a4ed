//! Comments and prose begin with a subject that a reader knows: no paragraph begins with a word that stands for
//! something else ("Of all devices.", "That of the proof.", "What a name means.").

use crate::sources;

/// The words. A sentence of a page may begin with the first: "Of 160 programs 133 run."
const WORDS: [&str; 9] = ["Of", "That", "Those", "What", "Whatever", "Which", "Who", "Whoever", "Whose"];

/// Fails with the places of such paragraphs. Questions may begin so.
pub(crate) fn check() -> crate::Result {
    let found = sources::places(prose, comments)?;
    if found.is_empty() {
        return Ok(());
    }
    Err(format!("begin with a subject, with none of {}: {}", WORDS.join(", "), found.join(", ")))
}

/// Whether the first line of a paragraph begins with one of these words.
fn is_unclear(line: &str, words: &[&str]) -> bool {
    let first = line.split(|letter: char| !letter.is_alphanumeric() && letter != '\'').next().unwrap_or_default();
    words.contains(&first) && !line.ends_with('?')
}

/// The numbers of such lines of a page.
fn prose(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut is_begun = false;
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        is_code ^= line.trim_start().starts_with("```");
        let is_first = !is_begun && !is_code;
        is_begun = !line.trim().is_empty();
        is_first && is_unclear(line, &WORDS[1..])
    });
    lines.map(|(_, number)| number).collect()
}

/// The numbers of such comments.
fn comments(text: &str) -> Vec<usize> {
    let mut is_begun = false;
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let words = line.trim_start().strip_prefix("//").map(|words| words.trim_start_matches(['/', '!']).trim());
        let is_first = !is_begun;
        is_begun = words.is_some_and(|words| !words.is_empty());
        is_first && words.is_some_and(|words| is_unclear(words, &WORDS))
    });
    lines.map(|(_, number)| number).collect()
}

#[test]
fn paragraphs_that_begin_without_a_subject_are_found() {
    let source =
        "/// Of all.\nfn a() {}\n    // That is\n    // Those\n//! What now?\n///\n/// Offers.\n///\n/// Which.";
    assert_eq!(comments(source), [1, 3, 9]);
    let page =
        "Whoever reads\nWhat follows\n\nOf two one.\n\n```text\n\nOf\n```\n\nThat's it.\n\nThose too.\n\n# What\n";
    assert_eq!(prose(page), [1, 13]);
}
