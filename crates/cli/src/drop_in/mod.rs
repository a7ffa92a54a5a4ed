//! Programs of Starknet's tools, whose place this program takes: called by the name of one, it has that one's flags,
//! defaults, files, messages and exit codes.
//!
//! They take the channel, the columns and the options that the reference takes, and no policy is asked. The device is
//! the one that the environment variable `POLYSTARK_BACKEND` names: `auto` where it is not set.

mod log;
mod names;
mod packages;
mod parse;
mod proof;
mod run_and_prove;
mod scarb;
mod scarb_prove;
mod scarb_verify;
mod ui;
mod variable;
mod vm_runner;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use sdk::Registry;

use names::NAMES;
use parse::parse;
use variable::variable;

/// A program's `main`: its command line, the name first.
type Main = fn(Vec<OsString>, &Registry) -> ExitCode;

/// The programs, in the order of [`NAMES`].
const MAINS: [Main; NAMES.len()] = [run_and_prove::main, vm_runner::main, scarb_prove::main, scarb_verify::main];

/// The program that is called by this name: a path, also with `_` for `-`, also with `.exe` behind it.
pub(crate) fn called(name: &OsStr) -> Option<Main> {
    let name = Path::new(name).file_name()?.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name).replace('_', "-");
    NAMES.iter().position(|known| *known == name).map(|index| MAINS[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_called_by_their_names() {
        for name in ["stwo-run-and-prove", "/usr/bin/stwo_run_and_prove", "./scarb-prove.exe", "stwo-vm-runner"] {
            assert!(called(OsStr::new(name)).is_some(), "{name}");
        }
        for name in ["polystark", "/usr/bin/polystark.exe", "", "/", "scarb", "scarb-prove.sh"] {
            assert!(called(OsStr::new(name)).is_none(), "{name}");
        }
    }
}
