//! Statements with several relations, as stwo's own examples are built: proven, and verified by us and by stwo's
//! verifier, which is called here as a user of stwo alone calls it.

/// The size of every component.
macro_rules! sizes {
    () => {
        fn log_size(&self) -> u32 {
            self.log_size
        }

        fn max_constraint_log_degree_bound(&self) -> u32 {
            self.log_size + 1
        }
    };
}

/// A component: a table of three preprocessed columns, and how often each row is looked up in a relation.
macro_rules! table {
    ($name:ident, $relation:ident) => {
        #[derive(Clone)]
        struct $name {
            log_size: u32,
            ids: [&'static str; 3],
            relation: $relation,
        }

        impl FrameworkEval for $name {
            sizes!();

            fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
                let tuple = self.ids.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
                let uses = eval.next_trace_mask();
                eval.add_to_relation(RelationEntry::new(&self.relation, -E::EF::from(uses), &tuple));
                eval.finalize_logup();
                eval
            }
        }
    };
}

mod blake;
mod poseidon;
mod sorted;
mod state_machine;
mod xor;

use std::sync::Arc;

use circle_air::{
    AirComponent, ClaimedSumError, PreprocessedColumn, RecordedStatement, Statement, TraceError,
    TraceLocationAllocator, check_trace, qm31, secure,
};
use circle_proof::stwo_verifier::to_stwo;
use circle_proof::{CircleOptions, Policy, encode, verify};
use field::{Field, M31, QM31};
use golden::backends::{cpu, reference};
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{CircleProof, Keep, ProveError, Prover};
use stwo::core::air::Component;
use stwo::core::channel::{Blake2sChannel, Channel};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::CommitmentSchemeVerifier;
use stwo::core::proof::StarkProof;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sMerkleChannel, Blake2sMerkleHasher};
use stwo::core::verifier::VerificationError;

/// Main columns by component.
type Trace = Vec<Vec<Vec<M31>>>;

/// A statement that draws several relations.
trait Example: Clone + Send + Sync + 'static {
    /// All of them, each a type of stwo's macro.
    type Relations;
    const NAME: &'static str;
    /// Elements of all relations.
    const DRAWS: usize;
    /// Values in the widest tuple.
    const WIDTH: usize;

    fn relations(drawn: &[QM31]) -> Self::Relations;
    /// The same by stwo's own means.
    fn draw(channel: &mut Blake2sChannel) -> Self::Relations;
    fn words(&self) -> Vec<u32>;
    fn preprocessed(&self) -> Vec<(&'static str, Vec<u32>)>;
    fn components(&self, relations: &Self::Relations) -> Vec<Box<dyn AirComponent>>;
    /// The total of all sums.
    fn total(&self, _: &Self::Relations) -> SecureField {
        SecureField::default()
    }
    fn trace(&self) -> Trace;
}

#[derive(Clone)]
struct Of<E>(E);

impl<E: Example> Statement for Of<E> {
    fn name(&self) -> &str {
        E::NAME
    }

    fn words(&self) -> Vec<u32> {
        self.0.words()
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        let column = |(id, values): (&str, Vec<u32>)| PreprocessedColumn::new(id, values.len().ilog2());
        self.0.preprocessed().into_iter().map(column).collect()
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        self.0.preprocessed().into_iter().map(|(_, values)| values.into_iter().map(M31::new).collect()).collect()
    }

    fn draws(&self) -> usize {
        E::DRAWS
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        self.0.components(&E::relations(drawn))
    }

    fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        let (claimed, expected) = (sums.iter().copied().sum::<QM31>(), qm31(self.0.total(&E::relations(drawn))));
        match claimed == expected {
            true => Ok(()),
            false => {
                let [claimed, expected] = [claimed, expected].map(|sum| sum.to_string());
                Err(ClaimedSumError::Value { claimed, expected })
            }
        }
    }
}

/// Columns of rows.
fn columns<const N: usize>(rows: impl IntoIterator<Item = [u32; N]>) -> Vec<Vec<M31>> {
    let mut columns = vec![Vec::new(); N];
    for row in rows {
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(M31::new(value)));
    }
    columns
}

/// One in this row, else zero.
fn only(row: usize, log_size: u32) -> Vec<u32> {
    (0..1 << log_size).map(|other| u32::from(other == row)).collect()
}

/// `(a, b, a xor b)` of numbers of `bits` bits.
fn xors(bits: u32) -> [Vec<u32>; 3] {
    let rows = 0..1u32 << (2 * bits);
    let (a, b) = (|row: u32| row >> bits, |row: u32| row & ((1 << bits) - 1));
    [rows.clone().map(a).collect(), rows.clone().map(b).collect(), rows.map(|row| a(row) ^ b(row)).collect()]
}

/// How often each row of that table is looked up.
fn xor_uses(bits: u32, pairs: impl IntoIterator<Item = [u32; 2]>) -> Vec<Vec<M31>> {
    let mut uses = vec![M31::ZERO; 1 << (2 * bits)];
    pairs.into_iter().for_each(|[a, b]| uses[(a << bits | b) as usize] += M31::ONE);
    vec![uses]
}

/// Enough queries that nothing wrong is accepted by luck; trees of one height, if there are preprocessed columns.
fn options(statement: &dyn Statement) -> CircleOptions {
    let recorded = RecordedStatement::new(statement, None).expect("a sound statement");
    let highest = recorded.log_sizes(0).into_iter().max();
    let lifting = highest.map(|highest| highest.max(recorded.max_log_size()) + 2);
    CircleOptions { pow_bits: 3, log_blowup: 2, queries: 20, fold_step: 1, lifting, ..CircleOptions::default() }
}

fn prover<B: StarkBackend<P = CircleStark>>(backend: B, statement: &(impl Statement + Clone + 'static)) -> Prover<B> {
    let prover = Prover::new(Arc::new(backend), Arc::new(statement.clone()), &options(statement));
    prover.unwrap_or_else(|error| panic!("{}: {error}", statement.name()))
}

/// Verifies with stwo alone. `components` draws its relations from the channel, and gets the claims beside the sums of
/// the lookups.
fn verify_by_stwo(
    statement: &dyn Statement,
    made: &CircleProof,
    components: impl FnOnce(&mut Blake2sChannel, &[QM31]) -> Vec<Box<dyn AirComponent>>,
) -> Result<(), VerificationError> {
    let proof: StarkProof<Blake2sMerkleHasher> = to_stwo(made.proof.clone());
    let (config, roots) = (proof.config, &proof.commitments);
    let recorded = RecordedStatement::new(statement, config.lifting_log_size).expect("a sound statement");
    let channel = &mut Blake2sChannel::default();
    config.mix_into(channel);
    channel.mix_u32s(&statement.words());
    let scheme = &mut CommitmentSchemeVerifier::<Blake2sMerkleChannel>::new(config);
    scheme.commit(roots[0], &recorded.log_sizes(0), channel);
    scheme.commit(roots[1], &recorded.log_sizes(1), channel);
    let lookups = recorded.components.iter().filter(|component| component.logup.is_some()).count();
    let components = components(channel, &made.claimed_sums[lookups..]);
    channel.mix_felts(&made.claimed_sums.iter().copied().map(secure).collect::<Vec<_>>());
    scheme.commit(roots[2], &recorded.log_sizes(2), channel);
    let ids: Vec<_> =
        recorded.preprocessed.iter().map(|column| circle_air::PreProcessedColumnId { id: column.id.clone() }).collect();
    let mut allocator = TraceLocationAllocator::new_with_preprocessed_columns(&ids);
    let sums = recorded.spread(&made.claimed_sums).expect("as many as there are lookups");
    let components: Vec<Box<dyn Component>> =
        components.iter().zip(sums).map(|(component, sum)| component.verifier_component(&mut allocator, sum)).collect();
    let components: Vec<&dyn Component> = components.iter().map(AsRef::as_ref).collect();
    stwo::core::verifier::verify(&components, channel, scheme, proof)
}

/// Both verifiers take the proof, and neither takes it with other sums of the same total.
fn is_verified(
    statement: &dyn Statement,
    made: &CircleProof,
    components: impl Fn(&mut Blake2sChannel, &[QM31]) -> Vec<Box<dyn AirComponent>>,
) {
    let name = statement.name();
    let check = |made: &CircleProof| verify(statement, &made.claimed_sums, &encode(&made.proof), &Policy::ANY);
    check(made).unwrap_or_else(|error| panic!("{name}: {error}"));
    verify_by_stwo(statement, made, &components).unwrap_or_else(|error| panic!("{name}, by stwo: {error}"));
    let mut changed = made.clone();
    changed.claimed_sums[0] += QM31::ONE;
    assert!(check(&changed).is_err(), "{name}: another sum");
    if let Some(second) = changed.claimed_sums.get_mut(1) {
        *second -= QM31::ONE;
        assert!(check(&changed).is_err(), "{name}: other sums");
    }
    assert!(verify_by_stwo(statement, &changed, &components).is_err(), "{name}: other sums, by stwo");
}

/// On every backend, and for all that is kept, the proof is this one.
fn is_everywhere(statement: &(impl Statement + Clone + 'static), trace: &Trace, expected: &CircleProof) {
    let same = |made: Result<CircleProof, ProveError>, what: &str| {
        let made = made.unwrap_or_else(|error| panic!("{}, {what}: {error}", statement.name()));
        assert!(encode(&made.proof) == encode(&expected.proof), "{}, {what}: another proof", statement.name());
        assert_eq!(made.claimed_sums, expected.claimed_sums, "{}, {what}", statement.name());
    };
    same(prover(cpu::<CircleStark>(), statement).prove(trace, &Silent), "cpu");
    for keep in [Keep::Extensions, Keep::Prefixes, Keep::Sources, Keep::Halves] {
        let prover = prover(reference::<CircleStark>(), statement).keeping(keep).expect("a plan");
        same(prover.prove(trace, &Silent), keep.name());
    }
}

/// A trace with another value in the first or the last row of any column has no proof, and the check on the host finds
/// it.
fn no_cell_is_free(prover: &Prover<Device<CircleStark>>, statement: &dyn Statement, trace: &Trace) {
    let name = statement.name();
    check_trace(statement, trace, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
    let columns = trace.iter().enumerate().flat_map(|(at, columns)| (0..columns.len()).map(move |column| (at, column)));
    for (component, column) in columns {
        for row in [0, trace[component][column].len() - 1] {
            let mut changed = trace.clone();
            changed[component][column][row] += M31::ONE;
            match prover.prove(&changed, &Silent) {
                Err(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => {}
                Err(other) => panic!("{name}: {other}"),
                Ok(_) => panic!("{name}: component {component}, column {column}, row {row}"),
            }
            let found = check_trace(statement, &changed, 1);
            assert!(
                matches!(found, Err(TraceError::Wrong(_) | TraceError::Given(_))),
                "{name}: component {component}, column {column}, row {row}: {found:?}"
            );
        }
    }
}

fn check<E: Example>(example: E) {
    let (statement, trace) = (Of(example.clone()), example.trace());
    let recorded = RecordedStatement::new(&statement, None).expect("a sound statement");
    assert_eq!(recorded.relation_width, E::WIDTH, "{}", E::NAME);
    let prover = prover(reference::<CircleStark>(), &statement);
    let made = prover.prove(&trace, &Silent).unwrap_or_else(|error| panic!("{}: {error}", E::NAME));
    is_verified(&statement, &made, |channel, _| example.components(&E::draw(channel)));
    is_everywhere(&statement, &trace, &made);
    no_cell_is_free(&prover, &statement, &trace);
}
