//! Names that the interpreter knows before it asks its host: a variable of such a name would not be there in later
//! hints.

use monty_types::{BuiltinsFunctions, ExcType};

/// Names of types, as the interpreter has them.
const TYPES: [&str; 15] = [
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "iter",
    "list",
    "property",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
    "type",
];

/// Why no variable has this name, if none has it.
pub(super) fn refusal(name: &str) -> Option<String> {
    let is_function = name.parse::<BuiltinsFunctions>().is_ok();
    let is_known = is_function || name.parse::<ExcType>().is_ok() || TYPES.contains(&name);
    is_known.then(|| format!("`{name}` is Python's own, and no variable of a hint has its name: take another one"))
}
