//! Transcripts against stwo's own channels, step by step.

use circle_air::{qm31, secure};
use circle_proof::Channel;
use circle_proof::channel::Blake2sChannel;
use circle_proof::channel::poseidon252::Poseidon252Channel;
use circle_proof::stwo_verifier::StwoHasher;
use field::{M31, QM31};
use proptest::prelude::*;
use stwo::core::channel::{Blake2sChannelGeneric, Channel as _, MerkleChannel, Poseidon252Channel as StwoPoseidon252};
use stwo::core::fields::qm31::SecureField;
use stwo::core::queries::{Queries, draw_queries};
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleChannelGeneric;
use stwo::core::vcs_lifted::merkle_hasher::MerkleHasherLifted;
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleChannel;

/// A step that is done with both channels.
#[derive(Clone, Debug)]
enum Step {
    Words(Vec<u32>),
    Felts(Vec<QM31>),
    Number(u64),
    Root([u8; 32]),
    DrawOne,
    Draw(usize),
    Block,
    Queries(u32, usize),
    Work(u32, u64),
}

fn felt() -> impl Strategy<Value = QM31> {
    any::<[u64; 4]>().prop_map(|numbers| QM31(numbers.map(M31::reduce)))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop::collection::vec(any::<u32>(), 0..20).prop_map(Step::Words),
        prop::collection::vec(felt(), 0..20).prop_map(Step::Felts),
        any::<u64>().prop_map(Step::Number),
        any::<[u8; 32]>().prop_map(Step::Root),
        // Below the prime of Poseidon252.
        any::<[u8; 31]>().prop_map(|low| Step::Root(std::array::from_fn(|at| low.get(at).copied().unwrap_or(7)))),
        Just(Step::DrawOne),
        (0..9_usize).prop_map(Step::Draw),
        Just(Step::Block),
        (1..31_u32, 1..80_usize).prop_map(|(log_domain, count)| Step::Queries(log_domain, count)),
        (0..6_u32, any::<u64>()).prop_map(|(bits, nonce)| Step::Work(bits, nonce)),
    ]
}

/// Takes the steps on both channels, and compares the drawn values and the digest behind each.
fn agree<M: MerkleChannel<H: StwoHasher>>(
    ours: impl Channel + 'static,
    digest: impl Fn(&M::C) -> <M::H as MerkleHasherLifted>::Hash,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let mut ours: Box<dyn Channel> = Box::new(ours);
    let mut theirs = M::C::default();
    for step in steps {
        match step {
            Step::Words(words) => {
                ours.mix_words(words);
                theirs.mix_u32s(words);
            }
            Step::Felts(felts) => {
                ours.mix_felts(felts);
                theirs.mix_felts(&felts.iter().copied().map(secure).collect::<Vec<SecureField>>());
            }
            Step::Number(number) => {
                ours.mix_u64(*number);
                theirs.mix_u64(*number);
            }
            Step::Root(root) => {
                if let Some(digest) = M::H::to_stwo(root) {
                    ours.mix_root(root);
                    M::mix_root(&mut theirs, digest);
                }
            }
            Step::DrawOne => prop_assert_eq!(ours.draw_felt(), qm31(theirs.draw_secure_felt())),
            Step::Draw(count) => {
                let expected: Vec<QM31> = theirs.draw_secure_felts(*count).into_iter().map(qm31).collect();
                prop_assert_eq!(ours.draw_felts(*count), expected);
            }
            Step::Block => prop_assert_eq!(ours.draw_words(), theirs.draw_u32s()),
            Step::Queries(log_domain, count) => {
                let drawn = draw_queries(&mut theirs, *log_domain, *count);
                let mut ours = ours.draw_positions(*log_domain, *count);
                prop_assert_eq!(&ours, &drawn);
                ours.sort_unstable();
                ours.dedup();
                prop_assert_eq!(ours, Queries::new(&drawn, *log_domain).positions);
            }
            Step::Work(bits, nonce) => {
                for nonce in (0..16).map(|further| nonce.wrapping_add(further)) {
                    prop_assert_eq!(ours.work(*bits).is_work(nonce), theirs.verify_pow_nonce(*bits, nonce));
                }
            }
        }
        prop_assert_eq!(ours.digest(), M::H::from_stwo(&digest(&theirs)));
        // A copy goes on by itself.
        let mut copy = ours.clone();
        copy.mix_words(&[1]);
        prop_assert_ne!(copy.digest(), ours.digest());
    }
    Ok(())
}

proptest! {
    #[test]
    fn steps_are_those_of_stwo(steps in prop::collection::vec(step(), 1..20)) {
        let blake2s = Blake2sChannelGeneric::digest;
        agree::<Blake2sMerkleChannelGeneric<false>>(Blake2sChannel::new(false), blake2s, &steps)?;
        let blake2s = Blake2sChannelGeneric::digest;
        agree::<Blake2sMerkleChannelGeneric<true>>(Blake2sChannel::new(true), blake2s, &steps)?;
        agree::<Poseidon252MerkleChannel>(Poseidon252Channel::default(), StwoPoseidon252::digest, &steps)?;
    }
}

/// The channels differ from the first step on, and a reduced digest has reduced words.
#[test]
fn a_channel_that_reduces_is_another() {
    let [mut plain, mut reduced] = [false, true].map(Blake2sChannel::new);
    for word in 0..50 {
        plain.mix_words(&[word]);
        reduced.mix_words(&[word]);
        let digest = reduced.digest();
        let (words, _) = digest.as_chunks::<4>();
        assert!(words.iter().all(|word| u32::from_le_bytes(*word) < (1 << 31) - 1));
    }
    assert_ne!(plain.digest(), reduced.digest());
}
