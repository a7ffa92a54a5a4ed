//! Macros that find tests by operations and by names.

/// Declares `of`.
#[doc(hidden)]
#[macro_export]
macro_rules! __test_of {
    ($($op:ident $of_op:ident),+; $($other:ident $of_other:ident),+; $($rest:tt)+) => {
        /// The test of an operation.
        pub fn of<P: TestProtocol>(operation: Operation) -> fn(&Suite<P>) {
            use {memory as sync, merkle as root};
            match operation {
                $(Operation::$op => $of_op,)+
                $(Operation::$other => $of_other,)+
            }
        }
    };
}

/// Declares `find` and `finders`.
#[doc(hidden)]
#[macro_export]
macro_rules! __tests_of {
    ($($protocol:ty),+; $($test:ident)+; $($op:ident $of_op:ident),+; $($other:ident $of_other:ident),+; $($rest:tt)+) => {
        fn find<P: TestProtocol>(name: &str) -> Option<fn(&Suite<P>)> {
            use {memory as sync, merkle as root};
            match name {
                $(stringify!($test) => Some($test),)+
                $(stringify!($of_op) => Some($of_op),)+
                $(stringify!($of_other) => Some($of_other),)+
                _ => None,
            }
        }

        /// A [`Find`] for each protocol. They are compiled in this crate: of the suite a backend's crate compiles a
        /// call.
        pub(crate) fn finders() -> Vec<Box<dyn Any>> {
            vec![$(Box::new(find::<$protocol> as Find<$protocol>)),+]
        }
    };
}
