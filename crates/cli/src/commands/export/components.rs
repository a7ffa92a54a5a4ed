//! Components that are exported by name, without a statement: of Cairo programs, of circuits.

use export::{Document, circle};
use sdk::circle_air::{AirComponent, TupleKind};
use sdk::field::QM31;
use sdk::support::nearest;

use crate::report::exit::Failure;

/// Rows, by log2, unless said.
const LOG_ROWS: u32 = 4;
/// Elements that are drawn: `z` and `alpha` of one relation.
const DRAWS: usize = 2;

type Make = Box<dyn Fn(&[QM31]) -> Vec<Box<dyn AirComponent>>>;

/// Components of one AIR.
pub(super) struct Group {
    /// Their name together, and before a colon and that of one.
    name: &'static str,
    components: Vec<&'static str>,
    kinds: Vec<TupleKind>,
    /// The components of so many rows, by log2; `None` if they cannot have as many.
    make: fn(u32) -> Option<Make>,
}

impl Group {
    /// Whether a name is that of the components, or of one.
    pub(super) fn has(&self, air: &str) -> bool {
        air.split(':').next() == Some(self.name)
    }
}

/// The groups that this program has.
pub(super) fn groups() -> impl Iterator<Item = Group> {
    [
        cairo_programs(),
        #[cfg(feature = "client")]
        circuits(),
    ]
    .into_iter()
}

fn cairo_programs() -> Group {
    type Shapes = cairo::shapes::Shapes<cairo::Version>;
    fn make(log_rows: u32) -> Option<Make> {
        let shapes = Shapes::new(log_rows, 0)?;
        Some(Box::new(move |drawn| shapes.components(drawn)))
    }
    Group { name: "cairo", components: Shapes::names().collect(), kinds: Shapes::kinds(), make }
}

#[cfg(feature = "client")]
fn circuits() -> Group {
    fn make(log_rows: u32) -> Option<Make> {
        let log_sizes = circuits::air::log_sizes(log_rows);
        circle_air::LOG_SIZES
            .contains(&log_rows)
            .then(|| -> Make { Box::new(move |drawn| circuits::air::components(&log_sizes, drawn)) })
    }
    Group { name: "circuit", components: circuits::air::NAMES.to_vec(), kinds: circuits::air::kinds(), make }
}

/// The components of a name, each with as many rows: fixed tables have their own.
pub(super) fn document_of(group: &Group, air: &str, rows: Option<u64>) -> Result<Document, Failure> {
    let rows = rows.unwrap_or(1 << LOG_ROWS);
    let impossible = || Failure::usage(format!("`{air}` cannot have {rows} rows: take a power of two from 16 to 2^25"));
    let make = if rows.is_power_of_two() { (group.make)(rows.ilog2()) } else { None }.ok_or_else(impossible)?;
    let number = match air.split_once(':') {
        None => None,
        Some((_, one)) => Some(group.components.iter().position(|name| *name == one).ok_or_else(|| {
            let near = nearest(one, group.components.iter().copied());
            let near = near.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
            let all = group.components.join(", ");
            Failure::usage(format!("`{}` has no component `{one}`{near}; it has: {all}", group.name))
        })?),
    };
    let names = number.map_or_else(|| group.components.clone(), |number| vec![group.components[number]]);
    let one = |drawn: &[QM31]| {
        let mut all = make(drawn);
        match number {
            None => all,
            Some(number) => vec![all.swap_remove(number)],
        }
    };
    circle::components(air, &names, &one, group.kinds.clone(), DRAWS).map_err(|error| Failure::usage(error.to_string()))
}
