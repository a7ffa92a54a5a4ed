//! Requests of the Circle protocol.

use circle_air::Statement;
use circle_proof::CircleOptions;

use super::types::Request;

/// The parts of a request that only this protocol has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extras {
    /// Whether no lifting in the options means: the natural common domain where the preprocessed tree is lower than
    /// that, see [`Request::resolved_options`].
    pub lifts_if_lower: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Self { lifts_if_lower: true }
    }
}

impl Request {
    /// The options that `statement`, which is that of this request, is proven with. A preprocessed tree that is lower
    /// than the common domain can only be opened where the drawn queries happen to stay in order, which a prover learns
    /// last; lifting makes all trees equally high, so that it does not depend on luck.
    pub fn resolved_options(&self, statement: &dyn Statement) -> CircleOptions {
        if !self.extras.lifts_if_lower || self.options.lifting.is_some() {
            return self.options;
        }
        // Sizes do not depend on drawn elements or claims.
        let components = statement.components(&vec![Default::default(); statement.draws() + statement.claims()]);
        let rows = components.iter().map(|component| component.log_size()).max().unwrap_or(0);
        // An empty tree is not opened.
        let highest = statement.preprocessed(None).iter().map(|column| column.log_size).max();
        let is_lower = highest.is_some_and(|highest| highest < rows);
        let lifting = is_lower.then(|| rows.saturating_add(self.options.log_blowup));
        CircleOptions { lifting, ..self.options }
    }
}
