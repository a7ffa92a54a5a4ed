//! A channel that records the mixed values and hands out given elements. With it cairo-air itself mixes a claim, and
//! makes its lookup elements, whose fields are private, from two elements that were drawn elsewhere.

use cairo_air::claims::CairoClaim;
use cairo_air::relations::CommonLookupElements;
use circle_air::{Mix, qm31, secure};
use field::{M31, QM31};
use stwo::core::channel::{Channel, MerkleChannel};
use stwo::core::fields::qm31::SecureField;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;

#[derive(Clone, Debug, Default)]
struct Recorder {
    mixed: Vec<Mix>,
    /// How many roots were mixed, each of which stands for a leaf.
    roots: usize,
    /// The leaves, in order.
    leaves: [Vec<M31>; 2],
    /// The elements of the next draws, the last one first.
    to_draw: Vec<SecureField>,
}

impl Channel for Recorder {
    const BYTES_PER_HASH: usize = 32;

    fn verify_pow_nonce(&self, _: u32, _: u64) -> bool {
        false
    }

    fn mix_u32s(&mut self, data: &[u32]) {
        self.mixed.push(Mix::Words(data.to_vec()));
    }

    fn mix_felts(&mut self, felts: &[SecureField]) {
        self.mixed.push(Mix::Felts(felts.iter().copied().map(qm31).collect()));
    }

    fn mix_u64(&mut self, value: u64) {
        self.mix_u32s(&[value as u32, (value >> 32) as u32]);
    }

    fn draw_secure_felt(&mut self) -> SecureField {
        self.to_draw.pop().unwrap_or_default()
    }

    fn draw_secure_felts(&mut self, n_felts: usize) -> Vec<SecureField> {
        (0..n_felts).map(|_| self.draw_secure_felt()).collect()
    }

    fn draw_u32s(&mut self) -> Vec<u32> {
        Vec::new()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Merkle;

impl MerkleChannel for Merkle {
    type C = Recorder;
    type H = Blake2sMerkleHasher;

    /// cairo-air hashes output and program as leaves of this hasher. Their hash function is the proof's, so that the
    /// elements are recorded in place of the digest.
    fn mix_root(channel: &mut Recorder, _: Blake2sHash) {
        let leaf = channel.leaves.get_mut(channel.roots).map(std::mem::take);
        channel.mixed.push(Mix::Leaf(leaf.unwrap_or_default()));
        channel.roots += 1;
    }
}

/// The words and elements that a claim mixes, its public data included.
pub(super) fn mixed(claim: &CairoClaim) -> Vec<Mix> {
    let (_, output, program) = claim.public_data.pack_into_u32s();
    // Limbs of nine bits.
    let leaves = [output, program].map(|words| words.into_iter().map(M31::new).collect());
    let mut channel = Recorder { leaves, ..Recorder::default() };
    claim.mix_into::<Merkle>(&mut channel);
    channel.mixed
}

/// The lookup elements of z and alpha; a missing one is zero.
pub fn elements(drawn: &[QM31]) -> CommonLookupElements {
    let to_draw = drawn.iter().rev().copied().map(secure).collect();
    CommonLookupElements::draw(&mut Recorder { to_draw, ..Recorder::default() })
}
