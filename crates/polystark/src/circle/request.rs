//! Requests of the Circle protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::airs::{self, AirInfo, ParamKind, ShippedAir};
use circle_air::{BuildError, Statement};
use circle_proof::CircleOptions;

use super::types::Request;
use crate::error::Error;

/// What only a request of this protocol says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extras {
    /// Whether no lifting in the options means: the natural common domain where the preprocessed tree is lower than that, see
    /// [`Request::resolved_options`].
    pub lifts_if_lower: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Self { lifts_if_lower: true }
    }
}

impl Request {
    /// Log2 of the rows.
    ///
    /// # Errors
    /// [`Error::Rows`] if they are not a power of two.
    pub fn log_rows(&self) -> Result<u32, Error> {
        if self.rows.is_power_of_two() { Ok(self.rows.trailing_zeros()) } else { Err(Error::Rows(self.rows)) }
    }

    /// The options that `statement`, which is that of this request, is proven with. A preprocessed tree that is lower than the common
    /// domain can only be opened where the drawn queries happen to stay in order, which a prover learns last; lifting makes all trees
    /// equally high, so that it does not depend on luck.
    pub fn resolved_options(&self, statement: &dyn Statement) -> CircleOptions {
        if !self.extras.lifts_if_lower || self.options.lifting.is_some() {
            return self.options;
        }
        // Sizes do not depend on what is drawn.
        let components = statement.components(&vec![Default::default(); statement.draws()]);
        let rows = components.iter().map(|component| component.log_size()).max().unwrap_or(0);
        // An empty tree is not opened.
        let highest = statement.preprocessed(None).iter().map(|column| column.log_size).max();
        let is_lower = highest.is_some_and(|highest| highest < rows);
        let lifting = is_lower.then(|| rows.saturating_add(self.options.log_blowup));
        CircleOptions { lifting, ..self.options }
    }

    /// The parameters that the statement names, with the defaults of those that are not given.
    pub fn public_parameters(&self) -> BTreeMap<String, u64> {
        let params =
            info(&self.air).into_iter().flat_map(|info| info.params).filter(|param| param.kind == ParamKind::Public);
        params
            .filter_map(|param| {
                let value = self.parameters.get(param.name).copied().or(param.default)?;
                Some((param.name.to_owned(), value))
            })
            .collect()
    }
}

/// What there is to know about an AIR.
pub(super) fn info(air: &str) -> Option<&'static AirInfo> {
    airs::all().iter().find(|info| info.name == air)
}

/// The AIR with these parameters.
pub(super) fn build(
    air: &str,
    log_rows: u32,
    parameters: &BTreeMap<String, u64>,
) -> Result<Arc<dyn ShippedAir>, BuildError> {
    let parameters: Vec<(String, String)> =
        parameters.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    airs::build(air, log_rows, &parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_be_public_is() {
        for info in airs::all() {
            let parameters: BTreeMap<String, u64> =
                info.params.iter().map(|param| (param.name.to_owned(), param.default.unwrap_or(4))).collect();
            let words = |parameters: &BTreeMap<String, u64>| {
                build(info.name, info.least_log_rows.max(4), parameters).unwrap().words()
            };
            let before = words(&parameters);
            for param in info.params {
                let mut other = parameters.clone();
                *other.get_mut(param.name).unwrap() += 1;
                let is_private = param.kind == ParamKind::Private;
                assert_eq!(words(&other) == before, is_private, "{}, {}", info.name, param.name);
            }
        }
    }

    #[test]
    fn rows_are_a_power_of_two() {
        for rows in [0, 3, 48, u64::MAX] {
            assert!(matches!(Request::new("fibonacci", rows).build(), Err(Error::Rows(r)) if r == rows));
        }
        assert!(Request::new("fibonacci", 1 << 40).build().is_err());
        assert!(Request::new("fibonacci", 16).build().is_ok());
    }

    #[test]
    fn private_parameters_stay_out_of_files() {
        for (air, public) in [("wide-fibonacci", &[("w", 100)][..]), ("poseidon2", &[]), ("blake2s", &[])] {
            let mut request = Request::new(air, 32);
            request.parameters.insert("s".into(), 7);
            let public = public.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            assert_eq!(request.public_parameters(), public, "{air}");
        }
    }
}
