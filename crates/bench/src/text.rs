//! Text for people.

use gpu_hal::Bytes;

/// Lines of `name  value`, the values aligned.
pub fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("  {name:width$}  {value}\n")).collect()
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    format!("{:#}", Bytes(count))
}
