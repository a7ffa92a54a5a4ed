//! The algebra that code over rows is written in, once for both protocols: elements of a field and of its extension on
//! SIMD lanes.

/// Rows of a run are a multiple of this: elements of the longest register of any level.
pub(crate) const MAX_LANES: usize = 16;
/// Largest degree of an extension.
pub(crate) const MAX_DEGREE: usize = 4;

/// Where the coordinates of a run of extension elements are read: one address a coordinate, the first `DEGREE` count.
pub(crate) type Sources<W> = [*const W; MAX_DEGREE];
/// Where they are written.
pub(crate) type Targets<W> = [*mut W; MAX_DEGREE];

/// `LANES` elements of the field `F`. Lanes, and words in memory, may be lazy: any word that is congruent to the
/// element.
pub trait FieldLanes<F>: Copy {
    /// An element in memory.
    type Word;
    /// Number of lanes, at most [`MAX_LANES`].
    const LANES: usize;

    /// Lanes from `LANES` consecutive words.
    ///
    /// # Safety
    /// `source` must be readable for `LANES` words.
    unsafe fn load(source: *const Self::Word) -> Self;

    /// Lanes, as they are, to `LANES` consecutive words.
    ///
    /// # Safety
    /// `target` must be writable for `LANES` words.
    unsafe fn store(self, target: *mut Self::Word);

    /// Each lane as the one word that an element may be outside of operations.
    fn canonical(self) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self - other`.
    fn sub(self, other: Self) -> Self;

    /// `-self`.
    fn neg(self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// Transposes a square of `LANES` rows of `LANES` words; a row begins `stride` words behind the one before. Source
    /// and target may be the same.
    ///
    /// # Safety
    /// All words of the source must be readable, all words of the target writable.
    unsafe fn transpose(source: *const Self::Word, stride: usize, target: *mut Self::Word, target_stride: usize);
}

/// As many elements of the extension, one `V` a coordinate.
pub trait ExtLanes<V>: Copy {
    /// The extension.
    type Scalar;
    /// A coordinate in memory.
    type Word;

    /// Every lane set to `value`.
    fn splat(value: Self::Scalar) -> Self;

    /// Lanes of base elements.
    fn from_base(value: V) -> Self;

    /// Lanes at element `at` of the columns.
    ///
    /// # Safety
    /// The first `DEGREE` addresses must be readable for `at + LANES` words.
    unsafe fn load(sources: Sources<Self::Word>, at: usize) -> Self;

    /// Lanes, as they are, to element `at` of the columns.
    ///
    /// # Safety
    /// The first `DEGREE` addresses must be writable for `at + LANES` words.
    unsafe fn store(self, targets: Targets<Self::Word>, at: usize);

    /// [`FieldLanes::canonical`] of each coordinate.
    fn canonical(self) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self - other`.
    fn sub(self, other: Self) -> Self;

    /// `-self`.
    fn neg(self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self * other` for base lanes.
    fn mul_base(self, other: V) -> Self;

    /// `self + other` for base lanes.
    fn add_base(self, other: V) -> Self;

    /// `(a, n)` with `self * a = n` in the base field, and `n = 0` only for zero: the inverse is `a / n`.
    fn adjugate(self) -> (Self, V);
}

/// The same addresses for reading.
pub(crate) fn sources<W>(targets: Targets<W>) -> Sources<W> {
    targets.map(<*mut W>::cast_const)
}
