//! The statement that the malicious prover proves in place of the true one: the words that it mixes and the AIR that it
//! believes in.

use std::sync::Arc;

use cairo::air_1_3::elements;
use cairo_air::claims::CairoClaim;
use circle_air::{AirComponent, Altered, ClaimedSumError, Mixes, Statement};
use field::{Field, M31, QM31};

use super::air::{Changes, changed};

/// The false sum of the lookups.
#[derive(Clone, Debug)]
pub(super) enum Surplus {
    /// Something in one component.
    One,
    /// The same in one and the opposite in another.
    Two,
    /// In another component the opposite of the surplus of one row of a component, so that all cancel.
    Off {
        /// The number of the component.
        component: usize,
        /// The row before it was changed, and as it is.
        rows: [Vec<M31>; 2],
    },
}

/// The components in which the surplus is: every run has them.
const FIRST: &str = "ret_opcode";
const SECOND: &str = "verify_instruction";

/// The instructions for the prover.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) statement: Arc<dyn Statement>,
    /// Names of all components in order.
    pub(super) names: Vec<String>,
    /// The true claim, in which segments of a variant are moved.
    pub(super) claim: CairoClaim,
    pub(super) mixes: Mixes,
    /// Components without their constraints.
    pub(super) loose: Vec<&'static str>,
    pub(super) surplus: Option<Surplus>,
}

impl Told {
    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|of| of == name)
    }

    /// The surplus of each row of the first component and of the second.
    fn surplus(&self, drawn: &[QM31], components: &[Box<dyn AirComponent>]) -> [Option<QM31>; 2] {
        // As many rows as there are in both, so that the totals are opposites.
        let rows = |name: &str| self.place(name).map_or(1, |place| 1 << components[place].log_size());
        let per_row = |total: QM31, name: &str| total * M31::new(rows(name)).inverse().unwrap_or(M31::ONE);
        // Other than the value recorded with other elements: a parameter.
        let any = drawn[0] * drawn[1] + M31::new(3);
        match &self.surplus {
            None => [None, None],
            Some(Surplus::One) => [Some(per_row(any, FIRST)), None],
            Some(Surplus::Two) => [Some(per_row(any, FIRST)), Some(per_row(-any, SECOND))],
            Some(Surplus::Off { component, rows }) => {
                let [before, after] = [0, 1].map(|row| looked_up(&*components[*component], &rows[row]));
                [Some(per_row(before - after, FIRST)), None]
            }
        }
    }
}

/// The sum of a row's lookups. The component reads no preprocessed columns.
fn looked_up(component: &dyn AirComponent, row: &[M31]) -> QM31 {
    let recorded = component.record().expect("a component of cairo-air");
    let Some(logup) = &recorded.logup else { return QM31::ZERO };
    let params = vec![QM31::ZERO; logup.params];
    let outputs = logup.program.evaluate(&params, |_, column, _| QM31::from(row[column]));
    outputs.chunks_exact(2).map(|fraction| fraction[0] * fraction[1].inverse().unwrap_or(QM31::ZERO)).sum()
}

impl Altered for Told {
    fn of(&self) -> &dyn Statement {
        &*self.statement
    }

    fn mixes(&self) -> Mixes {
        self.mixes.clone()
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let mut components = self.statement.components(drawn);
        let [first, second] = self.surplus(drawn, &components);
        let mut names = self.loose.clone();
        names.extend([FIRST, SECOND]);
        for name in names {
            let Some(place) = self.place(name) else { continue };
            let is_loose = self.loose.contains(&name);
            let surplus = [(FIRST, first), (SECOND, second)].into_iter().find(|(of, _)| *of == name);
            let surplus = surplus.and_then(|(_, surplus)| surplus);
            if is_loose || surplus.is_some() {
                let other = changed(&self.claim, name, elements(drawn), Changes { is_loose, surplus });
                components[place] = other.expect("a component of the claim that can be changed");
            }
        }
        components
    }

    /// Accepts any sums.
    fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> {
        Ok(())
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        let mut other = self.clone();
        other.statement = self.statement.variant()?.into();
        // The only changeable one whose constants are parameters.
        if let Some(claim) = &mut other.claim.range_check_builtin {
            claim.range_check_builtin_segment_start += 1;
        }
        Some(Box::new(other))
    }
}
