//! One line for a third party.

/// Tests a backend of the Goldilocks protocol: `goldilocks!(make, "name")` or `goldilocks!(make, "name", reference = make_reference)`.
/// See the crate's documentation.
#[macro_export]
macro_rules! goldilocks {
    ($make:expr, $name:expr $(, reference = $reference:expr)? $(,)?) => {
        $crate::__conformance!("goldilocks"; $make, $name $(, $reference)?);
    };
}

/// Tests a backend of the Circle protocol: `circle!(make, "name")` or `circle!(make, "name", reference = make_reference)`. See the
/// crate's documentation.
#[macro_export]
macro_rules! circle {
    ($make:expr, $name:expr $(, reference = $reference:expr)? $(,)?) => {
        $crate::__conformance!("circle"; $make, $name $(, $reference)?);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance {
    ($protocol:literal; $($args:expr),+) => {
        $crate::__operations!($crate::__conformance_tests; $protocol; ($($args),+);
            capabilities logup invalid_arguments blocks memory determinism;);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    ($protocol:literal; $args:tt; $($test:ident)+; $($operation:ident $of_operation:ident),+) => {
        $($crate::__conformance_test!($protocol; $args; $test);)+
        $($crate::__conformance_test!($protocol; $args; $of_operation);)+
    };
}

/// Declares `of`.
#[doc(hidden)]
#[macro_export]
macro_rules! __test_of {
    ($($operation:ident $test:ident),+) => {
        /// The test of an operation.
        pub fn of<P: TestProtocol, B: StarkBackend<P = P>, R: StarkBackend<P = P>>(
            operation: Operation,
        ) -> fn(&Suite<B, R>) {
            use {memory as sync, merkle as root};
            match operation {
                $(Operation::$operation => $test,)+
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_test {
    // The tests of trees and of memory call these.
    ($protocol:literal; $args:tt; root) => {};
    ($protocol:literal; $args:tt; sync) => {};
    ($protocol:literal; ($make:expr, $name:expr); $test:ident) => {
        #[test]
        fn $test() {
            $crate::run($name, $make, |suite| {
                $crate::tests::protocol(suite, $protocol);
                $crate::tests::$test(suite);
            });
        }
    };
    ($protocol:literal; ($make:expr, $name:expr, $reference:expr); $test:ident) => {
        #[test]
        fn $test() {
            $crate::run_with_reference($name, $make, $reference, |suite| {
                $crate::tests::protocol(suite, $protocol);
                $crate::tests::$test(suite);
            });
        }
    };
}
