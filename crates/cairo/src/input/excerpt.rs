//! Texts of others in errors.

/// Characters of a text of others that an error shows.
pub(super) const SHOWN: usize = 80;

/// Characters of a sentence that an error shows in which others have put theirs: the names in a file, for example.
pub(super) const SENTENCE: usize = 1000;

/// The first `most` characters of a text, in a line.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.chars().nth(most).is_some() {
        shown += "...";
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(excerpt("äbc\nd", 5), "äbc d");
        assert_eq!(excerpt("äbc\nd", 4), "äbc ...");
    }
}
