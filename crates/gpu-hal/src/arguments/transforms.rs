//! The meaning of the elements of a table, and how they are made.

/// Order of evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalOrder {
    /// Row order. Coset: point `i` at index `i`. Circle: row `r` is the point `g_{n+1} + r g_n` (coset order).
    Row,
    /// Storage order, bit-reversed.
    Storage,
}

/// Makes elements of a table, column after column: given the number of the first, it fills the slice with as many as it
/// has.
pub type MakeElements<'a, F> = dyn Fn(usize, &mut [F]) + Sync + 'a;

/// The meaning of the elements of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis<D> {
    /// Coefficients, natural order. Coset: of `x^i`. Circle: of the product of `y, x, pi(x), pi(pi(x)), ...` over the
    /// set bits of `i`.
    Coefficients,
    /// Values on a domain.
    Evaluations {
        /// The domain; its size is the column's height.
        domain: D,
        /// Their order.
        order: EvalOrder,
    },
}

impl<D> Basis<D> {
    /// The domain of values.
    pub fn domain(&self) -> Option<&D> {
        match self {
            Self::Coefficients => None,
            Self::Evaluations { domain, .. } => Some(domain),
        }
    }
}
