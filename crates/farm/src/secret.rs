//! Files with tokens, keys and certificates, of which no more is read than one may have.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::{Error, Result};

/// Bytes of such a file: a longer one is a mistake.
const LONGEST: u64 = 1 << 20;
/// How long a pipe may take to give all of it.
const PIPE_TIME: Duration = Duration::from_secs(5);

/// The text of a file with a token, a key or a certificate, of at most 1 MiB. It may be a pipe, such as a shell makes
/// of `<(COMMAND)`, which has five seconds to give it.
///
/// # Errors
/// [`Error::Options`], which names the file and shows nothing of it.
pub fn read_secret(path: &Path) -> Result<String> {
    let fail = |what: String| Error::Options(format!("{}: {what}", path.display()));
    // A missing or unreadable file is reported where it is opened.
    let is_plain = fs::metadata(path).map_or(true, |about| about.is_file());
    let bytes = if is_plain { read(path) } else { read_in_time(path) }.map_err(|error| fail(error.to_string()))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fail("it has more than 1 MiB, which is no file of tokens, keys or certificates".into()));
    }
    String::from_utf8(bytes).map_err(|_| fail("it is no text".into()))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Even opening a pipe that nobody writes to does not end: the thread is given up then, and ends with the process.
fn read_in_time(path: &Path) -> io::Result<Vec<u8>> {
    let (tell, told) = channel();
    let path = path.to_owned();
    std::thread::Builder::new().name("secret".into()).spawn(move || tell.send(read(&path)))?;
    told.recv_timeout(PIPE_TIME).unwrap_or_else(|error| {
        let what = match error {
            RecvTimeoutError::Timeout => {
                format!("it is no plain file, and did not end within {} s: who writes to it?", PIPE_TIME.as_secs())
            }
            RecvTimeoutError::Disconnected => "whoever reads it has ended".to_owned(),
        };
        Err(io::Error::other(what))
    })
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
        // A pipe that nobody writes to, and one that somebody does after a while.
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            let since = std::time::Instant::now();
            let error = read_token(&pipe).unwrap_err().to_string();
            assert!(error.contains("pipe: ") && error.contains("no plain file"), "{error}");
            assert!(since.elapsed() < PIPE_TIME * 2, "{:?}", since.elapsed());
            let pipe = folder.path().join("other");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            let to = pipe.clone();
            let writing = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                std::fs::write(to, "hush\n").unwrap();
            });
            assert_eq!(read_token(&pipe).unwrap(), "hush");
            writing.join().unwrap();
        }
        // A file without an end.
        #[cfg(unix)]
        for read in [read_secret, read_token] {
            let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert!(error.contains("more than 1 MiB"), "{error}");
        }
    }
}
