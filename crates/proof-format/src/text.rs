//! Foreign text in messages: of arguments, of files, of requests.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// Most characters of such a text that a message shows.
pub const MAX_EXCERPT: usize = 80;
/// The most bytes of a parser's message.
pub const MAX_PARSER_MESSAGE: usize = 1 << 10;
/// Most bytes of any message.
pub const MAX_MESSAGE: usize = 8 << 10;
/// Characters of the beginning and of the end of a text that is too long. With the text between them, and with a
/// quotation mark, they are no more than [`MAX_EXCERPT`], so that a shortened text is not cut once more.
const ENDS: (usize, usize) = (36, 12);

/// A foreign text for a message: at most [`MAX_EXCERPT`] characters of it, control characters escaped. A longer text
/// shows the beginning, the number of its characters and the end.
///
/// ```
/// use proof_format::text::excerpt;
///
/// assert_eq!(excerpt("fibonacci").to_string(), "fibonacci");
/// assert!(excerpt(&"x".repeat(1 << 20)).to_string().len() < 100);
/// ```
pub fn excerpt(text: &str) -> Excerpt<'_> {
    Excerpt(text)
}

/// The result of [`excerpt`].
#[derive(Clone, Copy, Debug)]
pub struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = *self;
        if text.char_indices().nth(MAX_EXCERPT).is_none() {
            return escaped(f, text);
        }
        let start = text.char_indices().nth(ENDS.0).map_or(text.len(), |(at, _)| at);
        let end = text.char_indices().nth_back(ENDS.1 - 1).map_or(0, |(at, _)| at);
        escaped(f, &text[..start])?;
        write!(f, "…[{} characters]…", text.chars().count())?;
        escaped(f, &text[end..])
    }
}

/// A terminal obeys control characters, and a line of a log ends at one. Characters that turn the direction of
/// a line hide text in it.
fn escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.chars().try_for_each(|character| match character {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => write!(f, "{}", character.escape_unicode()),
        _ if character.is_control() => write!(f, "{}", character.escape_default()),
        _ => write!(f, "{character}"),
    })
}

/// A foreign text in its whole length, control characters escaped: a path, for example.
pub fn plain(text: &str) -> String {
    struct Plain<'a>(&'a str);

    impl fmt::Display for Plain<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            escaped(f, self.0)
        }
    }

    Plain(text).to_string()
}

/// A foreign text of several lines: each line is [`plain`], and the lines after the first are indented, so that none
/// looks like a line of ours.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(plain).collect();
    lines.join("\n  ")
}

/// A message that repeats these texts as they are, such as a parser's: texts that are too long are [`excerpt`].
pub fn shortened<'a>(message: &str, texts: impl IntoIterator<Item = &'a str>) -> String {
    let long = texts.into_iter().filter(|text| text.char_indices().nth(MAX_EXCERPT).is_some());
    long.fold(message.to_owned(), |message, text| message.replace(text, &excerpt(text).to_string()))
}

/// A message that repeats names as they are, such as a virtual machine's: each word that is too long is [`excerpt`].
pub fn words(message: &str) -> String {
    let is_long = |word: &str| word.char_indices().nth(MAX_EXCERPT).is_some();
    let pieces = message.split_inclusive(char::is_whitespace).map(|piece| {
        let word = piece.trim_end();
        if is_long(word) {
            Cow::Owned(format!("{}{}", excerpt(word), &piece[word.len()..]))
        } else {
            Cow::Borrowed(piece)
        }
    });
    pieces.collect()
}

/// A foreign parser's message about a text, such as JSON: the text between its quotation marks is [`excerpt`], and a
/// message longer than [`MAX_PARSER_MESSAGE`] bytes keeps its beginning and its end.
pub fn parser_message(message: &str) -> String {
    let pieces = message.split_inclusive(['`', '"', '\'']);
    let message: String = pieces.map(|piece| excerpt(piece).to_string()).collect();
    cut(&message, MAX_PARSER_MESSAGE).into_owned()
}

/// A message of at most [`MAX_MESSAGE`] bytes: of one that is longer the beginning and the end.
pub fn bounded(message: &str) -> Cow<'_, str> {
    cut(message, MAX_MESSAGE)
}

/// The same, cut to at most `most` bytes, 512 or more.
pub fn cut(message: &str, most: usize) -> Cow<'_, str> {
    if message.len() <= most {
        return Cow::Borrowed(message);
    }
    let (start, end) = (most / 4 * 3, message.len() - most / 8);
    let start = (0..=start).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    let end = (end..message.len()).find(|at| message.is_char_boundary(*at)).unwrap_or(message.len());
    Cow::Owned(format!("{}…[{} bytes]…{}", &message[..start], message.len(), &message[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_shown_as_they_are() {
        for text in ["", "fibonacci", "ä€𝄞", &"ä".repeat(MAX_EXCERPT)] {
            assert_eq!(excerpt(text).to_string(), text);
        }
        assert_eq!(excerpt("a\n\u{1b}[2J").to_string(), "a\\n\\u{1b}[2J");
        assert_eq!(lines("a\u{202e}\nb\u{7}"), "a\\u{202e}\n  b\\u{7}");
    }

    #[test]
    fn long_texts_are_cut() {
        for unit in ["a", "ä", "𝄞"] {
            for count in [MAX_EXCERPT + 1, 1 << 20] {
                let text = unit.repeat(count);
                let found = excerpt(&text).to_string();
                assert_eq!(found.matches(unit).count() - "characters".matches(unit).count(), 48, "{found}");
                assert!(found.contains(&format!("[{count} characters]")), "{found}");
                // Once more, as a caller that repeats the message does.
                assert!(found.chars().count() < MAX_EXCERPT);
                assert_eq!(
                    (excerpt(&found).to_string(), parser_message(&format!("`{found}` is none"))),
                    (found.clone(), format!("`{found}` is none"))
                );
            }
        }
    }

    #[test]
    fn messages_of_others_are_shortened() {
        let (long, short) = ("x".repeat(1 << 20), "rows");
        let message = format!("invalid value '{long}' for '--{short}': `{long}` is no number");
        let found = shortened(&message, [&long[..], short]);
        assert!(found.len() < 300 && found.ends_with("is no number") && found.contains("'--rows'"), "{found}");
    }

    #[test]
    fn long_words_are_cut() {
        let long = "k".repeat(1 << 20);
        let found = words(&format!("Unknown identifier {long}\n  in `main`"));
        assert!(
            found.len() < 150 && found.ends_with("kkk\n  in `main`") && found.starts_with("Unknown identifier k"),
            "{found}"
        );
        assert_eq!(words(" two  words\n"), " two  words\n");
    }

    #[test]
    fn parsers_say_little() {
        let plain = "unknown field `rws`, expected one of `air`, `rows`, `parameters`, `options`, `seed`, `trace` at line 1 column 20";
        assert_eq!(parser_message(plain), plain);
        let long = format!("invalid type: string \"{}\", expected u64 at line 1 column 20", "x".repeat(1 << 20));
        let found = parser_message(&long);
        assert!(found.len() < 200 && found.ends_with("\", expected u64 at line 1 column 20"), "{found}");
        assert!(parser_message(&"`\"' ".repeat(1 << 20)).len() <= MAX_PARSER_MESSAGE);
    }

    #[test]
    fn messages_are_bounded() {
        assert_eq!(bounded("a message"), "a message");
        let message = format!("begin {} end", "ä".repeat(1 << 20));
        let found = bounded(&message);
        assert!(found.len() <= MAX_MESSAGE && found.starts_with("begin") && found.ends_with("end"), "{}", found.len());
    }
}
