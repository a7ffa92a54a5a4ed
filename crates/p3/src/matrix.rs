//! Rows to columns.

use field::Field;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;

use crate::P3Field;
use crate::field_pair::Base;

/// Columns of a tile: two lines of a cache are read of every row.
const TILE_COLUMNS: usize = 16;
/// Rows of a tile.
const TILE_ROWS: usize = 64;

/// All columns, one after the other, of a matrix of `rows` rows.
pub(crate) fn column_major<F: P3Field>(matrix: &RowMajorMatrix<F>, rows: usize) -> Vec<Base<F>> {
    let mut data = vec![Base::<F>::ZERO; matrix.values.len()];
    let mut columns: Vec<&mut [Base<F>]> = data.chunks_exact_mut(rows).collect();
    transpose(matrix, &mut columns);
    data
}

/// Each column of a matrix of `rows` rows.
pub(crate) fn columns<F: P3Field>(matrix: &RowMajorMatrix<F>, rows: usize) -> Vec<Vec<Base<F>>> {
    let mut columns = vec![vec![Base::<F>::ZERO; rows]; matrix.width];
    transpose(matrix, &mut columns.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    columns
}

/// Fills in the columns, as many and as long as the matrix's, tile by tile.
fn transpose<F: P3Field>(matrix: &RowMajorMatrix<F>, columns: &mut [&mut [Base<F>]]) {
    columns.par_chunks_mut(TILE_COLUMNS).enumerate().for_each(|(tile, columns)| {
        let first = tile * TILE_COLUMNS;
        for (block, rows) in matrix.values.chunks(matrix.width * TILE_ROWS).enumerate() {
            for (column, out) in columns.iter_mut().enumerate() {
                let values = rows[first + column..].iter().step_by(matrix.width);
                for (cell, value) in out[block * TILE_ROWS..].iter_mut().zip(values) {
                    *cell = value.to_base();
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use field::M31;
    use p3_field::PrimeCharacteristicRing;
    use p3_mersenne_31::Mersenne31;

    use super::*;

    #[test]
    fn rows_become_columns() {
        for (rows, width) in [(4, 1), (64, 3), (256, 35)] {
            let values = (0..rows * width).map(|at| Mersenne31::from_u32(at as u32)).collect();
            let matrix = RowMajorMatrix::new(values, width);
            let columns = columns(&matrix, rows);
            for (column, values) in columns.iter().enumerate() {
                let expected: Vec<M31> = (0..rows).map(|row| M31::new((row * width + column) as u32)).collect();
                assert_eq!(*values, expected, "column {column} of {width}");
            }
            assert_eq!(column_major(&matrix, rows), columns.concat());
        }
    }
}
