//! Whether constraint programs become machine code.

use crate::cpu::CpuProtocol;
use crate::simd::SimdLevel;

/// Whether constraint programs become machine code, where there is code for the machine and the protocol: Goldilocks on
/// x86-64 with [`SimdLevel::Avx512`] and IFMA. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compile {
    /// Programs that have run on 2^14 rows in all, unless the variable `POLYSTARK_JIT` is `off`.
    #[default]
    Auto,
    /// All that run on whole runs of rows.
    Always,
    /// None.
    Never,
}

/// Rows, of one evaluation or of several of the same program, for which compiling takes less time than it saves.
const ROWS: u64 = 1 << 14;
/// The variable that has all programs interpreted.
const VARIABLE: &str = "POLYSTARK_JIT";

impl Compile {
    /// The fewest rows for which programs are compiled, and how a device says that they are, or why not.
    pub(super) fn on<P: CpuProtocol>(self, level: SimdLevel) -> (Option<u64>, String) {
        if !P::COMPILES {
            return (None, String::new());
        }
        let off = std::env::var_os(VARIABLE).is_some_and(|value| value == "off");
        let why_not = match self {
            Self::Never => Some("as asked for".to_owned()),
            Self::Auto if off => Some(format!("{VARIABLE}=off")),
            _ if level != SimdLevel::Avx512 => Some("no AVX-512".to_owned()),
            _ => jit::available().err().map(|error| error.to_string()),
        };
        match why_not {
            Some(why_not) => (None, format!(", constraints interpreted: {why_not}")),
            None => {
                let least = if self == Self::Always { 0 } else { ROWS };
                (Some(least), ", constraints compiled".to_owned())
            }
        }
    }
}
