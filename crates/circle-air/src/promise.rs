//! Promises of lookups: the facts about a tuple that whoever looks it up may take for granted.

use field::M31;

/// A kind of tuples, and what whoever looks one up may rely on: the yielding component has made sure of it. No proof
/// depends on it; readers of an AIR do, and solvers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleKind {
    /// Number of the relation.
    pub relation: usize,
    /// The first value, if it tells kinds of one relation apart.
    pub kind: Option<M31>,
    /// Its name.
    pub name: String,
    /// The promise of a lookup.
    pub promise: Promise,
}

/// Knowledge of the values of a tuple that is looked up, those behind the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// How tuples of the kind hang together.
    pub link: Link,
    /// Places of values that do not follow from the keys of a function each for itself, with factors: the sum of the
    /// values times these does.
    pub sum: Vec<(usize, u32)>,
    /// By value, up to the last of which anything is known: it is below two to this power.
    pub bits: Vec<Option<u32>>,
    /// Whether the third value is the exclusive or of the first two.
    pub is_xor: bool,
}

/// How tuples of a kind hang together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// In no way that is known.
    #[default]
    None,
    /// Two tuples that agree in the first `keys` values agree in all. The component that yields them computes the
    /// others from the keys; where `is_chosen` they are the prover's choice, one for each key.
    Function {
        /// Number of keys.
        keys: usize,
        /// Whether the values are chosen.
        is_chosen: bool,
    },
    /// A row uses a tuple and yields the next. Who yields the first tuple of a chain and uses the last can rely on it:
    /// the first says what the last is. Where `step` is the place of a value, that is the number of the step, a
    /// constant at both ends.
    Chain {
        /// The place.
        step: Option<usize>,
    },
}

impl TupleKind {
    /// A kind of which nothing is known.
    pub fn new(relation: usize, kind: Option<u32>, name: &str) -> Self {
        Self { relation, kind: kind.map(M31::new), name: name.to_owned(), promise: Promise::default() }
    }

    /// The same, its values being below these powers of two.
    #[must_use]
    pub fn with_bits(mut self, bits: impl IntoIterator<Item = u32>) -> Self {
        self.promise.bits = bits.into_iter().map(Some).collect();
        self
    }

    /// The same, the first values being keys of values that are computed.
    #[must_use]
    pub fn with_keys(mut self, keys: usize) -> Self {
        self.promise.link = Link::Function { keys, is_chosen: false };
        self
    }

    /// The same; from the keys follows the sum of these multiples of values, by place, in the place of the values.
    #[must_use]
    pub fn with_sum(mut self, sum: impl IntoIterator<Item = (usize, u32)>) -> Self {
        self.promise.sum = sum.into_iter().collect();
        self
    }

    /// The same, the first values being keys of values that are chosen.
    #[must_use]
    pub fn with_chosen(mut self, keys: usize) -> Self {
        self.promise.link = Link::Function { keys, is_chosen: true };
        self
    }

    /// The same as a chain.
    #[must_use]
    pub fn with_chain(mut self, step: Option<usize>) -> Self {
        self.promise.link = Link::Chain { step };
        self
    }

    /// Triples of numbers of so many bits and their exclusive or.
    #[must_use]
    pub fn with_xor(self, bits: u32) -> Self {
        let mut kind = self.with_bits([bits; 3]).with_keys(2);
        kind.promise.is_xor = true;
        kind
    }
}
