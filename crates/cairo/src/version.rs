//! A version of Cairo's AIR: everything in which two releases of cairo-air differ. Statement, witness, prover and
//! verifier are generic in it.

use std::fmt::Debug;

use cairo_run::{BuiltinName, Cell, Pointer, PublicMemory, State};
use circle_air::{AirComponent, Mix, PreprocessedColumn, TupleKind};
use circle_proof::layout::Parts;
use circle_proof::{Auxiliary, CircleOptions, OptionsError, Suite};
use field::{M31, QM31};
use gpu_hal::Digest;

use crate::components::Component;
use crate::encoding::{Encoding, FileError};
use crate::error::{ClaimError, VerifyError};
use crate::preprocessed::Variant;

/// A version of Cairo's AIR: a type without values, which names the facts. Its proofs are an [`AirProof`].
pub trait AirVersion: Copy + Debug + Send + Sync + 'static {
    /// The sizes of the components, and the public data.
    type Claim: Clone + Send + Sync + 'static;
    /// A proof, as the reference's own tool of this version has it.
    type Proof: AirProof<Version = Self>;

    /// Its name and number.
    const NAME: &'static str;
    /// Bits of the proof of work before the lookup elements are drawn.
    const INTERACTION_POW_BITS: u32;
    /// Lookup elements that are drawn.
    const DRAWS: usize;
    /// All components in the order of their columns. Callers come before the components that they call.
    const COMPONENTS: &'static [Component];

    /// Rows of a component with `entries` entries that request rows of other components: with or without padding.
    fn calling_rows(entries: usize) -> usize;

    /// The columns of a variant, in the order of the tree.
    fn preprocessed(variant: Variant) -> Vec<PreprocessedColumn>;
    /// The values of all these columns, in storage order.
    fn preprocessed_values(variant: Variant) -> Vec<Vec<M31>>;
    /// The root of the tree of these columns; `None` for a configuration for which no constant is known.
    fn root(variant: Variant, options: &CircleOptions) -> Option<Digest>;
    /// Whether proofs of the version may have this suite.
    fn takes(suite: Suite) -> bool;

    /// The claim that has these components, in the order of [`Self::COMPONENTS`].
    fn claim(public: PublicData, components: &[Claimed]) -> Self::Claim;
    /// The public data of a claim.
    fn public_data(claim: &Self::Claim) -> PublicData;
    /// The components that a claim has, in order.
    fn claimed(claim: &Self::Claim) -> Vec<Claimed>;
    /// Checks that the components of a claim may have the sizes that it says, beside each other and with the columns of
    /// a variant.
    ///
    /// # Errors
    /// The first component that may not.
    fn check_sizes(claim: &Self::Claim, variant: Variant) -> Result<(), ClaimError>;
    /// How often the components of a claim use each relation, once [`Self::check_sizes`] has been there.
    fn relation_uses(claim: &Self::Claim) -> Vec<(&'static str, u64)>;
    /// The words and elements that a claim mixes, its public data included.
    fn mixed(claim: &Self::Claim) -> Vec<Mix>;
    /// The components of a claim with drawn elements, in order. The ids of big values begin at `first_big_id`: 0,
    /// except in a variant of the statement.
    fn components(claim: &Self::Claim, drawn: &[QM31], first_big_id: u32) -> Vec<Box<dyn AirComponent>>;
    /// The kinds of tuples that the components exchange.
    fn tuple_kinds() -> Vec<TupleKind>;
    /// The sum of the fractions of the public data.
    fn public_sum(claim: &Self::Claim, drawn: &[QM31]) -> QM31;
    /// Moves all segments of builtins by an address.
    fn move_segments(claim: &mut Self::Claim);
}

/// A proof of a version: its parts in the house's types, and the verifier of the reference.
pub trait AirProof: Clone {
    /// The version.
    type Version: AirVersion<Proof = Self>;

    /// A proof of its parts.
    fn new(parts: ProofParts<Self::Version>) -> Self;
    /// The claim.
    fn claim(&self) -> &<Self::Version as AirVersion>::Claim;
    /// The variant of the preprocessed columns.
    fn variant(&self) -> Variant;
    /// The number that is mixed into the transcript first.
    fn salt(&self) -> u32;
    /// By preprocessed column, whether it has a sampled value.
    fn sampled(&self) -> Vec<bool>;
    /// Whether all preprocessed columns have one.
    fn samples_all(&self) -> bool {
        let sampled = self.sampled();
        !sampled.is_empty() && !sampled.contains(&false)
    }
    /// The nonce of the proof of work before the lookup elements.
    fn interaction_nonce(&self) -> u64;
    /// The root of a tree, if there is one of that number.
    fn root(&self, tree: usize) -> Option<Digest>;
    /// The claimed sums, once [`Self::check_numbers`] has been there.
    fn claimed_sums(&self) -> Vec<QM31>;

    /// The options, of a proof of this suite, which the proof does not say.
    ///
    /// # Errors
    /// The options that no proof may have.
    fn options(&self, suite: Suite) -> Result<CircleOptions, OptionsError>;
    /// Numbers are reduced, and the claimed sums are the components'.
    ///
    /// # Errors
    /// The fault.
    fn check_numbers(&self) -> Result<(), VerifyError>;
    /// Columns and where they are sampled, of a proof whose numbers and claim are checked: all preprocessed columns, or
    /// those alone that a component reads.
    ///
    /// # Errors
    /// If a component reads columns at a row that no component of the version reads.
    fn layout(&self, samples_all: bool) -> Result<Parts, VerifyError>;
    /// The proof in the prover's types; `None` if a number is not reduced, or a node of a tree is no digest.
    fn stark_proof(&self, options: &CircleOptions) -> Option<circle_proof::Proof>;
    /// The verdict of the reference's verifier on a proof of this suite that samples all preprocessed columns, or those
    /// alone that a component reads.
    ///
    /// # Errors
    /// Its own, as [`VerifyError::Reference`].
    fn verify_by_reference(self, suite: Suite, samples_all: bool) -> Result<(), VerifyError>;

    /// The proof in an encoding, as the reference writes proofs of this suite.
    ///
    /// # Errors
    /// If there are no proofs of this suite, or a node of a tree is no digest of it.
    fn write(&self, suite: Suite, encoding: Encoding) -> Result<Vec<u8>, FileError>;
    /// The proof of this suite in bytes of an encoding. Only the encoding is checked, and that nodes are digests.
    ///
    /// # Errors
    /// If they are none.
    fn read(bytes: &[u8], suite: Suite, encoding: Encoding) -> Result<Self, FileError>;
    /// The proof with its auxiliary data, in bincode. The maps are sorted.
    ///
    /// # Errors
    /// As [`Self::write`], and if the auxiliary data has no layers.
    fn write_extended(&self, suite: Suite, auxiliary: Auxiliary) -> Result<Vec<u8>, FileError>;
    /// The proof in bytes of bincode with auxiliary data, and these bytes with their maps sorted. As [`Self::read`] it
    /// checks no more.
    ///
    /// # Errors
    /// If they are none.
    fn read_extended(bytes: &[u8], suite: Suite) -> Result<(Self, Vec<u8>), FileError>;
    /// The felts that the verifier in Cairo takes, in hexadecimal. The proof has all public segments.
    ///
    /// # Errors
    /// The part that is not as the claim says, or that is not of the suite.
    fn cairo_serde(&self, suite: Suite) -> Result<Vec<String>, FileError>;
}

/// The parts of a proof.
#[derive(Clone)]
pub struct ProofParts<V: AirVersion> {
    /// The claim.
    pub claim: V::Claim,
    /// A claimed sum for each component, in order.
    pub claimed_sums: Vec<QM31>,
    /// The nonce of the proof of work before the lookup elements.
    pub interaction_nonce: u64,
    /// The proof of the prover.
    pub stark_proof: circle_proof::Proof,
    /// The number that is mixed into the transcript first.
    pub salt: u32,
    /// The variant of the preprocessed columns.
    pub variant: Variant,
}

/// A component of a claim, or a chunk of one.
#[derive(Clone, Copy, Debug)]
pub struct Claimed {
    /// The component's name.
    pub name: &'static str,
    /// Log2 of its rows; `None` for a fixed table.
    pub log_size: Option<u32>,
    /// Whether it reads the preprocessed column that numbers the rows.
    pub is_numbered: bool,
    /// The builtin that it serves, and the first address of its segment.
    pub builtin: Option<(BuiltinName, u32)>,
}

/// The public data of a claim. It may be anything if the proof is not verified.
#[derive(Clone, Debug)]
pub struct PublicData {
    /// Program, output, and the pointers of the builtins.
    pub memory: PublicMemory,
    /// The registers before the first step.
    pub initial_state: State,
    /// The registers after the last step.
    pub final_state: State,
}

/// Cells between the program and the first frame: the cells of the first call.
pub(crate) const SAFE_CALL_CELLS: u32 = 2;

impl PublicData {
    /// Builtins whose pointers main takes.
    pub(crate) fn builtins(&self) -> usize {
        1 + self.memory.pointers.len()
    }

    /// The pointers of a builtin, if main takes them.
    pub(crate) fn segment(&self, builtin: BuiltinName) -> Option<[Pointer; 2]> {
        if builtin == BuiltinName::Output {
            return Some(self.memory.output_pointers);
        }
        let found = self.memory.pointers.iter().find(|(name, _)| *name == builtin);
        found.map(|(_, pointers)| *pointers)
    }

    /// How often the memory is used: twice a cell, for its id and for its value.
    pub(crate) fn memory_uses(&self) -> u64 {
        let [program, output] = [&self.memory.program, &self.memory.output].map(Vec::<Cell>::len);
        2 * (program + output + 2 * self.builtins() + SAFE_CALL_CELLS as usize) as u64
    }
}
