//! Kernels compiled before: files that come with a program, one for each architecture, found by the hash of source and
//! options. With them the first proof on a machine waits for no compiler, and needs none.
//!
//! A file is [`MAGIC`], the SHA-256 of the rest, then, little-endian: the architecture and the form ([`Target`]) in
//! 4 bytes each, the number of kernels in 8; for each, in the order of the keys, its key (32 bytes), where it starts,
//! how long it is there and how long it is unpacked (8 bytes each); then the kernels, each packed by zlib.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::{KernelSource, owned};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::compiler::{Compiled, Compiler, Target, shipped_key};
use crate::error::unavailable;

const MAGIC: [u8; 16] = *b"polystark-krnl-1";
const HASH_BYTES: usize = 32;
/// Bytes of the architecture, the form and the number.
const HEAD_BYTES: usize = 16;
/// Bytes of an entry: its key and three numbers.
const ENTRY_BYTES: usize = HASH_BYTES + 24;
/// Where the head starts.
const HEAD: usize = MAGIC.len() + HASH_BYTES;

/// The kernels of a file.
#[derive(Debug)]
pub struct Shipped {
    target: Target,
    bytes: Vec<u8>,
    entries: BTreeMap<[u8; HASH_BYTES], Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    packed: usize,
    length: usize,
}

impl Target {
    /// Name of the file with kernels for it.
    fn file(self) -> String {
        match self {
            Self::Cubin(architecture) => format!("sm_{architecture}.kernels"),
            Self::Ptx(architecture) => format!("compute_{architecture}.kernels"),
        }
    }
}

impl Shipped {
    /// The file for a device, by its compute capability: machine code of its own, or else the newest text that it
    /// takes. It lies in the given folder, or in that which `POLYSTARK_CUDA_KERNELS` names, or in `kernels` beside the
    /// program or in `../lib/polystark`. `None` if there is none.
    ///
    /// # Errors
    /// [`gpu_hal::ErrorKind::Unavailable`] for a file that cannot be read or is damaged, and for one that, or whose
    /// folder, belongs to another user than this one and root or may be written by others.
    pub fn find(folder: Option<PathBuf>, (major, minor): (u32, u32)) -> Result<Option<Self>> {
        let own = 10 * major + minor;
        let named = folder.or_else(|| std::env::var_os("POLYSTARK_CUDA_KERNELS").map(PathBuf::from));
        let folders = named.map_or_else(beside_the_program, |folder| vec![folder]);
        for folder in folders {
            for target in std::iter::once(Target::Cubin(own)).chain((0..=own).rev().map(Target::Ptx)) {
                let path = folder.join(target.file());
                if path.is_file() {
                    return Self::open(&path, target).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The file of this name.
    fn open(path: &Path, target: Target) -> Result<Self> {
        let wrong = |what: &str| {
            unavailable(format!("the file of kernels {} {what}: install it again, or remove it", path.display()))
        };
        if let Some(folder) = path.parent()
            && let Err(error) = owned::check_folder(folder)
        {
            return Err(unavailable(format!("the folder of kernels {} {error}", folder.display())));
        }
        let bytes = owned::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => unavailable(format!("the file of kernels {} {error}", path.display())),
            _ => wrong(&format!("cannot be read ({error})")),
        })?;
        let shipped = Self::parse(bytes).ok_or_else(|| wrong("is damaged"))?;
        if shipped.target == target { Ok(shipped) } else { Err(wrong("is for another device than its name says")) }
    }

    /// The kernels in the bytes of a file; `None` if it is damaged.
    pub fn parse(bytes: Vec<u8>) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk()?;
        let (hash, body) = rest.split_first_chunk::<HASH_BYTES>()?;
        if *magic != MAGIC || Sha256::digest(body).as_slice() != hash {
            return None;
        }
        let architecture = u32::from_le_bytes(body.get(..4)?.try_into().ok()?);
        let target = match u32::from_le_bytes(body.get(4..8)?.try_into().ok()?) {
            0 => Target::Cubin(architecture),
            1 => Target::Ptx(architecture),
            _ => return None,
        };
        let number = |at: usize| usize::try_from(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?)).ok();
        let count = number(8)?;
        let kernels = count.checked_mul(ENTRY_BYTES)?.checked_add(HEAD_BYTES)?;
        if kernels > body.len() {
            return None;
        }
        let entry = |index: usize| {
            let at = HEAD_BYTES + index * ENTRY_BYTES;
            let key = body.get(at..at + HASH_BYTES)?.try_into().ok()?;
            let [start, packed, length] = [0, 8, 16].map(|offset| number(at + HASH_BYTES + offset));
            let entry = Entry { start: start?.checked_add(HEAD)?, packed: packed?, length: length? };
            (entry.start.checked_add(entry.packed)? <= bytes.len()).then_some((key, entry))
        };
        let entries = (0..count).map(entry).collect::<Option<_>>()?;
        Some(Self { target, entries, bytes })
    }

    /// The target of the kernels.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Kernels of a source, if they are there.
    pub fn get(&self, source: &KernelSource) -> Option<Compiled> {
        let Entry { start, packed, length } = *self.entries.get(&shipped_key(source, self.target))?;
        let mut code = Vec::new();
        let decoder = ZlibDecoder::new(&self.bytes[start..start + packed]);
        decoder.take((length as u64).saturating_add(1)).read_to_end(&mut code).ok()?;
        (code.len() == length).then_some(Compiled { code })
    }
}

/// Where files of kernels are installed.
fn beside_the_program() -> Vec<PathBuf> {
    let folder = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    folder.map_or_else(Vec::new, |folder| vec![folder.join("kernels"), folder.join("../lib/polystark/kernels")])
}

/// Compiles sources and writes the file of a target into a folder, which is made if it is not there: its path, and its
/// bytes. No GPU is needed. The order of the sources is of no account: the same make the same file.
///
/// # Errors
/// The errors of [`Compiler::compile`]; [`ErrorKind::Backend`] if the file cannot be written.
pub fn ship(
    compiler: &Compiler,
    target: Target,
    sources: &[Arc<KernelSource>],
    folder: &Path,
) -> Result<(PathBuf, u64)> {
    let compiled = sources.par_iter().map(|source| compiler.compile(source, target)).collect::<Result<Vec<_>>>()?;
    let written = write(folder, target, sources.iter().map(|source| &**source).zip(compiled));
    written.and_then(|path| Ok((path.clone(), fs::metadata(&path)?.len()))).map_err(|error| {
        HalError::new(ErrorKind::Backend, "ship kernels", format!("{}: {error}", folder.display())).with_source(error)
    })
}

/// The bytes of the file with these kernels.
///
/// # Errors
/// None is known: packing does not fail in memory.
pub fn pack<'a>(
    target: Target,
    kernels: impl IntoIterator<Item = (&'a KernelSource, Compiled)>,
) -> io::Result<Vec<u8>> {
    let pack = |(source, Compiled { code }): (&KernelSource, Compiled)| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&code)?;
        Ok((shipped_key(source, target), (encoder.finish()?, code.len())))
    };
    let packed: BTreeMap<_, _> = kernels.into_iter().map(pack).collect::<io::Result<_>>()?;
    let (architecture, form) = match target {
        Target::Cubin(architecture) => (architecture, 0u32),
        Target::Ptx(architecture) => (architecture, 1),
    };
    let mut body = [architecture.to_le_bytes(), form.to_le_bytes()].concat();
    body.extend((packed.len() as u64).to_le_bytes());
    let mut start = HEAD_BYTES + packed.len() * ENTRY_BYTES;
    for (key, (code, length)) in &packed {
        body.extend(key);
        [start, code.len(), *length].iter().for_each(|number| body.extend((*number as u64).to_le_bytes()));
        start += code.len();
    }
    packed.values().for_each(|(code, _)| body.extend(code));
    Ok([&MAGIC[..], &Sha256::digest(&body), &body].concat())
}

fn write<'a>(
    folder: &Path,
    target: Target,
    kernels: impl IntoIterator<Item = (&'a KernelSource, Compiled)>,
) -> io::Result<PathBuf> {
    let path = folder.join(target.file());
    if !folder.is_dir() {
        // Loading refuses a folder where other users may write; the user's mask may allow that.
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
        builder.create(folder)?;
    }
    owned::write(&path, &pack(target, kernels)?)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> KernelSource {
        KernelSource { name: "unit", text: text.into(), defines: vec![("SIZE", 3)] }
    }

    fn compiled(code: &[u8]) -> Compiled {
        Compiled { code: code.to_vec() }
    }

    #[test]
    fn kernels_are_found_by_their_source_for_their_device() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (source("one"), source("two"));
        let long = vec![7; 100_000];
        let kernels = || [(&one, compiled(b"machine code")), (&two, compiled(&long))];
        let path = write(folder.path(), Target::Cubin(90), kernels()).expect("written");
        assert!(fs::metadata(&path).expect("the file").len() < 1000, "kernels are packed");
        let find = |capability| Shipped::find(Some(folder.path().to_owned()), capability).expect("a sound file");
        let shipped = find((9, 0)).expect("there is one");
        assert_eq!(shipped.target(), Target::Cubin(90));
        assert_eq!(shipped.get(&one), Some(compiled(b"machine code")));
        assert_eq!(shipped.get(&two), Some(compiled(&long)));
        let other = KernelSource { defines: vec![("SIZE", 4)], ..one.clone() };
        assert_eq!(shipped.get(&source("three")).or_else(|| shipped.get(&other)), None);
        // A newer device takes text, the newest that it knows; an older one nothing.
        assert!(find((12, 0)).is_none() && find((8, 0)).is_none());
        for architecture in [80, 89, 103] {
            write(folder.path(), Target::Ptx(architecture), [(&one, compiled(b"text"))]).expect("written");
        }
        assert_eq!(find((10, 0)).map(|shipped| shipped.target()), Some(Target::Ptx(89)));
        assert_eq!(find((9, 0)).map(|shipped| shipped.target()), Some(Target::Cubin(90)));
        assert!(find((7, 5)).is_none());
        // The same kernels in another order are the same file.
        let before = fs::read(&path).expect("the file");
        write(folder.path(), Target::Cubin(90), kernels().into_iter().rev()).expect("written");
        assert_eq!(fs::read(&path).expect("the file"), before);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_have_written_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("kernels");
        let path = write(&inner, Target::Cubin(90), [(&source("one"), compiled(b"code"))]).expect("written");
        let find = || Shipped::find(Some(inner.clone()), (9, 0));
        assert!(find().is_ok_and(|found| found.is_some()));
        for (at, wrong, right) in [(&path, 0o664, 0o644), (&path, 0o646, 0o644), (&inner, 0o775, 0o755)] {
            fs::set_permissions(at, fs::Permissions::from_mode(wrong)).expect("ours");
            let error = find().expect_err("others may write it");
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert!(error.detail.contains(&at.display().to_string()) && error.detail.contains("chmod go-w"), "{error}");
            fs::set_permissions(at, fs::Permissions::from_mode(right)).expect("ours");
        }
        assert!(find().is_ok());
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), Target::Cubin(90), [(&source("one"), compiled(b"code"))]).expect("written");
        let sound = fs::read(&path).expect("the file");
        let refused = |bytes: &[u8], word: &str| {
            fs::write(&path, bytes).expect("written");
            let error = Shipped::find(Some(folder.path().to_owned()), (9, 0)).expect_err("it is damaged");
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert!(error.detail.contains(word) && error.detail.contains("sm_90.kernels"), "{error}");
        };
        for at in 0..sound.len() {
            let mut changed = sound.clone();
            changed[at] ^= 1;
            refused(&changed, "damaged");
            refused(&sound[..at], "damaged");
        }
        refused(&[&sound[..], &[0]].concat(), "damaged");
        // Numbers that lie, under a hash that is right.
        for at in HEAD..HEAD + HEAD_BYTES + ENTRY_BYTES {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = sound.clone();
                changed[at] = value;
                let hash = Sha256::digest(&changed[HEAD..]);
                changed[MAGIC.len()..HEAD].copy_from_slice(&hash);
                if let Some(shipped) = Shipped::parse(changed) {
                    let code = shipped.get(&source("one"));
                    assert!(code.is_none_or(|found| found == compiled(b"code")), "byte {at}");
                }
            }
        }
        // A length that no memory has: its last byte is beyond the end of all numbers.
        let mut changed = sound.clone();
        changed[HEAD + HEAD_BYTES + HASH_BYTES + 16..][..8].fill(0xff);
        let hash = Sha256::digest(&changed[HEAD..]);
        changed[MAGIC.len()..HEAD].copy_from_slice(&hash);
        assert_eq!(Shipped::parse(changed).and_then(|shipped| shipped.get(&source("one"))), None);
        fs::rename(&path, folder.path().join("sm_80.kernels")).expect("renamed");
        fs::write(folder.path().join("sm_80.kernels"), &sound).expect("written");
        let error = Shipped::find(Some(folder.path().to_owned()), (8, 0)).expect_err("of another device");
        assert!(error.detail.contains("another device"), "{error}");
    }
}
