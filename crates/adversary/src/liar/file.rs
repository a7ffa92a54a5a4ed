//! Lies in files that hold a statement together with its proof: the proof may be honest, the text around it is not.

use circle_proof::ProofFile;
use field::{Goldilocks, M31, QM31};
use goldilocks_proof::{AnyOptions, AnyProofFile};
use proof_format::file::MAGIC;

/// The check that must refuse a lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// The bytes are no file of a known protocol.
    File,
    /// The AIR is not known.
    Air,
    /// The AIR has no statement with such rows or parameters.
    Statement,
    /// The transcript seed is not the default one.
    Seed,
    /// Public inputs, or words, are not the statement's.
    PublicInputs,
    /// The proof in the file is none of the statement with these options, by length, shape or verification.
    Proof,
}

lies! {
    /// The first bytes are others: no file of ours.
    Magic,
    /// The version is another one.
    Version,
    /// A byte stands behind the end.
    TrailingByte,
    /// The last byte is missing.
    Truncated,
    /// The file names another protocol.
    Protocol,
    /// The file names an AIR that is not known.
    ForeignAir,
    /// The file names a parameter that the AIR does not have.
    ExtraParameter,
    /// The file says that there are twice as many rows.
    Rows,
    /// The options ask for one query more.
    Queries,
    /// The options ask for another blowup.
    Blowup,
    /// The options ask for more work.
    Work,
    /// The options name another coset.
    Coset,
    /// The file brings a transcript seed of its own.
    Seed,
    /// A public input, or a word, is edited.
    PublicInput,
    /// There is a public input, or a word, more.
    ExtraPublicInput,
    /// There is a claimed sum more than the statement has.
    ExtraSum,
    /// A byte stands behind the proof, within its byte string.
    TrailingProof,
    /// The proof lacks its last byte.
    TruncatedProof,
}

impl Lie {
    /// The check that must refuse it.
    pub fn check(self) -> Check {
        match self {
            Self::Magic | Self::Version | Self::TrailingByte | Self::Truncated | Self::Protocol => Check::File,
            Self::ForeignAir => Check::Air,
            Self::ExtraParameter => Check::Statement,
            Self::Seed => Check::Seed,
            // The rows are words of a statement of Circle, and the steps of many an AIR of Goldilocks fix public
            // inputs.
            Self::PublicInput | Self::ExtraPublicInput => Check::PublicInputs,
            Self::Rows
            | Self::Queries
            | Self::Blowup
            | Self::Work
            | Self::Coset
            | Self::ExtraSum
            | Self::TrailingProof
            | Self::TruncatedProof => Check::Proof,
        }
    }

    /// The bytes of a file of either format with the lie in them; nothing if the file has no such thing, or cannot be
    /// written.
    pub fn goldilocks(self, file: &AnyProofFile) -> Option<Vec<u8>> {
        let mut file = file.clone();
        let (queries, blowup, work, coset_offset) = match &mut file.options {
            AnyOptions::Lambdaworks(of) => (&mut of.queries, &mut of.blowup, &mut of.grinding, &mut of.coset_offset),
            AnyOptions::Compact(of) => (&mut of.queries, &mut of.blowup, of.work.last_mut()?, &mut of.coset_offset),
        };
        match self {
            Self::Protocol => file.protocol = "gold".into(),
            Self::ForeignAir => file.air = "no-such-air".into(),
            Self::ExtraParameter => drop(file.parameters.insert("no-such".into(), 1)),
            Self::Rows => file.log_rows += 1,
            Self::Queries => *queries += 1,
            Self::Blowup => *blowup *= 2,
            Self::Work => *work += 1,
            Self::Coset => *coset_offset += 4,
            Self::Seed => file.seed = Some(b"a seed".to_vec()),
            Self::PublicInput => *file.public_inputs.first_mut()? += Goldilocks::new(1),
            Self::ExtraPublicInput => file.public_inputs.push(Goldilocks::new(1)),
            Self::ExtraSum => return None,
            Self::TrailingProof => file.proof.push(0),
            Self::TruncatedProof => drop(file.proof.pop()),
            Self::Magic | Self::Version | Self::TrailingByte | Self::Truncated => {}
        }
        Some(self.around(file.encode().ok()?))
    }

    /// As [`Self::goldilocks`]. The options are in the proof.
    pub fn circle(self, file: &ProofFile) -> Option<Vec<u8>> {
        let mut file = file.clone();
        let mut proof = circle_proof::decode(&file.proof, file.suite).ok()?;
        let config = &mut proof.config;
        match self {
            Self::ForeignAir => file.air = "no-such-air".into(),
            Self::ExtraParameter => drop(file.parameters.insert("no-such".into(), 1)),
            Self::Queries => config.queries += 1,
            Self::Blowup => config.log_blowup += 1,
            Self::Work => config.pow_bits += 1,
            Self::PublicInput => *file.words.last_mut()? ^= 1,
            Self::ExtraPublicInput => file.words.push(1),
            Self::ExtraSum => file.claimed_sums.push(QM31::from(M31::new(1))),
            // The rows are a word, too, and the coset is fixed.
            Self::Rows | Self::Coset | Self::Seed | Self::Protocol => return None,
            _ => {}
        }
        file.proof = circle_proof::encode(&proof);
        match self {
            Self::TrailingProof => file.proof.push(0),
            Self::TruncatedProof => drop(file.proof.pop()),
            _ => {}
        }
        Some(self.around(file.encode().ok()?))
    }

    /// Changes to the bytes of either protocol.
    fn around(self, mut bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Magic => bytes[0] ^= 0x80,
            Self::Version => bytes[MAGIC.len()] += 1,
            Self::TrailingByte => bytes.push(0),
            Self::Truncated => drop(bytes.pop()),
            _ => {}
        }
        bytes
    }
}
