//! The connection to a farm, and the farm's parts on its servers.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{ConnectOptions, Event, ServerAddr};

use crate::names::Names;
use crate::options::{Credentials, Options};
use crate::patience::{PendingRequests, patiently, server};
use crate::queue::Queue;
use crate::secret::read_secret;
use crate::settings::Settings;
use crate::state::States;
use crate::store::{Artefacts, chunk};
use crate::{Error, Result};

/// How long one request may take: an answer that comes later than half a lease helps no worker.
fn answer(options: &Options) -> Duration {
    (options.lease / 2).clamp(Duration::from_secs(1), Duration::from_secs(5))
}

/// A farm, as its clients and workers see it.
pub(crate) struct Farm {
    pub(crate) options: Options,
    pub(crate) names: Names,
    pub(crate) nats: async_nats::Client,
    pub(crate) waits: Arc<PendingRequests>,
    pub(crate) queue: Queue,
    pub(crate) states: States,
    pub(crate) inputs: Artefacts,
    pub(crate) proofs: Artefacts,
    pub(crate) workers: async_nats::jetstream::kv::Store,
    pub(crate) alarms: async_nats::jetstream::kv::Store,
}

impl Farm {
    /// Connects, and makes missing streams.
    pub(crate) async fn connect(options: &Options) -> Result<Self> {
        options.check()?;
        let names = Names::new(&options.prefix);
        let waits = Arc::new(PendingRequests::default());
        let nats = connect(options, &names, &waits).await?;
        let mut context = async_nats::jetstream::new(nats.clone());
        context.set_timeout(answer(options));
        let plan = Plan { options, names: &names };
        let make = |config: Config| {
            let context = &context;
            waits.patiently(options.patience, move || stream(context, config.clone()))
        };
        let queue = make(plan.queue()).await?;
        let states = make(plan.bucket(&names.states(), options.keep)).await?;
        // As the first client has decided.
        let settings = Settings::read(&queue.cached_info().config, &states.cached_info().config, options);
        let options = &settings.apply(options.clone());
        let plan = Plan { options, names: &names };
        make(plan.bucket(&names.workers(), options.keep)).await?;
        make(plan.bucket(&names.alarms(), Duration::ZERO)).await?;
        let inputs = make(plan.objects(&names.inputs())).await?;
        let proofs = make(plan.objects(&names.proofs())).await?;
        let bucket = |name: String| {
            let context = &context;
            waits.patiently(options.patience, move || {
                let bucket = context.get_key_value(name.clone());
                async { bucket.await.map_err(server("a bucket")) }
            })
        };
        let limits = &options.limits;
        let chunk = chunk(nats.max_payload());
        let objects = |name: String, stream: Stream, (limit, all), what: &'static str| {
            let context = &context;
            waits.patiently(options.patience, move || {
                let (store, stream) = (context.get_object_store(name.clone()), stream.clone());
                async move {
                    let store = store.await.map_err(server("a store"))?;
                    Ok(Artefacts { store, limit, what, fresh: options.keep, chunk, stream, all })
                }
            })
        };
        Ok(Self {
            states: States { nats: nats.clone(), bucket: bucket(names.states()).await? },
            workers: bucket(names.workers()).await?,
            alarms: bucket(names.alarms()).await?,
            inputs: objects(
                names.inputs(),
                inputs,
                (limits.input_bytes, Some((Error::INPUTS, limits.all_input_bytes))),
                "an input",
            )
            .await?,
            proofs: objects(names.proofs(), proofs, (limits.proof_bytes, None), "a proof").await?,
            queue: Queue::new(context.clone(), queue, names.clone(), options, answer(options)),
            options: options.clone(),
            names,
            waits,
            nats,
        })
    }

    /// See [`PendingRequests::patiently`].
    pub(crate) async fn patiently<T, F>(&self, patience: Duration, ask: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        self.waits.patiently(patience, ask).await
    }

    /// The settings that the servers keep for all.
    pub(crate) async fn settings(&self) -> Result<Settings> {
        let queue = self.queue.stream.get_info().await.map_err(server("the queue"))?;
        let states = self.states.bucket.stream.get_info().await.map_err(server("the states"))?;
        Ok(Settings::read(&queue.config, &states.config, &self.options))
    }

    /// Changes present streams to the options.
    pub(crate) async fn configure(&self, options: &Options) -> Result<()> {
        options.check()?;
        let names = &self.names;
        let plan = Plan { options, names };
        let mut configs = vec![plan.queue()];
        configs
            .extend([(names.states(), options.keep), (names.workers(), options.keep)].map(|(n, k)| plan.bucket(&n, k)));
        configs.push(plan.bucket(&names.alarms(), Duration::ZERO));
        configs.extend([names.inputs(), names.proofs()].map(|name| plan.objects(&name)));
        for config in configs {
            self.queue.context.update_stream(&config).await.map_err(server("changing a stream"))?;
        }
        self.queue.set_lease(options.lease).await
    }
}

async fn connect(options: &Options, names: &Names, waits: &Arc<PendingRequests>) -> Result<async_nats::Client> {
    let refused = |what: &str, error: &dyn std::fmt::Display| Error::Options(format!("{what}: {error}"));
    let mut connect = match &options.credentials {
        Credentials::None => ConnectOptions::new(),
        Credentials::NkeySeed(path) => ConnectOptions::with_nkey(read_secret(path)?.trim().into()),
        Credentials::Jwt(path) => ConnectOptions::with_credentials(&read_secret(path)?)
            .map_err(|error| refused(&path.display().to_string(), &error))?,
        Credentials::User { name, password } => ConnectOptions::with_user_and_password(name.clone(), password.clone()),
        Credentials::Token(token) => ConnectOptions::with_token(token.clone()),
    };
    let tls = &options.tls;
    for file in tls.ca.iter().chain(tls.client.iter().flat_map(|(certificate, key)| [certificate, key])) {
        read_secret(file)?;
    }
    if let Some(ca) = &tls.ca {
        connect = connect.add_root_certificates(ca.clone());
    }
    if let Some((certificate, key)) = &tls.client {
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    let (hears, beside) = (Arc::clone(waits), [names.bell(), names.cancelled()]);
    connect = connect
        .event_callback(move |event| {
            if let Event::ServerError(error) = event {
                hears.note(&error.to_string(), &beside);
            }
            std::future::ready(())
        })
        .require_tls(tls.required || tls.ca.is_some() || tls.client.is_some())
        .name(format!("{} {}", env!("CARGO_PKG_NAME"), options.prefix))
        // Messages beyond this number are dropped for a slow reader; a watch then reads the present state again.
        .subscription_capacity(8192)
        .connection_timeout(answer(options).min(options.connect))
        .request_timeout(Some(answer(options)))
        .reconnect_delay_callback(|tries| Duration::from_millis(50 << tries.min(5)));
    let servers = options
        .servers
        .iter()
        .map(|text| text.parse::<ServerAddr>().map_err(|error| refused(&format!("the server `{text}`"), &error)))
        .collect::<Result<Vec<_>>>()?;
    let ask = || {
        let connect = connect.clone();
        let servers = &servers;
        async move { connect.connect(&servers[..]).await.map_err(server("connecting")) }
    };
    // A wrong password stays wrong: no patience with it.
    match ask().await {
        Err(Error::Server { detail, .. }) if detail.contains("authorization") => {
            Err(Error::Options(format!("the servers do not take these credentials: {detail}")))
        }
        Err(_) => patiently(options.connect, ask).await.map_err(|error| match error {
            Error::Server { detail, .. } => Error::Away { servers: options.servers.join(", "), detail },
            error => error,
        }),
        done => done,
    }
}

/// A stream that is there, or is made.
async fn stream(context: &Context, config: Config) -> Result<Stream> {
    match context.get_stream(&config.name).await {
        Ok(stream) => return Ok(stream),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(cause) if cause.error_code() == ErrorCode::STREAM_NOT_FOUND => {}
            _ => return Err(server("a stream")(error)),
        },
    }
    match context.create_stream(config.clone()).await {
        Ok(stream) => Ok(stream),
        Err(error) => match error.kind() {
            // Somebody else made it in between.
            CreateStreamErrorKind::JetStream(cause) if cause.error_code() == ErrorCode::STREAM_NAME_EXIST => {
                context.get_stream(&config.name).await.map_err(server("a stream"))
            }
            _ => Err(server("making a stream")(error)),
        },
    }
}

/// The configurations of the streams.
struct Plan<'a> {
    options: &'a Options,
    names: &'a Names,
}

impl Plan<'_> {
    fn stream(&self, name: String, subjects: Vec<String>) -> Config {
        Config {
            name,
            subjects,
            storage: StorageType::File,
            num_replicas: self.options.replicas,
            discard: DiscardPolicy::New,
            ..Config::default()
        }
    }

    /// One message a job: a new one replaces the last. No age: a job that waits is not forgotten.
    fn queue(&self) -> Config {
        let mut config = Config {
            retention: RetentionPolicy::WorkQueue,
            max_messages: i64::try_from(self.options.limits.queued_jobs).unwrap_or(i64::MAX),
            max_messages_per_subject: 1,
            duplicate_window: Duration::from_secs(120),
            ..self.stream(self.names.queue(), vec![self.names.all_jobs()])
        };
        Settings::note(self.options, &mut config);
        config
    }

    /// A bucket of keys and values without history. It is read at its leader (`allow_direct` is off): others may be
    /// behind.
    fn bucket(&self, name: &str, keep: Duration) -> Config {
        Config {
            max_age: keep,
            max_messages_per_subject: 1,
            allow_rollup: true,
            deny_delete: true,
            duplicate_window: Duration::from_secs(120).min(if keep.is_zero() { Duration::MAX } else { keep }),
            ..self.stream(format!("KV_{name}"), vec![format!("$KV.{name}.>")])
        }
    }

    /// A store of objects. Its objects outlive the states that refer to them ([`Artefacts::fresh`]).
    fn objects(&self, name: &str) -> Config {
        Config {
            max_age: self.options.keep * 2,
            allow_rollup: true,
            // Any replica may be asked: a replica that is behind is asked again.
            allow_direct: true,
            ..self.stream(format!("OBJ_{name}"), vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")])
        }
    }
}

/// A farm that many share.
pub(crate) type SharedFarm = Arc<Farm>;
