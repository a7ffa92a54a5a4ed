//! The bootloaders themselves: compiled programs of the reference, with their hints (`data/README.md`).

use std::fmt;
use std::io::{self, Read};

use flate2::read::GzDecoder;

/// Parts of the hints by which the bootloaders take their tasks.
const TAKES_TASKS: [(BootloaderProgram, &str); 5] = [
    (BootloaderProgram::PrivacySimple, "\"LOAD_PRIVACY_SIMPLE_BOOTLOADER_INPUT\""),
    (BootloaderProgram::Simple, " SimpleBootloaderInput.Schema().load(program_input)"),
    (BootloaderProgram::Unpacking, " BootloaderInput.Schema().load(program_input)"),
    (BootloaderProgram::Unpacking, "\"BOOTLOADER_READ_UNPACKER_BOOTLOADER_INPUT\""),
    (BootloaderProgram::Applicative, " ApplicativeBootloaderInput.Schema().load(program_input)"),
];

/// Whether a compiled program is a bootloader whose tasks can be given.
pub fn is_bootloader(program: &[u8]) -> bool {
    BootloaderProgram::found(program).is_some()
}

/// A bootloader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootloaderProgram {
    /// Puts out the number of tasks, and of each task the size of its part, the hash of its program, and its output.
    Simple,
    /// Puts out the Blake2s hash of all that.
    PrivacySimple,
    /// The one that the reference calls `bootloader`: as the simple one, behind the hashes of its configuration, with
    /// the outputs of bootloaders among its tasks taken apart.
    Unpacking,
    /// Runs an aggregator over the outputs of tasks, and puts out the hash of its program and its own output.
    Applicative,
}

impl BootloaderProgram {
    /// The bootloader that a compiled program is, if it is one whose tasks can be given.
    pub fn found(program: &[u8]) -> Option<Self> {
        let has = |text: &str| program.windows(text.len()).any(|window| window == text.as_bytes());
        TAKES_TASKS.into_iter().find(|(_, text)| has(text)).map(|(bootloader, _)| bootloader)
    }

    /// The compiled program, in JSON.
    ///
    /// # Errors
    /// None: the packed program is a part of this library.
    pub fn json(self) -> io::Result<Vec<u8>> {
        let packed: &[u8] = match self {
            Self::Simple => include_bytes!("../../../data/simple_bootloader.json.gz"),
            Self::PrivacySimple => include_bytes!("../../../data/privacy_simple_bootloader.json.gz"),
            Self::Unpacking => include_bytes!("../../../data/bootloader.json.gz"),
            Self::Applicative => include_bytes!("../../../data/applicative_bootloader.json.gz"),
        };
        let mut json = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut json)?;
        Ok(json)
    }
}

impl fmt::Display for BootloaderProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Simple => "simple",
            Self::PrivacySimple => "privacy",
            Self::Unpacking => "unpacking",
            Self::Applicative => "applicative",
        })
    }
}
