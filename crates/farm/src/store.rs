//! Inputs and proofs, by their digests.

use std::io::Cursor;
use std::time::Duration;

use async_nats::jetstream::object_store::{InfoErrorKind, Object, ObjectInfo, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::Stream;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, unfold};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, Take};
use tokio::time::timeout;

use crate::patience::{now, server};
use crate::{Digest, Error, Result};

/// Bytes of a message, where servers take messages that long: a million by default. Fewer messages are fewer round
/// trips.
pub(crate) fn chunk(max_payload: usize) -> usize {
    const CHUNK: usize = 512 << 10;
    CHUNK.min(max_payload / 2).max(1)
}

/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// A store of artefacts.
#[derive(Clone)]
pub(crate) struct Artefacts {
    pub(crate) store: ObjectStore,
    /// Bytes that one may have.
    pub(crate) limit: u64,
    /// Their name, for errors.
    pub(crate) what: &'static str,
    /// An older one is stored again, so that it outlives its present users.
    pub(crate) fresh: Duration,
    /// See [`chunk`].
    pub(crate) chunk: usize,
    /// The stream that has them.
    pub(crate) stream: Stream,
    /// The name of the limit on the bytes of all, and the limit.
    pub(crate) all: Option<(&'static str, u64)>,
}

impl Artefacts {
    /// Refuses bytes that are too many.
    pub(crate) fn check(&self, bytes: u64) -> Result<()> {
        if bytes > self.limit { Err(Error::Limit { what: self.what, is: bytes, limit: self.limit }) } else { Ok(()) }
    }

    async fn info(&self, digest: &Digest) -> Result<Option<ObjectInfo>> {
        match self.store.info(digest.to_string()).await {
            Ok(info) if info.deleted => Ok(None),
            Ok(info) => Ok(Some(info)),
            Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(None),
            Err(error) => Err(server("an artefact")(error)),
        }
    }

    /// Whether it is there.
    pub(crate) async fn has(&self, digest: &Digest) -> Result<bool> {
        Ok(self.info(digest).await?.is_some())
    }

    /// Whether it was written so long ago that it is to be stored again.
    fn is_old(&self, info: &ObjectInfo) -> bool {
        let written = info.modified.map_or(0, |at| u64::try_from(at.unix_timestamp()).unwrap_or(0));
        written + self.fresh.as_secs() <= now() / 1000
    }

    /// Stores it, if it is not there, or is not known to be `new`. A stored object is whole: its description is written
    /// last.
    pub(crate) async fn put(&self, digest: &Digest, bytes: &Bytes, new: bool) -> Result<()> {
        self.check(bytes.len() as u64)?;
        if !new && let Some(info) = self.info(digest).await? {
            if info.size == bytes.len() && !self.is_old(&info) {
                return Ok(());
            }
        } else if let Some((what, limit)) = self.all {
            let stored = self.stream.get_info().await.map_err(server("the store's size"))?.state.bytes;
            let is = stored + bytes.len() as u64;
            if is > limit {
                return Err(Error::Limit { what, is, limit });
            }
        }
        self.write(digest, bytes).await
    }

    async fn write(&self, digest: &Digest, bytes: &Bytes) -> Result<()> {
        let meta =
            ObjectMetadata { name: digest.to_string(), chunk_size: Some(self.chunk), ..ObjectMetadata::default() };
        self.store.put(meta, &mut Cursor::new(bytes)).await.map_err(server("storing an artefact"))?;
        Ok(())
    }

    /// Stores it again if it is old: somebody still needs it.
    pub(crate) async fn refresh(&self, digest: &Digest) -> Result<()> {
        if self.info(digest).await?.is_some_and(|info| self.is_old(&info))
            && let Some(bytes) = self.get(digest).await?
        {
            self.write(digest, &bytes).await?;
        }
        Ok(())
    }

    /// Its bytes, which have the digest. `None` if it is not there.
    pub(crate) async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        let Some(Artefact { bytes, mut pieces }) = self.read(digest).await? else { return Ok(None) };
        // A size in a description is no reason to take that much memory.
        let mut all = BytesMut::with_capacity(usize::try_from(bytes.min(64 << 20)).unwrap_or(0));
        while let Some(piece) = pieces.next().await {
            all.extend_from_slice(&piece?);
        }
        Ok(Some(all.freeze()))
    }

    /// Its bytes as they come. `None` if it is not there.
    pub(crate) async fn read(&self, digest: &Digest) -> Result<Option<Artefact>> {
        let Some(info) = self.info(digest).await? else { return Ok(None) };
        let size = info.size as u64;
        self.check(size)?;
        let object = match size {
            0 => None,
            _ => Some(self.store.get(digest.to_string()).await.map_err(server("reading an artefact"))?.take(size)),
        };
        let reading = Reading { object, left: size, hash: Sha256::new(), digest: *digest, what: self.what };
        let pieces = unfold(reading, |mut reading| async move {
            let piece = reading.next().await.transpose()?;
            if piece.is_err() {
                reading.object = None;
                reading.left = 0;
            }
            Some((piece, reading))
        });
        Ok(Some(Artefact { bytes: size, pieces: pieces.boxed() }))
    }
}

/// An artefact as it is read.
pub struct Artefact {
    /// How many bytes it has.
    pub bytes: u64,
    /// They, piece by piece. The last one comes when the digest of all is right; else there is an error in its place.
    pub pieces: BoxStream<'static, Result<Bytes>>,
}

struct Reading {
    /// `None` when it is over.
    object: Option<Take<Object>>,
    left: u64,
    hash: Sha256,
    digest: Digest,
    what: &'static str,
}

impl Reading {
    /// The next piece, `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>> {
        const WHAT: &str = "reading an artefact";
        let Some(object) = &mut self.object else { return Ok(None) };
        let mut piece = BytesMut::with_capacity(PIECE);
        // Each part comes soon or the servers are away.
        let read = timeout(Duration::from_secs(20), object.read_buf(&mut piece)).await;
        let read = read.map_err(server(WHAT))?.map_err(server(WHAT))?;
        self.hash.update(&piece);
        self.left -= read as u64;
        if read > 0 && self.left > 0 {
            return Ok(Some(piece.freeze()));
        }
        self.object = None;
        if self.left > 0 || self.hash.clone().finalize()[..] != self.digest.bytes()[..] {
            let detail = "its bytes have another digest than their name".to_owned();
            return Err(Error::Damaged { what: format!("{} {}", self.what, self.digest), detail });
        }
        Ok(Some(piece.freeze()))
    }
}
