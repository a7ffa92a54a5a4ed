//! Cells whose value is fixed.

use alloc::sync::Arc;
use core::fmt;

use gpu_hal::Protocol;

use crate::Column;

type Compute<P> = Arc<dyn Fn(&[<P as Protocol>::Ext]) -> <P as Protocol>::Ext + Send + Sync>;

#[derive(Clone)]
enum Value<P: Protocol> {
    Constant(P::Base),
    Computed(Compute<P>),
}

/// A cell whose value is fixed.
#[derive(Clone)]
pub struct Boundary<P: Protocol> {
    column: Column,
    row: usize,
    value: Value<P>,
}

impl<P: Protocol> Boundary<P> {
    pub(crate) fn constant(column: Column, row: usize, value: P::Base) -> Self {
        Self { column, row, value: Value::Constant(value) }
    }

    pub(crate) fn computed(column: Column, row: usize, value: Compute<P>) -> Self {
        Self { column, row, value: Value::Computed(value) }
    }

    /// Its column.
    pub fn column(&self) -> Column {
        self.column
    }

    /// Its row.
    pub fn row(&self) -> usize {
        self.row
    }

    /// The value if it does not depend on challenges.
    pub fn constant_value(&self) -> Option<P::Base> {
        match self.value {
            Value::Constant(value) => Some(value),
            Value::Computed(_) => None,
        }
    }

    /// The value.
    pub fn value(&self, challenges: &[P::Ext]) -> P::Ext {
        match &self.value {
            Value::Constant(value) => P::Ext::from(*value),
            Value::Computed(value) => value(challenges),
        }
    }
}

impl<P: Protocol> fmt::Debug for Boundary<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Boundary");
        out.field("column", &self.column).field("row", &self.row);
        match &self.value {
            Value::Constant(value) => out.field("value", value),
            Value::Computed(_) => out.field("value", &"computed"),
        };
        out.finish()
    }
}
