//! The default farm: the environment's, or the local one that was started last.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Environment variables, each for the argument that is not given.
pub(super) const SERVER: &str = "POLYSTARK_FARM_SERVER";
pub(super) const FARM: &str = "POLYSTARK_FARM";
pub(super) const TOKEN_FILE: &str = "POLYSTARK_FARM_TOKEN_FILE";
pub(super) const CREDS: &str = "POLYSTARK_FARM_CREDS";
pub(super) const NKEY: &str = "POLYSTARK_FARM_NKEY";

/// A variable that is set, and not to nothing.
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A local farm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Local {
    pub(super) server: String,
    /// The file that its server's token is in.
    pub(super) token_file: PathBuf,
    pub(super) farm: String,
}

/// Where the last local farm is noted: in the user's folder for the state of programs, if there is one.
fn file() -> Option<PathBuf> {
    let state = variable("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/state")))?;
    Some(state.join("polystark/local-farm.json"))
}

impl Local {
    /// Notes that this one was started. Where it cannot be noted, it is named by arguments.
    pub(super) fn note(&self) {
        let Some(file) = file() else { return };
        if let Err(error) = self.write(&file) {
            tracing::info!("{}: {error}", file.display());
        }
    }

    fn write(&self, file: &Path) -> std::io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        // Written whole: another may read it at any time.
        let new = file.with_extension(format!("{}.new", std::process::id()));
        fs::write(&new, serde_json::to_vec(self)?)?;
        fs::rename(new, file)
    }

    /// The one that was started last, if it is noted and its token is still there.
    pub(super) fn last() -> Option<Self> {
        Self::read(&file()?)
    }

    fn read(file: &Path) -> Option<Self> {
        let local: Self = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        local.token_file.is_file().then_some(local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_local_farm_is_known_while_its_token_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let (file, token_file) = (folder.path().join("a/b/local.json"), folder.path().join("token"));
        let local = Local { server: "nats://127.0.0.1:4222".to_owned(), token_file, farm: "polystark".to_owned() };
        assert_eq!(Local::read(&file), None);
        local.write(&file).unwrap();
        assert_eq!(Local::read(&file), None);
        fs::write(&local.token_file, "token").unwrap();
        assert_eq!(Local::read(&file), Some(local));
        fs::write(&file, "{").unwrap();
        assert_eq!(Local::read(&file), None);
    }
}
