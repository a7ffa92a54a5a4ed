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
            capabilities logup invalid_arguments no_columns moves blocks memory determinism;);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    ($args:tt; $($test:ident)+; $($op:ident $of_op:ident),+; $($other:ident $of_other:ident),+; $($rest:tt)+) => {
        $($crate::__conformance_test!($args; $test);)+
        $($crate::__conformance_test!($args; $of_op);)+
        $($crate::__conformance_test!($args; $of_other);)+
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
