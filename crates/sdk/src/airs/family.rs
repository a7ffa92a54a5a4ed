//! An AIR that a program knows by name.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use air::airs::{FREE, ParamDefault, ParamKind};
use proof_format::file::is_name;

use crate::error::Error;
use crate::statements::statement_error::StatementError;
use crate::system::ProofSystem;

/// A parameter of an AIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its meaning and range.
    pub summary: String,
    /// Whether a file holds it.
    pub kind: ParamKind,
    /// The value if none is given; `None` if one must be given.
    pub default: Option<ParamDefault>,
    /// Whether a file leaves it out where it has its default.
    pub unstated: bool,
    /// A value that it can have, for programs that go through all AIRs: `polystark kernels` takes it where there is no
    /// default.
    pub example: u64,
}

impl Param {
    /// A parameter of a kind that must be given.
    pub fn new(kind: ParamKind, name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), summary: summary.into(), kind, default: None, unstated: false, example: 4 }
    }

    /// One that the statement depends on, and that files hold.
    pub fn public(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self::new(ParamKind::Public, name, summary)
    }

    /// One that the trace depends on, and that no verifier learns.
    pub fn private(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self::new(ParamKind::Private, name, summary)
    }

    /// Its value among given ones: its default, which may depend on the rows that are free, if it is not there.
    pub fn value(&self, rows: u64, given: &BTreeMap<String, u64>) -> Option<u64> {
        let used = rows.saturating_sub(given.get(FREE.name).copied().unwrap_or(0));
        given.get(&self.name).copied().or_else(|| Some(self.default?.value(used)))
    }

    /// The value with which a file leaves it out, if there is one.
    pub fn left_out(&self, rows: u64) -> Option<u64> {
        self.default.filter(|_| self.unstated).map(|default| default.value(rows))
    }

    /// It has this value if none is given.
    #[must_use]
    pub fn or(self, value: u64) -> Self {
        Self { default: Some(ParamDefault::Value(value)), ..self }
    }
}

/// The parameters of a statement by name. A prover has all that the AIR declares, a verifier the public ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(pub(super) BTreeMap<String, u64>);

impl Parameters {
    /// The value of a parameter.
    ///
    /// # Errors
    /// [`StatementError::NoValue`] if it is not there.
    pub fn get(&self, name: &str) -> Result<u64, StatementError> {
        self.0.get(name).copied().ok_or_else(|| StatementError::NoValue { param: name.to_owned() })
    }

    /// All of them.
    pub fn all(&self) -> &BTreeMap<String, u64> {
        &self.0
    }
}

type MakeTrace<F> = dyn Fn() -> Result<<F as ProofSystem>::Trace, StatementError> + Send + Sync;

/// A statement, and how its trace is made on the host.
pub struct AirInstance<F: ProofSystem> {
    /// The statement.
    pub air: Arc<F::Air>,
    trace: Arc<MakeTrace<F>>,
}

impl<F: ProofSystem> Clone for AirInstance<F> {
    fn clone(&self) -> Self {
        Self { air: self.air.clone(), trace: self.trace.clone() }
    }
}

impl<F: ProofSystem> AirInstance<F> {
    /// A statement whose main columns `trace` makes. It is called when the columns are uploaded: not at all where the
    /// device makes them, and once for each proof.
    pub fn new(air: Arc<F::Air>, trace: impl Fn() -> Result<F::Trace, StatementError> + Send + Sync + 'static) -> Self {
        Self { air, trace: Arc::new(trace) }
    }

    /// The main columns.
    ///
    /// # Errors
    /// Why there are none.
    pub fn trace(&self) -> Result<F::Trace, StatementError> {
        (self.trace)()
    }
}

impl<F: ProofSystem> AirInstance<F> {
    /// Makes the trace, and evaluates every constraint on every row of it, and the lookups, on the host: no proof, no
    /// device.
    ///
    /// # Errors
    /// `Trace` of the protocol's error: the first `limit` findings of a kind. [`Error::Air`] if there is no trace.
    pub fn check(&self, limit: usize) -> Result<(), Error> {
        F::check_trace(&self.air, &self.trace()?, limit)
    }
}

type Build<F> = dyn Fn(u64, &Parameters) -> Result<AirInstance<F>, StatementError> + Send + Sync;
type Guess<F> = dyn Fn(&<F as ProofSystem>::Air) -> Vec<BTreeMap<String, u64>> + Send + Sync;
type State<F> = dyn Fn(u64, &Parameters, &[<F as ProofSystem>::Public]) -> Result<Arc<<F as ProofSystem>::Air>, StatementError>
    + Send
    + Sync;

/// An AIR by name, with the functions by which a program proves and verifies its statements.
pub struct Family<F: ProofSystem> {
    name: String,
    summary: String,
    params: Vec<Param>,
    log_rows: RangeInclusive<u32>,
    pub(super) build: Box<Build<F>>,
    state: Box<State<F>>,
    guess: Option<Box<Guess<F>>>,
}

impl<F: ProofSystem> fmt::Debug for Family<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family").field("name", &self.name).field("params", &self.params).finish_non_exhaustive()
    }
}

/// Log2 of the rows that a trace may have, unless said.
const LOG_ROWS: RangeInclusive<u32> = 1..=32;

impl<F: ProofSystem> Family<F> {
    /// An AIR of that name, which files hold: 1 to 64 characters of `a-z A-Z 0-9 - _ .`.
    ///
    /// Provers call `build`, with the rows and all parameters.
    ///
    /// `state` is for verifiers, with a file's values: rows, public parameters, public values (public inputs of
    /// Goldilocks, words of Circle). It makes the statement that has these values, and must take no time or memory by
    /// the rows. In any case the statement must name exactly these values, or the file is refused. It decides the
    /// proven statement: a value that it takes from elsewhere than from its arguments is no part of the statement.
    pub fn new(
        name: impl Into<String>,
        summary: impl Into<String>,
        build: impl Fn(u64, &Parameters) -> Result<AirInstance<F>, StatementError> + Send + Sync + 'static,
        state: impl Fn(u64, &Parameters, &[F::Public]) -> Result<Arc<F::Air>, StatementError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            summary: summary.into(),
            params: Vec::new(),
            log_rows: LOG_ROWS,
            build: Box::new(build),
            state: Box::new(state),
            guess: None,
        }
    }

    /// An AIR whose statement follows from rows and public parameters: a verifier builds the same one as the prover.
    /// `build` may take no time or memory by the rows; the trace is for [`AirInstance::trace`] to make.
    pub fn of_parameters(
        name: impl Into<String>,
        summary: impl Into<String>,
        build: impl Fn(u64, &Parameters) -> Result<AirInstance<F>, StatementError> + Send + Sync + 'static,
    ) -> Self {
        let build = Arc::new(build);
        let of_file = build.clone();
        Self::new(
            name,
            summary,
            move |rows, parameters| build(rows, parameters),
            move |rows, parameters, _| of_file(rows, parameters).map(|provable| provable.air),
        )
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with(mut self, param: Param) -> Self {
        self.params.push(param);
        self
    }

    /// The same, for this many rows, by log2: 2^1 to 2^32 unless said.
    #[must_use]
    pub fn with_log_rows(self, log_rows: RangeInclusive<u32>) -> Self {
        Self { log_rows, ..self }
    }

    /// The same; `guess` reads off a statement the public parameters that it may have, where it may have others than
    /// the defaults. By them a file of its constraints is known again ([`crate::Airs::has_recorded`]).
    #[must_use]
    pub fn with_guess(self, guess: impl Fn(&F::Air) -> Vec<BTreeMap<String, u64>> + Send + Sync + 'static) -> Self {
        Self { guess: Some(Box::new(guess)), ..self }
    }

    /// The public parameters that a statement of `rows` rows may have, if it is one of this AIR.
    pub(super) fn guesses(&self, air: &F::Air, rows: u64) -> Vec<BTreeMap<String, u64>> {
        let public = self.params.iter().filter(|param| param.kind == ParamKind::Public);
        let public = public.filter(|param| param.left_out(rows).is_none());
        let default = |param: &Param| Some((param.name.clone(), param.default?.value(rows)));
        let defaults: Option<BTreeMap<String, u64>> = public.map(default).collect();
        let guessed = self.guess.as_ref().map_or_else(Vec::new, |guess| guess(air));
        defaults.into_iter().chain(guessed).collect()
    }

    /// A single statement of `rows` rows, which comes without a trace.
    pub(super) fn of_statement(name: String, summary: String, air: Arc<F::Air>, rows: u64) -> Self {
        let (without_trace, stated, log_rows) = (name.clone(), air.clone(), rows.trailing_zeros());
        let build = move |_, _: &Parameters| {
            let name = without_trace.clone();
            Ok(AirInstance::new(air.clone(), move || Err(StatementError::NoTrace(name.clone()))))
        };
        let family = Self::new(name, summary, build, move |_, _, _| Ok(stated.clone()));
        family.with_log_rows(log_rows..=log_rows)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The claim that a proof of it makes.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Whether it takes rows that no constraint reads as a parameter.
    pub fn takes_free_rows(&self) -> bool {
        self.params.iter().any(|param| param.unstated && param.name == FREE.name)
    }

    /// Its parameters besides the number of rows.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Log2 of the rows that it may have.
    pub fn log_rows(&self) -> RangeInclusive<u32> {
        self.log_rows.clone()
    }

    /// Whether public values are computed from this parameter, so that files do not hold it.
    pub(crate) fn is_preimage(&self, name: &str) -> bool {
        self.params.iter().any(|param| param.kind == ParamKind::Preimage && param.name == name)
    }

    fn check_rows(&self, rows: u64) -> Result<(), StatementError> {
        let (least, most) = (*self.log_rows.start(), *self.log_rows.end());
        if rows.is_power_of_two() && self.log_rows.contains(&rows.trailing_zeros()) {
            return Ok(());
        }
        Err(StatementError::Rows { air: self.name.clone(), rows, least, most })
    }

    /// The value of each parameter of a request, with the defaults of missing ones.
    fn resolved(&self, rows: u64, given: &BTreeMap<String, u64>) -> Result<Parameters, StatementError> {
        self.check_known(given, &|_| true)?;
        let value = |param: &Param| match param.value(rows, given) {
            Some(value) => Ok((param.name.clone(), value)),
            None => Err(self.missing(param)),
        };
        self.params.iter().map(value).collect::<Result<_, _>>().map(Parameters)
    }

    /// The parameters of a request that files hold.
    ///
    /// # Errors
    /// A parameter that does not exist, or one that is missing.
    pub fn public_parameters(
        &self,
        rows: u64,
        given: &BTreeMap<String, u64>,
    ) -> Result<BTreeMap<String, u64>, StatementError> {
        let Parameters(mut all) = self.resolved(rows, given)?;
        let is_stated = |name: &str, value| {
            let is_it = |param: &Param| param.kind == ParamKind::Public && param.name == name;
            self.params.iter().any(|param| is_it(param) && param.left_out(rows) != Some(value))
        };
        all.retain(|name, value| is_stated(name, *value));
        Ok(all)
    }

    /// The statement that a request asks for.
    pub(super) fn build(&self, rows: u64, given: &BTreeMap<String, u64>) -> Result<AirInstance<F>, StatementError> {
        let names = std::iter::once(&self.name).chain(self.params.iter().map(|param| &param.name));
        if let Some(name) = names.into_iter().find(|name| !is_name(name)) {
            return Err(StatementError::Name(name.clone()));
        }
        self.check_rows(rows)?;
        (self.build)(rows, &self.resolved(rows, given)?)
    }

    /// The statement of a file.
    pub(super) fn stated(
        &self,
        rows: u64,
        given: &BTreeMap<String, u64>,
        public: &[F::Public],
    ) -> Result<Arc<F::Air>, StatementError> {
        self.check_rows(rows)?;
        let is_public = |param: &Param| param.kind == ParamKind::Public;
        self.check_known(given, &is_public)?;
        let mut all = given.clone();
        for param in self.params.iter().filter(|param| is_public(param)) {
            // Both would give one statement two files: another default, and one that is stated.
            match (given.get(&param.name), param.left_out(rows)) {
                (None, None) => return Err(self.missing(param)),
                (None, Some(default)) => {
                    all.insert(param.name.clone(), default);
                }
                (Some(value), Some(default)) if *value == default => {
                    return Err(StatementError::Stated { air: self.name.clone(), param: param.name.clone(), default });
                }
                (Some(_), _) => {}
            }
        }
        (self.state)(rows, &Parameters(all), public)
    }

    fn check_known(
        &self,
        given: &BTreeMap<String, u64>,
        is_known: &dyn Fn(&Param) -> bool,
    ) -> Result<(), StatementError> {
        let known: Vec<_> = self.params.iter().filter(|param| is_known(param)).map(|param| &param.name).collect();
        match given.keys().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(param) => Err(StatementError::UnknownParam {
                air: self.name.clone(),
                param: param.clone(),
                known: known.into_iter().cloned().collect(),
            }),
        }
    }

    fn missing(&self, param: &Param) -> StatementError {
        let Param { name, summary, .. } = param.clone();
        StatementError::MissingParam { air: self.name.clone(), param: name, summary }
    }
}
