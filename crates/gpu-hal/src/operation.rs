//! The names of the operations.

use std::fmt;

/// Declares [`Operation`] with a variant for each method of [`crate::StarkBackend`] that does something on the device.
macro_rules! operations {
    ($($variant:ident $method:ident,)+) => {
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

operations! {
    Upload upload,
    Download download,
    CopyTo copy_to,
    Sync sync,
    Ntt ntt,
    Lde lde,
    UploadLde upload_lde,
    Split split,
    Select select,
    Merkle merkle,
    Root root,
    Open open,
    Prepare prepare,
    Running running,
    Recurrence recurrence,
    Map map,
    TreeMap tree_map,
    ConstraintEval constraint_eval,
    Accumulate accumulate,
    EvalAt eval_at,
    DeepQuotient deep_quotient,
    FriFold fri_fold,
    Grind grind,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
