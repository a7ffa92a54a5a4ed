//! AIRs of files.

use std::any::Any;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::input;
use crate::arguments::{Protocol, with_system};
use crate::report::exit::Failure;
use sdk::hal::{CircleStark, Protocol as _};
use sdk::{Airs, Error, Family, Goldilocks3, MAX_AIR_FILE, ProofSystem, Registry, air_file_name};

/// AIRs of files, for verifiers.
#[derive(Args)]
pub(crate) struct AirFileArguments {
    /// An AIR that `polystark record` wrote. `verify` takes proofs of this AIR alone; may be repeated, then
    /// --expect-air says of which
    #[arg(long = "air-file", value_name = "FILE")]
    air_files: Vec<PathBuf>,
}

impl AirFileArguments {
    /// The files that are read, each with its argument.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.air_files.iter().map(|path| ("--air-file", path.as_path()))
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.air_files.is_empty()
    }

    /// Reads them.
    pub(crate) fn read(&self) -> Result<AirFiles<'_>, Failure> {
        self.air_files.iter().map(|path| AirFile::read(path)).collect::<Result<_, _>>().map(AirFiles)
    }
}

/// AIRs of files.
pub(crate) struct AirFiles<'a>(Vec<AirFile<'a>>);

impl AirFiles<'_> {
    /// The known AIRs, and the AIRs of the files of this protocol.
    pub(crate) fn airs<F: ProofSystem>(&self, known: &Airs<F>) -> Result<Airs<F>, Failure> {
        let mut airs = known.clone();
        for file in &self.0 {
            if file.protocol()? == F::NAME {
                airs = airs.with(file.family()?);
            }
        }
        Ok(airs)
    }

    /// The name, as proofs say it, of the AIR that a proof must be about: the one that is `asked` for, or that of the
    /// only file. The author of a file chooses the name that it gives itself, which therefore never stands for a
    /// digest, nor for another AIR of the registry.
    ///
    /// # Errors
    /// If there are files, and not exactly one of them is meant.
    pub(crate) fn expected(&self, asked: Option<&str>, registry: &Registry) -> Result<Option<String>, Failure> {
        let names = |file: &AirFile<'_>| Ok((file.name(), file.own_name()?));
        let named = self.0.iter().map(names).collect::<Result<Vec<_>, Failure>>()?;
        let is_digest = |asked: &str| asked.len() == 64 && asked.bytes().all(|digit| digit.is_ascii_hexdigit());
        let by_own = |asked: &str, own: &str| asked == own && !is_digest(asked);
        let is_meant = |(name, own): &&(String, String)| asked.is_none_or(|asked| asked == name || by_own(asked, own));
        let mut meant: Vec<&str> = named.iter().filter(is_meant).map(|(name, _)| &name[..]).collect();
        meant.sort_unstable();
        meant.dedup();
        for file in self.0.iter().zip(&named).filter_map(|(file, (_, own))| (asked == Some(own)).then_some(file)) {
            file.check_name(registry)?;
        }
        let wrong = match (&meant[..], asked) {
            _ if named.is_empty() => return Ok(asked.map(str::to_owned)),
            ([name], _) => return Ok(Some((*name).to_owned())),
            ([], Some(asked)) => format!("--expect-air {asked} is the AIR of no --air-file"),
            (_, Some(asked)) => format!("--expect-air {asked} is the AIR of several files: take the long name of one"),
            (_, None) => "several AIRs are given by --air-file: say by --expect-air which one is proven".to_owned(),
        };
        let choice = |(file, (name, own)): (&AirFile<'_>, &(String, String))| {
            format!("{own} of {} ({name})", file.path.display())
        };
        let choices: Vec<String> = self.0.iter().zip(&named).map(choice).collect();
        Err(Failure::usage(format!("{wrong}; there are: {}", choices.join(", "))))
    }

    /// The same failure; a name that the reader of a file can't know by heart is shown with the file.
    pub(crate) fn explained(&self, mut error: Error) -> Failure {
        if let Error::Expectation(mismatch) = &mut error
            && let Some(file) = self.0.iter().find(|file| file.name() == mismatch.expected)
            && let Ok(own) = file.own_name()
        {
            mismatch.expected = format!("{}, which is {own} of {}", mismatch.expected, file.path.display());
        }
        error.into()
    }

    /// A note on the files, about the AIR of this name: it is none of theirs, if there are some.
    pub(crate) fn note(&self, air: &str) -> Option<String> {
        let is_other = !self.0.is_empty() && self.0.iter().all(|file| file.name() != air);
        is_other.then(|| format!("the file is about the AIR {air}, which is that of no --air-file"))
    }
}

/// A file that holds an AIR.
pub(crate) struct AirFile<'a> {
    path: &'a Path,
    bytes: Vec<u8>,
    /// The AIR in them, an `Arc<F::Air>` of its protocol, once it was asked for.
    decoded: OnceCell<Box<dyn Any>>,
}

impl<'a> AirFile<'a> {
    pub(crate) fn read(path: &'a Path) -> Result<Self, Failure> {
        let bytes = input::read_bounded(path, "the file of an AIR", MAX_AIR_FILE)?;
        Ok(Self { path, bytes, decoded: OnceCell::new() })
    }

    /// The name of its protocol.
    fn protocol(&self) -> Result<String, Failure> {
        let failed = |error| Failure::file(self.path, format!("{error}: this is no AIR that `polystark record` wrote"));
        sdk::air::file::protocol(&self.bytes).map_err(failed)
    }

    /// Its protocol; another one was perhaps asked for.
    pub(crate) fn protocol_of(&self, asked: Option<Protocol>) -> Result<Protocol, Failure> {
        let name = self.protocol()?;
        let found = match &name[..] {
            name if name == Goldilocks3::NAME => Protocol::Goldilocks,
            name if name == CircleStark::NAME => Protocol::Circle,
            _ => return Err(Failure::file(self.path, format!("its AIR is of the unknown protocol `{name}`"))),
        };
        match asked {
            Some(asked) if asked != found => {
                Err(Failure::file(self.path, format!("its AIR is of the protocol {name}: leave --protocol out")))
            }
            _ => Ok(found),
        }
    }

    /// The name by which proofs know it.
    pub(crate) fn name(&self) -> String {
        air_file_name(&self.bytes)
    }

    /// The name that it gives itself, which `polystark record` prints.
    fn own_name(&self) -> Result<String, Failure> {
        with_system!(self.protocol_of(None)?, S => Ok(S::facts(&*self.air::<S>()?).name.to_owned()))
    }

    /// Refuses a file that gives itself the name of an AIR that is known without it, and is not that AIR.
    fn check_name(&self, registry: &Registry) -> Result<(), Failure> {
        let own = self.own_name()?;
        let is_known =
            registry.airs::<Goldilocks3>().get(&own).is_some() || registry.airs::<CircleStark>().get(&own).is_some();
        let protocol = self.protocol_of(None)?;
        if !is_known || with_system!(protocol, S => registry.airs::<S>().has_recorded(&*self.air::<S>()?, &self.bytes))
        {
            return Ok(());
        }
        let digest = self.name();
        Err(Failure::file(
            self.path,
            format!(
                "this AIR gives itself the name `{own}`, by which this program knows another AIR: rename it, or expect it by its \
                 digest, --expect-air {digest}"
            ),
        ))
    }

    /// The AIR, which is decoded once: recording a large one takes seconds.
    pub(crate) fn air<F: ProofSystem>(&self) -> Result<Arc<F::Air>, Failure> {
        if let Some(air) = self.decoded.get().and_then(|decoded| decoded.downcast_ref::<Arc<F::Air>>()) {
            return Ok(Arc::clone(air));
        }
        let air = F::air_of_file(&self.bytes).map_err(|error| Failure::file(self.path, error))?;
        // A file is of one protocol, so the cell is empty.
        self.decoded.get_or_init(|| Box::new(Arc::clone(&air)));
        Ok(air)
    }

    /// The AIR by the name of the file.
    pub(crate) fn family<F: ProofSystem>(&self) -> Result<Family<F>, Failure> {
        Ok(Family::of_decoded(self.name(), self.air::<F>()?))
    }
}
