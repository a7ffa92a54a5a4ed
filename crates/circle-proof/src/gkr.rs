//! A batch of GKR over columns that have a digest: the statement, its transcript, and the file that holds both
//! (`docs/protocol/gkr.md`, section 11).

mod columns;

use alloc::boxed::Box;
use alloc::vec::Vec;

use blake2::{Blake2s256, Digest as _};
use field::{CanonicalBytes, ExtensionField, Field, M31, PrimeField, QM31};
use gpu_hal::Digest;
use proof_format::file::{magic, name};
use proof_format::security::math::log2;
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_bytes, put_int, put_len};
use sumcheck::MAX_VARIABLES;
use sumcheck::gkr::{
    Artifact, BatchError, BatchProof, Gate, Instance, Kind, ShapeError, decode, encode, security_bits, verify_batch,
};
use sumcheck::multilinear::evaluate;

pub use columns::{columns_of_gate, zero_denominator};

use crate::{Channel, Suite};

/// First bytes of a file.
pub const MAGIC: [u8; 8] = *b"\x89PSGK\r\n\x1a";
/// Version of the layout.
pub const VERSION: u64 = 1;
/// Most trees of a file.
pub const MAX_TREES: usize = 1 << 12;

/// The digest of columns: Blake2s-256 of all their elements, the columns of all trees in order.
#[derive(Clone, Debug, Default)]
pub struct ColumnsDigest(Blake2s256);

impl ColumnsDigest {
    /// Adds a base column.
    pub fn column(&mut self, values: &[M31]) {
        let mut bytes = Vec::with_capacity(1 << 16);
        for part in values.chunks(1 << 14) {
            bytes.clear();
            part.iter().for_each(|value| value.write_bytes(&mut bytes));
            self.0.update(&bytes);
        }
    }

    /// The digest of the columns so far.
    pub fn finish(self) -> Digest {
        self.0.finalize().into()
    }
}

/// Trees over columns with a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trees {
    /// The hash functions of the transcript.
    pub suite: Suite,
    /// The trees, at most [`MAX_TREES`]: a file with more is none.
    pub instances: Vec<Instance>,
    /// The digest of their columns.
    pub columns: Digest,
}

impl Trees {
    /// The transcript, in which the shapes and the digest are mixed.
    pub fn channel(&self) -> Box<dyn Channel> {
        let mut channel = self.suite.channel();
        let shape = |of: &Instance| [of.kind as u32, of.variables as u32];
        channel.mix_words(&self.instances.iter().flat_map(shape).collect::<Vec<u32>>());
        let (words, _) = self.columns.as_chunks::<4>();
        channel.mix_words(&words.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>());
        channel
    }
}

/// Trees and a proof about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GkrFile {
    /// The trees.
    pub trees: Trees,
    /// The proof.
    pub proof: BatchProof<QM31>,
}

impl GkrFile {
    /// The bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_int(&mut out, VERSION);
        let Trees { suite, instances, columns } = &self.trees;
        put_bytes(&mut out, suite.name().as_bytes());
        put_len(&mut out, instances.len());
        for Instance { kind, variables } in instances {
            put_int(&mut out, *kind as u64);
            put_len(&mut out, *variables);
        }
        out.extend_from_slice(columns);
        out.extend_from_slice(&encode(&self.proof));
        out
    }

    /// The file of these bytes.
    ///
    /// # Errors
    /// If they are not exactly the bytes of one.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        magic(&mut r, &MAGIC, VERSION)?;
        let offset = r.offset();
        let suite = name(&mut r)?;
        let suite = suite.parse().map_err(|_| DecodeError { offset, kind: DecodeErrorKind::Suite(suite) })?;
        let instances = r.short_list(MAX_TREES, 2, instance)?;
        let columns = r.array()?;
        let start = r.offset();
        let proof = decode(r.rest(), &instances).map_err(|error| shifted(error, start, bytes.len()))?;
        Ok(Self { trees: Trees { suite, instances, columns }, proof })
    }

    /// Checks the proof, and that each sum is one: none has the denominator 0. The caller compares the digest with that
    /// of columns, and the claims with their values, as [`Self::verify_on`] does.
    ///
    /// # Errors
    /// [`RefusedError`].
    pub fn verify(&self) -> core::result::Result<Artifact<QM31>, RefusedError> {
        let artifact = verify_batch(&self.trees.instances, &self.proof, &mut self.trees.channel())?;
        match self.sums().find(|(_, [_, denominator])| *denominator == QM31::ZERO) {
            Some((tree, _)) => Err(RefusedError::Denominator { tree }),
            None => Ok(artifact),
        }
    }

    /// The same, and that the columns have the claimed values. `columns` gives the columns of a tree's gate, numerators
    /// first; those of one tree are there at a time. The caller compares their digest.
    ///
    /// # Errors
    /// [`RefusedError`].
    ///
    /// # Panics
    /// If a column has not the rows of its tree.
    pub fn verify_on(
        &self,
        mut columns: impl FnMut(usize) -> Vec<Vec<QM31>>,
    ) -> core::result::Result<(), RefusedError> {
        let artifact = self.verify()?;
        for (tree, claims) in artifact.claims.iter().enumerate() {
            let point = artifact.point_of(tree);
            if !columns(tree).iter().map(|column| evaluate(column, point)).eq(claims.iter().copied()) {
                return Err(RefusedError::Values { tree });
            }
        }
        Ok(())
    }

    /// Checks that each sum of fractions is 0. Products are not looked at.
    ///
    /// # Errors
    /// [`RefusedError::NotZero`].
    pub fn expect_zero_sums(&self) -> core::result::Result<(), RefusedError> {
        match self.sums().find(|(_, [numerator, _])| *numerator != QM31::ZERO) {
            Some((tree, _)) => Err(RefusedError::NotZero { tree }),
            None => Ok(()),
        }
    }

    /// Bits of security of the sum-checks (section 8); the transcript's hash function may have fewer.
    ///
    /// # Errors
    /// If there can be no such trees.
    pub fn sumcheck_bits(&self) -> core::result::Result<u32, ShapeError> {
        let log_field = <QM31 as ExtensionField<M31>>::DEGREE as f64 * log2(M31::ORDER as f64);
        security_bits(&self.trees.instances, log_field)
    }

    /// The trees that are sums, with numerator and denominator.
    fn sums(&self) -> impl Iterator<Item = (usize, [QM31; 2])> {
        let trees = self.trees.instances.iter().zip(&self.proof.outputs).enumerate();
        trees.filter(|(_, (of, _))| of.kind.gate() == Gate::LogUp).filter_map(|(tree, (_, output))| {
            let [numerator, denominator] = output[..] else { return None };
            Some((tree, [numerator, denominator]))
        })
    }
}

/// Why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedError {
    /// The proof is none.
    #[error(transparent)]
    Proof(#[from] BatchError),
    /// A sum of fractions has the denominator 0.
    #[error("tree {tree}: the denominator of its sum is 0, so that it is no sum: a row has a fraction over 0")]
    Denominator {
        /// The tree.
        tree: usize,
    },
    /// The columns have other values.
    #[error("tree {tree}: the columns have not the values that are claimed")]
    Values {
        /// The tree.
        tree: usize,
    },
    /// A sum of fractions is not 0, and was to be.
    #[error("tree {tree}: the sum of its fractions is not 0, as was expected")]
    NotZero {
        /// The tree.
        tree: usize,
    },
}

fn instance(r: &mut Reader<'_>) -> Result<Instance> {
    let offset = r.offset();
    let found = r.int()?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u64 == found);
    let kind = kind.ok_or(DecodeError { offset, kind: DecodeErrorKind::Range(found) })?;
    let offset = r.offset();
    let variables = r.int()?;
    match usize::try_from(variables) {
        Ok(variables @ 1..=MAX_VARIABLES) => Ok(Instance { kind, variables }),
        _ => Err(DecodeError { offset, kind: DecodeErrorKind::Range(variables) }),
    }
}

/// The error about a part of a file, which begins at `start`, as one about the file.
fn shifted(error: DecodeError, start: usize, end: usize) -> DecodeError {
    let kind = match error.kind {
        DecodeErrorKind::Truncated { missing, .. } => DecodeErrorKind::Truncated { end, missing },
        kind => kind,
    };
    DecodeError { offset: start + error.offset, kind }
}
