//! The builtins of the Cairo machine.

use std::fmt;

macro_rules! builtins {
    ($($variant:ident $name:literal $cells:literal,)*) => {
        /// A builtin. The order is that in which `main` takes their pointers; the last has no public segment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BuiltinName {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl BuiltinName {
            /// All builtins.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name, for example `range_check`.
            pub const fn to_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Memory cells of an instance.
            pub const fn cells(self) -> usize {
                match self {
                    $(Self::$variant => $cells,)*
                }
            }
        }
    };
}

builtins! {
    Output "output" 1,
    Pedersen "pedersen" 3,
    RangeCheck "range_check" 1,
    Ecdsa "ecdsa" 2,
    Bitwise "bitwise" 5,
    EcOp "ec_op" 7,
    Keccak "keccak" 16,
    Poseidon "poseidon" 6,
    RangeCheck96 "range_check96" 1,
    AddMod "add_mod" 7,
    MulMod "mul_mod" 7,
    SegmentArena "segment_arena" 3,
}

impl BuiltinName {
    /// The builtins that have a public segment, in the order in which `main` takes them.
    pub const PUBLIC: [Self; 11] = *Self::ALL.first_chunk().expect("one has none");

    /// The builtin of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|builtin| builtin.to_str() == name).copied()
    }
}

/// The name with `_builtin` behind it, as components and error messages have it.
impl fmt::Display for BuiltinName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_builtin", self.to_str())
    }
}
