//! Interaction columns from lookup fractions, on the host, row by row: the definition that devices are compared with.

use field::{Field, M31, QM31};

use crate::Logup;

/// Interaction columns that are not of lookups, and the claims about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostColumns {
    /// By component, in order: its columns of [`crate::RecordedComponent::host_columns`], none for a component that has
    /// none, each in the order of the rows.
    pub columns: Vec<Vec<Vec<M31>>>,
    /// As many as [`crate::Statement::claims`] says.
    pub claims: Vec<QM31>,
}

/// The columns of tree 2 of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interaction {
    /// Four for each batch, in the order of the rows.
    pub columns: Vec<Vec<M31>>,
    /// The sum of all fractions of all rows.
    pub claimed_sum: QM31,
}

/// Interaction columns that do not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InteractionError {
    /// A denominator is zero.
    #[error("the denominator of lookup batch {batch} is 0 on row {row}: draw again with another transcript")]
    Denominator {
        /// The batch.
        batch: usize,
        /// The row.
        row: usize,
    },
    /// The tables are not of the program's shape.
    #[error("the preprocessed and main columns or the parameters do not fit the lookup program")]
    Shape,
}

/// The interaction columns of a component of `2^log_size` rows.
///
/// `tables` are the preprocessed columns that it reads and its main columns, all in the order of the rows; `params` are
/// the parameters of the lookup program.
///
/// # Errors
/// [`InteractionError::Denominator`] if one is zero, [`InteractionError::Shape`] if the tables or parameters do not fit
/// the program.
pub fn interaction_columns(
    logup: &Logup,
    log_size: u32,
    tables: [&[Vec<M31>]; 2],
    params: &[QM31],
) -> Result<Interaction, InteractionError> {
    let rows = 1usize << log_size;
    let fits = |group: usize| {
        tables[group].len() == logup.program.groups()[group].width && tables[group].iter().all(|c| c.len() == rows)
    };
    if params.len() != logup.program.params() || !fits(0) || !fits(1) {
        return Err(InteractionError::Shape);
    }
    let mut sums = vec![Vec::with_capacity(rows); logup.batches];
    for row in 0..rows {
        let at = |offset: i32| (row as i64 + i64::from(offset)).rem_euclid(rows as i64) as usize;
        let outputs =
            logup.program.evaluate(params, |group, column, offset| QM31::from(tables[group][column][at(offset)]));
        let mut sum = QM31::ZERO;
        for (batch, fraction) in outputs.chunks_exact(2).enumerate() {
            let inverse = fraction[1].inverse().ok_or(InteractionError::Denominator { batch, row })?;
            sum += fraction[0] * inverse;
            sums[batch].push(sum);
        }
    }
    let mut claimed_sum = QM31::ZERO;
    if let Some(last) = sums.last_mut() {
        claimed_sum = last.iter().copied().sum();
        let shift = claimed_sum * M31::new(1 << (31 - log_size));
        let mut total = QM31::ZERO;
        for value in last {
            total += *value - shift;
            *value = total;
        }
    }
    let coordinates = |batch: Vec<QM31>| (0..4).map(move |i| batch.iter().map(|value| value.0[i]).collect());
    Ok(Interaction { columns: sums.into_iter().flat_map(coordinates).collect(), claimed_sum })
}

/// The denominator of a tuple under the elements of its relation: `sum alpha^i v_i - z`.
pub(crate) fn denominator((z, alpha): (QM31, QM31), values: &[M31]) -> QM31 {
    values.iter().rev().fold(QM31::ZERO, |sum, value| sum * alpha + QM31::from(*value)) - z
}
