//! The bootloaders themselves: compiled programs of the reference, with their hints (`data/README.md`).

use std::io::{self, Read};

use flate2::read::GzDecoder;

/// Parts of the hints by which the bootloaders take their tasks.
const TAKES_TASKS: [(BootloaderProgram, &str); 2] = [
    (BootloaderProgram::PrivacySimple, "\"LOAD_PRIVACY_SIMPLE_BOOTLOADER_INPUT\""),
    (BootloaderProgram::Simple, "SimpleBootloaderInput.Schema().load(program_input)"),
];

/// Whether a compiled program is a bootloader whose tasks can be given: the simple one or its privacy variant.
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
}

impl BootloaderProgram {
    /// The bootloader that a list of tasks is for.
    pub fn of(list: &super::TaskList) -> Self {
        if list.output_preimage_dump_path.is_some() { Self::PrivacySimple } else { Self::Simple }
    }

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
        };
        let mut json = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut json)?;
        Ok(json)
    }
}
