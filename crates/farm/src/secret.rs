//! Files with tokens, keys and certificates, of which no more is read than one may have.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::{Error, Result};

/// Bytes of such a file: a longer one is a mistake.
const LONGEST: u64 = 1 << 20;

/// The text of a file with a token, a key or a certificate, of at most 1 MiB.
///
/// # Errors
/// [`Error::Options`], which names the file and shows nothing of it.
pub fn read_secret(path: &Path) -> Result<String> {
    let fail = |what: String| Error::Options(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| fail(error.to_string()))?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| fail(error.to_string()))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fail("it has more than 1 MiB, which is no file of tokens, keys or certificates".into()));
    }
    String::from_utf8(bytes).map_err(|_| fail("it is no text".into()))
}

/// The token of a file that holds nothing else.
///
/// # Errors
/// As [`read_secret`]; that there is none.
pub fn read_token(path: &Path) -> Result<String> {
    let text = read_secret(path)?;
    let token = text.trim();
    if token.is_empty() || token.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(Error::Options(format!("{}: it is to hold one token and nothing else", path.display())));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_secret_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        for (bytes, what) in
            [(&b"two words"[..], "one token"), (b" \n", "one token"), (b"a\0b", "one token"), (b"\xff", "no text")]
        {
            std::fs::write(&file, bytes).unwrap();
            let error = read_token(&file).unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("token:"), "{error}");
        }
        std::fs::write(&file, "hush\n").unwrap();
        assert_eq!(read_token(&file).unwrap(), "hush");
        // A file without an end.
        #[cfg(unix)]
        for read in [read_secret, read_token] {
            let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert!(error.contains("more than 1 MiB"), "{error}");
        }
    }
}
