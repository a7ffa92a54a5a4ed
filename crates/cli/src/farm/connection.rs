//! The farm, and the client's identity.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use farm::{Client, Credentials, Limits, Options, Settings, Tls, read_token};

use super::bounds::Bounds;
use super::defaults::{CREDS, FARM, Local, NKEY, SERVER, TOKEN_FILE, variable};
use crate::arguments::values::integer;
use crate::protocol::Rows;
use crate::report::exit::Failure;
use crate::report::output::Output;

/// Settings that all of a farm share. The first client decides them; `polystark farm configure` changes them.
#[derive(Args, Clone, Debug, Default)]
struct SettingArguments {
    /// Servers that keep a copy of each job and proof, 1, 3 or 5; the first client of a farm decides [default: 1]
    #[arg(long, value_name = "N")]
    replicas: Option<usize>,
    /// Hours that a job and its proof are kept after it has ended; the first client of a farm decides [default: 168]
    #[arg(long, value_name = "N")]
    keep_hours: Option<u32>,
    /// Seconds of silence after which a worker has lost its job; the first client of a farm decides [default: 30]
    #[arg(long, value_name = "N")]
    lease_seconds: Option<u32>,
    /// Jobs that may wait or run, more are refused; the first client of a farm decides [default: 1000000]
    #[arg(long, value_name = "N", value_parser = integer)]
    max_queued: Option<u64>,
}

impl SettingArguments {
    /// The settings, with the given ones in place.
    fn over(&self, settings: Settings) -> Settings {
        let seconds = |seconds: u64| Duration::from_secs(seconds);
        Settings {
            replicas: self.replicas.unwrap_or(settings.replicas),
            keep: self.keep_hours.map_or(settings.keep, |hours| seconds(u64::from(hours) * 3600)),
            lease: self.lease_seconds.map_or(settings.lease, |lease| seconds(lease.into())),
            queued_jobs: self.max_queued.unwrap_or(settings.queued_jobs),
        }
    }

    /// The given settings that differ from the farm's, both values of each.
    fn differences(&self, farm: &Settings) -> Vec<String> {
        let asked = rows(&self.over(farm.clone()));
        let both = asked.into_iter().zip(rows(farm)).filter(|((_, asked), (_, farm))| asked != farm);
        both.map(|((name, asked), (_, farm))| format!("--{name} is {farm}, not {asked}")).collect()
    }
}

/// Settings by the arguments that change them.
pub(super) fn rows(settings: &Settings) -> Rows {
    vec![
        ("replicas", settings.replicas.to_string()),
        ("keep-hours", (settings.keep.as_secs_f64() / 3600.0).to_string()),
        ("lease-seconds", settings.lease.as_secs_f64().to_string()),
        ("max-queued", settings.queued_jobs.to_string()),
    ]
}

/// The farm, and the client's identity.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConnectionArguments {
    /// A server of the farm; may be repeated, one that answers is enough [default: POLYSTARK_FARM_SERVER, with commas
    /// between several; else the last `farm local` of this user; else nats://127.0.0.1:4222]
    #[arg(long = "server", value_name = "URL")]
    servers: Vec<String>,
    /// Name of the farm: several may share servers [default: POLYSTARK_FARM, else polystark]
    #[arg(long, value_name = "NAME")]
    farm: Option<String>,
    /// A file with a user's JWT and its key, as `nsc` writes it [default: POLYSTARK_FARM_CREDS, unless other
    /// credentials are given]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nkey", "token_file"])]
    creds: Option<PathBuf>,
    /// A file with the seed of an NKEY [default: POLYSTARK_FARM_NKEY, unless other credentials are given]
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    nkey: Option<PathBuf>,
    /// A file with a token [default: POLYSTARK_FARM_TOKEN_FILE, unless other credentials are given; that of the last
    /// `farm local` if it is the server]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A file with the certificates that servers' ones must follow from, in PEM; with it there is no connection without
    /// TLS
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// A file with the certificate that is shown to servers, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// A file with its key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArguments,
    /// How often a job is begun before it is set aside
    #[arg(long, value_name = "N", default_value_t = 5)]
    attempts: u32,
    /// worker: seconds in which a proof that its prover has verified is compared with the job; if it takes longer, it
    /// is not published
    #[arg(long, value_name = "N", default_value_t = Limits::default().verify_seconds, value_parser = integer)]
    verify_seconds: u64,
    /// Seconds that a proof may take: a job whose estimate is more is refused when it is planned, one that takes longer
    /// is stopped and set aside
    #[arg(long, value_name = "N", default_value_t = Limits::default().prove_seconds, value_parser = integer)]
    prove_seconds: u64,
    /// Seconds in which a job is planned; a program that runs longer is refused
    #[arg(long, value_name = "N", default_value_t = Limits::default().plan_seconds, value_parser = integer)]
    plan_seconds: u64,
    /// Bytes of a program or of another input; longer ones are refused
    #[arg(long, value_name = "N", default_value_t = Limits::default().input_bytes, value_parser = integer)]
    max_input_bytes: u64,
    /// Bytes of all inputs that are stored; when there are as many, further ones are refused
    #[arg(long, value_name = "N", default_value_t = Limits::default().all_input_bytes, value_parser = integer)]
    max_all_input_bytes: u64,
}

impl ConnectionArguments {
    /// The same farm at another server, with a token.
    pub(super) fn at(&self, server: String, token: String) -> Options {
        Options {
            servers: vec![server],
            credentials: Credentials::Token(token),
            tls: Tls::default(),
            ..self.without_server()
        }
    }

    /// The limits of a job.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { prove_seconds: self.prove_seconds, plan_seconds: self.plan_seconds }
    }

    /// The farm's name, if given.
    fn farm(&self) -> Option<String> {
        self.farm.clone().or_else(|| variable(FARM).map(|name| name.to_string_lossy().into_owned()))
    }

    /// The client's options: from the arguments, then the environment, then the last local farm.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let of_environment = || {
            let servers = variable(SERVER)?.to_string_lossy().into_owned();
            Some(servers.split(',').map(|server| server.trim().to_owned()).collect::<Vec<_>>())
        };
        let mut options = self.without_server();
        let said = Some(self.servers.clone()).filter(|servers| !servers.is_empty()).or_else(of_environment);
        let local = if said.is_none() { Local::last() } else { None };
        if let Some(servers) = said.or_else(|| Some(vec![local.as_ref()?.server.clone()])) {
            options.servers = servers;
        }
        if let (None, Some(local)) = (self.farm(), &local) {
            options.prefix.clone_from(&local.farm);
        }
        options.credentials = self.credentials(local.as_ref())?;
        Ok(options)
    }

    fn credentials(&self, local: Option<&Local>) -> Result<Credentials, Failure> {
        let given = match (&self.creds, &self.nkey, &self.token_file) {
            (None, None, None) => [CREDS, NKEY, TOKEN_FILE].map(|name| variable(name).map(PathBuf::from)),
            (creds, nkey, token) => [creds, nkey, token].map(Clone::clone),
        };
        Ok(match given {
            [Some(file), _, _] => Credentials::Jwt(file),
            [_, Some(file), _] => Credentials::NkeySeed(file),
            [_, _, Some(file)] => Credentials::Token(read_token(&file)?),
            [None, None, None] => match local {
                Some(local) => Credentials::Token(read_token(&local.token_file)?),
                None => Credentials::None,
            },
        })
    }

    /// The options that name neither the servers nor the client.
    fn without_server(&self) -> Options {
        let client = self.tls_cert.clone().zip(self.tls_key.clone());
        let tls = Tls { required: self.tls_ca.is_some() || client.is_some(), ca: self.tls_ca.clone(), client };
        let limits = Limits {
            input_bytes: self.max_input_bytes,
            all_input_bytes: self.max_all_input_bytes,
            verify_seconds: self.verify_seconds,
            prove_seconds: self.prove_seconds,
            plan_seconds: self.plan_seconds,
            ..Limits::default()
        };
        let options = Options {
            tls,
            prefix: self.farm().unwrap_or_else(|| Options::default().prefix),
            attempts: self.attempts,
            limits,
            ..Options::default()
        };
        let settings = self.settings.over(settings(&options));
        settings.apply(options)
    }

    /// Connects, and says once which settings of the farm are other ones than asked for.
    pub(super) async fn connect(&self, output: &Output) -> Result<Client, Failure> {
        self.connect_by(&self.options()?, output).await
    }

    /// The same by these options, which are the arguments' except for the server.
    pub(super) async fn connect_by(&self, options: &Options, output: &Output) -> Result<Client, Failure> {
        let client = Client::connect(options).await?;
        let differences = self.settings.differences(&settings(client.options()));
        if !differences.is_empty() {
            let what = differences.join("; ");
            output.note(&format!("the farm was made otherwise: {what}; `polystark farm configure` changes it"));
        }
        Ok(client)
    }

    /// Changes the farm's settings to the given ones, if any; returns the new settings.
    pub(super) async fn configure(&self) -> Result<Settings, Failure> {
        let client = Client::connect(&self.options()?).await?;
        let farm = client.settings().await?;
        let wanted = self.settings.over(farm.clone());
        if wanted == farm {
            return Ok(farm);
        }
        client.configure(&wanted.apply(client.options().clone())).await?;
        Ok(client.settings().await?)
    }
}

/// The settings that options ask for.
fn settings(options: &Options) -> Settings {
    let Options { replicas, keep, lease, .. } = *options;
    Settings { replicas, keep, lease, queued_jobs: options.limits.queued_jobs }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        connection: ConnectionArguments,
    }

    #[test]
    fn what_differs_from_the_farm_is_said_with_both_values() {
        let line = |words: &[&str]| Line::parse_from([&["farm"], words].concat()).connection;
        let farm = Settings { replicas: 3, ..settings(&Options::default()) };
        // Without particular wishes, the farm's settings are taken.
        assert!(line(&[]).settings.differences(&farm).is_empty());
        assert_eq!(line(&[]).settings.over(farm.clone()), farm);
        let asks = line(&["--replicas", "1", "--keep-hours", "2", "--lease-seconds", "30", "--max-queued", "2^10"]);
        let says = ["--replicas is 3, not 1", "--keep-hours is 168, not 2", "--max-queued is 1000000, not 1024"];
        assert_eq!(asks.settings.differences(&farm), says);
        let options = asks.options().unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((options.replicas, options.keep, options.limits.queued_jobs), (1, Duration::from_secs(7200), 1024));
    }
}
