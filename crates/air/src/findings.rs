//! The violations of a trace, in one form for all protocols.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use field::{ExtensionField, PrimeField};
use gpu_hal::Protocol;

use crate::ConstraintKind;

/// The result of the check of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings<P: Protocol> {
    /// The first constraints that are violated: by component, constraint and row.
    pub violations: Vec<Violation<P>>,
    /// The number of all, listed ones included.
    pub violated: usize,
    /// Lookups that do not come out, in a statement that has lookups (Circle).
    pub lookups: Option<Lookups<P>>,
}

/// A constraint that is not zero on a row that it is placed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation<P: Protocol> {
    /// The component; `None` if the protocol has none (Goldilocks).
    pub component: Option<Component>,
    /// Number among all constraints of the component or the AIR. In an AIR: transitions, then boundaries.
    pub constraint: usize,
    /// Transition or boundary; `None` for the constraint of a component.
    pub kind: Option<ConstraintKind>,
    /// Number among the constraints of its kind.
    pub number: usize,
    /// Its name, if the author gave one.
    pub name: Option<String>,
    /// The row that it is placed on.
    pub row: usize,
    /// Its value there, which should be zero.
    pub value: P::Ext,
    /// The cells that it reads: by table, column and row offset.
    pub cells: Vec<Cell<P>>,
}

/// A component of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its number.
    pub index: usize,
    /// Its name, if the author gave one.
    pub name: Option<String>,
}

/// A cell that a constraint reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<P: Protocol> {
    /// The table that it is in.
    pub table: Table,
    /// Its column: in [`Table::Periodic`], the number in order of declaration; in [`Table::Preprocessed`], among the
    /// preprocessed columns of the component.
    pub column: usize,
    /// Name of the column, if the author gave one.
    pub name: Option<String>,
    /// Its row.
    pub row: usize,
    /// Its value.
    pub value: P::Ext,
}

/// A table that constraints read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// The main columns, which the author fills in.
    Main,
    /// The auxiliary columns of an AIR.
    Aux,
    /// The periodic columns of an AIR.
    Periodic,
    /// The preprocessed columns of a component.
    Preprocessed,
    /// The interaction columns of a component.
    Interaction,
}

/// Lookups that do not come out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookups<P: Protocol> {
    /// The statement's verdict on the claimed sums, under the elements that the check draws.
    pub claimed: String,
    /// The first tuples whose multiplicities do not add up to zero, in the order in which they come first: by
    /// component, row and lookup; tuples of public values last.
    pub tuples: Vec<Uncancelled<P>>,
    /// The number of all, listed ones included.
    pub uncancelled: usize,
}

/// A tuple whose multiplicities do not add up to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncancelled<P: Protocol> {
    /// Number of its relation, if there are several.
    pub relation: Option<usize>,
    /// Its values; `None` if its denominator is not of the form `sum alpha^i v_i - z`, up to a factor of the base
    /// field.
    pub tuple: Option<Vec<P::Base>>,
    /// The denominator that stands for it, by which tuples are compared.
    pub denominator: P::Ext,
    /// The sum of its multiplicities: above zero it is used too often, below yielded too often.
    pub sum: P::Ext,
    /// The lookups that use or yield it: the first of each component, by component, row and lookup, then public values.
    pub uses: Vec<LookupUse<P>>,
    /// The number of all, listed ones included.
    pub used: usize,
}

/// A use of a tuple, or a yield, whose multiplicity is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupUse<P: Protocol> {
    /// The component; `None` for a public value.
    pub component: Option<Component>,
    /// Number of the lookup in the component, or of the public value.
    pub lookup: usize,
    /// Name of the lookup, if the author gave one.
    pub name: Option<String>,
    /// The row, 0 for a public value.
    pub row: usize,
    /// How often.
    pub multiplicity: P::Ext,
}

/// An element as text: without further coordinates where they are zero.
pub fn element_text<P: Protocol>(value: P::Ext) -> String {
    value.as_base().map_or_else(|| value.to_string(), |base| base.to_string())
}

/// As [`element_text`], but the upper half of the base field as negative numbers.
pub fn signed_text<P: Protocol>(value: P::Ext) -> String {
    match value.as_base().map(P::Base::as_u64) {
        Some(base) if base > P::Base::ORDER / 2 => format!("-{}", P::Base::ORDER - base),
        _ => element_text::<P>(value),
    }
}

impl Table {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Aux => "aux",
            Self::Periodic => "periodic",
            Self::Preprocessed => "preprocessed",
            Self::Interaction => "interaction",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "component {}", self.index)?;
        named(f, self.name.as_ref())
    }
}

/// `balance[5] = 17`, or `main 1[5] = 17` if the column has no name.
impl<P: Protocol> fmt::Display for Cell<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{} {}", self.table.name(), self.column)?,
        }
        write!(f, "[{}] = {}", self.row, element_text::<P>(self.value))
    }
}

impl<P: Protocol> fmt::Display for Violation<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(component) = &self.component {
            write!(f, "{component}, ")?;
        }
        if let Some(kind) = self.kind {
            write!(f, "{kind} ")?;
        }
        write!(f, "constraint {}", self.number)?;
        named(f, self.name.as_ref())?;
        write!(f, " is {} on row {}, not 0", element_text::<P>(self.value), self.row)?;
        for (index, cell) in self.cells.iter().enumerate() {
            write!(f, "{}{cell}", if index == 0 { ": " } else { ", " })?;
        }
        Ok(())
    }
}

impl<P: Protocol> fmt::Display for LookupUse<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by ", signed_text::<P>(self.multiplicity))?;
        match &self.component {
            None => write!(f, "public value {}", self.lookup),
            Some(component) => {
                write!(f, "{component}, lookup {}", self.lookup)?;
                named(f, self.name.as_ref())?;
                write!(f, ", row {}", self.row)
            }
        }
    }
}

impl<P: Protocol> fmt::Display for Uncancelled<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tuple {
            None => write!(f, "the tuple with denominator {}, which is of another form", self.denominator)?,
            Some(tuple) => {
                let values: Vec<String> = tuple.iter().map(ToString::to_string).collect();
                write!(f, "the tuple ({})", values.join(", "))?;
            }
        }
        if let Some(relation) = self.relation {
            write!(f, " of relation {relation}")?;
        }
        write!(f, " has multiplicities that add up to {}, not 0", signed_text::<P>(self.sum))?;
        for (index, one) in self.uses.iter().enumerate() {
            write!(f, "{}{one}", if index == 0 { ": " } else { "; " })?;
        }
        more(f, self.used - self.uses.len(), "; and ")
    }
}

impl<P: Protocol> fmt::Display for Lookups<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the lookups do not come out: {}", self.claimed)?;
        self.tuples.iter().try_for_each(|tuple| write!(f, "\n{tuple}"))?;
        more(f, self.uncancelled - self.tuples.len(), "\nand ")
    }
}

/// A line for each violation, then the lookups.
impl<P: Protocol> fmt::Display for Findings<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.violations.iter().enumerate() {
            write!(f, "{}{violation}", if index == 0 { "" } else { "\n" })?;
        }
        more(f, self.violated - self.violations.len(), "\nand ")?;
        match &self.lookups {
            Some(lookups) => write!(f, "{}{lookups}", if self.violated == 0 { "" } else { "\n" }),
            None => Ok(()),
        }
    }
}

fn named(f: &mut fmt::Formatter<'_>, name: Option<&String>) -> fmt::Result {
    name.map_or(Ok(()), |name| write!(f, " `{name}`"))
}

/// Says how many more are not listed.
fn more(f: &mut fmt::Formatter<'_>, count: usize, before: &str) -> fmt::Result {
    if count == 0 { Ok(()) } else { write!(f, "{before}{count} more") }
}
