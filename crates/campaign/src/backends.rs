//! The backends that targets compare with the reference.

/// Constraint and row programs for a device that compiles each of them, unless `--programs` says otherwise.
#[cfg(feature = "cuda")]
pub(crate) const COMPILED: u64 = 64;

/// The value of an expression for the requested backend of a protocol: with its name, the backend, and the number of
/// programs.
macro_rules! with_backend {
    ($protocol:ty, $arguments:expr, |$name:ident, $backend:ident, $programs:ident| $then:expr) => {{
        let arguments: &crate::arguments::Arguments = $arguments;
        let ($name, $programs) = (arguments.backend.as_str(), arguments.programs);
        let failed = |error: gpu_hal::HalError| error.to_string();
        match $name {
            "cpu" => {
                let $backend = backend_cpu::Cpu::<$protocol>::with_threads(1).map_err(failed)?;
                $then
            }
            #[cfg(feature = "emulated")]
            "emulated" | "emulated-metal" => {
                let is_metal = $name == "emulated-metal";
                let dialect =
                    if is_metal { backend_emulated::Dialect::METAL } else { backend_emulated::Dialect::Emulated };
                let options = backend_emulated::Options { dialect, ..Default::default() };
                let $name = backend_emulated::NAME;
                let $backend = backend_emulated::EmulatedDevice::new(options)
                    .and_then(|device| backend_emulated::Emulated::<$protocol>::new($name, device))
                    .map_err(failed)?;
                $then
            }
            #[cfg(feature = "cuda")]
            "cuda" => {
                let $programs = $programs.or(Some(crate::backends::COMPILED));
                let $backend = backend_cuda::open::<$protocol>().map_err(failed)?;
                $then
            }
            other => {
                Err(format!("no backend '{other}' was built in: cpu, or by features emulated, emulated-metal, cuda"))
            }
        }
    }};
}
pub(crate) use with_backend;
