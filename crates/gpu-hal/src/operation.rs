//! The names of the operations.

use core::fmt;

macro_rules! declare {
    ($($op:ident $of_op:ident),+; $($other:ident $of_other:ident),+; $($rest:tt)+) => {
        declare!(@ $($op $of_op),+, $($other $of_other),+);
    };
    (@ $($variant:ident $method:ident),+) => {
        /// The operations of [`crate::StarkBackend`], for capabilities, meters and injected faults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operation {
            $(
                #[doc = concat!("[`crate::StarkBackend::", stringify!($method), "`]")]
                $variant,
            )+
        }

        impl Operation {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name of the trait's method.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($method),)+
                }
            }
        }
    };
}

crate::__operations!(declare;);

impl Operation {
    /// Whether it makes traces on the device, so that a backend to which traces are uploaded needs no such operation.
    pub const fn makes_traces(self) -> bool {
        matches!(self, Self::Recurrence | Self::Map | Self::TreeMap | Self::Rows)
    }

    /// Whether it is of sum-checks, so that a backend on which nobody proves lookups by GKR needs no such operation.
    pub const fn is_of_sumchecks(self) -> bool {
        matches!(self, Self::Bind | Self::Sum | Self::BindSum)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
