//! Inputs and proofs, by their digests.

use std::io::Cursor;
use std::time::Duration;

use async_nats::jetstream::object_store::{InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore};
use bytes::Bytes;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::patience::{now, server};
use crate::{Digest, Error, Result};

/// Bytes of a message, where servers take messages of so many: a million by default. Fewer messages are fewer round trips.
pub(crate) fn chunk(max_payload: usize) -> usize {
    const CHUNK: usize = 512 << 10;
    CHUNK.min(max_payload / 2).max(1)
}

/// A store of artefacts.
#[derive(Clone)]
pub(crate) struct Artefacts {
    pub(crate) store: ObjectStore,
    /// Bytes that one may have.
    pub(crate) limit: u64,
    /// What they are, for errors.
    pub(crate) what: &'static str,
    /// One that is older is stored again, so that it outlives whoever refers to it now.
    pub(crate) fresh: Duration,
    /// See [`chunk`].
    pub(crate) chunk: usize,
}

impl Artefacts {
    /// Refuses what is too large.
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

    /// Stores it, if it is not there, or is not known to be `new`. What is stored is whole: its description is written last.
    pub(crate) async fn put(&self, digest: &Digest, bytes: &Bytes, new: bool) -> Result<()> {
        self.check(bytes.len() as u64)?;
        if !new && let Some(info) = self.info(digest).await? {
            let written = info.modified.map_or(0, |at| u64::try_from(at.unix_timestamp()).unwrap_or(0));
            if info.size == bytes.len() && written + self.fresh.as_secs() > now() / 1000 {
                return Ok(());
            }
        }
        let meta =
            ObjectMetadata { name: digest.to_string(), chunk_size: Some(self.chunk), ..ObjectMetadata::default() };
        self.store.put(meta, &mut Cursor::new(bytes)).await.map_err(server("storing an artefact"))?;
        Ok(())
    }

    /// Its bytes, which are what the digest says. `None` if it is not there.
    pub(crate) async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        let Some(info) = self.info(digest).await? else { return Ok(None) };
        let size = info.size as u64;
        self.check(size)?;
        // What a description says is no reason to take that much memory.
        let mut bytes = Vec::with_capacity(info.size.min(64 << 20));
        if size > 0 {
            let object = self.store.get(digest.to_string()).await.map_err(server("reading an artefact"))?;
            let mut object = object.take(size + 1);
            // Each part comes soon or the servers are away.
            while timeout(Duration::from_secs(20), object.read_buf(&mut bytes))
                .await
                .map_err(server("reading an artefact"))?
                .map_err(server("reading an artefact"))?
                > 0
            {}
        }
        if Digest::of(&bytes) != *digest {
            let detail = format!("its {} bytes have another digest than their name", bytes.len());
            return Err(Error::Damaged { what: format!("{} {digest}", self.what), detail });
        }
        Ok(Some(bytes.into()))
    }
}
