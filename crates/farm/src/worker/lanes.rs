//! Where jobs are taken from.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::Instant;

use super::context::Context;
use super::lease::LeasedJob;
use crate::Result;
use crate::names::{Names, last_class};
use crate::patience::server;
use crate::queue::{Lane, Note};

/// How often new lanes are looked for that nobody has told of.
const REFRESH: Duration = Duration::from_secs(10);
/// In the last lane some jobs may not fit. They are given back, and the worker stays away for so long: others can take
/// them.
const AWAY: Duration = Duration::from_secs(5);
/// It holds `PAST` of them at a time. They come again this long after they were given back, behind unseen ones; it
/// looks past as many as it can read in half of that time.
const PAST: usize = 16;
const HIDDEN: Duration = Duration::from_secs(1);

/// The lanes that a worker takes jobs from.
pub(super) struct Lanes {
    context: Arc<Context>,
    lanes: Vec<(Lane, PullConsumer)>,
    bell: Subscriber,
    refreshed: Option<Instant>,
    /// When it looks into the last class again.
    back: Option<Instant>,
}

impl Lanes {
    pub(super) async fn new(context: Arc<Context>) -> Result<Self> {
        let farm = Arc::clone(context.farm());
        let bell = farm.patiently(farm.options.patience, || async {
            farm.nats.subscribe(farm.names.bell()).await.map_err(server("listening for jobs"))
        });
        Ok(Self { bell: bell.await?, context, lanes: Vec::new(), refreshed: None, back: None })
    }

    /// Waits until a job is submitted.
    pub(super) async fn bell(&mut self) {
        match self.bell.next().await {
            Some(message) => self.note(&message.payload),
            // The connection is closed for good; it is looked for jobs now and then.
            None => std::future::pending().await,
        }
    }

    fn note(&mut self, lane: &[u8]) {
        let lane = std::str::from_utf8(lane).ok().and_then(Names::read_consumer);
        if lane.is_some_and(|lane| self.lanes.iter().all(|(known, _)| *known != lane)) {
            self.refreshed = None;
        }
    }

    async fn refresh(&mut self) -> Result<()> {
        if self.refreshed.is_some_and(|at| at.elapsed() < REFRESH) {
            return Ok(());
        }
        let queue = &self.context.farm().queue;
        let last = last_class(self.context.prover.room());
        let mut lanes = Vec::new();
        for lane in queue.lanes().await?.into_iter().filter(|(_, class)| *class <= last) {
            let known = self.lanes.iter().find(|(known, _)| *known == lane);
            let consumer = match known {
                Some((_, consumer)) => consumer.clone(),
                None => queue.open(lane).await?,
            };
            self.context.leases.at_most(consumer.cached_info().config.ack_wait);
            lanes.push((lane, consumer));
        }
        self.lanes = lanes;
        self.refreshed = Some(Instant::now());
        Ok(())
    }

    /// Jobs that are there and fit, at most `most`.
    pub(super) async fn take(&mut self, most: usize) -> Result<Vec<LeasedJob>> {
        while let Some(Some(message)) = self.bell.next().now_or_never() {
            self.note(&message.payload);
        }
        self.refresh().await?;
        let room = self.context.prover.room();
        let doubtful = |class: u32| room.is_some_and(|room| 1_u64.checked_shl(class).is_none_or(|bytes| bytes > room));
        let away = self.back.is_some_and(|back| Instant::now() < back);
        let (mut taken, mut others, mut misfits, begun) = (Vec::new(), Vec::new(), false, Instant::now());
        let mut lanes = self.lanes.iter().filter(|((_, class), _)| !(away && doubtful(*class)));
        let mut lane = lanes.next();
        while let Some((_, consumer)) = lane
            && taken.len() < most
        {
            match self.context.farm().queue.take(consumer, most - taken.len()).await {
                Ok(messages) => {
                    let before = others.len();
                    for message in messages {
                        self.read(message, &mut taken, &mut others).await;
                    }
                    // A job that fits may stand behind jobs that do not.
                    if others.len() == before || begun.elapsed() >= HIDDEN / 2 {
                        lane = lanes.next();
                    }
                    if others.len() >= PAST {
                        misfits = true;
                        give_back(&mut others).await;
                    }
                }
                Err(error) => {
                    // It may be gone.
                    self.refreshed = None;
                    if taken.is_empty() {
                        return Err(error);
                    }
                    break;
                }
            }
        }
        // It comes back at once for more that fit.
        if (misfits || !others.is_empty()) && taken.is_empty() {
            self.back = Some(Instant::now() + AWAY);
        }
        give_back(&mut others).await;
        Ok(taken)
    }

    /// Puts a message to the taken ones, or to the ones that do not fit.
    async fn read(&self, message: Message, taken: &mut Vec<LeasedJob>, others: &mut Vec<Message>) {
        let delivered = message.info().map_or(1, |info| u64::try_from(info.delivered).unwrap_or(1));
        let note = match serde_json::from_slice::<Note>(&message.payload) {
            Ok(note) => note,
            Err(error) => {
                // The job's state is there: it gets another message.
                tracing::error!("a message of `{}` is damaged: {error}", message.subject);
                drop(message.ack_with(AckKind::Term).await);
                return;
            }
        };
        let bytes = note.record.status.bytes;
        if self.context.prover.room().is_some_and(|room| bytes > room) {
            others.push(message);
            return;
        }
        // One that came again while it is being worked on needs no answer: the answer to the first counts for it.
        taken.extend(self.context.leases.hold(note, delivered, message));
    }
}

async fn give_back(others: &mut Vec<Message>) {
    for message in others.drain(..) {
        drop(message.ack_with(AckKind::Nak(Some(HIDDEN))).await);
    }
}
