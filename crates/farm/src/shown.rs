//! Texts that may repeat what somebody has sent.

/// Characters of such a text: of a longer one the middle is left out.
const LONGEST: usize = 1000;

/// The text, at most about 1000 characters of it.
pub(crate) fn shown(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text.to_owned();
    }
    let half = LONGEST / 2;
    let first: String = text.chars().take(half).collect();
    let last: String = text.chars().skip(count - half).collect();
    format!("{first} ... {} characters ... {last}", count - 2 * half)
}
