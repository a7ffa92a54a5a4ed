//! The transcript (section 4): a chain of hashes with labels, and words that leave it as it is.

use alloc::vec::Vec;

use field::{Goldilocks, PrimeField};
use gpu_hal::{Digest, HashFn, NonceSearch};
use sha3::{Digest as _, Keccak256};

use crate::Draw;
use crate::channel::{Channel, Message};

/// Stands before the number of a block of words.
const WORDS: u8 = 0x00;
/// Stands before the bits of a proof of work.
const WORK: u8 = 0xFF;

const fn of_message(message: Message) -> u8 {
    match message {
        Message::MainRoot => 0x10,
        Message::AuxRoot => 0x11,
        Message::CompositionRoot => 0x12,
        Message::OutOfDomain => 0x13,
        Message::LayerRoot => 0x14,
        Message::LastLayer => 0x15,
    }
}

const fn of_draw(draw: Draw) -> u8 {
    match draw {
        Draw::Challenges => 0x20,
        Draw::Constraints => 0x21,
        Draw::Points => 0x22,
        Draw::Terms => 0x23,
        Draw::Fold(_) => 0x24,
        Draw::Queries => 0x25,
    }
}

/// The state, and how many words were taken of it.
#[derive(Debug)]
pub(super) struct Transcript {
    state: Digest,
    words: u64,
}

impl Transcript {
    /// The state after the statement.
    pub(super) fn new(statement: &[u8]) -> Self {
        Self { state: Keccak256::digest(statement).into(), words: 0 }
    }

    fn absorb(&mut self, label: u8, data: &[u8]) {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([label]);
        let hasher = hasher.chain_update((data.len() as u64).to_be_bytes()).chain_update(data);
        *self = Self { state: hasher.finalize().into(), words: 0 };
    }

    fn word(&mut self) -> u64 {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([WORDS]);
        let block: Digest = hasher.chain_update((self.words / 4).to_be_bytes()).finalize().into();
        let mut word = [0; 8];
        word.copy_from_slice(&block[8 * (self.words % 4) as usize..][..8]);
        self.words += 1;
        u64::from_be_bytes(word)
    }

    /// The next word that is below the prime.
    fn coordinate(&mut self) -> Goldilocks {
        loop {
            if let Some(coordinate) = Goldilocks::from_canonical(self.word()) {
                return coordinate;
            }
        }
    }
}

impl Channel for Transcript {
    fn absorb_root(&mut self, message: Message, root: &Digest) {
        self.absorb(of_message(message), root);
    }

    fn absorb_elements(&mut self, message: Message, coordinates: &[Goldilocks]) {
        let bytes: Vec<u8> = coordinates.iter().flat_map(|coordinate| coordinate.value().to_be_bytes()).collect();
        self.absorb(of_message(message), &bytes);
    }

    fn begin(&mut self, draw: Draw, nonce: Option<u64>) {
        match nonce {
            Some(nonce) => self.absorb(of_draw(draw), &nonce.to_be_bytes()),
            None => self.absorb(of_draw(draw), &[]),
        }
    }

    fn draw_element(&mut self, coordinates: &mut [Goldilocks]) {
        coordinates.fill_with(|| self.coordinate());
    }

    fn draw_index(&mut self, log: u32) -> u64 {
        self.word() >> (u64::BITS - log)
    }

    fn work(&self, bits: u32) -> NonceSearch {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([WORK]);
        let prefix = hasher.chain_update(u64::from(bits).to_be_bytes()).finalize().into();
        NonceSearch { hash: HashFn::Keccak256, prefix, bits }
    }
}

#[cfg(test)]
impl Transcript {
    pub(super) fn state(&self) -> Digest {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use field::{Field, Fp3, Goldilocks};
    use gpu_hal::GoldilocksStark;

    use super::super::{Options, Sizes, Suite, statement};
    use super::*;
    use crate::Hiding;
    use crate::rounds::{Main, Work};

    /// Finds nonces, and keeps the searches.
    struct Searches(Vec<NonceSearch>);

    impl Work for Searches {
        type Error = core::convert::Infallible;

        fn nonce(&mut self, _: Draw, search: &NonceSearch) -> Result<u64, Self::Error> {
            self.0.push(*search);
            Ok(first(search))
        }
    }

    fn first(search: &NonceSearch) -> u64 {
        (0..).find(|nonce| search.is_work(*nonce)).expect("soon")
    }

    /// A draw of nothing absorbs nothing, one without work an empty message.
    #[test]
    fn draws_have_states_of_their_own() {
        let sizes = Sizes { log_rows: 4, main: 1, aux: 0, frame_rows: 1, challenges: 0, parts: 1 };
        let (folds, work) = (vec![0, 2], vec![0, 0, 0, 0, 0, 3, 2]);
        let options = Options {
            blowup: 2,
            queries: 40,
            coset_offset: 3,
            points: 2,
            folds,
            log_last: 2,
            work,
            suite: Suite::Keccak256,
            hiding: Hiding::None,
        };
        let start = statement::<GoldilocksStark>(&[7; 32], &sizes, &[], &options);
        let main = Main::begin(&start, &options, sizes.log_rows);
        let searches = &mut Searches(Vec::new());
        let Ok((auxiliary, none)) = main.challenges::<Fp3, _>(&[1; 32], 0, searches);
        let Ok((composition, _)) = auxiliary.beta::<Fp3, _>(None, searches);
        let Ok((out_of_domain, z, second)) = composition.points::<Fp3, _>(&[2; 32], 3, searches);
        let Ok((quotient, _)) = out_of_domain.gamma(&[z], searches);
        let Ok((folded, zeta)) = quotient.zeta::<Fp3, _>(searches);
        assert!(none.is_empty() && zeta.is_none() && searches.0.is_empty());
        assert!(second.is_some_and(|second| second != z));
        assert!([Some(z), second].into_iter().flatten().all(|z| z.pow(3).0[1..] != [Goldilocks::ZERO; 2]));
        let Ok((folded, _)) = folded.zeta::<Fp3, _>(&[3; 32], searches);
        let Ok(queries) = folded.queries(&[z], searches);
        assert!(queries.len() == 40 && queries.iter().all(|query| *query < 32) && queries.iter().any(|q| *q > 15));

        let z: Vec<u8> = z.0.iter().flat_map(|coordinate| coordinate.value().to_be_bytes()).collect();
        let mut expected = Transcript::new(&start);
        for (label, data) in [(0x10, &[1; 32][..]), (0x21, &[]), (0x12, &[2; 32]), (0x22, &[]), (0x13, &z), (0x23, &[])]
        {
            expected.absorb(label, data);
        }
        expected.absorb(0x14, &[3; 32]);
        let of_fold = expected.work(3);
        expected.absorb(0x24, &first(&of_fold).to_be_bytes());
        expected.absorb(0x15, &z);
        let of_queries = expected.work(2);
        expected.absorb(0x25, &first(&of_queries).to_be_bytes());
        let known: Vec<(Digest, u32)> =
            [of_fold, of_queries].iter().map(|search| (search.prefix, search.bits)).collect();
        let found: Vec<(Digest, u32)> = searches.0.iter().map(|search| (search.prefix, search.bits)).collect();
        assert_eq!(found, known);
        assert!(queries.iter().all(|query| *query == expected.draw_index(5)));
    }
}
