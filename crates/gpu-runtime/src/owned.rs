//! Folders and files of kernels, which are run: nobody but the user and root may have written them.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Makes a folder if it is not there, and lets no other user write to it.
///
/// # Errors
/// If it cannot be made, or is another user's.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    check_folder(folder)
}

/// Refuses a folder that another user owns or may write to.
///
/// # Errors
/// The fault and its remedy, without the path; or the system's error.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    check(&fs::metadata(folder)?)
}

/// The content of a file that no other user owns or may write to.
///
/// # Errors
/// The errors of [`check_folder`], or of reading it.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file that other users may read and not write.
///
/// # Errors
/// The system's.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

#[cfg(unix)]
fn check(metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let refused = |what: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    let user = rustix::process::geteuid().as_raw();
    if ![0, user].contains(&metadata.uid()) {
        return refused("belongs to another user, and what is in it would be run: make it yours or root's by `chown`");
    }
    if metadata.mode() & 0o022 != 0 {
        return refused("may be written by others, and what is in it would be run: forbid that by `chmod go-w`");
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_others_may_write_is_refused() {
        let folder = std::env::temp_dir().join(format!("polystark-owned-{}", std::process::id()));
        make_folder(&folder).unwrap();
        let file = folder.join("file");
        fs::write(&file, "kernels").unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (bits, is_right) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false), (0o666, false)] {
            mode(&file, bits);
            assert_eq!(read(&file).is_ok(), is_right, "{bits:o}");
        }
        for (bits, is_right) in [(0o755, true), (0o700, true), (0o775, false), (0o707, false), (0o1777, false)] {
            mode(&folder, bits);
            assert_eq!(check_folder(&folder).is_ok(), is_right, "{bits:o}");
        }
        // Anybody may use folders of root.
        assert!(check_folder(Path::new("/")).is_ok());
        make_folder(&folder).unwrap();
        assert!(check_folder(&folder).is_ok());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Only root can give files away.
    #[test]
    fn what_another_user_owns_is_refused() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = std::env::temp_dir().join(format!("polystark-foreign-{}", std::process::id()));
        make_folder(&folder).unwrap();
        std::os::unix::fs::chown(&folder, Some(12_345), None).unwrap();
        let error = make_folder(&folder).unwrap_err();
        assert!(error.to_string().contains("another user"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
