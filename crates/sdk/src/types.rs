//! The library's types for one proof system, under short names.

/// Declares them for a proof system.
macro_rules! types {
    ($system:ty) => {
        /// A backend of this protocol.
        pub type Device = crate::devices::device::Device<$system>;
        /// A statement to be proven.
        pub type Request = crate::system::Request<$system>;
        /// The statement that a file must hold.
        pub type Expect = crate::verification::expect::Expect<$system>;
        /// The report on a proof.
        pub type Report = crate::verification::report::Report<$system>;
        /// A proof that the verifier accepted.
        pub type Proven = crate::verification::report::Proven<$system>;
        /// AIRs by name.
        pub type Airs = crate::airs::Airs<$system>;
        /// An AIR by name.
        pub type Family = crate::airs::Family<$system>;
        /// A statement with its trace.
        pub type AirInstance = crate::airs::AirInstance<$system>;
    };
}
pub(crate) use types;
