//! The build of this crate, for programs that share its types with a library that was built elsewhere.

/// The build of this crate. Rust fixes no layout of types, and the same sources have the same layout only by the same
/// compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// Version of the package.
    pub version: &'static str,
    /// Hash of the sources of this crate, of `ir` and of `field`, 16 hexadecimal digits: commits between two versions
    /// differ in it.
    pub sources: &'static str,
    /// The compiler, as `rustc --version` says it.
    pub compiler: &'static str,
    /// The target, such as `x86_64-unknown-linux-gnu`.
    pub target: &'static str,
}

/// The build of this copy of the crate.
pub const BUILT: Built = Built {
    version: env!("CARGO_PKG_VERSION"),
    sources: env!("POLYSTARK_HAL_SOURCES"),
    compiler: env!("POLYSTARK_HAL_COMPILER"),
    target: env!("POLYSTARK_HAL_TARGET"),
};
