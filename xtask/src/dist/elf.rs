//! The demands of a program on its system, as `readelf` shows them.

use std::collections::BTreeSet;
use std::path::Path;

use super::text;
use crate::run;

/// Libraries that every system with glibc has. The driver of a GPU and NVRTC are none: the program looks for them when
/// it runs. Therefore the C library is not linked into it: a library that a static program loads would find another
/// one.
const ALLOWED: [&str; 7] =
    ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux"];

/// Libraries, and the versions of glibc's symbols.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Linked {
    libraries: BTreeSet<String>,
    glibc: BTreeSet<Vec<u32>>,
}

impl Linked {
    pub(super) fn of(program: &Path) -> Result<Self, String> {
        let output = run::output_of("readelf", &["--wide", "--dynamic", "--version-info", text(program)?])?;
        Ok(Self::read(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Lines `(NEEDED) Shared library: [NAME]` and `Name: GLIBC_VERSION`.
    fn read(shown: &str) -> Self {
        let library = |line: &str| Some(line.split_once("Shared library: [")?.1.split_once(']')?.0.to_owned());
        let version = |line: &str| {
            let (_, version) = line.split_once("Name: GLIBC_")?;
            version.split_whitespace().next()?.split('.').map(|number| number.parse().ok()).collect()
        };
        Self {
            libraries: shown.lines().filter_map(library).collect(),
            glibc: shown.lines().filter_map(version).collect(),
        }
    }

    /// Refuses a program that needs more than is everywhere.
    pub(super) fn check(&self) -> crate::Result {
        let is_allowed = |library: &str| ALLOWED.iter().any(|allowed| library.starts_with(allowed));
        match self.libraries.iter().find(|library| !is_allowed(library)) {
            Some(library) => {
                Err(format!("the program needs {library}: link it statically, or load it when it is needed"))
            }
            None if self.glibc.is_empty() => {
                Err("readelf shows no symbol of glibc's: is this a program of Linux?".to_owned())
            }
            None => Ok(()),
        }
    }

    /// The oldest glibc that has all symbols.
    pub(super) fn glibc(&self) -> String {
        let newest = self.glibc.last().map(|version| version.iter().map(u32::to_string).collect::<Vec<_>>().join("."));
        newest.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Linked;

    const SHOWN: &str = " 0x1 (NEEDED)  Shared library: [libc.so.6]\n  0x0010:   Name: GLIBC_2.9  Flags: none  Version: 9\n\
                         0x0020:   Name: GLIBC_2.34  Flags: none  Version: 8\n 0x0030:   Name: GCC_3.0  Flags: none  Version: 7\n";

    #[test]
    fn the_oldest_glibc_is_that_of_the_newest_symbol() {
        let linked = Linked::read(SHOWN);
        assert_eq!((linked.glibc(), linked.check()), ("2.34".to_owned(), Ok(())));
    }

    #[test]
    fn other_libraries_are_refused() {
        let shown = SHOWN.replace("libc.so.6", "libssl.so.3");
        assert!(Linked::read(&shown).check().is_err_and(|error| error.contains("libssl.so.3")));
        assert!(Linked::read("").check().is_err());
    }
}
