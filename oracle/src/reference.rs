//! A statement proven by stwo's `SimdBackend`, in the envelope of section 17 of the Circle protocol.

use circle_air::airs::ShippedAir;
use circle_air::{
    Logup, RecordedStatement, Statement, TraceLocationAllocator, base, interaction_columns, qm31, secure,
};
use circle_proof::stwo_verifier::{StwoHasher, from_stwo, to_stwo};
use circle_proof::{CircleOptions, Proof, Suite};
use field::{M31, QM31};
use serde::Serialize;
use stwo::core::air::Component;
use stwo::core::channel::{Channel, MerkleChannel};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::{CommitmentSchemeVerifier, PcsConfig};
use stwo::core::poly::circle::CanonicCoset;
use stwo::core::utils::{MaybeOwned, bit_reverse_coset_to_circle_domain_order};
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sM31MerkleChannel, Blake2sMerkleChannel};
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleChannel;
use stwo::prover::backend::BackendForChannel;
use stwo::prover::backend::Column;
use stwo::prover::backend::simd::SimdBackend;
use stwo::prover::backend::simd::column::BaseColumn;
use stwo::prover::backend::simd::m31::{LOG_N_LANES, N_LANES};
use stwo::prover::backend::simd::qm31::PackedSecureField;
use stwo::prover::mempool::BaseColumnPool;
use stwo::prover::poly::BitReversedOrder;
use stwo::prover::poly::circle::{CircleEvaluation, PolyOps};
use stwo::prover::poly::twiddles::TwiddleTree;
use stwo::prover::{CommitmentSchemeProver, CommitmentTreeProver, ComponentProver};
use stwo_constraint_framework::LogupTraceGenerator;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;

/// A column of stwo: values on a canonic circle domain, in storage order.
pub type Evaluation = CircleEvaluation<SimdBackend, BaseField, BitReversedOrder>;

/// The reference's proof.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The proof, in our types.
    pub proof: Proof,
    /// The bytes of the proof by serde, as section 14 defines them: independent of our codec.
    pub bytes: Vec<u8>,
    /// The sums of the lookups, one for each component that has any.
    pub claimed_sums: Vec<QM31>,
}

/// A hash function of stwo's that its fast prover takes.
pub trait Hashes: MerkleChannel<C: Default, H: StwoHasher + Serialize> {}

impl<M: MerkleChannel<C: Default, H: StwoHasher + Serialize>> Hashes for M {}

/// Why the reference gave no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceError {
    /// Our interaction trace is not the one that stwo's generator makes.
    Interaction(String),
    /// stwo's prover returned an error.
    Prover(String),
    /// The shape of the statement itself.
    Statement(String),
}

/// A column of stwo from values in the order of the rows.
pub fn evaluation(rows: &[M31]) -> Evaluation {
    let mut values: Vec<BaseField> = rows.iter().copied().map(base).collect();
    bit_reverse_coset_to_circle_domain_order(&mut values);
    let domain = CanonicCoset::new(values.len().ilog2()).circle_domain();
    CircleEvaluation::new(domain, BaseColumn::from_cpu(&values))
}

fn evaluations<'a>(columns: impl IntoIterator<Item = &'a Vec<M31>>) -> Vec<Evaluation> {
    columns.into_iter().map(|column| evaluation(column)).collect()
}

/// A statement made ready: the twiddles, tree 0. It serves any number of proofs.
pub struct Prepared<'a, M: Hashes>
where
    SimdBackend: BackendForChannel<M>,
{
    air: &'a dyn ShippedAir,
    options: CircleOptions,
    twiddles: TwiddleTree<SimdBackend>,
    fixed: CommitmentTreeProver<SimdBackend, M>,
    pool: BaseColumnPool<SimdBackend>,
}

impl<'a, M: Hashes> Prepared<'a, M>
where
    SimdBackend: BackendForChannel<M>,
{
    /// Makes twiddles and commits to the preprocessed columns.
    pub fn new(air: &'a dyn ShippedAir, recorded: &RecordedStatement, options: &CircleOptions) -> Self {
        // The composition has twice the rows, its halves as many (trap 5); a blowup is at least two.
        let log_rows = (0..=1).flat_map(|tree| recorded.log_sizes(tree)).max().unwrap_or(0);
        let log_domain = (log_rows + options.log_blowup).max(options.lifting.unwrap_or(0));
        let twiddles = SimdBackend::precompute_twiddles(CanonicCoset::new(log_domain).circle_domain().half_coset);
        let pool = BaseColumnPool::new();
        let values = evaluations(&air.preprocessed_values(options.lifting));
        let polynomials = SimdBackend::interpolate_columns(values, &twiddles);
        let fixed = CommitmentTreeProver::new(
            polynomials,
            options.log_blowup,
            &twiddles,
            false,
            options.lifting,
            &BaseColumnPool::new(),
        );
        Self { air, options: *options, twiddles, fixed, pool }
    }

    /// Proves main columns, all components' one after the other. `interaction` makes the columns of tree 2 of the drawn
    /// elements, and the claimed sums; it is not asked if the AIR draws none.
    ///
    /// # Errors
    /// [`ReferenceError`].
    pub fn prove(
        &self,
        main: Vec<Evaluation>,
        interaction: impl FnOnce(&[SecureField]) -> Result<(Vec<Evaluation>, Vec<SecureField>), ReferenceError>,
    ) -> Result<Reference, ReferenceError> {
        let (air, config) = (self.air, PcsConfig::from(self.options));
        let mut channel = M::C::default();
        config.mix_into(&mut channel);
        channel.mix_u32s(&air.words());
        let mut scheme = CommitmentSchemeProver::<SimdBackend, M>::with_memory_pool(config, &self.twiddles, &self.pool);
        scheme.commit_tree(MaybeOwned::Borrowed(&self.fixed), &mut channel);
        let mut commit = |columns: Vec<Evaluation>, channel: &mut M::C| {
            let mut tree = scheme.tree_builder();
            tree.extend_evals(columns);
            tree.commit(channel);
        };
        commit(main, &mut channel);
        let draws = air.draws();
        let (mut drawn, mut claimed_sums) = (Vec::new(), Vec::new());
        if draws > 0 {
            let elements = channel.draw_secure_felts(draws);
            let (columns, sums) = interaction(&elements)?;
            channel.mix_felts(&sums);
            drawn = qm31s(&elements);
            claimed_sums = qm31s(&sums);
            commit(columns, &mut channel);
        }
        let mut allocator = allocator(air, &self.options);
        // In a statement that draws, every component that is shipped has lookups.
        let sums = claimed_sums.iter().copied().chain(std::iter::repeat(QM31::default()));
        let components: Vec<Box<dyn ComponentProver<SimdBackend>>> =
            air.components(&drawn).iter().zip(sums).map(|(c, sum)| c.prover_component(&mut allocator, sum)).collect();
        let components: Vec<&dyn ComponentProver<SimdBackend>> = components.iter().map(AsRef::as_ref).collect();
        let proof = stwo::prover::prove(&components, &mut channel, scheme)
            .map_err(|error| ReferenceError::Prover(error.to_string()))?;
        let bytes = bincode::serde::encode_to_vec(&proof, bincode::config::legacy()).expect("a Vec takes every write");
        let proof = from_stwo(&proof, self.options.suite)
            .ok_or_else(|| ReferenceError::Prover("an element that is not reduced".to_owned()))?;
        Ok(Reference { proof, bytes, claimed_sums })
    }
}

/// Proves a shipped AIR's own trace.
///
/// # Errors
/// [`ReferenceError`].
pub fn prove(air: &dyn ShippedAir, options: &CircleOptions) -> Result<Reference, ReferenceError> {
    match options.suite {
        Suite::Blake2s => prove_by::<Blake2sMerkleChannel>(air, options),
        Suite::Blake2sM31 => prove_by::<Blake2sM31MerkleChannel>(air, options),
        Suite::Poseidon252 => prove_by::<Poseidon252MerkleChannel>(air, options),
    }
}

fn prove_by<M: Hashes>(air: &dyn ShippedAir, options: &CircleOptions) -> Result<Reference, ReferenceError>
where
    SimdBackend: BackendForChannel<M>,
{
    let statement = |error: &dyn std::fmt::Display| ReferenceError::Statement(error.to_string());
    let recorded = RecordedStatement::new(air, options.lifting).map_err(|error| statement(&error))?;
    let main = air.trace();
    Prepared::<M>::new(air, &recorded, options).prove(evaluations(main.iter().flatten()), |drawn| {
        let params = recorded.logup_params(air, &qm31s(drawn)).map_err(|error| statement(&error))?;
        let fixed = air.preprocessed_values(options.lifting);
        let (mut tree, mut sums) = (Vec::new(), Vec::new());
        for (index, component) in recorded.components.iter().enumerate() {
            let Some(logup) = &component.logup else { continue };
            let own: Vec<Vec<M31>> =
                recorded.preprocessed_indices[index].iter().map(|&column| fixed[column].clone()).collect();
            let (columns, sum) = interaction(logup, component.log_size, [&own, &main[index]], &params[index])
                .map_err(|what| ReferenceError::Interaction(format!("component {index}: {what}")))?;
            tree.extend(columns);
            sums.push(sum);
        }
        Ok((tree, sums))
    })
}

fn qm31s(felts: &[SecureField]) -> Vec<QM31> {
    felts.iter().copied().map(qm31).collect()
}

fn allocator(statement: &dyn Statement, options: &CircleOptions) -> TraceLocationAllocator {
    let ids = statement.preprocessed(options.lifting).into_iter().map(|column| PreProcessedColumnId { id: column.id });
    let ids: Vec<_> = ids.collect();
    TraceLocationAllocator::new_with_preprocessed_columns(&ids)
}

/// The interaction columns of a component and their sum, by stwo's generator from the fractions of the recorded
/// program, and compared with ours. With fewer rows than a vector has lanes, which that generator does not take, they
/// are ours.
fn interaction(
    logup: &Logup,
    log_size: u32,
    tables: [&[Vec<M31>]; 2],
    params: &[QM31],
) -> Result<(Vec<Evaluation>, SecureField), String> {
    let ours = interaction_columns(logup, log_size, tables, params).map_err(|error| error.to_string())?;
    let claimed_sum = secure(ours.claimed_sum);
    let our_columns = evaluations(&ours.columns);
    if log_size < LOG_N_LANES {
        return Ok((our_columns, claimed_sum));
    }
    let rows = 1usize << log_size;
    let fractions: Vec<Vec<QM31>> = (0..rows)
        .map(|row| {
            let at = |offset: i32| (row as i64 + i64::from(offset)).rem_euclid(rows as i64) as usize;
            logup.program.evaluate(params, |group, column, offset| QM31::from(tables[group][column][at(offset)]))
        })
        .collect();
    let mut generator = LogupTraceGenerator::new(log_size);
    for batch in 0..logup.batches {
        let packed = |output: usize| {
            let mut values: Vec<SecureField> = fractions.iter().map(|row| secure(row[output])).collect();
            bit_reverse_coset_to_circle_domain_order(&mut values);
            let pack = |lanes: &[SecureField]| PackedSecureField::from_array(std::array::from_fn(|lane| lanes[lane]));
            values.chunks_exact(N_LANES).map(pack).collect::<Vec<_>>()
        };
        let (numerators, denominators) = (packed(2 * batch), packed(2 * batch + 1));
        generator.col_from_iter(numerators.into_iter().zip(denominators));
    }
    let (columns, sum) = generator.finalize_last();
    if sum != claimed_sum {
        return Err(format!("claimed sum: ours {:?}, stwo's {:?}", ours.claimed_sum, qm31(sum)));
    }
    for (index, (ours, theirs)) in our_columns.iter().zip(&columns).enumerate() {
        let (ours, theirs) = (ours.values.to_cpu(), theirs.values.to_cpu());
        if let Some(place) = ours.iter().zip(&theirs).position(|(a, b)| a != b) {
            return Err(format!(
                "interaction column {index}, storage index {place}: {} and {}",
                ours[place], theirs[place]
            ));
        }
    }
    if our_columns.len() != columns.len() {
        return Err(format!("{} interaction columns, stwo has {}", our_columns.len(), columns.len()));
    }
    Ok((columns, sum))
}

/// Whether stwo's verifier, called as its documentation says and without our checks, accepts.
///
/// # Errors
/// Its reason not to.
pub fn verify(statement: &dyn Statement, options: &CircleOptions, made: &Reference) -> Result<(), String> {
    match options.suite {
        Suite::Blake2s => verify_by::<Blake2sMerkleChannel>(statement, options, made),
        Suite::Blake2sM31 => verify_by::<Blake2sM31MerkleChannel>(statement, options, made),
        Suite::Poseidon252 => verify_by::<Poseidon252MerkleChannel>(statement, options, made),
    }
}

fn verify_by<M: Hashes>(statement: &dyn Statement, options: &CircleOptions, made: &Reference) -> Result<(), String> {
    let recorded = RecordedStatement::new(statement, options.lifting).map_err(|error| error.to_string())?;
    let config = PcsConfig::from(*options);
    let mut channel = M::C::default();
    config.mix_into(&mut channel);
    channel.mix_u32s(&statement.words());
    let proof = to_stwo::<M::H>(made.proof.clone());
    let roots = &proof.commitments;
    let mut scheme = CommitmentSchemeVerifier::<M>::new(config);
    scheme.commit(roots[0], &recorded.log_sizes(0), &mut channel);
    scheme.commit(roots[1], &recorded.log_sizes(1), &mut channel);
    let draws = statement.draws();
    let drawn = if draws == 0 { Vec::new() } else { qm31s(&channel.draw_secure_felts(draws)) };
    if draws > 0 {
        channel.mix_felts(&made.claimed_sums.iter().copied().map(secure).collect::<Vec<_>>());
        scheme.commit(roots[2], &recorded.log_sizes(2), &mut channel);
    }
    let sums = recorded.spread(&made.claimed_sums).map_err(|error| error.to_string())?;
    let mut allocator = allocator(statement, options);
    let components: Vec<Box<dyn Component>> = statement
        .components(&drawn)
        .iter()
        .zip(sums)
        .map(|(component, sum)| component.verifier_component(&mut allocator, sum))
        .collect();
    let components: Vec<&dyn Component> = components.iter().map(AsRef::as_ref).collect();
    stwo::core::verifier::verify(&components, &mut channel, &mut scheme, proof.clone())
        .map_err(|error| error.to_string())
}
