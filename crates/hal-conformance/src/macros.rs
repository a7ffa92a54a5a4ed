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
        $crate::__conformance_tests!($protocol; ($($args),+);
            capabilities upload download copy_to ntt lde upload_lde split select merkle open prepare running logup recurrence map
            tree_map constraint_eval accumulate eval_at deep_quotient fri_fold grind invalid_arguments memory determinism);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    ($protocol:literal; $args:tt; $($test:ident)+) => {
        $($crate::__conformance_test!($protocol; $args; $test);)+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_test {
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
