//! Tables in row order.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use field::Field;

use crate::{AirError, Cells};

/// A table of base-field columns of one power-of-two height, each in row order.
#[derive(Clone, Debug)]
pub struct Trace<F> {
    data: Data<F>,
    width: usize,
    log_height: u32,
}

#[derive(Clone, Debug)]
enum Data<F> {
    /// Column after column.
    Table(Vec<F>),
    /// As many as columns.
    Columns(Vec<Cells<F>>),
}

impl<F: PartialEq> PartialEq for Trace<F> {
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.log_height) == (other.width, other.log_height)
            && (0..self.width).all(|j| self.column(j) == other.column(j))
    }
}

impl<F: Eq> Eq for Trace<F> {}

/// A table of columns that may be elsewhere, as in a mapped file: none is copied. The errors are those of
/// [`Trace::from_columns`].
impl<F: Field> TryFrom<Vec<Cells<F>>> for Trace<F> {
    type Error = AirError;

    fn try_from(columns: Vec<Cells<F>>) -> Result<Self, AirError> {
        let Some(height) = columns.first().map(|column| column.len()) else {
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
        Ok(Self { width: columns.len(), data: Data::Columns(columns), log_height: height.trailing_zeros() })
    }
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
        Ok(Self { data: Data::Table(data), width, log_height })
    }

    /// A table of the given columns.
    ///
    /// # Errors
    /// [`AirError::TraceShape`] if there is no column, their lengths differ, or a length is not a power of two.
    pub fn from_columns(columns: Vec<Vec<F>>) -> Result<Self, AirError> {
        Self::try_from(columns.into_iter().map(Cells::from).collect::<Vec<Cells<F>>>())
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
        match &mut self.data {
            Data::Table(data) => data[(column << self.log_height) + row] = value,
            Data::Columns(columns) => columns[column].to_mut()[row] = value,
        }
    }

    /// All elements, column-major: copied only if they are not in one place.
    pub fn data(&self) -> Cow<'_, [F]> {
        match &self.data {
            Data::Table(data) => Cow::Borrowed(data),
            Data::Columns(columns) => match &columns[..] {
                [only] => Cow::Borrowed(only),
                columns => Cow::Owned(columns.iter().flat_map(|column| column.iter().copied()).collect()),
            },
        }
    }
}

impl<F: Copy> Trace<F> {
    /// One cell.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn get(&self, row: usize, column: usize) -> F {
        self.column(column)[row]
    }
}

impl<F> Trace<F> {
    /// Column `j`.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, j: usize) -> &[F] {
        assert!(j < self.width, "column {j} of a trace of {} columns", self.width);
        match &self.data {
            Data::Table(data) => &data[j << self.log_height..(j + 1) << self.log_height],
            Data::Columns(columns) => &columns[j],
        }
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
}
