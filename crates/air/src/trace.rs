//! Tables in row order.

use field::Field;

use crate::AirError;

/// A table of base-field columns of one power-of-two height, in one allocation, column after column, each in row order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<F> {
    data: Vec<F>,
    width: usize,
    log_height: u32,
}

impl<F: Field> Trace<F> {
    /// A table over `width << log_height` elements, column-major.
    ///
    /// # Errors
    /// [`AirError::TraceShape`] if the number of elements is another, or there is no column.
    pub fn new(data: Vec<F>, width: usize, log_height: u32) -> Result<Self, AirError> {
        let elements = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
        if width == 0 || elements != Some(data.len()) {
            return Err(AirError::TraceShape(format!(
                "{width} columns of 2^{log_height} rows do not make the {} elements given",
                data.len()
            )));
        }
        Ok(Self { data, width, log_height })
    }

    /// A table of the given columns.
    ///
    /// # Errors
    /// [`AirError::TraceShape`] if there is no column, their lengths differ, or a length is not a power of two.
    pub fn from_columns(columns: Vec<Vec<F>>) -> Result<Self, AirError> {
        let Some(height) = columns.first().map(Vec::len) else {
            return Err(AirError::TraceShape("a trace has at least one column".into()));
        };
        if let Some(at) = columns.iter().position(|column| column.len() != height) {
            return Err(AirError::TraceShape(format!(
                "column {at} has {} rows, column 0 has {height}",
                columns[at].len()
            )));
        }
        if !height.is_power_of_two() {
            return Err(AirError::TraceShape(format!("{height} rows: pad the columns to a power of two")));
        }
        let width = columns.len();
        let data = match <[Vec<F>; 1]>::try_from(columns) {
            Ok([only]) => only,
            Err(columns) => columns.concat(),
        };
        Self::new(data, width, height.trailing_zeros())
    }

    /// Column `j`.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, j: usize) -> &[F] {
        assert!(j < self.width, "column {j} of a trace of {} columns", self.width);
        &self.data[j << self.log_height..(j + 1) << self.log_height]
    }

    /// One cell.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn get(&self, row: usize, column: usize) -> F {
        self.column(column)[row]
    }

    /// Changes one cell.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn set(&mut self, row: usize, column: usize, value: F) {
        assert!(
            row < self.height() && column < self.width,
            "cell ({row}, {column}) of {} rows and {} columns",
            self.height(),
            self.width
        );
        self.data[(column << self.log_height) + row] = value;
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Log2 of the number of rows.
    pub fn log_height(&self) -> u32 {
        self.log_height
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        1 << self.log_height
    }

    /// All elements, column-major.
    pub fn data(&self) -> &[F] {
        &self.data
    }

    /// Gives up the elements, column-major.
    pub fn into_data(self) -> Vec<F> {
        self.data
    }
}
