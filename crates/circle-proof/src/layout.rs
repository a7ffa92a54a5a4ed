//! The facts of a proof that a statement and the options fix: its trees, their columns, and the samples.
//!
//! A [`Layout`] is all that [`crate::check`] needs to know of a statement, so a verifier of statements that are not
//! [`Statement`]s makes one from their [`Parts`].

use circle_air::{RecordedStatement, Statement};
use proof_format::security::Rounds;

use crate::security::{Shape, rounds};
use crate::{CircleOptions, OptionsError, Security, SecurityKind, VerifyError};

/// Columns of the composition tree: two halves of four coordinates.
const COMPOSITION_COLUMNS: usize = 8;

/// A committed column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Log2 of its values: of its rows in [`Parts`], of the committed table, blowup included, in a [`Layout`].
    pub log_size: u32,
    /// Row offsets of its sample points: none if it is not sampled.
    pub offsets: Vec<isize>,
}

impl Column {
    /// Terms of the quotient: the samples, and one for the period if there are two of them (section 10).
    fn terms(&self) -> usize {
        self.offsets.len() + usize::from(self.offsets.len() == 2)
    }
}

/// The facts that a statement fixes about its proofs, for any options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Log2 of the rows of the longest component.
    pub log_rows: u32,
    /// The preprocessed columns.
    pub preprocessed: Vec<Column>,
    /// The columns of the main tree and, if there is one, of the interaction tree.
    pub traces: Vec<Vec<Column>>,
    /// Constraints of all components.
    pub constraints: usize,
    /// Lookup fractions on all rows, at most, as [`RecordedStatement::lookups`] counts them.
    pub fractions: u64,
    /// Values of the widest relation.
    pub relation_width: usize,
    /// The degree of the claim that interaction columns other than those of lookups prove, in the drawn elements; 0 if
    /// there are none.
    pub given_degree: u64,
    /// Bits of a proof of work that is done before the elements of the lookups are drawn.
    pub interaction_pow_bits: u32,
}

/// A committed tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) columns: Vec<Column>,
    pub(crate) height: u32,
}

/// All of a proof's shape that does not depend on the queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) options: CircleOptions,
    /// Log2 of the points of the common domain, `L`.
    pub(crate) log_domain: u32,
    /// Preprocessed, main, interaction (if there is one), composition.
    pub(crate) trees: Vec<Tree>,
    /// The inputs of the security estimate.
    pub(crate) shape: Shape,
    pub(crate) security: Security,
}

impl Layout {
    /// The layout of a proof of this statement with these options.
    ///
    /// # Errors
    /// Refuses statements that cannot be proven or verified, with the reason: the options for these sizes, or one of
    /// the traps of section 15.
    pub(crate) fn new(
        statement: &dyn Statement,
        recorded: &RecordedStatement,
        options: &CircleOptions,
    ) -> Result<Self, VerifyError> {
        // Before the configuration is compared with the statement, by itself.
        options.validate(recorded.max_log_size())?;
        recorded.check_config(statement, options.log_blowup, options.lifting)?;
        let traces = if statement.draws() == 0 { 1..2 } else { 1..3 };
        let has_host_columns = recorded.components.iter().any(circle_air::RecordedComponent::has_host_columns);
        let given_degree = if has_host_columns { statement.interaction_degree().unwrap_or(u64::MAX) } else { 0 };
        let parts = Parts {
            log_rows: recorded.max_log_size(),
            preprocessed: preprocessed(recorded),
            traces: traces.map(|tree| trace(recorded, tree)).collect(),
            constraints: recorded.constraint_count(),
            fractions: recorded.lookups,
            relation_width: recorded.relation_width,
            given_degree,
            interaction_pow_bits: statement.interaction_pow_bits(),
        };
        let layout = Self::of(parts, options)?;
        let (height, log_domain) = (layout.trees[0].height, layout.log_domain);
        if height > log_domain {
            return Err(VerifyError::TreeHeight { tree: 0, height, log_domain });
        }
        Ok(layout)
    }

    /// The layout of a proof of a statement of these parts with these options. The preprocessed tree may be higher than
    /// the others, if no column of that height is sampled.
    ///
    /// # Errors
    /// Refuses layouts that cannot be verified, with the reason: the options for these sizes, a tree that is lower than
    /// the common domain, or a sampled column that is higher.
    pub fn of(parts: Parts, options: &CircleOptions) -> Result<Self, VerifyError> {
        let log_domain = options.validate(parts.log_rows)?;
        let preprocessed = Tree::of(parts.preprocessed, options);
        if let Some(least) = preprocessed.columns.iter().map(|column| column.log_size).max()
            && least > preprocessed.height
        {
            return Err(OptionsError::LiftingTooSmall { lifting: preprocessed.height, least }.into());
        }
        let sampled = preprocessed.columns.iter().filter(|column| !column.offsets.is_empty());
        if let Some(height) = sampled.map(|column| column.log_size).max().filter(|height| *height > log_domain) {
            // stwo's verifier counts on it.
            return Err(VerifyError::TreeHeight { tree: 0, height, log_domain });
        }
        let mut trees = vec![preprocessed];
        trees.extend(parts.traces.into_iter().map(|columns| Tree::of(columns, options)));
        let composition = Column { log_size: log_domain, offsets: vec![0] };
        trees.push(Tree { columns: vec![composition; COMPOSITION_COLUMNS], height: log_domain });
        for (tree, shape) in trees.iter().enumerate().skip(1) {
            // stwo's Merkle verifier counts on it.
            if shape.height != log_domain {
                return Err(VerifyError::TreeHeight { tree, height: shape.height, log_domain });
            }
        }
        let shape = Shape {
            log_domain,
            constraints: parts.constraints,
            samples: trees.iter().flat_map(|tree| &tree.columns).map(Column::terms).sum(),
            fractions: parts.fractions,
            relation_width: parts.relation_width,
            given_degree: parts.given_degree,
            interaction_pow_bits: parts.interaction_pow_bits,
        };
        Ok(Self { options: *options, log_domain, trees, shape, security: rounds(options, &shape).security() })
    }

    /// The security of proofs of this layout.
    pub fn security(&self) -> &Security {
        &self.security
    }

    /// The same, with the first-order figure if that is the kind.
    pub fn security_by(&self, kind: SecurityKind) -> Security {
        if kind == SecurityKind::FirstOrder { self.rounds().security_by(kind) } else { self.security }
    }

    /// Their rounds. The minima of the table of these are [`Layout::security`].
    pub fn rounds(&self) -> Rounds {
        rounds(&self.options, &self.shape)
    }

    /// Log2 of the points of the common domain.
    pub fn log_domain(&self) -> u32 {
        self.log_domain
    }

    /// Most bytes of a proof: with queries that share nothing, and with every path as long as it can be.
    pub(crate) fn most_bytes(&self) -> u128 {
        let list = |count: u128, item: u128| 8 + count * item;
        let queries = u128::from(self.options.queries);
        let digest = self.options.suite.digest_bytes()[1] as u128;
        let paths = |leaves: u128, height: u32| list(leaves * u128::from(height), digest);
        let tree = |tree: &Tree| {
            let columns = tree.columns.iter().map(|column| list(column.offsets.len() as u128, 16) + list(queries, 4));
            // A root, the lists of sampled and of queried columns, the siblings.
            digest + 8 + 8 + columns.sum::<u128>() + paths(queries, tree.height)
        };
        let layer = |step: u32| {
            let opened = queries << step;
            list(opened, 16) + paths(opened, self.log_domain) + digest
        };
        let layers = self.options.fold_steps(self.log_domain).into_iter().map(layer).sum::<u128>();
        // The configuration, four lists of trees, the nonce, the list of inner layers, the last layer.
        let rest = 29 + 4 * 8 + 8 + 8 + list(1 << self.options.log_last, 16) + 4;
        self.trees.iter().map(tree).sum::<u128>() + layers + rest
    }

    /// Log2 of the coefficients of a polynomial on the common domain, `m`.
    pub(crate) fn log_degree(&self) -> u32 {
        self.log_domain - self.options.log_blowup
    }
}

impl Tree {
    /// A tree of columns whose sizes are of rows.
    fn of(mut columns: Vec<Column>, options: &CircleOptions) -> Self {
        columns.iter_mut().for_each(|column| column.log_size += options.log_blowup);
        let highest = columns.iter().map(|column| column.log_size).max();
        Self { columns, height: options.lifting.or(highest).unwrap_or(0) }
    }
}

fn preprocessed(recorded: &RecordedStatement) -> Vec<Column> {
    let column = |(index, column): (usize, &circle_air::PreprocessedColumn)| Column {
        log_size: column.log_size,
        offsets: if recorded.is_sampled(index) { vec![0] } else { Vec::new() },
    };
    recorded.preprocessed.iter().enumerate().map(column).collect()
}

fn trace(recorded: &RecordedStatement, tree: usize) -> Vec<Column> {
    recorded
        .components
        .iter()
        .flat_map(|component| {
            let offsets = component.offsets.get(tree).map_or(&[][..], Vec::as_slice);
            offsets.iter().map(|offsets| Column { log_size: component.log_size, offsets: offsets.clone() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use circle_air::airs::build;
    use proof_format::security::Limit;
    use stwo::core::circle::CirclePoint;
    use stwo::core::fields::qm31::SecureField;
    use stwo::core::pcs::TreeVec;
    use stwo::core::pcs::quotients::{PointSample, build_samples_with_randomness_and_periodicity};

    use super::*;

    #[test]
    fn terms_are_those_of_stwo() {
        for (name, expected) in [("fibonacci", 3 + 3 + 8), ("plonk", 4 + 5 + (12 + 2 * 4) + 8)] {
            let statement = build(name, 4, &[]).unwrap();
            let recorded = RecordedStatement::new(&*statement, None).unwrap();
            let layout = Layout::new(&*statement, &recorded, &CircleOptions::default()).unwrap();
            let value = SecureField::default();
            let sample = |_: &isize| PointSample { point: CirclePoint { x: value, y: value }, value };
            let samples = |column: &Column| column.offsets.iter().map(sample).collect();
            let samples = TreeVec(layout.trees.iter().map(|tree| tree.columns.iter().map(samples).collect()).collect());
            let sizes = layout.trees.iter().map(|tree| tree.columns.iter().map(|column| column.log_size)).collect();
            let terms = build_samples_with_randomness_and_periodicity(&samples, sizes, layout.log_domain, value);
            assert_eq!(terms.iter().flatten().map(Vec::len).sum::<usize>(), expected, "{name}");
            let columns = layout.trees.iter().flat_map(|tree| &tree.columns);
            assert_eq!(columns.map(Column::terms).sum::<usize>(), expected, "{name}");
        }
    }

    fn parts(log_rows: u32, preprocessed: u32, main: u32) -> Parts {
        let column = |log_size| Column { log_size, offsets: vec![0] };
        let (preprocessed, traces) = (vec![column(preprocessed)], vec![vec![column(main)]]);
        let [constraints, relation_width] = [1, 0];
        Parts {
            log_rows,
            preprocessed,
            traces,
            constraints,
            fractions: 0,
            relation_width,
            given_degree: 0,
            interaction_pow_bits: 0,
        }
    }

    /// stwo's Merkle verifier panics at a column that is higher than its tree, and at a tree that is lower than the
    /// domain.
    #[test]
    fn trees_are_as_high_as_they_must_be() {
        let of =
            |parts, lifting| Layout::of(parts, &CircleOptions { log_blowup: 1, lifting, ..CircleOptions::default() });
        assert!(of(parts(8, 4, 8), None).is_ok());
        let refused = of(parts(8, 4, 7), None).expect_err("the main tree is low");
        assert!(matches!(refused, VerifyError::TreeHeight { tree: 1, height: 8, log_domain: 9 }), "{refused}");
        assert!(of(parts(8, 4, 7), Some(9)).is_ok());
        let refused = of(parts(8, 10, 8), Some(10)).expect_err("the preprocessed column is high");
        let expected = OptionsError::LiftingTooSmall { lifting: 10, least: 11 };
        assert!(matches!(&refused, VerifyError::Options(found) if *found == expected), "{refused}");
        assert!(of(parts(8, 10, 8), Some(11)).is_ok());
    }

    /// A round is there if something is drawn for it.
    #[test]
    fn challenges_are_a_round_if_there_are_lookups() {
        let limits = |parts| {
            let layout = Layout::of(parts, &CircleOptions::default()).expect("a layout");
            layout.rounds().terms.iter().filter(|term| term.limit == Limit::Challenges).count()
        };
        let plain = parts(8, 8, 8);
        assert_eq!(limits(plain.clone()), 0);
        assert_eq!(limits(Parts { fractions: 1, ..plain.clone() }), 1);
        assert_eq!(limits(Parts { given_degree: 1, ..plain }), 1);
    }
}
