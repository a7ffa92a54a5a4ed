//! Options in the file of a statement. They begin with the name of the suite, which says what format they are of.

use alloc::string::String;
use alloc::vec::Vec;

use field::{Goldilocks, PrimeField};
use proof_format::file::{name, put_name, small};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_int, put_len};

use crate::any_options::AnyOptions;
use crate::compact::limits::MAX_FOLDS;
use crate::{Hiding, compact, lambdaworks};

/// Options of the proofs of some format, or of any, as a file has them. Nothing else can be.
pub trait FileOptions: sealed::Sealed + Sized {
    /// Whether a transcript of these proofs starts from a seed.
    fn takes_seed(&self) -> bool;

    /// Appends them.
    ///
    /// # Errors
    /// If they would be unreadable.
    fn put(&self, out: &mut Vec<u8>) -> Result<()>;

    /// Reads them.
    ///
    /// # Errors
    /// If there are none, or they are of a suite of another format.
    fn read(r: &mut Reader<'_>) -> Result<Self>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::lambdaworks::Options {}
    impl Sealed for crate::compact::Options {}
    impl Sealed for super::AnyOptions {}
}

impl FileOptions for lambdaworks::Options {
    fn takes_seed(&self) -> bool {
        true
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        put_name(out, self.suite.name())?;
        for value in [self.blowup, self.queries, self.grinding] {
            put_int(out, u64::from(value));
        }
        put_offset(out, self.coset_offset)
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let suite = suite(r)?;
        let any = u32::MAX;
        Ok(Self {
            blowup: small(r, any)?,
            queries: small(r, any)?,
            grinding: small(r, any)?,
            coset_offset: coset_offset(r)?,
            suite,
        })
    }
}

impl FileOptions for compact::Options {
    fn takes_seed(&self) -> bool {
        false
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        put_name(out, self.suite.name())?;
        for value in [self.blowup, self.queries] {
            put_int(out, u64::from(value));
        }
        put_offset(out, self.coset_offset)?;
        put_int(out, u64::from(self.points));
        put_list(out, &self.folds)?;
        put_int(out, u64::from(self.log_last));
        put_list(out, &self.work)?;
        put_int(out, u64::from(self.hiding.number()));
        Ok(())
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let suite = suite(r)?;
        let any = u32::MAX;
        let options = Self {
            blowup: small(r, any)?,
            queries: small(r, any)?,
            coset_offset: coset_offset(r)?,
            points: small(r, any)?,
            folds: list(r)?,
            log_last: small(r, any)?,
            work: list(r)?,
            suite,
            hiding: hiding(r)?,
        };
        Ok(options)
    }
}

impl FileOptions for AnyOptions {
    fn takes_seed(&self) -> bool {
        match self {
            Self::Lambdaworks(options) => options.takes_seed(),
            Self::Compact(options) => options.takes_seed(),
        }
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Lambdaworks(options) => options.put(out),
            Self::Compact(options) => options.put(out),
        }
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let word = name(&mut r.clone())?;
        match word.parse::<compact::Suite>() {
            Ok(_) => compact::Options::read(r).map(Self::Compact),
            Err(_) => lambdaworks::Options::read(r).map(Self::Lambdaworks),
        }
    }
}

/// The suite of a format.
fn suite<S: core::str::FromStr<Err = String>>(r: &mut Reader<'_>) -> Result<S> {
    let offset = r.offset();
    let word = name(r)?;
    word.parse().map_err(|_| DecodeError { offset, kind: DecodeErrorKind::Suite(word) })
}

fn hiding(r: &mut Reader<'_>) -> Result<Hiding> {
    let offset = r.offset();
    let number = small(r, u32::MAX)?;
    Hiding::of_number(number).ok_or(DecodeError { offset, kind: DecodeErrorKind::Range(number.into()) })
}

/// Most integers in a list: bits of work before each draw of the most folds.
const MOST: usize = MAX_FOLDS + 5;

fn put_list(out: &mut Vec<u8>, values: &[u32]) -> Result<()> {
    proof_format::file::check_count(out, values.len(), MOST)?;
    put_len(out, values.len());
    values.iter().for_each(|&value| put_int(out, u64::from(value)));
    Ok(())
}

fn list(r: &mut Reader<'_>) -> Result<Vec<u32>> {
    r.short_list(MOST, 1, |r| small(r, u32::MAX))
}

fn put_offset(out: &mut Vec<u8>, offset: u64) -> Result<()> {
    if offset >= Goldilocks::ORDER {
        return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::NotCanonical });
    }
    put_int(out, offset);
    Ok(())
}

/// A coset offset. One that is not below the prime is a second name of a smaller one.
fn coset_offset(r: &mut Reader<'_>) -> Result<u64> {
    let offset = r.offset();
    let value = r.int()?;
    if value < Goldilocks::ORDER { Ok(value) } else { Err(DecodeError { offset, kind: DecodeErrorKind::NotCanonical }) }
}
