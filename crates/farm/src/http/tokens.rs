//! The accepted tokens.

use std::fmt;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// Fewer characters than this can be guessed.
const SHORTEST: usize = 16;
/// A longer token is a mistake.
const LONGEST: usize = 4096;

/// The rights of a token; each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// To see jobs, workers and proofs.
    Read,
    /// To submit and to cancel.
    Submit,
}

/// The accepted tokens, as digests: the time of a comparison says nothing of them.
#[derive(Clone, Default)]
pub struct Tokens(Vec<([u8; 32], Role)>);

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0.len())
    }
}

impl Tokens {
    /// Tokens of a file: one a line, and behind it `read` or `submit`, which is the default. Empty lines and lines that
    /// begin with `#` are skipped.
    ///
    /// # Errors
    /// A wrong line, by its number and without the token; a file without tokens.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |what: String| Error::Options(format!("tokens: {}: {what}", path.display()));
        let text = crate::read_secret(path)?;
        Self::parse(&text).map_err(fail)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: &str| Err(format!("line {}: {what}", number + 1));
            let mut words = line.split_ascii_whitespace();
            let Some(token) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            let role = match words.next() {
                None | Some("submit") => Role::Submit,
                Some("read") => Role::Read,
                Some(_) => return wrong("behind the token stands neither `read` nor `submit`"),
            };
            if words.next().is_some() {
                return wrong("there are more words than a token and what it allows");
            }
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
            if !(SHORTEST..=LONGEST).contains(&token.len()) || !token.bytes().all(is_token) {
                return wrong(
                    "a token has 16 to 4096 letters, digits and `-._~+/=`; `openssl rand -hex 32` makes a good one",
                );
            }
            tokens.push((Sha256::digest(token).into(), role));
        }
        if tokens.is_empty() { Err("it has no token".into()) } else { Ok(Self(tokens)) }
    }

    /// Whether nobody needs one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rights of a token, `None` if it is not accepted.
    pub(super) fn role(&self, token: &str) -> Option<Role> {
        let presented: [u8; 32] = Sha256::digest(token).into();
        // All of them, to the last byte, whichever it is.
        self.0.iter().fold(None, |found, (digest, role)| {
            let differ = presented.iter().zip(digest).fold(0, |differ, (a, b)| differ | (a ^ b));
            if differ == 0 { found.max(Some(*role)) } else { found }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Role, Tokens};

    #[test]
    fn a_token_allows_what_its_line_says() {
        let tokens = Tokens::parse("# ours\n\n0123456789abcdef\n  fedcba9876543210 read\n").unwrap();
        assert_eq!(tokens.role("0123456789abcdef"), Some(Role::Submit));
        assert_eq!(tokens.role("fedcba9876543210"), Some(Role::Read));
        for wrong in ["", "0123456789abcde", "0123456789abcdef ", "0123456789abcdeg", "# ours"] {
            assert_eq!(tokens.role(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_wrong_line_is_named_and_its_token_is_not() {
        let wrong = [
            ("", "no token"),
            ("0123456789abcdef\nshort", "line 2"),
            ("0123456789abcdef write", "neither `read` nor `submit`"),
            ("0123456789abcdef read submit", "more words"),
            ("0123456789abcde\u{e9}", "line 1"),
        ];
        for (text, what) in wrong {
            let error = Tokens::parse(text).unwrap_err();
            assert!(error.contains(what) && !error.contains("0123"), "{error}");
        }
    }
}
