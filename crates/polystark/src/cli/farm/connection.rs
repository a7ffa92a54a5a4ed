//! Which farm, and who asks.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use farm::{Client, Credentials, Limits, Options, Tls};

use crate::cli::exit::Failure;
use crate::cli::values::integer;

/// Which farm, and who asks.
#[derive(Args, Clone, Debug)]
pub(super) struct ConnectionArguments {
    /// A server of the farm; may be repeated, one that answers is enough
    #[arg(long = "server", value_name = "URL", default_value = "nats://127.0.0.1:4222")]
    servers: Vec<String>,
    /// Name of the farm: several may share servers
    #[arg(long, value_name = "NAME", default_value = "polystark")]
    farm: String,
    /// A file with a user's JWT and its key, as `nsc` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nkey", "token_file"])]
    creds: Option<PathBuf>,
    /// A file with the seed of an NKEY
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    nkey: Option<PathBuf>,
    /// A file with a token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A file with the certificates that servers' ones must follow from, in PEM; with it there is no connection without TLS
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// A file with the certificate that is shown to servers, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// A file with its key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Servers that keep a copy of each job and proof, 1, 3 or 5; who connects to a farm first decides
    #[arg(long, value_name = "N", default_value_t = 1)]
    replicas: usize,
    /// Hours that a job and its proof are kept after it has ended; who connects to a farm first decides
    #[arg(long, value_name = "N", default_value_t = 7 * 24)]
    keep_hours: u32,
    /// Seconds of silence after which a worker has lost its job; the same for all of a farm
    #[arg(long, value_name = "N", default_value_t = 30)]
    lease_seconds: u32,
    /// How often a job is begun before it is set aside
    #[arg(long, value_name = "N", default_value_t = 5)]
    attempts: u32,
    /// Jobs that may wait or run; more are refused
    #[arg(long, value_name = "N", default_value_t = Limits::default().queued_jobs, value_parser = integer)]
    max_queued: u64,
    /// worker: seconds in which a proof that its prover has verified is compared with the job; if it takes longer, it is not published
    #[arg(long, value_name = "N", default_value_t = Limits::default().verify_seconds, value_parser = integer)]
    verify_seconds: u64,
    /// Bytes of a program or of another input; longer ones are refused
    #[arg(long, value_name = "N", default_value_t = Limits::default().input_bytes, value_parser = integer)]
    max_input_bytes: u64,
}

impl ConnectionArguments {
    /// The same farm at another server, with a token.
    pub(super) fn at(&self, server: String, token: String) -> Result<Options, Failure> {
        Ok(Options {
            servers: vec![server],
            credentials: Credentials::Token(token),
            tls: Tls::default(),
            ..self.options()?
        })
    }

    /// What the farm's clients take.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let credentials = match (&self.creds, &self.nkey, &self.token_file) {
            (Some(file), _, _) => Credentials::Jwt(file.clone()),
            (_, Some(file), _) => Credentials::NkeySeed(file.clone()),
            (_, _, Some(file)) => {
                let token = fs::read_to_string(file).map_err(|error| Failure::file(file, error))?;
                Credentials::Token(token.trim().to_owned())
            }
            (None, None, None) => Credentials::None,
        };
        let client = self.tls_cert.clone().zip(self.tls_key.clone());
        let tls = Tls { required: self.tls_ca.is_some() || client.is_some(), ca: self.tls_ca.clone(), client };
        let limits = Limits {
            queued_jobs: self.max_queued,
            input_bytes: self.max_input_bytes,
            verify_seconds: self.verify_seconds,
            ..Limits::default()
        };
        Ok(Options {
            servers: self.servers.clone(),
            credentials,
            tls,
            prefix: self.farm.clone(),
            replicas: self.replicas,
            keep: Duration::from_secs(u64::from(self.keep_hours) * 3600),
            lease: Duration::from_secs(self.lease_seconds.into()),
            attempts: self.attempts,
            limits,
            ..Options::default()
        })
    }

    /// Connects.
    pub(super) async fn connect(&self) -> Result<Client, Failure> {
        Ok(Client::connect(&self.options()?).await?)
    }
}
