//! JSON for machines that people look at, too: a line for each key, and lists of numbers in one line.

use serde::Serialize;

/// The value as JSON, with a line break at the end.
pub(crate) fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)?;
    let mut lines = text.lines();
    let mut joined = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        joined += line;
        // No text in quotes ends a line by this.
        if line.ends_with('[') {
            joined += &list(&mut lines);
        }
        joined.push('\n');
    }
    Ok(joined)
}

/// The rest of a list that has begun: in one line if all of it are numbers.
fn list<'a>(lines: &mut (impl Iterator<Item = &'a str> + Clone)) -> String {
    let mut ahead = lines.clone();
    let mut numbers = String::new();
    for line in &mut ahead {
        let element = line.trim_start();
        if element.starts_with(']') {
            *lines = ahead;
            return numbers + element;
        }
        let Some(number) = number(element) else { return String::new() };
        if !numbers.is_empty() {
            numbers.push_str(", ");
        }
        numbers.push_str(number);
    }
    String::new()
}

/// A number in a line of its own, in quotes if it is a field's, without the comma after it.
fn number(line: &str) -> Option<&str> {
    let element = line.strip_suffix(',').unwrap_or(line);
    let bare = element.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(element);
    let is_number = bare.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        && bare.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '+' | '.'));
    is_number.then_some(element)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn lists_of_numbers_take_a_line() {
        let value = json!({
            "a": [1, 2.5, -3, 1e100],
            "b": ["18446744069414584320", "0x1f"],
            "c": [[1, 2], [3]],
            "d": ["one [", "2 ]", "["],
            "e": [],
            "f": [1, null],
            "g": {"h": [7]},
            "i": "["
        });
        let text = pretty(&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{text}");
        for line in [
            "  \"a\": [1, 2.5, -3, 1e+100],",
            "  \"b\": [\"18446744069414584320\", \"0x1f\"],",
            "    [1, 2],",
            "    [3]",
            "  \"e\": [],",
            "    \"h\": [7]",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.ends_with("}\n") && text.contains("\n    null\n"), "{text}");
    }
}
