//! The order of all that the transcript absorbs and of all that is drawn from it (sections 6 to 9; section 6 of the
//! compact format): the one place that says so, for the prover and for the verifier, in every format and with every
//! channel.
//!
//! Each round consumes the state and returns the next, so no round can be left out, repeated or moved.
//!
//! | state | step | absorbed | drawn |
//! |---|---|---|---|
//! | | [`Main::begin`] | the seed, or the statement | |
//! | [`Main`] | [`Main::challenges`] | root of the main tree | challenges of the AIR, if it has any |
//! | [`Auxiliary`] | [`Auxiliary::beta`] | root of the auxiliary tree, if there is one | weight of the constraints |
//! | [`Composition`] | [`Composition::points`] | root of the composition tree | out-of-domain points |
//! | [`OutOfDomain`] | [`OutOfDomain::gamma`] | values at the points | weight of the DEEP terms |
//! | [`Quotient`] | [`Quotient::zeta`] | | factor of the first fold, if there is one |
//! | [`Folded`] | [`Folded::zeta`], for each layer | root of the layer | factor of its fold |
//! | [`Folded`] | [`Folded::queries`] | the last layer | query indices |
//!
//! Before each group of challenges stands a proof of work, if the options have one: [`Work`] has its nonce.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{Digest, NonceSearch};

use crate::channel::{Channel, Message};
use crate::{Draw, FormatOptions};

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

/// The transcript, and what its draws depend on.
#[derive(Debug)]
struct State<'a, O> {
    channel: Box<dyn Channel>,
    options: &'a O,
    log_rows: u32,
}

impl<O: FormatOptions> State<'_, O> {
    /// Begins a draw with its work.
    fn draw<W: Work>(&mut self, draw: Draw, work: &mut W) -> Result<(), W::Error> {
        let nonce = match self.options.work_of(draw) {
            0 => None,
            bits => Some(work.nonce(draw, &self.channel.work(bits))?),
        };
        self.channel.begin(draw, nonce);
        Ok(())
    }

    fn absorb<E: ExtensionField<Goldilocks>>(&mut self, message: Message, elements: &[E]) {
        let coordinates: Vec<Goldilocks> = elements.iter().flat_map(|element| element.coordinates()).copied().collect();
        self.channel.absorb_elements(message, &coordinates);
    }

    fn element<E: ExtensionField<Goldilocks>>(&mut self) -> E {
        let mut coordinates = vec![Goldilocks::ZERO; E::DEGREE];
        self.channel.draw_element(&mut coordinates);
        E::from_coordinates(&coordinates).expect("as many coordinates as its degree")
    }

    fn point<E: ExtensionField<Goldilocks>>(&mut self, parts: usize) -> E {
        loop {
            let z = self.element();
            if self.options.is_out_of_domain(z, self.log_rows, parts) {
                return z;
            }
        }
    }
}

/// The main columns are to be committed.
#[derive(Debug)]
pub struct Main<'a, O>(State<'a, O>);

impl<'a, O: FormatOptions> Main<'a, O> {
    /// A fresh transcript that has absorbed the seed or, in the compact format, the statement
    /// ([`crate::compact::statement()`]). The options were checked for the statement.
    pub fn begin(start: &[u8], options: &'a O, log_rows: u32) -> Self {
        Self(State { channel: options.channel(start), options, log_rows })
    }

    /// Absorbs the root of the main tree and draws the challenges of the AIR.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce, as in every round.
    pub fn challenges<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        count: usize,
        work: &mut W,
    ) -> Result<(Auxiliary<'a, O>, Vec<E>), W::Error> {
        self.0.channel.absorb_root(Message::MainRoot, root);
        if count > 0 {
            self.0.draw(Draw::Challenges, work)?;
        }
        let challenges = (0..count).map(|_| self.0.element()).collect();
        Ok((Auxiliary(self.0), challenges))
    }
}

/// The auxiliary columns are to be committed.
#[derive(Debug)]
pub struct Auxiliary<'a, O>(State<'a, O>);

impl<'a, O: FormatOptions> Auxiliary<'a, O> {
    /// Absorbs the root of the auxiliary tree, if there is one, and draws beta, whose powers weigh the constraints.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn beta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: Option<&Digest>,
        work: &mut W,
    ) -> Result<(Composition<'a, O>, E), W::Error> {
        if let Some(root) = root {
            self.0.channel.absorb_root(Message::AuxRoot, root);
        }
        self.0.draw(Draw::Constraints, work)?;
        let beta = self.0.element();
        Ok((Composition(self.0), beta))
    }
}

/// The composition parts are to be committed.
#[derive(Debug)]
pub struct Composition<'a, O>(State<'a, O>);

impl<'a, O: FormatOptions> Composition<'a, O> {
    /// Absorbs the root of the tree of so many composition parts and draws the out-of-domain points: z, and z_2 if
    /// there are two.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn points<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        parts: usize,
        work: &mut W,
    ) -> Result<(OutOfDomain<'a, O>, E, Option<E>), W::Error> {
        self.0.channel.absorb_root(Message::CompositionRoot, root);
        self.0.draw(Draw::Points, work)?;
        let z = self.0.point(parts);
        let second = self.0.options.has_second_point().then(|| self.0.point(parts));
        Ok((OutOfDomain(self.0), z, second))
    }
}

/// The columns are to be evaluated at the points.
#[derive(Debug)]
pub struct OutOfDomain<'a, O>(State<'a, O>);

impl<'a, O: FormatOptions> OutOfDomain<'a, O> {
    /// Absorbs the values that are sent, in the order of the format, and draws gamma, whose powers weigh the DEEP
    /// terms.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn gamma<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        values: &[E],
        work: &mut W,
    ) -> Result<(Quotient<'a, O>, E), W::Error> {
        self.0.absorb(Message::OutOfDomain, values);
        self.0.draw(Draw::Terms, work)?;
        let gamma = self.0.element();
        Ok((Quotient(self.0), gamma))
    }
}

/// The DEEP quotient is to be folded.
#[derive(Debug)]
pub struct Quotient<'a, O>(State<'a, O>);

impl<'a, O: FormatOptions> Quotient<'a, O> {
    /// Draws the factor of the first fold; `None` if there is none, because the first layer is the quotient itself.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn zeta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        work: &mut W,
    ) -> Result<(Folded<'a, O>, Option<E>), W::Error> {
        let mut zeta = None;
        if self.0.options.folds_quotient() {
            self.0.draw(Draw::Fold(0), work)?;
            zeta = Some(self.0.element());
        }
        Ok((Folded { state: self.0, layers: 0 }, zeta))
    }
}

/// A layer is to be committed, or sent if it is the last.
#[derive(Debug)]
pub struct Folded<'a, O> {
    state: State<'a, O>,
    /// The committed layers.
    layers: usize,
}

impl<O: FormatOptions> Folded<'_, O> {
    /// Absorbs the root of the layer's tree and draws the factor of its fold.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn zeta<E: ExtensionField<Goldilocks>, W: Work>(
        mut self,
        root: &Digest,
        work: &mut W,
    ) -> Result<(Self, E), W::Error> {
        self.layers += 1;
        self.state.channel.absorb_root(Message::LayerRoot, root);
        self.state.draw(Draw::Fold(self.layers), work)?;
        let zeta = self.state.element();
        Ok((self, zeta))
    }

    /// Absorbs the last layer, which is its value or its coefficients, and draws the query indices; some may be equal.
    ///
    /// # Errors
    /// The error of `work`, which searches the nonce.
    pub fn queries<E: ExtensionField<Goldilocks>, W: Work>(
        self,
        last: &[E],
        work: &mut W,
    ) -> Result<Vec<u64>, W::Error> {
        let mut state = self.state;
        state.absorb(Message::LastLayer, last);
        state.draw(Draw::Queries, work)?;
        let log = state.options.log_indices(state.log_rows);
        Ok((0..state.options.queries()).map(|_| state.channel.draw_index(log)).collect())
    }
}
