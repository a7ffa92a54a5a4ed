//! Lies in a finished proof.

use cairo::Proof;
use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant;
use cairo::statement::mixes;
use cairo_air::components::{partial_ec_mul_generic, pedersen_points_table_window_bits_18};
use cairo_air::verifier::INTERACTION_POW_BITS;
use circle_air::qm31;
use circle_proof::Suite;
use circle_proof::rounds::{Committed, ProofOfWork};
use circle_proof::stwo_verifier::options;
use field::QM31;
use gpu_hal::NonceSearch;
use serde_json::json;
use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;
use stwo::core::poly::line::LinePoly;
use stwo::core::vcs::blake2_hash::Blake2sHash;

use super::Lie;
use super::claim::used;

/// The prime `2^251 + 17 * 2^192 + 1`, its lowest word first.
const PRIME: [u32; 8] = [1, 0, 0, 0, 0, 0, 17, 1 << 27];

/// Finds the first nonce that does the work.
type Search<'a> = &'a dyn Fn(&NonceSearch) -> Option<u64>;

impl Lie {
    /// Edits a finished proof of a suite as the lie has it: whether it could. It cannot if the proof has no place for
    /// the lie, if `grind` finds no nonce, or if the lie is no edit ([`Lie::is_edit`]).
    pub fn edit(self, proof: &mut Proof, suite: Suite, grind: Search<'_>) -> bool {
        let memory = &mut proof.claim.public_data.public_memory;
        match self {
            Self::OtherSalt => proof.channel_salt ^= 1,
            Self::OtherConfig => proof.stark_proof.0.config.pow_bits += 1,
            Self::FewerQueries => {
                let Some(queries) = proof.stark_proof.config.fri_config.n_queries.checked_sub(1) else { return false };
                proof.stark_proof.0.config.fri_config.n_queries = queries;
            }
            Self::NoInteractionWork => {
                let committed = committed(proof, suite);
                let idle = (0..).find(|&nonce| !committed.is_valid_nonce(INTERACTION_POW_BITS, nonce));
                proof.interaction_pow = idle.unwrap_or_default();
            }
            Self::NoGrinding => {
                let (bits, work) = (proof.stark_proof.config.pow_bits, work(proof, suite));
                let idle = (0..1 << 20).find(|&nonce| !work.is_valid_nonce(bits, nonce));
                let Some(idle) = idle else { return false };
                proof.stark_proof.0.proof_of_work = idle;
            }
            Self::FirstState => proof.claim.public_data.initial_state.pc.0 += 1,
            Self::LastState => proof.claim.public_data.final_state.fp.0 += 1,
            Self::ProgramStart => memory.program[0].1[0] ^= 1,
            Self::ProgramLength => return memory.program.pop().is_some(),
            Self::OutputLength => return memory.output.pop().is_some(),
            Self::OutputPlace => {
                let output = &mut memory.public_segments.output;
                output.start_ptr.value += 1;
                output.stop_ptr.value += 1;
                return !memory.output.is_empty();
            }
            Self::SegmentStart => {
                let Some(range) = used(&mut memory.public_segments) else { return false };
                range.start_ptr.value += 1;
            }
            Self::SegmentEnd => {
                let Some(range) = used(&mut memory.public_segments) else { return false };
                range.stop_ptr.value = range.start_ptr.value + (1 << 20);
            }
            Self::WordAbovePrime => {
                let Some((_, word)) = memory.output.first_mut() else { return false };
                add(word, &PRIME);
            }
            Self::IdAbovePrime => memory.program[0].0 += P,
            Self::SaltAbovePrime => proof.channel_salt += P,
            Self::SumAbovePrime => {
                let Some(sum) = &mut proof.interaction_claim.ret_opcode else { return false };
                sum.claimed_sum = above(sum.claimed_sum);
            }
            Self::SampleAbovePrime => {
                let Some(sample) = proof.stark_proof.0.sampled_values[1].iter_mut().flatten().next() else {
                    return false;
                };
                *sample = above(*sample);
            }
            Self::OpenedAbovePrime => {
                let Some(value) = proof.stark_proof.0.queried_values[1].iter_mut().flatten().next() else {
                    return false;
                };
                *value = BaseField::from_u32_unchecked(value.0 + P);
            }
            Self::LayerAbovePrime => {
                let fri = &mut proof.stark_proof.0.fri_proof;
                let layers = std::iter::once(&mut fri.first_layer).chain(&mut fri.inner_layers);
                let Some(value) = layers.flat_map(|layer| &mut layer.fri_witness).next() else { return false };
                *value = above(*value);
            }
            Self::LastAbovePrime => {
                let layer = &mut proof.stark_proof.0.fri_proof.last_layer_poly;
                let mut coefficients: Vec<SecureField> = layer.to_vec();
                coefficients[0] = above(coefficients[0]);
                *layer = LinePoly::new(coefficients);
            }
            Self::LastLayer => {
                let layer = &mut proof.stark_proof.0.fri_proof.last_layer_poly;
                let coefficients: Vec<SecureField> = layer.to_vec();
                let wrong = json!({ "coeffs": coefficients, "log_size": coefficients.len().ilog2() + 1 });
                let Ok(wrong) = serde_json::from_value(wrong) else { return false };
                *layer = wrong;
            }
            Self::SumOfNothing => {
                if proof.claim.pedersen_points_table_window_bits_18.is_some() {
                    return false;
                }
                let sum = pedersen_points_table_window_bits_18::InteractionClaim { claimed_sum: one() };
                proof.interaction_claim.pedersen_points_table_window_bits_18 = Some(sum);
            }
            Self::NoSum => return proof.interaction_claim.ret_opcode.take().is_some(),
            Self::ChunkTotal => {
                let Some(sums) = &mut proof.interaction_claim.memory_id_to_big else { return false };
                sums.claimed_sum += one();
            }
            Self::TooShort => return set_size(proof, 3),
            Self::TooLong => {
                let Some(component) = &mut proof.claim.memory_id_to_small else { return false };
                component.log_size = 27;
            }
            Self::TooManyUses => {
                let claim = &mut proof.claim;
                let Some((add, jnz)) = claim.add_opcode.as_mut().zip(claim.jnz_opcode_taken.as_mut()) else {
                    return false;
                };
                (add.log_size, jnz.log_size) = (29, 29);
            }
            Self::NoMemory => {
                proof.interaction_claim.memory_address_to_id = None;
                return proof.claim.memory_address_to_id.take().is_some();
            }
            Self::MissingComponent => {
                proof.interaction_claim.jnz_opcode_taken = None;
                return proof.claim.jnz_opcode_taken.take().is_some() && work_again(proof, suite, grind);
            }
            Self::SurplusComponent => {
                // For curve operations.
                if proof.claim.partial_ec_mul_generic.is_some() {
                    return false;
                }
                proof.claim.partial_ec_mul_generic = Some(partial_ec_mul_generic::Claim { log_size: 4 });
                let sum = partial_ec_mul_generic::InteractionClaim { claimed_sum: SecureField::default() };
                proof.interaction_claim.partial_ec_mul_generic = Some(sum);
                return work_again(proof, suite, grind);
            }
            Self::OtherVariant => proof.preprocessed_trace_variant = Variant::CanonicalWithoutPedersen.into(),
            Self::OtherRoot => proof.stark_proof.0.commitments[0] = Blake2sHash([7; 32]),
            Self::Opened => {
                let Some(value) = proof.stark_proof.0.queried_values[1].iter_mut().flatten().next() else {
                    return false;
                };
                *value += BaseField::from_u32_unchecked(1);
            }
            Self::RepeatedQueries => {
                let main = &mut proof.stark_proof.0.queried_values[1];
                let are_other = main.iter().any(|column| column.iter().any(|value| *value != column[0]));
                main.iter_mut().for_each(|column| {
                    let first = column[0];
                    column.fill(first);
                });
                return are_other;
            }
            Self::SwappedTrees => {
                let openings = &mut proof.stark_proof.0.decommitments;
                openings.swap(1, 3);
                return openings[1].hash_witness != openings[3].hash_witness;
            }
            Self::SwappedColumns => {
                let main = &mut proof.stark_proof.0.queried_values[1];
                let last = main.len() - 1;
                main.swap(0, last);
                return main[0] != main[last];
            }
            Self::ShortPath => return proof.stark_proof.0.decommitments[1].hash_witness.pop().is_some(),
            Self::ShortFolding => return proof.stark_proof.0.fri_proof.inner_layers.pop().is_some(),
            _ => return false,
        }
        true
    }
}

fn one() -> SecureField {
    SecureField::from_u32_unchecked(1, 0, 0, 0)
}

/// The same element, written otherwise.
fn above(value: SecureField) -> SecureField {
    let [a, b, c, d] = value.to_m31_array();
    SecureField::from_m31_array([BaseField::from_u32_unchecked(a.0 + P), b, c, d])
}

/// Adds without a bound: the sum has 253 bits at most.
fn add(word: &mut [u32; 8], other: &[u32; 8]) {
    let mut carry = 0;
    for (digit, other) in word.iter_mut().zip(other) {
        let sum = u64::from(*digit) + u64::from(*other) + carry;
        (*digit, carry) = (sum as u32, sum >> 32);
    }
}

fn set_size(proof: &mut Proof, log_size: u32) -> bool {
    proof.claim.ret_opcode.as_mut().map(|component| component.log_size = log_size).is_some()
}

/// The transcript up to the work before the lookups.
pub(super) fn committed(proof: &Proof, suite: Suite) -> Committed {
    let options = options(proof.stark_proof.config, suite).expect("the honest prover's");
    let root = |tree: usize| proof.stark_proof.commitments[tree].0;
    Committed::begin(&options, &mixes::<Air13>(&proof.claim, proof.channel_salt), root(0), root(1))
}

/// The claimed sums.
pub(super) fn sums(proof: &Proof) -> Vec<QM31> {
    proof.interaction_claim.flatten_interaction_claim().into_iter().map(qm31).collect()
}

/// Does the work before the lookups for what is claimed now.
fn work_again(proof: &mut Proof, suite: Suite, grind: Search<'_>) -> bool {
    let nonce = grind(&committed(proof, suite).nonce_search(INTERACTION_POW_BITS));
    nonce.map(|nonce| proof.interaction_pow = nonce).is_some()
}

/// The transcript up to the work before the queries.
fn work(proof: &Proof, suite: Suite) -> ProofOfWork {
    let stark = &proof.stark_proof.0;
    let (round, _) = committed(proof, suite).draw(Some(proof.interaction_pow), 2);
    let rounds = round.commit(Some((&sums(proof), stark.commitments[2].0))).expect("elements are drawn");
    let (sampled, _) = rounds.weight().0.point(stark.commitments[3].0);
    let values: Vec<QM31> = stark.sampled_values.iter().flatten().flatten().copied().map(qm31).collect();
    let (mut folding, _) = sampled.quotients(&values);
    for layer in std::iter::once(&stark.fri_proof.first_layer).chain(&stark.fri_proof.inner_layers) {
        folding.layer(layer.commitment.0);
    }
    let last: Vec<QM31> = stark.fri_proof.last_layer_poly.iter().copied().map(qm31).collect();
    folding.last(&last)
}
