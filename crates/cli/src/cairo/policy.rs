//! The worth of proofs of programs.

use cairo::verify::MIN_QUERY_BITS;
use cairo::{AirVersion, Version};
use sdk::Error;
use sdk::circle_proof::{CAIRO_PROFILE, CircleOptions, Policy, bound};

use crate::inputs::policy::SecurityArguments;
use crate::report::exit::Failure;

impl SecurityArguments {
    /// The worth that a Cairo proof must have. A number of bits that is enough is enough of queries and work, too:
    /// every figure counts them.
    pub(crate) fn of_programs(&self) -> Result<Policy, Failure> {
        let asked = self.profile(CAIRO_PROFILE)?.unwrap_or(CAIRO_PROFILE);
        let has_bits = self.min_security_bits.is_some() || self.security.is_some_and(|asked| asked.bits.is_some());
        let min_query_bits = if has_bits { 0 } else { MIN_QUERY_BITS };
        Ok(Policy { min_query_bits, ..Policy::asking(asked) })
    }

    /// The same, and whether proofs with these options can be worth it.
    pub(crate) fn check_of_programs(&self, options: &CircleOptions) -> Result<Policy, Failure> {
        if !Version::takes(options.suite) {
            return Err(Failure::usage(cairo::prove::Error::Suite(options.suite).to_string()));
        }
        let policy = Policy { suite: options.suite, ..self.of_programs()? };
        let checked = policy.check_options(options).and_then(|()| policy.check_security(&bound(options)));
        checked.map_err(Error::from)?;
        Ok(policy)
    }
}
