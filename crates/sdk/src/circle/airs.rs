//! The AIRs of the Circle protocol that come with Polystark, and proofs of statements that need no name.

use std::sync::Arc;

use air::airs::ParamDefault;
use circle_air::airs::{self, AirInfo, ShippedAir};
use circle_air::{BuildError, Statement, Trace};

use super::types::{AirInstance, Airs, Device, Family, Proven};
use crate::airs::{Param, Parameters};
use crate::error::Error;
use crate::statements::statement_error::StatementError;

impl From<Arc<dyn ShippedAir>> for AirInstance {
    fn from(air: Arc<dyn ShippedAir>) -> Self {
        Self::new(air.clone(), move || Ok(air.trace().into()))
    }
}

/// The AIRs of the protocol that come with Polystark.
pub(crate) fn shipped_airs() -> Airs {
    airs::all().iter().map(shipped_air).fold(Airs::none(), Airs::with)
}

fn shipped_air(info: &'static AirInfo) -> Family {
    let build = |rows: u64, parameters: &Parameters| {
        let parameters: Vec<_> =
            parameters.all().iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        Ok(airs::build(info.name, rows.ilog2(), &parameters)?.into())
    };
    let state = |rows: u64, parameters: &Parameters, words: &[u32]| {
        airs::stated(info.name, rows.ilog2(), parameters.all(), words).map_err(|error| match error {
            BuildError::Words { what, found, expected, .. } => {
                StatementError::Public(format!("{what} is {found}, not {expected}"))
            }
            error => error.into(),
        })
    };
    let params = info.params.iter().map(|param| Param {
        default: param.default.map(ParamDefault::Value),
        ..Param::new(param.kind, param.name, param.summary)
    });
    let family = Family::new(info.name, info.summary, build, state);
    params.fold(family.with_log_rows(info.least_log_rows..=info.most_log_rows), Family::with)
}

impl Device {
    /// Proves that a trace satisfies a statement, which may be anybody's, with the default options, which must be worth
    /// 100 provable bits. The trace is by component and column, in [`Statement::order`].
    /// [`crate::Device::prove_air_with`] takes other options.
    ///
    /// # Errors
    /// The errors of [`crate::Device::prove_air_with`].
    pub fn prove_air<S: Statement + Clone + 'static>(&self, statement: &S, trace: &Trace) -> Result<Proven, Error> {
        self.prove_air_by_default(Arc::new(statement.clone()), trace)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gpu_hal::CircleStark;

    use super::*;
    use crate::ParamKind;
    use crate::circle::Request;
    use crate::system::ProofSystem;

    fn built(air: &str, rows: u64, parameters: &BTreeMap<String, u64>) -> Result<Arc<dyn Statement>, StatementError> {
        let request = Request { parameters: parameters.clone(), ..Request::new(air, rows) };
        Airs::default().build(&request).map(|provable| provable.air)
    }

    #[test]
    fn what_is_said_to_be_public_is() {
        for family in Airs::default().all() {
            let value = |param: &Param| (param.name.clone(), param.default.map_or(4, |default| default.value(16)));
            let parameters: BTreeMap<String, u64> = family.params().iter().map(value).collect();
            let rows = 1 << *family.log_rows().start().max(&4);
            let words = |parameters: &BTreeMap<String, u64>| built(family.name(), rows, parameters).unwrap().words();
            let before = words(&parameters);
            for param in family.params() {
                let mut other = parameters.clone();
                *other.get_mut(&param.name).unwrap() += 1;
                let is_private = param.kind == ParamKind::Private;
                assert_eq!(words(&other) == before, is_private, "{}, {}", family.name(), param.name);
            }
        }
    }

    #[test]
    fn rows_are_those_of_the_statement() {
        for rows in [0, 3, 48, u64::MAX, 1 << 40] {
            let refused = built("fibonacci", rows, &BTreeMap::new()).map(drop);
            assert!(matches!(refused, Err(StatementError::Rows { rows: found, .. }) if found == rows), "{refused:?}");
        }
        for family in Airs::default().all() {
            let parameters = family.params().iter().map(|param| (param.name.clone(), param.example)).collect();
            let statement = built(family.name(), 64, &parameters).unwrap();
            assert_eq!(CircleStark::facts(&*statement).rows, 64, "{}", family.name());
        }
    }

    #[test]
    fn private_parameters_stay_out_of_files() {
        for (air, public) in [("wide-fibonacci", &[("w", 100)][..]), ("poseidon2", &[]), ("blake2s", &[])] {
            let mut request = Request::new(air, 32);
            request.parameters.insert("s".into(), 7);
            let public = public.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            assert_eq!(Airs::default().public_parameters(&request).unwrap(), public, "{air}");
        }
    }
}
