//! Names of AIRs as identifiers of other languages.

/// The letters, digits and underscores of a name; others become underscores, and one stands before a digit.
pub(crate) fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let letters: String = name.chars().map(letter).collect();
    if letters.starts_with(|first: char| first.is_ascii_alphabetic()) { letters } else { format!("_{letters}") }
}
