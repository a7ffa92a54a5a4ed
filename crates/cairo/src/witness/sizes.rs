//! How many rows every component has, before any is made.

use cairo_run::{Run, Segment};

use gpu_hal::ir::RowProgramError;

use super::error::WitnessError;
use super::requests::Requests;
use super::size::Size;
use crate::components::bounds::{ADDRESS_COLUMNS, BIG_CHUNK, BIG_CHUNKS, MAX_ADDRESSES, MIN_ROWS, addresses};
use crate::components::machine::ComponentProgram;
use crate::components::memory;
use crate::components::{Builtin, Component, RecordedComponent, Requester, Rows, recorded};
use crate::preprocessed::{Variant, max_log_seq};
use crate::version::AirVersion;

/// The public memory. It is no component: its row program has no columns, and only counts the uses of the public
/// memory.
const PUBLIC_MEMORY: &Component = &Component {
    name: "public memory",
    rows: Rows::PublicMemory,
    program: recorded!(memory::public_memory),
    numbered: false,
};

/// The rows of all components that a proof has.
#[derive(Clone, Debug)]
pub struct Sizes {
    version: &'static str,
    variant: Variant,
    components: Vec<Size>,
    public_memory: Option<Size>,
}

impl Sizes {
    /// Counts the rows of a run, to be proven with a set of preprocessed columns.
    ///
    /// # Errors
    /// An input that is malformed or too large for the columns.
    pub fn new<V: AirVersion>(input: &Run, variant: Variant) -> Result<Self, WitnessError> {
        let addresses = addresses(input);
        if addresses > MAX_ADDRESSES {
            return Err(WitnessError::Addresses { addresses, limit: MAX_ADDRESSES });
        }
        let (values, limit) = (input.memory.f252_values.len(), BIG_CHUNKS * BIG_CHUNK);
        if values > limit {
            return Err(WitnessError::BigValues { values, limit });
        }
        let components = Vec::with_capacity(V::COMPONENTS.len());
        let mut sizes = Self { version: V::NAME, variant, components, public_memory: None };
        for numbered in V::COMPONENTS.iter().enumerate() {
            let of_component = sizes.count::<V>(input, numbered)?;
            sizes.components.extend(of_component);
        }
        sizes.public_memory = sizes.count::<V>(input, (V::COMPONENTS.len(), PUBLIC_MEMORY))?.pop();
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
    fn get(&self, name: &str) -> Option<&Size> {
        self.components.iter().find(|size| size.component.name == name)
    }

    /// The name of the version of the AIR.
    pub fn version(&self) -> &'static str {
        self.version
    }

    /// The set of preprocessed columns.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// None where the component is not there, several for chunks.
    fn count<V: AirVersion>(
        &self,
        input: &Run,
        (number, component): (usize, &'static Component),
    ) -> Result<Vec<Size>, WitnessError> {
        let size = |entries: usize, period| {
            (entries > 0).then(|| Size {
                component,
                number,
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
                let requests = self.requests::<V>(input, requester)?;
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
                let rows = |name: &str| self.get(name).map_or(0, |caller| V::calling_rows(caller.entries));
                let of_caller = |(name, sites): &(&str, usize)| rows(name) * sites;
                size(callers.iter().map(of_caller).sum(), MIN_ROWS).into_iter().collect()
            }
            Rows::Table(counter, with) => match counter.table() {
                Some((_, log_size, _)) if with.is_none_or(|name| self.get(name).is_some()) => {
                    size(1 << log_size, 1).map(|size| Size { log_size, ..size }).into_iter().collect()
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

    fn requests<V: AirVersion>(&self, input: &Run, requester: Requester) -> Result<Option<Requests>, WitnessError> {
        let segment_of = |name| {
            let found = self.get(name)?;
            let Rows::Segment(builtin) = found.component.rows else { return None };
            input.builtin_segments.get(builtin.name)
        };
        match requester {
            Requester::Opcodes => {
                let requests = Requests::instructions(input, V::COMPONENTS, V::calling_rows)?;
                if requests.is_empty() { Err(WitnessError::NoSteps) } else { Ok(Some(requests)) }
            }
            Requester::Pedersen(name) => Ok(segment_of(name).map(|segment| Requests::ids::<3>(input, segment))),
            Requester::Poseidon(name) => Ok(segment_of(name).map(|segment| Requests::ids::<6>(input, segment))),
        }
    }

    /// The builtins that need points which not all sets of preprocessed columns have.
    fn check_builtin(&self, component: &'static str) -> Result<(), WitnessError> {
        let instead = match (component, self.variant) {
            ("pedersen_builtin", Variant::CanonicalWithoutPedersen) => Variant::Canonical,
            ("ec_op_builtin", Variant::CanonicalSmall) => Variant::CanonicalWithoutPedersen,
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
