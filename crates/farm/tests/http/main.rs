//! The farm over HTTP, with a farm in memory behind it: a real listener, and requests as they go over the wire.

mod api;
mod browser;
mod events;
mod limits;
mod local;
mod memory;
mod openapi;
mod page;
mod tokens;
mod wire;
