//! The order of all that the transcript of a compact proof absorbs and of all that is drawn from it (section 6): the
//! one place that says so, for the prover and for the verifier.
//!
//! Each round consumes the state and returns the next, so no round can be left out, repeated or moved.
//!
//! | state | step | absorbed | drawn |
//! |---|---|---|---|
//! | | [`Main::begin`] | the statement | |
//! | [`Main`] | [`Main::challenges`] | root of the main tree | challenges of the AIR, if it has any |
//! | [`Auxiliary`] | [`Auxiliary::beta`] | root of the auxiliary tree, if there is one | weight of the constraints |
//! | [`Composition`] | [`Composition::points`] | root of the composition tree | out-of-domain points |
//! | [`OutOfDomain`] | [`OutOfDomain::gamma`] | values at the points | weight of the DEEP terms |
//! | [`Quotient`] | [`Quotient::zeta`] | | factor of the first fold, if there is one |
//! | [`Folded`] | [`Folded::zeta`], for each layer | root of the layer | factor of its fold |
//! | [`Folded`] | [`Folded::queries`] | coefficients of the last layer | query indices |
//!
//! Before each group of challenges stands a proof of work, if the options have one: [`Work`] has its nonce.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::{CosetProtocol, Digest, NonceSearch};

use super::transcript::Transcript;
use super::{Draw, Options, Sizes};

/// Tag and version of the statement. Other contents, another tag.
const TAG: &[u8] = b"polystark compact transcript 1";

const MAIN_ROOT: u8 = 0x10;
const AUX_ROOT: u8 = 0x11;
const COMPOSITION_ROOT: u8 = 0x12;
const OUT_OF_DOMAIN: u8 = 0x13;
const LAYER_ROOT: u8 = 0x14;
const LAST_LAYER: u8 = 0x15;

/// The digest of the AIR in the statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AirDigest<'a> {
    /// That of the recorded AIR.
    #[default]
    Recorded,
    /// The one of a test vector.
    Given(&'a Digest),
}

impl AirDigest<'_> {
    /// Its bytes; the argument has those of the recorded AIR.
    pub fn bytes(self, recorded: impl FnOnce() -> Digest) -> Digest {
        match self {
            Self::Recorded => recorded(),
            Self::Given(digest) => *digest,
        }
    }
}

/// The nonces of a proof. A prover looks for them, a verifier reads and checks them.
pub trait Work {
    /// Why there is none.
    type Error;

    /// The nonce before a draw that has work.
    ///
    /// # Errors
    /// There is none, or none that will do.
    fn nonce(&mut self, draw: Draw, search: &NonceSearch) -> Result<u64, Self::Error>;
}

#[derive(Clone, Debug)]
struct State<'a> {
    transcript: Transcript,
    options: &'a Options,
    log_rows: u32,
}

impl State<'_> {
    /// Begins a draw with its work.
    fn draw<W: Work>(&mut self, draw: Draw, work: &mut W) -> Result<(), W::Error> {
        let nonce = match self.options.work_of(draw) {
            0 => None,
            bits => Some(work.nonce(draw, &self.transcript.search(bits))?),
        };
        self.transcript.begin(draw, nonce);
        Ok(())
    }
}

/// The main columns are to be committed.
#[derive(Clone, Debug)]
pub struct Main<'a>(State<'a>);

impl<'a> Main<'a> {
    /// The state after the statement, of which the AIR is its digest. The options were checked for it.
    pub fn begin<P: CosetProtocol>(
        air: &Digest,
        sizes: &Sizes,
        public_inputs: &[Goldilocks],
        options: &'a Options,
    ) -> Self {
        let mut bytes = Vec::new();
        let mut int = |value: u64, data: &[u8]| {
            bytes.extend_from_slice(&value.to_be_bytes());
            bytes.extend_from_slice(data);
        };
        int(TAG.len() as u64, TAG);
        int(P::NAME.len() as u64, P::NAME.as_bytes());
        int(P::DEGREE as u64, air);
        int(1 << sizes.log_rows, &[]);
        let counts = [sizes.main, sizes.aux, sizes.frame_rows, sizes.challenges, sizes.parts];
        counts.into_iter().for_each(|count| int(count as u64, &[]));
        let of_options = options.to_bytes();
        int(of_options.len() as u64, &of_options);
        int(public_inputs.len() as u64, &[]);
        public_inputs.iter().for_each(|input| int(input.value(), &[]));
        Self(State { transcript: Transcript::new(&bytes), options, log_rows: sizes.log_rows })
    }

    /// Absorbs the root of the main tree and draws the challenges of the AIR.
    ///
    /// # Errors
    /// Those of the work, as in every round.
    pub fn challenges<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        count: usize,
        work: &mut W,
    ) -> Result<(Auxiliary<'a>, Vec<E>), W::Error> {
        self.0.transcript.absorb(MAIN_ROOT, root);
        if count > 0 {
            self.0.draw(Draw::Challenges, work)?;
        }
        let challenges = (0..count).map(|_| self.0.transcript.element()).collect();
        Ok((Auxiliary(self.0), challenges))
    }
}

/// The auxiliary columns are to be committed.
#[derive(Clone, Debug)]
pub struct Auxiliary<'a>(State<'a>);

impl<'a> Auxiliary<'a> {
    /// Absorbs the root of the auxiliary tree, if there is one, and draws beta, whose powers weigh the constraints.
    ///
    /// # Errors
    /// Those of the work.
    pub fn beta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: Option<&Digest>,
        work: &mut W,
    ) -> Result<(Composition<'a>, E), W::Error> {
        if let Some(root) = root {
            self.0.transcript.absorb(AUX_ROOT, root);
        }
        self.0.draw(Draw::Constraints, work)?;
        let beta = self.0.transcript.element();
        Ok((Composition(self.0), beta))
    }
}

/// The composition parts are to be committed.
#[derive(Clone, Debug)]
pub struct Composition<'a>(State<'a>);

impl<'a> Composition<'a> {
    /// Absorbs the root of the tree of so many composition parts and draws the out-of-domain points: z, and z_2 if
    /// there are two.
    ///
    /// # Errors
    /// Those of the work.
    pub fn points<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        parts: usize,
        work: &mut W,
    ) -> Result<(OutOfDomain<'a>, E, Option<E>), W::Error> {
        self.0.transcript.absorb(COMPOSITION_ROOT, root);
        self.0.draw(Draw::Points, work)?;
        let z = self.0.transcript.point(parts);
        let second = (self.0.options.points > 1).then(|| self.0.transcript.point(parts));
        Ok((OutOfDomain(self.0), z, second))
    }
}

/// The columns are to be evaluated at the points.
#[derive(Clone, Debug)]
pub struct OutOfDomain<'a>(State<'a>);

impl<'a> OutOfDomain<'a> {
    /// Absorbs the values that are sent, and draws gamma, whose powers weigh the DEEP terms.
    ///
    /// # Errors
    /// Those of the work.
    pub fn gamma<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        values: &[E],
        work: &mut W,
    ) -> Result<(Quotient<'a>, E), W::Error> {
        self.0.transcript.absorb_elements(OUT_OF_DOMAIN, values);
        self.0.draw(Draw::Terms, work)?;
        let gamma = self.0.transcript.element();
        Ok((Quotient(self.0), gamma))
    }
}

/// The DEEP quotient is to be folded.
#[derive(Clone, Debug)]
pub struct Quotient<'a>(State<'a>);

impl<'a> Quotient<'a> {
    /// Draws the factor of the first fold; `None` if there is none, because the first layer is the quotient itself.
    ///
    /// # Errors
    /// Those of the work.
    pub fn zeta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        work: &mut W,
    ) -> Result<(Folded<'a>, Option<E>), W::Error> {
        let mut zeta = None;
        if self.0.options.log_leaf() > 0 {
            self.0.draw(Draw::Fold(0), work)?;
            zeta = Some(self.0.transcript.element());
        }
        Ok((Folded { state: self.0, layers: 0 }, zeta))
    }
}

/// A layer is to be committed, or given by its coefficients if it is the last.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    state: State<'a>,
    /// Those that are committed.
    layers: usize,
}

impl Folded<'_> {
    /// Absorbs the root of the layer's tree and draws the factor of its fold.
    ///
    /// # Errors
    /// Those of the work.
    pub fn zeta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        work: &mut W,
    ) -> Result<(Self, E), W::Error> {
        self.layers += 1;
        self.state.transcript.absorb(LAYER_ROOT, root);
        self.state.draw(Draw::Fold(self.layers), work)?;
        let zeta = self.state.transcript.element();
        Ok((self, zeta))
    }

    /// Absorbs the coefficients of the last layer and draws the query indices: leaves of the first trees; some may be
    /// equal.
    ///
    /// # Errors
    /// Those of the work.
    pub fn queries<E: ExtensionField<Goldilocks>, W: Work>(
        self,
        last: &[E],
        work: &mut W,
    ) -> Result<Vec<u64>, W::Error> {
        let mut state = self.state;
        state.transcript.absorb_elements(LAST_LAYER, last);
        state.draw(Draw::Queries, work)?;
        let log = state.options.lde_domain(state.log_rows).log_size - state.options.log_leaf();
        Ok((0..state.options.queries).map(|_| state.transcript.index(log)).collect())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use field::{Field, Fp3};
    use gpu_hal::GoldilocksStark;

    use super::super::Suite;
    use super::*;

    fn hex(bytes: &[u8]) -> alloc::string::String {
        bytes.iter().map(|byte| alloc::format!("{byte:02x}")).collect()
    }

    /// The bytes of the options and the first state of the vectors of section 16.
    #[test]
    fn the_statements_of_the_text() {
        let rap = Sizes { log_rows: 6, main: 2, aux: 1, frame_rows: 3, challenges: 1, parts: 1 };
        let quadratic = Sizes { main: 1, aux: 0, frame_rows: 2, challenges: 0, parts: 2, ..rap };
        let options = |blowup, queries, coset_offset, points, folds, log_last, work| {
            let suite = Suite::Keccak256;
            Options { blowup, queries, coset_offset, points, folds, log_last, work, suite }
        };
        let three = [Goldilocks::new(3)];
        let vectors: [(_, &[Goldilocks], _, _, _, _); 3] = [
            (
                rap,
                &[],
                [0x11; 32],
                options(4, 5, 3, 1, vec![3, 2], 1, vec![1, 2, 3, 0, 4, 1, 5]),
                "02000000050000000000000003000300010103020101020300040105",
                "c5c065f2b04a8e66de6f7e3d8577aa57e08ec251eb4b4c121fcdacc0da6d41c9",
            ),
            (
                rap,
                &[],
                [0x11; 32],
                options(4, 6, 7, 2, vec![0, 3, 1], 2, vec![0, 0, 0, 3, 0, 2, 0, 4]),
                "020000000600000000000000070003000202000301020000000300020004",
                "a549c3357f90b2216132de0e6e8800bef247be12c922c272da0f50b3967378a9",
            ),
            (
                quadratic,
                &three,
                [0x22; 32],
                options(2, 7, 3, 1, vec![1, 1, 4], 0, vec![0, 1, 0, 0, 0, 1, 0, 3]),
                "010000000700000000000000030003000102010104000001000000010003",
                "45eab4bca1263cedf5af3817381fb4c3c51cad07f25321ac5d50e237e115ff27",
            ),
        ];
        for (sizes, inputs, digest, options, bytes, state) in vectors {
            assert_eq!(hex(&options.to_bytes()), bytes);
            let main = Main::begin::<GoldilocksStark>(&digest, &sizes, inputs, &options);
            assert_eq!(hex(&main.0.transcript.state()), state);
        }
    }

    /// A draw of nothing absorbs nothing, one without work an empty message.
    #[test]
    fn draws_have_states_of_their_own() {
        struct Any;
        impl Work for Any {
            type Error = core::convert::Infallible;
            fn nonce(&mut self, _: Draw, search: &NonceSearch) -> Result<u64, Self::Error> {
                Ok((0..).find(|nonce| search.is_work(*nonce)).unwrap_or_default())
            }
        }
        let sizes = Sizes { log_rows: 4, main: 1, aux: 0, frame_rows: 1, challenges: 0, parts: 1 };
        let (folds, work) = (vec![0, 2], vec![0, 0, 0, 0, 0, 3, 0]);
        let options = Options {
            blowup: 2,
            queries: 40,
            coset_offset: 3,
            points: 2,
            folds,
            log_last: 2,
            work,
            suite: Suite::Keccak256,
        };
        let main = Main::begin::<GoldilocksStark>(&[7; 32], &sizes, &[], &options);
        let mut expected = main.0.transcript.clone();
        let Ok((auxiliary, none)) = main.challenges::<Fp3, _>(&[1; 32], 0, &mut Any);
        let Ok((composition, _)) = auxiliary.beta::<Fp3, _>(None, &mut Any);
        let Ok((out_of_domain, z, second)) = composition.points::<Fp3, _>(&[2; 32], 3, &mut Any);
        let Ok((quotient, _)) = out_of_domain.gamma(&[z], &mut Any);
        let Ok((folded, zeta)) = quotient.zeta::<Fp3, _>(&mut Any);
        assert!(none.is_empty() && zeta.is_none());
        assert!(second.is_some_and(|second| second != z));
        assert!([Some(z), second].into_iter().flatten().all(|z| z.pow(3).0[1..] != [Goldilocks::ZERO; 2]));
        for (label, data) in [(0x10, &[1; 32][..]), (0x21, &[]), (0x12, &[2; 32]), (0x22, &[])] {
            expected.absorb(label, data);
        }
        expected.absorb_elements(0x13, &[z]);
        expected.absorb(0x23, &[]);
        assert_eq!(folded.state.transcript.state(), expected.state());
        let Ok((folded, _)) = folded.zeta::<Fp3, _>(&[3; 32], &mut Any);
        expected.absorb(0x14, &[3; 32]);
        let search = expected.search(3);
        let nonce: u64 = (0..).find(|nonce| search.is_work(*nonce)).expect("soon");
        expected.absorb(0x24, &nonce.to_be_bytes());
        assert_eq!(folded.state.transcript.state(), expected.state());
        let Ok(queries) = folded.queries(&[z], &mut Any);
        assert!(queries.len() == 40 && queries.iter().all(|query| *query < 32) && queries.iter().any(|q| *q > 15));
    }
}
