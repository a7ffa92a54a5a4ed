//! The verdict as JSON.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use proof_format::policy::MAX_BYTES;
use proof_format::security::Bits;
use proof_format::{Profile, Security, SecurityKind};

use crate::{Accepted, Refusal, verify};

/// The verdict on a file of a channel ([`verify`]), or on a client proof of Starknet, which shall have a statement (the
/// feature `client`: `verify_client`), as one line of JSON. `status` is `valid`, or the command line's
/// name for the refusal (`invalid`, `usage`, `refused by policy`); `exit_code` is the command line's. A refusal has an
/// `error`; a valid file has `protocol`, `air`, `rows`, `parameters`, `public_inputs`, `options`, `security`
/// (`claimed`, `conjectured`, `provable`, each with `bits` and `limit`), `required` and `proof_bytes`. Numbers of the
/// statement are texts: JavaScript's numbers do not hold them. Of a valid client proof there are `protocol`,
/// `program_hash`, `output`, `facts`, `security`, `required` and `proof_bytes`. The statement of a batch of GKR is its
/// columns (`verify_gkr`); of a valid one there are `protocol`, `trees` (`kind`, `rows`, `value`, of a sum
/// `denominator`), `columns`, which is their digest, `options`, `security_bits` and `proof_bytes`.
#[cfg_attr(not(feature = "circle"), expect(unused_variables, reason = "files of ours say their statements"))]
pub fn json(file: &[u8], channel: &str, statement: &[u8]) -> String {
    let told = |verdict: Result<String, Refusal>| verdict.unwrap_or_else(|refusal| refusal.to_json());
    #[cfg(feature = "client")]
    if crate::starknet::is_client_proof(file) {
        return told(crate::verify_client(file, statement).map(|verified| client_json(&verified, file.len())));
    }
    #[cfg(feature = "circle")]
    if crate::gkr::is_gkr(file) {
        return told(crate::verify_gkr(file, channel, statement).and_then(|trees| gkr_json(&trees, file.len())));
    }
    told(verify(file, channel).map(|accepted| accepted.to_json()))
}

/// Most bytes of a file that are looked at: a longer one is refused by its first `MOST_BYTES + 1`.
pub(crate) const MOST_BYTES: usize = MAX_BYTES as usize;

impl Accepted {
    fn to_json(&self) -> String {
        object(&[
            ("status", text("valid")),
            ("exit_code", "0".into()),
            ("protocol", text(self.protocol)),
            ("air", text(&self.air)),
            ("rows", (1_u64 << self.log_rows).to_string()),
            ("parameters", texts(self.parameters.iter().map(|(name, value)| (name.as_str(), value.to_string())))),
            ("public_inputs", list(self.public_inputs.iter().map(|input| input.to_string()))),
            ("options", texts(self.options.iter().map(|(name, value)| (*name, value.clone())))),
            ("security", security(&self.security)),
            ("required", text(&Profile::DEFAULT.to_string())),
            ("proof_bytes", self.proof_bytes.to_string()),
        ])
    }
}

/// The verdict on a batch of GKR.
#[cfg(feature = "circle")]
fn gkr_json(file: &circle_proof::gkr::GkrFile, bytes: usize) -> Result<String, Refusal> {
    let trees = &file.trees;
    let bits = file.sumcheck_bits().map_err(|error| Refusal::Gkr(error.to_string()))?;
    let shown = trees.instances.iter().zip(&file.proof.outputs).map(|(of, output)| {
        let mut members = alloc::vec![("kind", text(of.kind.name())), ("rows", (1_u64 << of.variables).to_string())];
        let element = |value: &field::QM31| list(value.0.iter().map(|coordinate| coordinate.value().to_string()));
        members.extend(["value", "denominator"].into_iter().zip(output).map(|(name, value)| (name, element(value))));
        object(&members)
    });
    let digest: String = trees.columns.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(object(&[
        ("status", text("valid")),
        ("exit_code", "0".into()),
        ("protocol", text("GKR")),
        ("trees", format!("[{}]", shown.collect::<Vec<_>>().join(","))),
        ("columns", text(&digest)),
        ("options", texts([("channel", trees.suite.name().into())].into_iter())),
        ("security_bits", bits.to_string()),
        ("proof_bytes", bytes.to_string()),
    ]))
}

/// The verdict on a client proof.
#[cfg(feature = "client")]
fn client_json(client::Verified { facts, security, .. }: &client::Verified, bytes: usize) -> String {
    let texts: Vec<String> = facts.iter().map(cairo_run::felt::text).collect();
    // Version and variant come first. Each list of facts that is accepted has the three.
    let [_, _, program_hash, output @ ..] = &*texts else { unreachable!("facts are three felts and the output") };
    object(&[
        ("status", text("valid")),
        ("exit_code", "0".into()),
        ("protocol", text("client proof of Starknet")),
        ("program_hash", text(program_hash)),
        ("output", list(output.iter().cloned())),
        ("facts", list(texts.iter().cloned())),
        ("security", self::security(security)),
        ("required", text(&circle_proof::CAIRO_PROFILE.to_string())),
        ("proof_bytes", bytes.to_string()),
    ])
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

/// A list of texts.
fn list(of: impl Iterator<Item = String>) -> String {
    format!("[{}]", of.map(|item| text(&item)).collect::<Vec<_>>().join(","))
}

/// The bits of each kind.
fn security(of: &Security) -> String {
    let figure = |(kind, bits): (SecurityKind, Bits)| {
        (kind.name(), object(&[("bits", bits.bits.to_string()), ("limit", text(&bits.limit.to_string()))]))
    };
    object(&of.figures().map(figure).collect::<Vec<_>>())
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
