//! Files that are written whole or not at all. They are made ready before the work, which may take hours.
//!
//! A regular file, or none yet, is written without a name in the same folder, and then takes its place
//! (`temporary.rs`); links are followed, also links that lead to nothing yet, and the mode of a file that is replaced
//! is kept. A character device (`/dev/null`) and a pipe that someone reads are written to as they are, and so is
//! standard output, which is called `-`. Anything else is refused.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::interrupt;
use crate::report::exit::Failure;
use temporary::{Temporary, folder};

/// Links followed, as many as Linux follows.
const LINKS: u32 = 40;

/// The path that stands for standard input, or for standard output.
const STREAM: &str = "-";

/// Whether a path stands for standard input, or for standard output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Files that are ready to be written.
pub(crate) struct Outputs(Vec<(PathBuf, Place)>);

impl Outputs {
    /// Makes the files ready: no work needs to be done for a file that can't be written.
    pub(crate) fn open<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, Failure> {
        let open = |path: &'a Path| match Place::open(path) {
            Ok(place) => Ok((path.to_owned(), place)),
            Err(error) => Err(Failure::file(path, error)),
        };
        interrupt::watch("file");
        paths.into_iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes the files, in the order in which they were opened: first all of them, then each takes its place. An
    /// interrupt in between waits until all have.
    pub(crate) fn save(mut self, contents: &[&[u8]]) -> Result<(), Failure> {
        for ((path, place), bytes) in self.0.iter_mut().zip(contents) {
            place.write(bytes).map_err(|error| Failure::file(path, error))?;
        }
        interrupt::hold(|| {
            self.0
                .into_iter()
                .try_for_each(|(path, place)| place.persist().map_err(|error| Failure::file(&path, error)))
        })
    }
}

/// Refuses a file that [`Outputs::open`] would not make ready. A pipe is left alone: its reader would take it for
/// written.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let open = || match Target::of(path)? {
        Target::Stream { is_pipe: true } => Ok(()),
        _ => Place::open(path).map(drop),
    };
    open().map_err(|error| Failure::file(path, error))
}

/// A file that is written bit by bit while the work goes on, and takes its place at the end.
pub(crate) struct PartialFile {
    path: PathBuf,
    place: Place,
}

impl PartialFile {
    /// Makes the file ready, and gives the handle that takes its bytes.
    pub(crate) fn open(path: &Path) -> Result<(Self, File), Failure> {
        let open = || {
            let place = match Target::of(path)? {
                _ if is_stream(path) => {
                    return Err(io::Error::other("this is no file: write ./- for one of that name"));
                }
                Target::Stream { is_pipe } => Place::Stream(open_stream(path, is_pipe)?),
                Target::File { path, metadata } => Place::File(Temporary::beside(path, metadata.as_ref())?),
            };
            let file = place.file()?;
            Ok((Self { path: path.to_owned(), place }, file))
        };
        open().map_err(|error| Failure::file(path, error))
    }

    /// Lets it take its place: all is written.
    pub(crate) fn save(mut self) -> Result<(), Failure> {
        let saved = self.place.write(&[]).and_then(|()| self.place.persist());
        saved.map_err(|error| Failure::file(&self.path, error))
    }
}

/// A file that an argument names.
pub(crate) struct Named<'a> {
    /// The argument, or a place in a list of files.
    pub(crate) argument: Cow<'static, str>,
    pub(crate) path: &'a Path,
    /// Whether it is only read, and others may read it, too.
    pub(crate) is_shared: bool,
}

impl<'a> From<(&'static str, &'a Path)> for Named<'a> {
    fn from((argument, path): (&'static str, &'a Path)) -> Self {
        Self { argument: argument.into(), path, is_shared: false }
    }
}

/// Refuses two names for one file, unless it is shared by both.
pub(crate) fn distinct(names: &[Named<'_>]) -> Result<(), Failure> {
    let mut known: HashMap<Identity, &Named<'_>> = HashMap::with_capacity(names.len());
    for second in names {
        // A path that names nothing is refused where it is opened.
        let Some(identity) = Target::of(second.path).ok().and_then(Target::identity) else { continue };
        if let Some(first) = known.insert(identity, second)
            && !(first.is_shared && second.is_shared)
        {
            let error = format!("{} and {} name the same file", first.argument, second.argument);
            return Err(Failure::file(second.path, error));
        }
    }
    Ok(())
}

/// The target of a path, links followed.
enum Target {
    /// A character device or a pipe.
    Stream { is_pipe: bool },
    /// A regular file, or none yet. The path has no links.
    File { path: PathBuf, metadata: Option<Metadata> },
}

/// The identity that two names of one file share.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    #[cfg(unix)]
    Inode {
        device: u64,
        inode: u64,
    },
    Path(PathBuf),
}

impl Target {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if names_folder(path) {
                    return Err(io::Error::other("this names a folder, and there is none: name a file"));
                }
                return Ok(Self::File { path: missing(path)?, metadata: None });
            }
            Err(error) => return Err(error),
        };
        if metadata.is_file() {
            return Ok(Self::File { path: fs::canonicalize(path)?, metadata: Some(metadata) });
        }
        match is_pipe(&metadata) {
            Some(is_pipe) => Ok(Self::Stream { is_pipe }),
            None if metadata.is_dir() => Err(io::Error::other("this is a folder: name a file")),
            None => Err(io::Error::other("this is no regular file, character device or pipe")),
        }
    }

    /// `None` for a file that may have several names: nothing is lost if two outputs go there.
    fn identity(self) -> Option<Identity> {
        match self {
            Self::Stream { .. } => None,
            #[cfg(unix)]
            Self::File { metadata: Some(metadata), .. } => {
                use std::os::unix::fs::MetadataExt as _;
                Some(Identity::Inode { device: metadata.dev(), inode: metadata.ino() })
            }
            Self::File { path, .. } => Some(Identity::Path(path)),
        }
    }
}

/// Whether a path can be that of a folder alone: it ends with a slash, or with a point behind one.
fn names_folder(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.strip_suffix('.').unwrap_or(&path).ends_with(std::path::is_separator)
}

/// The path, without links, of a file that does not exist yet.
fn missing(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            Err(_) => {
                let name = path.file_name().ok_or_else(|| io::Error::other("this is a folder: name a file"))?;
                return Ok(fs::canonicalize(folder(&path))?.join(name));
            }
        }
    }
    Err(io::Error::other("too many links"))
}

/// Whether it is a pipe; `None` if it is neither pipe nor character device.
#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> Option<bool> {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    (kind.is_fifo() || kind.is_char_device()).then(|| kind.is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> Option<bool> {
    None
}

/// Opens a device or a pipe. Without the flag, the opening of a pipe would wait for a reader.
#[cfg(unix)]
fn open_stream(path: &Path, is_pipe: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
    let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    match open(path, flags | OFlags::NONBLOCK, Mode::empty()) {
        Err(rustix::io::Errno::NXIO) if is_pipe => {
            Err(io::Error::other("nobody reads this pipe: start its reader first"))
        }
        opened => {
            let file = opened?;
            // From here on writes wait for the reader.
            fcntl_setfl(&file, OFlags::empty())?;
            Ok(file.into())
        }
    }
}

#[cfg(not(unix))]
fn open_stream(path: &Path, _: bool) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// Where bytes go.
enum Place {
    Stdout,
    Stream(File),
    File(Temporary),
}

impl Place {
    fn open(path: &Path) -> io::Result<Self> {
        if is_stream(path) {
            let is_screen = io::stdout().is_terminal();
            return match is_screen {
                true => Err(io::Error::other("standard output is a terminal: redirect it")),
                false => Ok(Self::Stdout),
            };
        }
        match Target::of(path)? {
            Target::Stream { is_pipe } => open_stream(path, is_pipe).map(Self::Stream),
            Target::File { path, metadata } => Temporary::beside(path, metadata.as_ref()).map(Self::File),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            Self::Stream(file) => file.write_all(bytes),
            Self::File(temporary) => temporary.write(bytes),
        }
    }

    /// The file behind it, once more.
    fn file(&self) -> io::Result<File> {
        match self {
            Self::Stdout => Err(ErrorKind::Unsupported.into()),
            Self::Stream(file) => file.try_clone(),
            Self::File(temporary) => temporary.file(),
        }
    }

    fn persist(self) -> io::Result<()> {
        match self {
            Self::Stdout | Self::Stream(_) => Ok(()),
            Self::File(temporary) => temporary.persist(),
        }
    }
}

mod temporary;
#[cfg(test)]
mod tests;
