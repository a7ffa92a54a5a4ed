//! The subject of a proof.

use std::error::Error;

use field::{M31, QM31};
use gpu_hal::{EvalOrder, LinearRecurrence};

use crate::{
    AirComponent, ClaimedSumError, ConfigError, HostColumns, PublicCount, PublicLookup, TableProgram, TupleKind,
};

/// A column of tree 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedColumn {
    /// Its name, by which components ask for it.
    pub id: String,
    /// Log2 of its rows.
    pub log_size: u32,
}

impl PreprocessedColumn {
    /// A column.
    pub fn new(id: &str, log_size: u32) -> Self {
        Self { id: id.to_owned(), log_size }
    }
}

/// Something that goes into the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mix {
    /// 32-bit words, as one message.
    Words(Vec<u32>),
    /// Extension elements, as one message.
    Felts(Vec<QM31>),
    /// Elements of which the hash function of the trees makes a leaf; its digest is mixed as the root of a tree is.
    Leaf(Vec<M31>),
}

/// The data that a statement mixes into the transcript, by place: each place a list, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mixes {
    /// First of all, before the configuration.
    pub before_config: Vec<Mix>,
    /// After the configuration, before the root of the preprocessed tree.
    pub before_preprocessed: Vec<Mix>,
    /// After the root of the preprocessed tree, before that of the main tree.
    pub before_main: Vec<Mix>,
}

impl Mixes {
    /// Words after the configuration, nothing else.
    #[must_use]
    pub fn words(words: Vec<u32>) -> Self {
        Self { before_preprocessed: vec![Mix::Words(words)], ..Self::default() }
    }
}

/// Facts of a proof that prover and verifier both know: sizes, public values, preprocessed columns, components. How it
/// enters the transcript is the envelope of section 17 of the Circle protocol.
///
/// A statement says its name, its words and its components. With lookups it also says how many elements are drawn, and
/// with preprocessed columns it gives these; the rest has defaults.
pub trait Statement: Send + Sync {
    /// Name of the family.
    fn name(&self) -> &str;

    /// Computes values that take time by the rows, such as a public value that is a hash of all of them, before a proof
    /// begins. A plan and the search for options need no public value and do not wait for it. A caller that asks for
    /// public values first has them computed all the same. `goes_on` is asked again and again meanwhile; false, if it
    /// said so and nothing was computed. By default it does nothing.
    fn prepare(&self, _goes_on: &dyn Fn() -> bool) -> bool {
        true
    }

    /// Mixed into the transcript after the configuration: the family's number, the sizes, the public values.
    fn words(&self) -> Vec<u32>;

    /// Everything that is mixed into the transcript before the root of the main tree, beside the configuration and the
    /// root of the preprocessed tree: by default [`Self::words`] after the configuration.
    fn mixes(&self) -> Mixes {
        Mixes::words(self.words())
    }

    /// Bits of the proof of work between the root of the main tree and the drawn elements; 0, and there is none.
    fn interaction_pow_bits(&self) -> u32 {
        0
    }

    /// In which order the values of a column are given, main and preprocessed: [`EvalOrder::Row`], where the next row
    /// is the next point of the trace's subgroup, or [`EvalOrder::Storage`], where they are committed as they stand.
    fn order(&self) -> EvalOrder {
        EvalOrder::Row
    }

    /// The columns of tree 0, in order; none by default. `lifting` is the configuration's `lifting_log_size`: with it
    /// the tree must not be empty.
    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        Vec::new()
    }

    /// The values of [`Self::preprocessed`], in [`Self::order`].
    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        Vec::new()
    }

    /// Whether the columns of [`Self::preprocessed`] are opened at the out-of-domain point, too, that no component
    /// reads: a proof has a sampled value of each then. False by default: they are committed to and queried alone. With
    /// it no preprocessed column may be higher than the common domain.
    fn samples_all_preprocessed(&self) -> bool {
        false
    }

    /// The largest absolute value of each of [`Self::preprocessed`], or any larger number: by it a multiplicity
    /// column counts in [`crate::RecordedStatement::lookups`]. `None`, the default: columns of
    /// [`Self::preprocessed_program`] that repeat a few values count by these, and other columns are made and read,
    /// which takes time by the rows.
    fn preprocessed_most(&self, _lifting: Option<u32>) -> Option<Vec<u64>> {
        None
    }

    /// How a device makes [`Self::preprocessed_values`] without the host: a recurrence for each column. `None`: not all
    /// are recurrences, or nobody wrote them down.
    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        None
    }

    /// How a device makes an honest trace: a program for each component. `None`: only the host can, or nobody wrote it
    /// down.
    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        None
    }

    /// How many extension elements are drawn after tree 1: 0, the default, and there is no tree 2; or 2 for each
    /// relation, its `z` and its `alpha`, relation by relation as stwo draws them ([`crate::lookup_elements`]). A
    /// component may use any of the relations.
    fn draws(&self) -> usize {
        0
    }

    /// How many elements are claimed of the interaction columns that the statement gives, such as the last row of a
    /// product. The prover says them. They travel behind the sums of the lookups, are mixed into the transcript with
    /// them, before the root of tree 2, and are what [`Self::components`] gets behind the drawn elements. Each must be
    /// in a constraint, which gives the claim its meaning, and [`Self::check_claimed_sums`] says which are right; with
    /// both missing a claim would say nothing.
    fn claims(&self) -> usize {
        0
    }

    /// The components in order, given [`Self::draws`] elements that were drawn and [`Self::claims`] that are claimed.
    /// Their number and shape must not depend on the elements.
    ///
    /// # Panics
    /// An implementation may panic if there are not as many elements.
    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>>;

    /// The interaction columns that are not of lookups, which components read themselves by
    /// `next_interaction_mask(2, ..)`, and the claims. `main` has the main columns by component, in the order of the
    /// rows for any [`Self::order`]; none for components without such columns. It is asked of a statement that has
    /// any, or claims, by provers alone.
    ///
    /// Only constraints bind these columns: a beginning, a step and an end, which lookups have for free, must each be a
    /// constraint, and [`Self::interaction_degree`] bounds the error of an argument made of them.
    ///
    /// # Errors
    /// Any error of the trace; a denominator that is zero.
    fn interaction(
        &self,
        _drawn: &[QM31],
        _main: &[Vec<Vec<M31>>],
    ) -> Result<HostColumns, Box<dyn Error + Send + Sync>> {
        Ok(HostColumns::default())
    }

    /// The total degree, in the elements that are drawn, of the polynomial that is zero by chance if what
    /// [`Self::interaction`]'s columns are to prove is false: for products over rows, as many factors as they have. The
    /// chance is the degree divided by `(2^31 - 1)^4`. `None`: unknown; it counts as `2^64`. It does not matter
    /// without such columns.
    fn interaction_degree(&self) -> Option<u64> {
        None
    }

    /// Whether the statement vouches that the multiplicities of no tuple add up to a multiple of `p = 2^31 - 1` other
    /// than zero, which would cancel in its relation as zero does. Nobody must vouch where lookups are fewer than `p`
    /// ([`crate::RecordedStatement::lookups`]) and their multiplicities are constants, flags (columns that constraints
    /// or the statement keep at 0, 1 or -1), preprocessed columns, which are read and counted row by row, sums and
    /// products of these, or yields of tuples that the statement fixes. A column of other values counts once, and
    /// nothing here bounds it. If there are more than 2^26 preprocessed cells, none is read, and multiplicity columns
    /// count `p` times. A statement of more lookups is refused unless this is true, and `polystark inspect` says so of
    /// proofs of it.
    fn has_bounded_multiplicities(&self) -> bool {
        false
    }

    /// Whether the claimed sums, one for each component with lookups in order, and then the [`Self::claims`] are what
    /// the statement requires. By default the sums must cancel with [`Self::public_lookups`], and a statement with
    /// claims is refused: it has to implement this. Provers and verifiers have counted the sums before
    /// ([`crate::RecordedStatement::spread`]).
    ///
    /// # Errors
    /// [`ClaimedSumError`] if they are not.
    fn check_claimed_sums(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        if drawn.len() != self.draws() {
            return Err(ClaimedSumError::Drawn { given: drawn.len(), needed: self.draws() });
        }
        if self.claims() > 0 {
            return Err(ClaimedSumError::Claims { claims: self.claims() });
        }
        let public = self.public_lookups().iter().map(|public| public.fraction(drawn)).sum::<Result<QM31, _>>()?;
        let total: QM31 = claimed.iter().copied().sum();
        if total == -public {
            return Ok(());
        }
        Err(ClaimedSumError::Value { claimed: total.to_string(), expected: (-public).to_string() })
    }

    /// The AIR of rows that this statement was made of, if it was: such a statement can be written as an
    /// [`air::AirFile`].
    fn air(&self) -> Option<&dyn air::Air<gpu_hal::CircleStark>> {
        None
    }

    /// The lookups of public values beside the components, with which all lookups cancel: the tuples of the sums that
    /// [`Self::check_claimed_sums`] adds. None by default.
    fn public_lookups(&self) -> Vec<PublicLookup> {
        Vec::new()
    }

    /// [`Self::public_lookups`], counted, for the bound on all lookups and for the figures of security. By default the
    /// lookups are made and counted. A statement whose public values take time gives numbers instead, so that its plan
    /// takes none.
    fn public_count(&self) -> PublicCount {
        PublicCount::of(&self.public_lookups())
    }

    /// The kinds of tuples that components look up, with what a lookup promises. None by default: nothing is known of
    /// any. No proof depends on it.
    fn tuple_kinds(&self) -> Vec<TupleKind> {
        Vec::new()
    }

    /// Whether the statement can be proven with this blowup, as a power of two, and this lifting, beyond what
    /// [`crate::RecordedStatement::check_config`] asks: by default with any.
    ///
    /// # Errors
    /// [`ConfigError`] if it cannot.
    fn check_config(&self, _log_blowup: u32, _lifting: Option<u32>) -> Result<(), ConfigError> {
        Ok(())
    }

    /// A statement of the same shape in which every public value is another: constants that differ between the two are
    /// parameters of the programs, so that they serve all public values. `None` by default: constants stay as they are
    /// in this statement, and another public value in a component makes another program. The other program costs time
    /// and changes no proof.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        None
    }
}
