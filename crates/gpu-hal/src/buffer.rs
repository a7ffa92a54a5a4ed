//! Device memory as the prover sees it: columns behind a handle.

/// A device allocation of base-field elements. There is no way to read it but [`crate::StarkBackend::download`].
pub trait DeviceBuffer: Send + Sync + 'static {
    /// Number of base-field elements.
    fn len(&self) -> usize;

    /// Whether it holds no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A Merkle tree on the device.
pub trait DeviceTree: Send + Sync + 'static {
    /// Log2 of the number of leaves: the length of a path.
    fn log_leaves(&self) -> u32;
}

/// A table of `width` base-field columns of `2^log_height` elements each, column-major in one allocation: element `(row,
/// column)` is at `(column << log_height) + row`.
///
/// Generic over the buffer, not the backend, so that a decorator can take it apart: `Columns<B::Buffer>` owns,
/// `Columns<&B::Buffer>` borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns<Buf> {
    /// The elements.
    pub data: Buf,
    /// Number of base-field columns.
    pub width: usize,
    /// Log2 of the number of rows.
    pub log_height: u32,
}

/// Two tables that one operation makes.
pub type Uploaded<Buf> = (Option<Columns<Buf>>, Columns<Buf>);

impl<Buf> Columns<Buf> {
    /// A table over `data`.
    pub fn new(data: Buf, width: usize, log_height: u32) -> Self {
        Self { data, width, log_height }
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        1 << self.log_height
    }

    /// Number of elements, `width * height`.
    pub fn elements(&self) -> usize {
        self.width << self.log_height
    }

    /// The same table, borrowed.
    pub fn as_ref(&self) -> Columns<&Buf> {
        Columns { data: &self.data, width: self.width, log_height: self.log_height }
    }

    /// The same table, borrowed for writing.
    pub fn as_mut(&mut self) -> Columns<&mut Buf> {
        Columns { data: &mut self.data, width: self.width, log_height: self.log_height }
    }

    /// The same shape over another buffer.
    pub fn map<T>(self, f: impl FnOnce(Buf) -> T) -> Columns<T> {
        Columns { data: f(self.data), width: self.width, log_height: self.log_height }
    }
}
