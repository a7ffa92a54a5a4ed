//! The columns below a tree.

use alloc::vec::Vec;

use field::{ExtensionField, Field};

use super::gate::Kind;
use super::proof::Instance;
use crate::MAX_VARIABLES;

/// The columns below a tree, as tables on a hypercube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer<F, E> {
    /// The factors of a product.
    GrandProduct(Vec<E>),
    /// Fractions.
    LogUp {
        /// Their numerators.
        numerators: Vec<E>,
        /// Their denominators.
        denominators: Vec<E>,
    },
    /// Fractions with numerators of the base field.
    LogUpMultiplicities {
        /// Their numerators.
        numerators: Vec<F>,
        /// Their denominators.
        denominators: Vec<E>,
    },
    /// Fractions with the numerator one.
    LogUpSingles {
        /// Their denominators.
        denominators: Vec<E>,
    },
}

/// Why columns are no layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// There are no columns.
    #[error("a batch has no columns: give those of one tree at least")]
    Empty,
    /// A column has a wrong length.
    #[error("tree {instance} has columns of {length} values: a power of two from 2 to 2^{MAX_VARIABLES} is needed")]
    Length {
        /// The tree.
        instance: usize,
        /// The length.
        length: usize,
    },
    /// Numerators and denominators differ in number.
    #[error("tree {instance} has {numerators} numerators and {denominators} denominators: it takes as many of both")]
    Fractions {
        /// The tree.
        instance: usize,
        /// Numerators.
        numerators: usize,
        /// Denominators.
        denominators: usize,
    },
}

impl<F: Field, E: ExtensionField<F>> Layer<F, E> {
    /// The gate of the tree.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::GrandProduct(_) => Kind::GrandProduct,
            Self::LogUp { .. } => Kind::LogUp,
            Self::LogUpMultiplicities { .. } => Kind::LogUpMultiplicities,
            Self::LogUpSingles { .. } => Kind::LogUpSingles,
        }
    }

    /// The shape; `instance` is the tree's number in messages.
    ///
    /// # Errors
    /// [`LayerError`].
    pub fn instance(&self, instance: usize) -> Result<Instance, LayerError> {
        let (numerators, length) = match self {
            Self::GrandProduct(values) | Self::LogUpSingles { denominators: values } => (values.len(), values.len()),
            Self::LogUp { numerators, denominators } => (numerators.len(), denominators.len()),
            Self::LogUpMultiplicities { numerators, denominators } => (numerators.len(), denominators.len()),
        };
        if numerators != length {
            return Err(LayerError::Fractions { instance, numerators, denominators: length });
        }
        if !length.is_power_of_two() || !(1..=MAX_VARIABLES).contains(&(length.ilog2() as usize)) {
            return Err(LayerError::Length { instance, length });
        }
        Ok(Instance { kind: self.kind(), variables: length.ilog2() as usize })
    }

    /// The columns of the gate, of the extension, numerators first: a proof does not depend on where a value was from.
    pub fn into_columns(self) -> Vec<Vec<E>> {
        match self {
            Self::GrandProduct(values) => alloc::vec![values],
            Self::LogUp { numerators, denominators } => alloc::vec![numerators, denominators],
            Self::LogUpMultiplicities { numerators, denominators } => {
                alloc::vec![numerators.into_iter().map(E::from).collect(), denominators]
            }
            Self::LogUpSingles { denominators } => alloc::vec![alloc::vec![E::ONE; denominators.len()], denominators],
        }
    }
}
