//! Proofs by our command line, as its users run it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, and a folder for its files.
pub struct Ours {
    program: PathBuf,
    folder: PathBuf,
}

/// The result of a run.
pub enum Made {
    /// The proof in bincode 1.
    Proof(Vec<u8>),
    /// It was refused, as bad input is: the message.
    Refused(String),
}

/// How our command line ends when it refuses its input.
const BAD_INPUT: i32 = 2;

impl Ours {
    /// `program` is `polystark`.
    pub fn new(program: PathBuf, folder: PathBuf) -> Self {
        Self { program, folder }
    }

    fn call(&self, arguments: &[&str]) -> Result<Output, String> {
        let output = Command::new(&self.program).arg("cairo").args(arguments).output();
        output.map_err(|error| format!("{}: {error}", self.program.display()))
    }

    /// Proves a file with options. An end that is neither a proof nor a refusal is an error.
    pub fn prove(&self, file: &Path, options: &[&str]) -> Result<Made, String> {
        let (raw, proof) = (self.folder.join("ours.raw"), self.folder.join("ours.proof"));
        let [file, raw_text, proof] = [file, &raw, &proof].map(|path| path.to_str().expect("UTF-8"));
        let given = ["prove", file, "--raw", raw_text, "-o", proof, "--security", "claimed-0"];
        let output = self.call(&[&given[..], options].concat())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => Ok(Made::Proof(std::fs::read(&raw).map_err(|error| error.to_string())?)),
            Some(BAD_INPUT) => Ok(Made::Refused(said)),
            _ => Err(format!("{}: {said}", output.status)),
        }
    }

    /// Whether our verifier takes the file of a proof with this channel, however few bits it is worth.
    pub fn verify(&self, proof: &[u8], channel: &str) -> Result<(), String> {
        let path = self.folder.join("theirs.raw");
        std::fs::write(&path, proof).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = path.to_str().expect("UTF-8");
        let output = self.call(&["verify", file, "--min-security-bits", "1", "--channel", channel])?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}
