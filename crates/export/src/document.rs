//! An AIR as data of its own, whatever the protocol.

use circle_air::TupleKind;

/// An AIR, or the components of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Name of the protocol.
    pub protocol: &'static str,
    /// Name of the AIR.
    pub name: String,
    /// The prime of the base field.
    pub prime: u64,
    /// Degree of the extension.
    pub degree: usize,
    /// Elements of the extension that are drawn after the main columns.
    pub draws: usize,
    /// Elements of the extension that are claimed beside the sums of lookups.
    pub claims: usize,
    /// Public inputs of Goldilocks, words of Circle; `None` if the statement has another transcript.
    pub public: Option<Vec<u64>>,
    /// Circle: whether values of columns are in the order of storage.
    pub is_storage_order: bool,
    /// Circle: bits of the proof of work before elements are drawn.
    pub interaction_pow_bits: u32,
    /// Circle: tree 0.
    pub preprocessed: Vec<PreprocessedColumn>,
    /// Tuples that public values use beside the components.
    pub public_tuples: Vec<PublicTuple>,
    /// Kinds of tuples, with their promises.
    pub kinds: Vec<TupleKind>,
    /// The components in order; one for Goldilocks.
    pub components: Vec<Component>,
}

/// A column of tree 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedColumn {
    /// Its name.
    pub name: String,
    /// Log2 of its rows.
    pub log_rows: u32,
    /// Its values, unless there are too many.
    pub values: Option<Vec<u64>>,
}

/// A tuple that public values use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicTuple {
    /// Number of the relation.
    pub relation: usize,
    /// The values.
    pub values: Vec<u64>,
    /// How often.
    pub multiplicity: u64,
}

/// A component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: Option<String>,
    /// Log2 of its rows.
    pub log_rows: u32,
    /// The tables that nodes load from.
    pub tables: Vec<Table>,
    /// The expressions; operands are earlier nodes.
    pub nodes: Vec<Node>,
    /// The constraints in order.
    pub constraints: Vec<Constraint>,
    /// Cells whose value is fixed.
    pub boundaries: Vec<Boundary>,
    /// Goldilocks: how auxiliary columns are made.
    pub auxiliary: Vec<Auxiliary>,
    /// Circle: the columns of the sums of lookups.
    pub sums: Option<Sums>,
    /// The lookups in order.
    pub lookups: Vec<Lookup>,
    /// Nodes that say what a row is about: two rows that agree in them are to agree in all.
    pub inputs: Vec<usize>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its part in the proof.
    pub role: Role,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// The part of a table in a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Columns that every proof shares.
    Preprocessed,
    /// Columns that repeat with a period of two to this power.
    Periodic(u32),
    /// The columns that the prover commits first.
    Main,
    /// Circle: base columns that are made after elements are drawn.
    Interaction,
    /// Goldilocks: extension columns that are made after elements are drawn.
    Auxiliary,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Option<String>,
    /// Row offsets: of Circle in the order of the mask, of Goldilocks ascending.
    pub offsets: Vec<i64>,
    /// The values of one period of a periodic column.
    pub values: Vec<u64>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A constant of the base field.
    Const(u64),
    /// A constant of the extension.
    Ext(Vec<u64>),
    /// A drawn element, or behind these a claim.
    Param(usize),
    /// A cell.
    Load {
        /// Table.
        table: usize,
        /// Column.
        column: usize,
        /// Rows ahead.
        offset: i64,
    },
    /// Sum.
    Add(usize, usize),
    /// Difference.
    Sub(usize, usize),
    /// Product.
    Mul(usize, usize),
    /// Negative.
    Neg(usize),
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// A node is zero.
    Zero {
        /// Its name.
        name: Option<String>,
        /// The node.
        node: usize,
        /// On these rows; `None` for all.
        rows: Option<ConstraintRows>,
    },
    /// The sums of a batch of lookups are right.
    Batch(usize),
}

/// Rows `offset, offset + period, ...` without the last `except_last` of them and without those that are `except.1`
/// modulo `except.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstraintRows {
    /// Period.
    pub period: usize,
    /// First row.
    pub offset: usize,
    /// Rows of the set that are left out at its end.
    pub except_last: usize,
    /// Period and offset of rows that are left out.
    pub except: Option<(usize, usize)>,
}

/// A cell whose value is fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Its name.
    pub name: Option<String>,
    /// Table.
    pub table: usize,
    /// Column.
    pub column: usize,
    /// Row.
    pub row: usize,
    /// The value; `None` if code computes it of drawn elements.
    pub value: Option<u64>,
}

/// How an auxiliary column is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auxiliary {
    /// The product or the sum of ratios down the rows.
    Running {
        /// Whether it is a product.
        is_product: bool,
        /// Whether a row includes its own ratio.
        is_inclusive: bool,
        /// Node.
        numerator: usize,
        /// Node.
        denominator: usize,
    },
    /// By code.
    Code,
}

/// Where the sums of lookups are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The first of their columns among the interaction columns.
    pub first: usize,
    /// Number of batches.
    pub batches: usize,
}

/// A lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Its name.
    pub name: Option<String>,
    /// Number of its relation.
    pub relation: usize,
    /// Number of its batch.
    pub batch: usize,
    /// The node that says how often: negative if the row yields the tuple.
    pub multiplicity: usize,
    /// The nodes that are its values.
    pub values: Vec<usize>,
    /// Its kind among [`Document::kinds`], if it is one of them.
    pub kind: Option<usize>,
}
