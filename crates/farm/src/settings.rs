//! Settings that all of a farm share: its servers keep them.

use std::time::Duration;

use async_nats::jetstream::stream::Config;

use crate::{Limits, Options};

/// The lease, in milliseconds, in the metadata of the queue's stream: consumers have it too, but there is none before
/// the first job.
const LEASE: &str = "polystark.lease-ms";

/// The settings that the first client of a farm decides for all, until [`crate::Client::configure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// See [`Options::replicas`].
    pub replicas: usize,
    /// See [`Options::keep`].
    pub keep: Duration,
    /// See [`Options::lease`].
    pub lease: Duration,
    /// See [`Limits::queued_jobs`].
    pub queued_jobs: u64,
}

impl Settings {
    /// From the streams of waiting and running jobs and of states; settings that they lack are as in the options.
    pub(crate) fn read(queue: &Config, states: &Config, options: &Options) -> Self {
        let lease = queue.metadata.get(LEASE).and_then(|millis| millis.parse().ok()).map(Duration::from_millis);
        Self {
            replicas: queue.num_replicas,
            keep: if states.max_age.is_zero() { options.keep } else { states.max_age },
            lease: lease.unwrap_or(options.lease),
            queued_jobs: u64::try_from(queue.max_messages).unwrap_or(options.limits.queued_jobs),
        }
    }

    /// Writes data without another place to the queue's stream.
    pub(crate) fn note(options: &Options, queue: &mut Config) {
        queue.metadata.insert(LEASE.into(), options.lease.as_millis().to_string());
    }

    /// The options with these settings.
    pub fn apply(&self, options: Options) -> Options {
        let Self { replicas, keep, lease, queued_jobs } = *self;
        Options { replicas, keep, lease, limits: Limits { queued_jobs, ..options.limits }, ..options }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_say_goes_before_options() {
        let asked = Options::default();
        let mut queue = Config { num_replicas: 3, max_messages: 7, ..Config::default() };
        let mut states = Config { max_age: Duration::from_secs(60), ..Config::default() };
        Settings::note(&Options { lease: Duration::from_millis(1500), ..Options::default() }, &mut queue);
        let read = Settings::read(&queue, &states, &asked);
        let (keep, lease) = (Duration::from_secs(60), Duration::from_millis(1500));
        assert_eq!(read, Settings { replicas: 3, keep, lease, queued_jobs: 7 });
        let options = read.apply(asked.clone());
        assert_eq!((options.replicas, options.keep, options.lease, options.limits.queued_jobs), (3, keep, lease, 7));
        // Streams that another program has made.
        queue = Config { num_replicas: 1, max_messages: -1, ..Config::default() };
        states.max_age = Duration::ZERO;
        let read = Settings::read(&queue, &states, &asked);
        assert_eq!((read.keep, read.lease, read.queued_jobs), (asked.keep, asked.lease, asked.limits.queued_jobs));
    }
}
