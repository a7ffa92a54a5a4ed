//! The verdict as JSON.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use proof_format::policy::MAX_BYTES;
use proof_format::{Profile, SecurityKind};

use crate::{Accepted, Refusal, verify};

/// The verdict on a file of a channel ([`verify`]), as one line of JSON. `status` is `valid`, or the command line's
/// name for the refusal (`invalid`, `usage`, `refused by policy`); `exit_code` is the command line's. A refusal has an
/// `error`; a valid file has `protocol`, `air`, `rows`, `parameters`, `public_inputs`, `options`, `security`
/// (`claimed`, `conjectured`, `provable`, each with `bits` and `limit`), `required` and `proof_bytes`. Numbers of the
/// statement are texts: JavaScript's numbers do not hold them.
pub fn json(file: &[u8], channel: &str) -> String {
    match verify(file, channel) {
        Ok(accepted) => accepted.to_json(),
        Err(refusal) => refusal.to_json(),
    }
}

/// Most bytes of a file that are looked at: a longer one is refused by its first `MOST_BYTES + 1`.
pub(crate) const MOST_BYTES: usize = MAX_BYTES as usize;

impl Accepted {
    fn to_json(&self) -> String {
        let bits = SecurityKind::ALL.map(|kind| {
            let bits = kind.of(&self.security);
            (kind.name(), object(&[("bits", bits.bits.to_string()), ("limit", text(&bits.limit.to_string()))]))
        });
        let numbers: Vec<String> = self.public_inputs.iter().map(|input| format!("\"{input}\"")).collect();
        object(&[
            ("status", text("valid")),
            ("exit_code", "0".into()),
            ("protocol", text(self.protocol)),
            ("air", text(&self.air)),
            ("rows", (1_u64 << self.log_rows).to_string()),
            ("parameters", texts(self.parameters.iter().map(|(name, value)| (name.as_str(), value.to_string())))),
            ("public_inputs", format!("[{}]", numbers.join(","))),
            ("options", texts(self.options.iter().map(|(name, value)| (*name, value.clone())))),
            ("security", object(&bits)),
            ("required", text(&Profile::DEFAULT.to_string())),
            ("proof_bytes", self.proof_bytes.to_string()),
        ])
    }
}

impl Refusal {
    fn to_json(&self) -> String {
        let (code, status) = self.class().code();
        object(&[("status", text(status)), ("exit_code", code.to_string()), ("error", text(&self.to_string()))])
    }
}

/// An object of values that are JSON already.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}:{value}", text(name))).collect();
    format!("{{{}}}", members.join(","))
}

/// An object of texts.
fn texts<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: Vec<(&str, String)> = members.map(|(name, value)| (name, text(&value))).collect();
    object(&members)
}

/// A text in quotation marks.
fn text(of: &str) -> String {
    let mut out = String::from("\"");
    for letter in of.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(text("a\"b\\c\nd\u{7f}é"), r#""a\"b\\c\u000ad\u007fé""#);
    }
}
