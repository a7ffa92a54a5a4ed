//! Words and signs of a preprocessed text.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// One sign.
    Sign,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The line in the text before the preprocessor.
    pub(super) line: usize,
}

/// The tokens of a text without comments. Its line markers, `# NUMBER "FILE"`, say which line comes next; GCC has some
/// with 0.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut line = 0;
    let mut line_start = 0;
    for whole in text.split_inclusive('\n') {
        line += 1;
        if let Some(marker) = whole.strip_prefix("# ") {
            line = marker
                .split(' ')
                .next()
                .and_then(|number| number.parse::<usize>().ok())
                .map_or(line, |n| n.saturating_sub(1));
        } else if !whole.starts_with('#') {
            let bytes = whole.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                if bytes[at].is_ascii_whitespace() {
                    at += 1;
                    continue;
                }
                let length = bytes[at..].iter().take_while(|byte| is_word(byte)).count().max(1);
                let (start, end) = (line_start + at, line_start + at + length);
                let kind = match bytes[at] {
                    byte if byte.is_ascii_digit() => Kind::Number,
                    byte if is_word(&byte) => Kind::Word,
                    _ => Kind::Sign,
                };
                // Kernels are ASCII; of anything else a sign is left out.
                if let Some(text) = text.get(start..end) {
                    out.push(Token { kind, text, start, end, line });
                }
                at += length;
            }
        }
        line_start += whole.len();
    }
    out
}
