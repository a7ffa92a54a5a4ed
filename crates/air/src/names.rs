//! Names that an AIR gives to its declarations, for reports of wrong traces.

use alloc::string::String;
use alloc::vec::Vec;

use crate::Column;

/// Names by number; `None` where there is none. They are no part of the statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) main: Vec<Option<String>>,
    pub(crate) aux: Vec<Option<String>>,
    pub(crate) transitions: Vec<Option<String>>,
    pub(crate) boundaries: Vec<Option<String>>,
}

impl Names {
    pub(crate) fn column(&self, column: Column) -> Option<&str> {
        match column {
            Column::Main(column) => self.main.get(column)?.as_deref(),
            Column::Aux(column) => self.aux.get(column)?.as_deref(),
        }
    }
}
