//! The AIRs that a program knows, by name.

mod family;
mod file;
#[cfg(feature = "trace-file")]
mod trace_file;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use family::{AirInstance, Family, Param, Parameters};
pub use file::{MAX_AIR_FILE, air_file_name};
use proof_format::security::Rounds;
use proof_format::{Profile, Security};

use crate::error::Error;
use crate::statements::statement_error::StatementError;
use crate::system::{AirFacts, FileContents, ProofSystem, Request};

/// The AIRs of a program by name: requests and files can be about them.
///
/// A file names its AIR and never brings constraints, so a verifier decides about no constraints except the ones in
/// here.
pub struct Airs<F: ProofSystem>(Vec<Arc<Family<F>>>);

impl<F: ProofSystem> Clone for Airs<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: ProofSystem> fmt::Debug for Airs<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().map(Family::name)).finish()
    }
}

impl<F: ProofSystem> Airs<F> {
    /// None.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// The same and one more, which takes the place of one of the same name.
    #[must_use]
    pub fn with(mut self, family: Family<F>) -> Self {
        self.0.retain(|known| known.name() != family.name());
        self.0.push(Arc::new(family));
        self
    }

    /// All of them, in the order in which they came.
    pub fn all(&self) -> impl Iterator<Item = &Family<F>> {
        self.0.iter().map(|family| &**family)
    }

    /// The one of that name.
    pub fn get(&self, name: &str) -> Option<&Family<F>> {
        self.all().find(|family| family.name() == name)
    }

    fn names(&self) -> Vec<String> {
        self.all().map(|family| family.name().to_owned()).collect()
    }

    fn find(&self, name: &str) -> Result<&Family<F>, StatementError> {
        self.get(name).ok_or_else(|| StatementError::UnknownAir { name: name.to_owned(), known: self.names() })
    }

    /// Whether files of this AIR hold no more of the parameter than public values that are computed from it.
    pub(crate) fn is_preimage(&self, air: &str, parameter: &str) -> bool {
        self.get(air).is_some_and(|family| family.is_preimage(parameter))
    }

    /// The statement of a request. Some AIRs compute their public values from the trace, so this may take as long as
    /// the trace.
    ///
    /// # Errors
    /// If there is no such AIR, or not with these rows or parameters.
    pub fn build(&self, request: &Request<F>) -> Result<AirInstance<F>, StatementError> {
        self.find(&request.air)?.build(request.rows, &request.parameters)
    }

    /// The parameters of a request that its file will hold, with the defaults of missing ones.
    ///
    /// # Errors
    /// If there is no such AIR, or not with these parameters.
    pub fn public_parameters(&self, request: &Request<F>) -> Result<BTreeMap<String, u64>, StatementError> {
        self.find(&request.air)?.public_parameters(request.rows, &request.parameters)
    }
}

impl<F: ProofSystem> Airs<F> {
    /// A single statement by its own name, such as one that [`crate::Device::prove_air`] has proven: files of other
    /// statements are refused. A verifier builds the AIR from the public values that it believes in.
    pub fn of(air: Arc<F::Air>) -> Self {
        let AirFacts { name, rows, .. } = F::facts(&air);
        Self::none().with(Family::of_statement(name.to_owned(), String::new(), air.clone(), rows))
    }

    /// The statement of a file: that of the AIR which it names, and it has exactly the public values that the file
    /// says.
    ///
    /// # Errors
    /// [`Error::ForeignAir`] if no such AIR is in here; [`Error::Statement`], [`Error::PublicInputs`] if there is no
    /// such statement.
    pub fn stated(&self, file: &F::File) -> Result<Arc<F::Air>, Error> {
        let FileContents { air: name, rows, parameters, public_inputs, .. } = F::stated(file);
        let foreign = || Error::ForeignAir { name: name.to_owned(), known: self.names() };
        let family = self.get(name).ok_or_else(foreign)?;
        let air = family.stated(rows, parameters, public_inputs).map_err(|error| match error {
            StatementError::Public(reason) => Error::PublicInputs(reason),
            error => Error::Statement(Box::new(error)),
        })?;
        let facts = F::facts(&air);
        if facts.rows != rows {
            let reason = format!("`{name}` was built for {} rows, not for {rows}", facts.rows);
            return Err(Error::Statement(Box::new(StatementError::Other(reason))));
        }
        check_public::<F>(public_inputs, &facts.public).map_err(Error::PublicInputs)?;
        Ok(air)
    }

    /// The security that the options of a file are worth, whether or not its proof is valid. Takes no time by the rows,
    /// unless preprocessed columns are read that say how often a statement looks up
    /// ([`circle_air::RecordedStatement::lookups`]).
    ///
    /// # Errors
    /// If the statement does not exist, or cannot be proven with these options.
    pub fn security(&self, file: &F::File) -> Result<Security, Error> {
        Ok(self.rounds(file)?.security())
    }

    /// The rounds of the proof in a file, whether or not it is valid: [`Rounds::table`] gives the bits of each. Takes
    /// as much time as [`Self::security`].
    ///
    /// # Errors
    /// If the statement does not exist, or cannot be proven with these options.
    pub fn rounds(&self, file: &F::File) -> Result<Rounds, Error> {
        F::rounds(file, &*self.stated(file)?)
    }

    /// The rounds of a proof that is asked for.
    ///
    /// # Errors
    /// If the statement does not exist, or cannot be proven with these options.
    pub fn rounds_of(&self, request: &Request<F>) -> Result<Rounds, Error> {
        F::rounds_of(request, &*self.build(request)?.air)
    }

    /// The cheapest options for the statement of a request that reach a profile, with the given ones;
    /// `goldilocks_proof::cheapest` and `circle_proof::cheapest` say which options are cheap. The request's own options
    /// count if they have no part in it: coset offset and hash function of Goldilocks, lifting of Circle.
    ///
    /// ```
    /// # use polystark_sdk as polystark;
    /// use polystark::circle::{Airs, Request};
    ///
    /// let airs = Airs::default();
    /// let mut request = Request::new("fibonacci", 16);
    /// request.options = airs.cheapest(&request, &Default::default(), "provable-80".parse()?)?;
    /// assert_eq!(airs.rounds_of(&request)?.security().provable.bits, 80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfReach`] with the most that any options reach; or if the statement does not exist, or has no
    /// proofs.
    pub fn cheapest(
        &self,
        request: &Request<F>,
        given: &F::FixedOptions,
        profile: Profile,
    ) -> Result<F::Options, Error> {
        F::cheapest(request, &*self.build(request)?.air, given, profile)
    }
}

/// The public values are a function of the statement; the file repeats them for its reader.
fn check_public<F: ProofSystem>(found: &[F::Public], expected: &[F::Public]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("there are {}, not {}", found.len(), expected.len()));
    }
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(at) => Err(format!("number {at} is {}, not {}", found[at], expected[at])),
    }
}
