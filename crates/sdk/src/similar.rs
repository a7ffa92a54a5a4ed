//! The name that was probably meant: of the known ones, the nearest to the given word.

/// Longest name that is compared; names of AIRs, parameters and backends are shorter.
const LONGEST: usize = 64;

/// The nearest of the known names, if one is near: the same except for its case and its dashes, a few slips away, or a
/// longer one.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let word: Vec<char> = plain(word);
    let near = |name: &'a str| {
        let other = plain(name);
        let slips = slips(&word, &other);
        // A slip in three letters; of names that only begin so, or that have it inside, the shortest.
        let is_part = word.len() >= 3 && other.windows(word.len()).any(|part| part == word);
        match slips <= word.len().max(other.len()) / 3 {
            true => Some((0, slips, name)),
            false => is_part.then_some((1, other.len(), name)),
        }
    };
    known
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .filter_map(near)
        .min_by_key(|near| (near.0, near.1))
        .map(|near| near.2)
}

/// [`nearest`] as a part of a sentence; nothing if none is near.
pub(crate) fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a String>) -> String {
    let near = nearest(word, known.into_iter().map(String::as_str));
    near.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// Lower case, a dash for each other mark between words.
fn plain(name: &str) -> Vec<char> {
    let dash = |letter| if matches!(letter, '_' | ' ' | '.') { '-' } else { letter };
    name.chars().flat_map(char::to_lowercase).map(dash).collect()
}

/// Letters that are left out, added, changed, or exchanged with the next one.
fn slips(one: &[char], other: &[char]) -> usize {
    let mut before = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1; other.len() + 1];
        for (j, expected) in other.iter().enumerate() {
            let changed = last[j] + usize::from(letter != expected);
            row[j + 1] = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *expected {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let airs = ["fibonacci", "fibonacci-rap", "wide-fibonacci", "quadratic", "plonk", "blake2s"];
        for (word, name) in [
            ("fibonaci", "fibonacci"),
            ("Fibonacci", "fibonacci"),
            ("wide_fibonacci", "wide-fibonacci"),
            ("fibonacci-rpa", "fibonacci-rap"),
            ("quadratik", "quadratic"),
            ("wide", "wide-fibonacci"),
            ("fib", "fibonacci"),
            ("plnok", "plonk"),
            ("blake2", "blake2s"),
        ] {
            assert_eq!(nearest(word, airs), Some(name), "{word}");
        }
        for word in ["", "x", "sha256", "keccak", &"fibonacci".repeat(10)] {
            assert_eq!(nearest(word, airs), None, "{word}");
        }
        assert_eq!(nearest("c", ["a", "b"]), None, "a letter is no slip of another one");
    }

    #[test]
    fn slips_are_counted() {
        let of = |one: &str, other: &str| slips(&plain(one), &plain(other));
        assert_eq!((of("steps", "steps"), of("stpes", "steps"), of("", "abc")), (0, 1, 3));
        assert_eq!((of("kitten", "sitting"), of("ab", "ba"), of("steps", "step")), (3, 1, 1));
    }
}
