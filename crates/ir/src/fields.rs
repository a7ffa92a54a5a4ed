//! The fields that constraint programs compute in.

use core::fmt::Debug;
use core::hash::Hash;

use field::{ExtensionField, PrimeField};

/// A field of columns, and its extension for challenges. A proof system implements it and adds its domains.
pub trait Fields: Copy + Clone + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// Stable name, for files and messages.
    const NAME: &'static str;
    /// Field of the columns.
    type Base: PrimeField;
    /// Field of challenges; a column over it is `DEGREE` base columns.
    type Ext: ExtensionField<Self::Base>;

    /// Degree of the extension: base columns per extension column.
    const DEGREE: usize = <Self::Ext as ExtensionField<Self::Base>>::DEGREE;
}
