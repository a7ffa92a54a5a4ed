//! The data that all routes share, and their answers.

use std::future::Future;
use std::sync::Arc;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::sync::{Semaphore, watch};

use super::counters::Counters;
use super::farm::Farm;
use super::hub::Hub;
use super::options::HttpOptions;
use super::problem::{self, Problem};

/// The data that all routes share.
pub(super) struct App {
    pub(super) farm: Arc<dyn Farm>,
    pub(super) hub: Hub,
    pub(super) counters: Arc<Counters>,
    pub(super) options: HttpOptions,
    /// Whether only this machine can ask.
    pub(super) is_local: bool,
    pub(super) streams: Arc<Semaphore>,
    pub(super) transfers: Arc<Semaphore>,
    pub(super) stop: watch::Receiver<bool>,
}

impl App {
    pub(super) fn new(farm: Arc<dyn Farm>, options: HttpOptions, is_local: bool, stop: watch::Receiver<bool>) -> Self {
        let counters = Arc::new(Counters::default());
        let places = |most| Arc::new(Semaphore::new(most));
        let (streams, transfers) = (places(options.streams), places(options.transfers));
        let hub = Hub::new(crate::now(), (options.kept_events, options.kept_bytes), counters.clone());
        Self { farm, hub, counters, options, is_local, streams, transfers, stop }
    }

    /// The farm's answer, if it comes in time.
    pub(super) async fn ask<T>(&self, answer: impl Future<Output = crate::Result<T>>) -> Result<T, Problem> {
        let time = self.options.answer_time;
        match tokio::time::timeout(time, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Problem::new(problem::TIMEOUT, format!("they had {} s", time.as_secs_f64()))),
        }
    }
}

/// JSON that nobody but the client may keep.
pub(super) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => {
            ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], text).into_response()
        }
        Err(error) => Problem::new(problem::INTERNAL, format!("an answer cannot be written: {error}")).into_response(),
    }
}
