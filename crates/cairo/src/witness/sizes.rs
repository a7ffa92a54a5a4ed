//! How many rows every component has, before any is made.

use cairo_run::{Run, Segment};

use super::components::{BIG, Builtin, COMPONENTS, Component, EC_OP, PEDERSEN, PUBLIC_MEMORY, Requester, Rows};
use super::error::WitnessError;
use super::requests::Requests;
use crate::preprocessed::{Variant, max_log_seq};

/// Fewest rows of a component that is no fixed table.
pub const MIN_ROWS: usize = 16;
/// Columns of ids in memory_address_to_id.
pub const ADDRESS_COLUMNS: usize = 16;
/// Most addresses.
pub const MAX_ADDRESSES: usize = 1 << 29;
/// Most values of a chunk of memory_id_to_big.
pub const BIG_CHUNK: usize = 1 << 25;
/// Most chunks of memory_id_to_big.
const BIG_CHUNKS: usize = 16;

/// The rows of a component.
#[derive(Clone, Debug)]
pub struct Size {
    /// The component.
    pub component: &'static Component,
    /// Its entries, of which the rows are; those of memory_address_to_id are addresses, those of memory values of all chunks.
    pub entries: usize,
    /// A row beyond the entries is about entry `row mod period`, where a component has such rows.
    pub period: usize,
    /// Log2 of its rows.
    pub log_size: u32,
    /// Where its part of the memory begins: the address of a builtin's segment, the first value of a chunk; else 0.
    pub start: usize,
    requests: Option<Requests>,
}

impl Size {
    /// Its rows.
    pub fn rows(&self) -> usize {
        1 << self.log_size
    }

    /// Keys that the host has counted, where the rows are those.
    pub fn requests(&self) -> Option<&Requests> {
        self.requests.as_ref()
    }

    /// The component's name; that of a chunk of big values ends with its number: `memory_id_to_big[0]`.
    pub fn name(&self) -> String {
        match self.component.rows {
            Rows::Big => format!("{BIG}[{}]", self.start / BIG_CHUNK),
            _ => self.component.name.to_owned(),
        }
    }
}

/// The rows of all components that a proof has.
#[derive(Clone, Debug)]
pub struct Sizes {
    variant: Variant,
    components: Vec<Size>,
    public_memory: Option<Size>,
}

impl Sizes {
    /// Counts the rows of a run, to be proven with a set of preprocessed columns.
    ///
    /// # Errors
    /// An input that is malformed or too large for the columns.
    pub fn new(input: &Run, variant: Variant) -> Result<Self, WitnessError> {
        let addresses = addresses(input);
        if addresses > MAX_ADDRESSES {
            return Err(WitnessError::Addresses { addresses, limit: MAX_ADDRESSES });
        }
        let (values, limit) = (input.memory.f252_values.len(), BIG_CHUNKS * BIG_CHUNK);
        if values > limit {
            return Err(WitnessError::BigValues { values, limit });
        }
        let mut sizes = Self { variant, components: Vec::with_capacity(COMPONENTS.len()), public_memory: None };
        for component in COMPONENTS {
            let of_component = sizes.count(input, component)?;
            sizes.components.extend(of_component);
        }
        sizes.public_memory = sizes.count(input, PUBLIC_MEMORY)?.pop();
        Ok(sizes)
    }

    /// The components that the proof has, in the order of their columns.
    pub fn components(&self) -> &[Size] {
        &self.components
    }

    /// The uses of public memory, if there are any.
    pub fn public_memory(&self) -> Option<&Size> {
        self.public_memory.as_ref()
    }

    /// A component that the proof has; of the chunks of big values the first.
    pub fn get(&self, name: &str) -> Option<&Size> {
        self.components.iter().find(|size| size.component.name == name)
    }

    /// Log2 of the rows of each chunk of big values.
    pub fn big_log_sizes(&self) -> Vec<u32> {
        self.components.iter().filter(|size| size.component.name == BIG).map(|size| size.log_size).collect()
    }

    /// The set of preprocessed columns.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// None where the component is not there, several for chunks.
    fn count(&self, input: &Run, component: &'static Component) -> Result<Vec<Size>, WitnessError> {
        let size = |entries: usize, period| {
            (entries > 0).then(|| Size {
                component,
                entries,
                period,
                log_size: entries.max(MIN_ROWS).next_power_of_two().ilog2(),
                start: 0,
                requests: None,
            })
        };
        let memory = &input.memory;
        let sizes: Vec<Size> = match component.rows {
            Rows::States(of) => size(of(&input.state_transitions.casm_states_by_opcode).len(), 1).into_iter().collect(),
            Rows::Requests(requester) => {
                let requests = self.requests(input, requester)?;
                let of_keys = size(requests.as_ref().map_or(0, Requests::len), 1);
                of_keys.map(|size| Size { requests, ..size }).into_iter().collect()
            }
            Rows::Segment(builtin) => match segment(input, component.name, &builtin)? {
                Some(of_builtin) if (builtin.serves)(self.variant) => {
                    self.check_builtin(component.name)?;
                    let instances = (of_builtin.stop_ptr - of_builtin.begin_addr) / builtin.name.cells();
                    let start = of_builtin.begin_addr;
                    size(instances, 1).map(|size| Size { start, ..size }).into_iter().collect()
                }
                _ => Vec::new(),
            },
            Rows::List(_, callers) => {
                let of_caller =
                    |(name, sites): &(&str, usize)| self.get(name).map_or(0, |caller| caller.rows() * sites);
                size(callers.iter().map(of_caller).sum(), MIN_ROWS).into_iter().collect()
            }
            Rows::Table(counter, with) => match counter.table() {
                Some((_, log_size, _)) if with.is_none_or(|name| self.get(name).is_some()) => {
                    let table =
                        Size { component, entries: 1 << log_size, period: 1, log_size, start: 0, requests: None };
                    vec![table]
                }
                _ => Vec::new(),
            },
            Rows::PublicMemory => size(input.public_memory_addresses.len(), 1).into_iter().collect(),
            Rows::Addresses => {
                let rows = size(addresses(input).div_ceil(ADDRESS_COLUMNS).max(1), 1);
                rows.map(|size| Size { entries: addresses(input), ..size }).into_iter().collect()
            }
            Rows::Big => big_chunks(memory.f252_values.len())
                .filter_map(|(start, values)| {
                    size(values, 1).map(|size| Size { entries: memory.f252_values.len(), start, ..size })
                })
                .collect(),
            Rows::Small => {
                let values = memory.small_values.len();
                size(values.max(1), 1).map(|size| Size { entries: values, ..size }).into_iter().collect()
            }
        };
        sizes.iter().try_for_each(|size| self.check_height(size))?;
        Ok(sizes)
    }

    fn requests(&self, input: &Run, requester: Requester) -> Result<Option<Requests>, WitnessError> {
        let segment_of = |name| {
            let found = self.get(name)?;
            let Rows::Segment(builtin) = found.component.rows else { return None };
            input.builtin_segments.get(builtin.name)
        };
        match requester {
            Requester::Opcodes => {
                let requests = Requests::instructions(input)?;
                if requests.is_empty() { Err(WitnessError::NoSteps) } else { Ok(Some(requests)) }
            }
            Requester::Pedersen(name) => Ok(segment_of(name).map(|segment| Requests::ids::<3>(input, segment))),
            Requester::Poseidon(name) => Ok(segment_of(name).map(|segment| Requests::ids::<6>(input, segment))),
        }
    }

    /// The builtins that need points which not all sets of preprocessed columns have.
    fn check_builtin(&self, component: &'static str) -> Result<(), WitnessError> {
        let instead = match (component, self.variant) {
            (PEDERSEN, Variant::CanonicalWithoutPedersen) => Variant::Canonical,
            (EC_OP, Variant::CanonicalSmall) => Variant::CanonicalWithoutPedersen,
            _ => return Ok(()),
        };
        Err(WitnessError::Builtin { component, variant: self.variant, instead })
    }

    fn check_height(&self, size: &Size) -> Result<(), WitnessError> {
        let limit = max_log_seq(self.variant);
        if size.component.numbered && size.log_size > limit {
            let (component, log_size, variant) = (size.component.name, size.log_size, self.variant);
            return Err(WitnessError::Height { component, log_size, variant, limit });
        }
        Ok(())
    }
}

/// The highest address.
pub fn addresses(input: &Run) -> usize {
    input.memory.address_to_id.len().saturating_sub(1)
}

/// First value and number of values of each chunk, padded to a multiple of 16.
fn big_chunks(values: usize) -> impl Iterator<Item = (usize, usize)> {
    let padded = values.next_multiple_of(MIN_ROWS);
    (0..padded).step_by(BIG_CHUNK).map(move |start| (start, (padded - start).min(BIG_CHUNK)))
}

/// A builtin's segment, if it is not empty.
fn segment(input: &Run, component: &'static str, builtin: &Builtin) -> Result<Option<Segment>, WitnessError> {
    let Some(segment) = input.builtin_segments.get(builtin.name) else { return Ok(None) };
    let Segment { begin_addr: begin, stop_ptr: stop } = segment;
    if begin == stop {
        return Ok(None);
    }
    let addresses = addresses(input);
    let cells = stop.saturating_sub(begin);
    let instances = cells / builtin.name.cells();
    let is_whole = cells == instances * builtin.name.cells() && instances >= MIN_ROWS && instances.is_power_of_two();
    if !is_whole || begin == 0 || stop > addresses + 1 {
        let cells = builtin.name.cells();
        return Err(WitnessError::Segment { component, begin, stop, cells, addresses });
    }
    Ok(Some(segment))
}
