//! The gates of the trees (section 4).

use alloc::vec::Vec;

use field::Field;

use crate::univariate::horner;

proof_format::named! {
    /// The kind of a tree: its gate, and the columns that its caller gives.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Kind {
        /// The product of a column.
        GrandProduct = "grand-product",
        /// The sum of fractions: numerators and denominators of the extension.
        LogUp = "logup",
        /// The sum of fractions whose numerators are of the base field.
        LogUpMultiplicities = "logup-multiplicities",
        /// The sum of fractions whose numerators are one.
        LogUpSingles = "logup-singles",
    }
    parse "`{}` is no kind of trees: {}"
}

impl Kind {
    /// The gate of the tree.
    pub const fn gate(self) -> Gate {
        match self {
            Self::GrandProduct => Gate::GrandProduct,
            Self::LogUp | Self::LogUpMultiplicities | Self::LogUpSingles => Gate::LogUp,
        }
    }

    /// Columns over the base field that a caller gives: numerators, then denominators. An element of an extension of
    /// this degree is as many columns.
    pub const fn base_columns(self, degree: usize) -> usize {
        match self {
            Self::GrandProduct | Self::LogUpSingles => degree,
            Self::LogUp => 2 * degree,
            Self::LogUpMultiplicities => 1 + degree,
        }
    }
}

/// The gate by which a node of a tree follows from its two children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// `a b`.
    GrandProduct,
    /// `n_a/d_a + n_b/d_b` as `(d_b n_a + d_a n_b)/(d_a d_b)`: columns are numerators and denominators.
    LogUp,
}

impl Gate {
    /// Columns of a layer.
    pub const fn columns(self) -> usize {
        match self {
            Self::GrandProduct => 1,
            Self::LogUp => 2,
        }
    }

    /// The values of a node, a column each, by those of its children.
    ///
    /// # Panics
    /// If a child has not a value for each column.
    pub fn node<E: Field>(self, left: &[E], right: &[E]) -> Vec<E> {
        match (self, left, right) {
            (Self::GrandProduct, [a], [b]) => alloc::vec![*a * *b],
            (Self::LogUp, [n, d], [m, e]) => alloc::vec![*e * *n + *d * *m, *d * *e],
            _ => panic!("a gate of {} columns", self.columns()),
        }
    }

    /// The columns of a layer by those of the layer below.
    pub(crate) fn above<E: Field>(self, columns: &[Vec<E>]) -> Vec<Vec<E>> {
        let product = |column: &[E]| column.chunks_exact(2).map(|pair| pair[0] * pair[1]).collect();
        match (self, columns) {
            (Self::GrandProduct, [values]) => alloc::vec![product(values)],
            (Self::LogUp, [numerators, denominators]) => {
                let fractions = numerators.chunks_exact(2).zip(denominators.chunks_exact(2));
                let sums = fractions.map(|(n, d)| d[1] * n[0] + d[0] * n[1]).collect();
                alloc::vec![sums, product(denominators)]
            }
            _ => panic!("a gate of {} columns", self.columns()),
        }
    }

    /// The values of a node as one: `v_0 + lambda v_1`.
    #[inline]
    pub(crate) fn combined<E: Field>(self, left: &[E], right: &[E], lambda: E) -> E {
        match (self, left, right) {
            (Self::GrandProduct, [a], [b]) => *a * *b,
            (Self::LogUp, [n, d], [m, e]) => *e * *n + *d * (*m + lambda * *e),
            _ => horner(&self.node(left, right), lambda),
        }
    }
}
