//! The programs of a statement, and their parameters.

mod drawn;
mod sentinels;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use field::{Field, M31, PrimeField, QM31};
use rayon::prelude::*;

pub use self::drawn::DrawnStatement;
pub(crate) use self::sentinels::sentinels;
use crate::framework::Recording;
use crate::lower::Slots;
use crate::multiplicities::{ColumnBounds, MAX_READ_CELLS, MOST, Multiplicities};
use crate::relation_width::Relations;
use crate::template::Template;
use crate::{
    AirComponent, ClaimedSumError, ConfigError, LOG_SIZES, PreprocessedColumn, RecordError, RecordedComponent,
    Statement, StatementError, TREES,
};

/// A recorded statement. The programs do not depend on drawn elements, on claimed sums, nor, if the statement has a
/// [`Statement::variant`], on public values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedStatement {
    /// The columns of tree 0.
    pub preprocessed: Vec<PreprocessedColumn>,
    /// The components in order.
    pub components: Vec<RecordedComponent>,
    /// By component: where in tree 0 the columns of [`RecordedComponent::preprocessed`] are.
    pub preprocessed_indices: Vec<Vec<usize>>,
    /// Values in the widest tuple that is looked up, trailing constants that are zero not counted; 0 without lookups.
    /// The largest number there is if a denominator is no polynomial in the two drawn elements `z` and `alpha` of one
    /// relation, of the form that stwo's `combine` has, or Horner's form of it.
    pub relation_width: usize,
    /// How often the components look up on all rows, and public values, at most: at least twice for each batch, and for
    /// an entry whose multiplicity is a constant as often as that says, or its negative. One that is a preprocessed
    /// column counts row by row, unless the statement vouches for it ([`Statement::has_bounded_multiplicities`]);
    /// another column counts once: its bounds are for constraints to say.
    pub lookups: u64,
    samples_all: bool,
    draws: usize,
    claims: usize,
    templates: Vec<Template>,
}

impl RecordedStatement {
    /// Records a statement for configurations with this `lifting_log_size`: each component twice, with different drawn
    /// elements, claims and, if there is a variant, public values; and once more for each claim, to see where it is
    /// used.
    ///
    /// # Errors
    /// Any error of the statement or of a component.
    pub fn new(statement: &dyn Statement, lifting: Option<u32>) -> Result<Self, StatementError> {
        let (preprocessed, draws, claims) = (statement.preprocessed(lifting), statement.draws(), statement.claims());
        check_preprocessed(&preprocessed)?;
        let variant = statement.variant();
        let other = variant.as_deref().unwrap_or(statement);
        let elements = sentinels(1, draws + claims);
        let first = statement.components(&elements);
        let second = other.components(&sentinels(2, draws + claims));
        if first.is_empty() {
            return Err(StatementError::NoComponents);
        }
        same_count(first.len(), second.len())?;
        let mut this = Self {
            preprocessed,
            components: Vec::with_capacity(first.len()),
            preprocessed_indices: Vec::with_capacity(first.len()),
            relation_width: 0,
            lookups: 0,
            samples_all: statement.samples_all_preprocessed(),
            draws,
            claims,
            templates: Vec::with_capacity(first.len()),
        };
        let relations = Relations::new(elements[..draws].chunks_exact(2).map(|pair| [pair[0], pair[1]]));
        let record = |component: usize| -> Result<(Template, RecordedComponent, usize), RecordError> {
            let template = Template::new(first[component].recording()?, &second[component].recording()?)?;
            let recorded = RecordedComponent::new(&template)?;
            let width = relations.width(&template);
            Ok((template, recorded, width))
        };
        for (component, made) in each(first.len(), record).into_iter().enumerate() {
            let (template, recorded, width) = made.map_err(|source| StatementError::Component { component, source })?;
            this.preprocessed_indices.push(this.resolve(component, &recorded)?);
            this.relation_width = this.relation_width.max(width);
            this.components.push(recorded);
            this.templates.push(template);
        }
        let with_interaction = this.components.iter().filter(|component| component.width(2) > 0).count();
        if !draws.is_multiple_of(2) || (draws == 0) != (with_interaction == 0) {
            return Err(StatementError::Draws { draws, with_interaction });
        }
        let public = statement.public_count();
        this.relation_width = this.relation_width.max(public.width);
        this.lookups = this.count_lookups(statement, lifting).saturating_add(public.lookups);
        if this.lookups >= M31::ORDER && !statement.has_bounded_multiplicities() {
            return Err(StatementError::Lookups { lookups: this.lookups });
        }
        for claim in 0..claims {
            this.check_claim(statement, &elements, claim)?;
        }
        Ok(this)
    }

    /// How often the components look up. Where nobody vouches, the values of preprocessed columns that are
    /// multiplicities counts: the largest value that the statement says, or that is repeated; others are read.
    fn count_lookups(&self, statement: &dyn Statement, lifting: Option<u32>) -> u64 {
        let columns = &self.preprocessed;
        let cells = columns.iter().map(|column| 1u64 << column.log_size).fold(0, u64::saturating_add);
        let (programs, of_statement) = (OnceCell::new(), OnceCell::new());
        let said = statement.preprocessed_most(lifting).filter(|most| most.len() == columns.len());
        let said = |place: usize| said.as_ref()?.get(place).map(|most| ColumnBounds::AtMost(*most));
        let repeated = |place: usize| {
            let program = || statement.preprocessed_program(lifting).filter(|program| program.len() == columns.len());
            let column = programs.get_or_init(program).as_ref()?.get(place)?;
            ColumnBounds::repeated(column).filter(|_| column.log_height == columns[place].log_size)
        };
        let values = |place: usize| {
            if cells > MAX_READ_CELLS {
                return ColumnBounds::AtMost(MOST);
            }
            let values: &Vec<Vec<M31>> = of_statement.get_or_init(|| statement.preprocessed_values(lifting));
            values.get(place).map_or(ColumnBounds::AtMost(MOST), |values| ColumnBounds::Values(values))
        };
        let known = |place: usize| said(place).or_else(|| repeated(place)).unwrap_or_else(|| values(place));
        let of_component = |(template, places): (&Template, &Vec<usize>)| {
            let multiplicities = Multiplicities::new(&template.recording);
            let read = multiplicities.preprocessed().filter(|_| !statement.has_bounded_multiplicities());
            multiplicities.lookups(&read.map(|column| (column, known(places[column]))).collect::<Vec<_>>())
        };
        self.templates.iter().zip(&self.preprocessed_indices).map(of_component).fold(0, u64::saturating_add)
    }

    /// Another value of a claim changes a constraint, and no lookup entry.
    fn check_claim(&self, statement: &dyn Statement, elements: &[QM31], claim: usize) -> Result<(), StatementError> {
        let mut changed = elements.to_vec();
        changed[self.draws + claim] = sentinels(0, 1)[0];
        let recordings = self.record(&statement.components(&changed))?;
        let mut is_used = false;
        let params = |slots: &Slots, recording: &Recording| slots.values(&recording.entries, QM31::ZERO);
        let of_components = self.components.iter().zip(&self.templates).zip(&recordings);
        for (component, ((recorded, template), recording)) in of_components.enumerate() {
            let differ = |slots| Ok(params(slots, &template.recording)? != params(slots, recording)?);
            let check = || match recorded.logup.as_ref().map(|logup| differ(&logup.slots)).transpose()? {
                Some(true) => Err(RecordError::LookupOfClaim { claim }),
                _ => differ(&recorded.slots),
            };
            is_used |= check().map_err(|source| StatementError::Component { component, source })?;
        }
        if is_used { Ok(()) } else { Err(StatementError::UnusedClaim { claim, claims: self.claims }) }
    }

    /// Records components, which may differ from the recorded ones in parameters only.
    fn record(&self, components: &[Box<dyn AirComponent>]) -> Result<Vec<Recording>, StatementError> {
        same_count(self.templates.len(), components.len())?;
        let record = |component: usize| -> Result<Recording, RecordError> {
            let recording = components[component].recording()?;
            self.templates[component].check(&recording)?;
            Ok(recording)
        };
        named(each(components.len(), record))
    }

    /// The argument of [`Statement::components`]: the drawn elements and the claims, which stand behind the sums of the
    /// lookups.
    ///
    /// # Errors
    /// [`ClaimedSumError::Count`] if there are not as many sums and claims as there must be.
    pub fn elements(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<Vec<QM31>, ClaimedSumError> {
        let (_, claims) = self.split(claimed)?;
        Ok([drawn, claims].concat())
    }

    /// The sums of the lookups, and the claims.
    fn split<'a>(&self, claimed: &'a [QM31]) -> Result<(&'a [QM31], &'a [QM31]), ClaimedSumError> {
        let sums = self.with_logup().count();
        let needed = sums + self.claims;
        match claimed.split_at_checked(sums) {
            Some(split) if claimed.len() == needed => Ok(split),
            _ => Err(ClaimedSumError::Count { given: claimed.len(), needed }),
        }
    }

    /// One claimed sum for every component, from the sums of the components with lookups and the claims behind them:
    /// zero for the others.
    ///
    /// # Errors
    /// [`ClaimedSumError::Count`] if there are not as many sums and claims as there must be.
    pub fn spread(&self, claimed: &[QM31]) -> Result<Vec<QM31>, ClaimedSumError> {
        let mut sums = self.split(claimed)?.0.iter();
        let sum_of = |recorded: &RecordedComponent| recorded.logup.as_ref().and_then(|_| sums.next().copied());
        Ok(self.components.iter().map(sum_of).map(Option::unwrap_or_default).collect())
    }

    /// Whether a preprocessed column is opened at the out-of-domain point: a component reads it, or the statement
    /// samples all ([`Statement::samples_all_preprocessed`]).
    pub fn is_sampled(&self, column: usize) -> bool {
        self.samples_all || self.preprocessed_indices.iter().flatten().any(|read| *read == column)
    }

    /// Log2 of the rows of every column of a trace tree, in order. Without [`Statement::draws`] there is no tree 2.
    pub fn log_sizes(&self, tree: usize) -> Vec<u32> {
        if tree == 0 {
            return self.preprocessed.iter().map(|column| column.log_size).collect();
        }
        self.components.iter().flat_map(|c| std::iter::repeat_n(c.log_size, c.width(tree))).collect()
    }

    /// Log2 of the rows of the largest component.
    pub fn max_log_size(&self) -> u32 {
        self.components.iter().map(|component| component.log_size).max().unwrap_or(0)
    }

    /// Number of constraints of all components.
    pub fn constraint_count(&self) -> usize {
        self.components.iter().map(RecordedComponent::constraint_count).sum()
    }

    /// Whether the statement can be proven with this blowup, as a power of two, and this lifting: section 15 of the
    /// Circle protocol, traps 2, 3 and 9, and [`Statement::check_config`]. This does not check the configuration by
    /// itself.
    ///
    /// # Errors
    /// [`ConfigError`] if it cannot.
    pub fn check_config(
        &self,
        statement: &dyn Statement,
        blowup: u32,
        lifting: Option<u32>,
    ) -> Result<(), ConfigError> {
        let needed = self.max_log_size().saturating_add(blowup);
        let common = lifting.unwrap_or(needed);
        if let Some(lifting) = lifting {
            let largest = self.log_sizes(0).into_iter().max().unwrap_or(0).saturating_add(blowup).max(needed);
            if lifting < largest {
                return Err(ConfigError::LiftingTooSmall { lifting, needed: largest });
            }
            if self.preprocessed.is_empty() {
                return Err(ConfigError::EmptyPreprocessed);
            }
        } else {
            for tree in 1..if self.draws == 0 { TREES - 1 } else { TREES } {
                let height = self.log_sizes(tree).into_iter().max().unwrap_or(0).saturating_add(blowup);
                if height != needed {
                    return Err(ConfigError::TreeHeight { tree, height, needed });
                }
            }
        }
        let highest = self.preprocessed.iter().max_by_key(|column| column.log_size).filter(|_| self.samples_all);
        if let Some(PreprocessedColumn { id, log_size }) = highest
            && log_size.saturating_add(blowup) > common
        {
            let log_size = log_size.saturating_add(blowup);
            return Err(ConfigError::SampledTooHigh { id: id.clone(), log_size, common });
        }
        if common > field::circle::MAX_LOG_DOMAIN {
            return Err(ConfigError::DomainTooLarge { log_size: common });
        }
        for (component, recorded) in self.components.iter().enumerate() {
            let (offsets, log_size) = (recorded.max_offsets(), recorded.log_size + blowup);
            if offsets > 2 && log_size != common {
                return Err(ConfigError::Offsets { component, offsets, log_size, needed: common });
            }
        }
        statement.check_config(blowup, lifting)
    }

    /// The number that [`Statement::claims`] returns.
    pub fn claims(&self) -> usize {
        self.claims
    }

    /// Number of lookups of a component, before they are put together in batches.
    pub(crate) fn lookup_count(&self, component: usize) -> usize {
        self.templates[component].recording.denominators.len()
    }

    fn with_logup(&self) -> impl Iterator<Item = &RecordedComponent> {
        self.components.iter().filter(|component| component.logup.is_some())
    }

    fn resolve(&self, component: usize, recorded: &RecordedComponent) -> Result<Vec<usize>, StatementError> {
        let places: HashMap<&str, usize> =
            self.preprocessed.iter().enumerate().map(|(at, column)| (&column.id[..], at)).collect();
        let place = |id: &String| {
            let index = places.get(&id[..]).copied().ok_or_else(|| {
                let known = self.preprocessed.iter().map(|column| column.id.clone()).collect();
                StatementError::UnknownId { component, id: id.clone(), known }
            })?;
            let (log_size, column_log_size) = (recorded.log_size, self.preprocessed[index].log_size);
            if column_log_size != log_size {
                return Err(StatementError::SizeMismatch { component, id: id.clone(), log_size, column_log_size });
            }
            Ok(index)
        };
        recorded.preprocessed.iter().map(place).collect()
    }
}

/// The results of all components, or the first error with its number.
fn named<T>(results: Vec<Result<T, RecordError>>) -> Result<Vec<T>, StatementError> {
    let of = |(component, result): (usize, Result<_, _>)| {
        result.map_err(|source| StatementError::Component { component, source })
    };
    results.into_iter().enumerate().map(of).collect()
}

fn check_preprocessed(columns: &[PreprocessedColumn]) -> Result<(), StatementError> {
    let mut known = HashSet::new();
    for column in columns {
        let id = || column.id.clone();
        if !known.insert(&column.id) {
            return Err(StatementError::DuplicateId { id: id() });
        }
        if !LOG_SIZES.contains(&column.log_size) {
            return Err(StatementError::PreprocessedSize { id: id(), log_size: column.log_size });
        }
    }
    Ok(())
}

/// Something of each component, in order. A tape belongs to a thread, so components are recorded side by side.
fn each<T: Send>(components: usize, of: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    (0..components).into_par_iter().with_max_len(1).map(of).collect()
}

fn same_count(recorded: usize, now: usize) -> Result<(), StatementError> {
    if recorded == now { Ok(()) } else { Err(StatementError::Components { recorded, now }) }
}
