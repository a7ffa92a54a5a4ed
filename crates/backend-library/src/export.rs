//! The line of an author.

/// Makes a crate of the type `cdylib` a library that programs load as a backend:
/// `export!(goldilocks: open, circle: open)`.
///
/// Each protocol that the backend has is named with a function or closure that opens a device,
/// `fn(&`[`OpenOptions`](crate::OpenOptions)`) -> gpu_hal::Result<B>`, where `B` is a backend of that protocol. One
/// protocol is enough. `devices: names` adds a `fn() -> Vec<String>` that gives the names of the devices by number.
/// Only a library that has it proves on several devices at once.
///
/// It sets the global allocator of the crate, so the crate has no other one. The library must unwind panics; with
/// `panic = "abort"` it does not compile.
#[macro_export]
macro_rules! export {
    (@goldilocks $open:expr) => {
        Some(|options| $crate::__export::contained::<$crate::__export::GoldilocksStark, _>(options, $open))
    };
    (@circle $open:expr) => {
        Some(|options| $crate::__export::contained::<$crate::__export::CircleStark, _>(options, $open))
    };
    (@devices $names:expr) => {
        || $crate::__export::names($names)
    };
    ($($part:tt: $value:expr),+ $(,)?) => {
        const _: () = {
            #[cfg(not(panic = "unwind"))]
            compile_error!("a library with a backend turns panics into errors: build it with panic = \"unwind\"");

            #[global_allocator]
            static ALLOCATOR: $crate::__export::HostAllocator = $crate::__export::HostAllocator;

            #[unsafe(export_name = "polystark_backend_note")]
            pub static NOTE: $crate::__export::Note = $crate::__export::NOTE;

            #[unsafe(export_name = "polystark_backend_entry")]
            pub extern "C" fn entry(host: &'static $crate::__export::Host) -> &'static $crate::Exports {
                #[allow(clippy::needless_update, reason = "a library may name all parts, or few")]
                static EXPORTS: $crate::Exports =
                    $crate::Exports { $($part: $crate::export!(@$part $value),)+ ..$crate::Exports::NONE };
                $crate::__export::enter(host);
                &EXPORTS
            }
        };
    };
}
