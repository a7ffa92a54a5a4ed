//! One line for a third party.

/// Tests a backend of the Goldilocks protocol: `goldilocks!(make, "name")` or
/// `goldilocks!(make, "name", reference = make_reference)`. See the crate's documentation.
#[macro_export]
macro_rules! goldilocks {
    ($make:expr, $name:expr $(, reference = $reference:expr)? $(,)?) => {
        $crate::__conformance!("goldilocks"; $make, $name $(, $reference)?);
    };
}

/// Tests a backend of the Circle protocol: `circle!(make, "name")` or
/// `circle!(make, "name", reference = make_reference)`. See the crate's documentation.
#[macro_export]
macro_rules! circle {
    ($make:expr, $name:expr $(, reference = $reference:expr)? $(,)?) => {
        $crate::__conformance!("circle"; $make, $name $(, $reference)?);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance {
    ($protocol:literal; $make:expr, $name:expr $(, $reference:expr)?) => {
        #[test]
        fn protocol() {
            $crate::is_of_protocol($name, $make, $protocol);
        }
        $crate::__operations!($crate::__conformance_tests; ($make, $name $(, $reference)?);
            capabilities logup invalid_arguments blocks memory determinism;);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    ($args:tt; $($test:ident)+; $($operation:ident $of_operation:ident),+) => {
        $($crate::__conformance_test!($args; $test);)+
        $($crate::__conformance_test!($args; $of_operation);)+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_test {
    // The tests of trees and of memory call these.
    ($args:tt; root) => {};
    ($args:tt; sync) => {};
    (($make:expr, $name:expr); $test:ident) => {
        #[test]
        fn $test() {
            $crate::run($name, $make, stringify!($test));
        }
    };
    (($make:expr, $name:expr, $reference:expr); $test:ident) => {
        #[test]
        fn $test() {
            $crate::run_with_reference($name, $make, $reference, stringify!($test));
        }
    };
}

/// Declares `of`.
#[doc(hidden)]
#[macro_export]
macro_rules! __test_of {
    ($($operation:ident $test:ident),+) => {
        /// The test of an operation.
        pub fn of<P: TestProtocol>(operation: Operation) -> fn(&Suite<P>) {
            use {memory as sync, merkle as root};
            match operation {
                $(Operation::$operation => $test,)+
            }
        }
    };
}

/// Implements [`crate::Tested`] for each protocol. No type of a backend is in it: a backend's crate compiles only a
/// call of the suite.
#[doc(hidden)]
#[macro_export]
macro_rules! __tests_of {
    ($protocol:ty $(, $others:ty)*; $($test:ident)+; $($operation:ident $of_operation:ident),+) => {
        impl $crate::Tested for $protocol {
            #[inline(never)]
            fn test(name: &str) -> Option<fn(&Suite<Self>)> {
                use {memory as sync, merkle as root};
                match name {
                    $(stringify!($test) => Some($test),)+
                    $(stringify!($of_operation) => Some($of_operation),)+
                    _ => None,
                }
            }
        }
        $crate::__tests_of!($($others),*; $($test)+; $($operation $of_operation),+);
    };
    (; $($test:ident)+; $($operation:ident $of_operation:ident),+) => {};
}
