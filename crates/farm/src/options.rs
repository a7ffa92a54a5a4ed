//! How a farm is reached, and its limits.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Result};

/// How a farm is reached, and its limits. The first client makes the farm's streams by `replicas`, `keep`, `lease` and
/// `limits.queued_jobs`; they stay until [`crate::Client::configure`], and a client that asks for others works with the
/// farm's ([`crate::Client::options`]).
#[derive(Clone, Debug)]
pub struct Options {
    /// Addresses of its servers: `nats://host:4222`, `tls://host:4222`. One that answers is enough.
    pub servers: Vec<String>,
    /// The client's identity.
    pub credentials: Credentials,
    /// How the connection is protected.
    pub tls: Tls,
    /// The farm's name, which its subjects and streams begin with: several farms share servers. 1 to 32 of `a-z`,
    /// `0-9`, `-`, `_`.
    pub prefix: String,
    /// On how many servers each stream is: 1, 3 or 5. With 3, one server may be lost.
    pub replicas: usize,
    /// How long a final state and its proof are kept after the last change. A job that waits or runs is kept as long as
    /// it does.
    pub keep: Duration,
    /// After which time of silence a worker has lost its job. It renews its lease three times in it.
    pub lease: Duration,
    /// How often a job is begun before it is set aside.
    pub attempts: u32,
    /// After a failed attempt the job waits this long, twice as long after the second, and so on up to five minutes.
    pub back_off: Duration,
    /// How long a client looks for a server when it connects first.
    pub connect: Duration,
    /// How long a client asks again while servers do not answer. A worker that has a proof to publish never gives up.
    pub patience: Duration,
    /// Sizes and times that are refused.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            servers: vec!["nats://127.0.0.1:4222".into()],
            credentials: Credentials::None,
            tls: Tls::default(),
            prefix: "polystark".into(),
            replicas: 1,
            keep: Duration::from_secs(7 * 24 * 3600),
            lease: Duration::from_secs(30),
            attempts: 5,
            back_off: Duration::from_secs(1),
            connect: Duration::from_secs(3),
            patience: Duration::from_secs(30),
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// Refuses options that no farm can have.
    ///
    /// # Errors
    /// [`Error::Options`], by the option's name.
    pub fn check(&self) -> Result<()> {
        let refused = |why: String| Err(Error::Options(why));
        if self.servers.is_empty() {
            return refused("no server is named: `--server nats://HOST:4222`".into());
        }
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        if self.prefix.is_empty() || self.prefix.len() > 32 || !self.prefix.bytes().all(plain) {
            return refused(format!("the farm's name `{}` is not 1 to 32 of a-z, 0-9, `-`, `_`", self.prefix));
        }
        if ![1, 3, 5].contains(&self.replicas) {
            return refused(format!("{} replicas: 1, 3 or 5 can agree", self.replicas));
        }
        if self.lease < Duration::from_millis(300) || self.lease > Duration::from_secs(3600) {
            return refused(format!("a lease of {:?}: between 0.3 s and an hour", self.lease));
        }
        if self.keep < self.lease * 10 {
            return refused(format!("jobs kept for {:?}: at least ten leases, {:?}", self.keep, self.lease * 10));
        }
        if self.attempts == 0 {
            return refused("0 attempts: no job would ever be begun".into());
        }
        if self.limits.job_bytes > Limits::MOST_JOB_BYTES {
            return refused(format!("jobs of {} bytes: at most {}", self.limits.job_bytes, Limits::MOST_JOB_BYTES));
        }
        Ok(())
    }
}

/// The client's identity.
#[derive(Clone, Default)]
pub enum Credentials {
    /// Nobody in particular.
    #[default]
    None,
    /// A file with the seed of an NKEY (`SU...`).
    NkeySeed(PathBuf),
    /// A file with a JWT and its seed, as `nsc` writes it (`.creds`).
    Jwt(PathBuf),
    /// A name and its password.
    User {
        /// The name.
        name: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
}

impl std::fmt::Debug for Credentials {
    /// Without secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::NkeySeed(path) => f.debug_tuple("NkeySeed").field(path).finish(),
            Self::Jwt(path) => f.debug_tuple("Jwt").field(path).finish(),
            Self::User { name, .. } => f.debug_struct("User").field("name", name).finish_non_exhaustive(),
            Self::Token(_) => f.write_str("Token(..)"),
        }
    }
}

/// How the connection is protected.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Refuses a server without TLS. With `ca` or `client` it is required, too.
    pub required: bool,
    /// Certificates (PEM) that the servers' are signed by, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Certificate and key (PEM) by which the servers know this client.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Limits beyond which jobs are refused, or set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one input.
    pub input_bytes: u64,
    /// Bytes of all inputs that are stored, as their stream counts them; each client looks before it stores one, so
    /// several at a time may go beyond it by their inputs. (A limit of the stream itself would be taken from the
    /// servers' disk as a whole, stored or not.)
    pub all_input_bytes: u64,
    /// Inputs of one job.
    pub inputs: usize,
    /// Bytes of a job's words, as JSON. At most [`Self::MOST_JOB_BYTES`].
    pub job_bytes: u64,
    /// Bytes of a proof.
    pub proof_bytes: u64,
    /// Jobs that wait or run: more are not taken, and the submission fails at once.
    pub queued_jobs: u64,
    /// Seconds in which a proof is verified; a job whose proof takes longer is set aside.
    pub verify_seconds: u64,
    /// Seconds in which a proof is made. A job that takes longer is stopped and set aside; a prover that does not stop
    /// is stuck: its worker gives the job back and ends.
    pub prove_seconds: u64,
    /// Seconds in which a job is planned; a submission that takes longer fails.
    pub plan_seconds: u64,
}

impl Limits {
    /// A state and its message fit the million bytes that servers take by default.
    pub const MOST_JOB_BYTES: u64 = 256 << 10;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 4 << 30,
            all_input_bytes: 64 << 30,
            inputs: 16,
            job_bytes: Self::MOST_JOB_BYTES,
            proof_bytes: 1 << 30,
            queued_jobs: 1_000_000,
            verify_seconds: 60,
            prove_seconds: 6 * 3600,
            plan_seconds: 120,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_no_farm_are_refused_by_name() {
        assert!(Options::default().check().is_ok());
        let usual = Options::default;
        let limits = Limits { job_bytes: 1 << 20, ..Limits::default() };
        let cases = [
            ("no server", Options { servers: Vec::new(), ..usual() }),
            ("farm's name", Options { prefix: "a.b".into(), ..usual() }),
            ("2 replicas", Options { replicas: 2, ..usual() }),
            ("a lease of", Options { lease: Duration::from_millis(1), ..usual() }),
            ("jobs kept", Options { keep: Duration::from_secs(1), ..usual() }),
            ("0 attempts", Options { attempts: 0, ..usual() }),
            ("jobs of", Options { limits, ..usual() }),
        ];
        for (what, options) in cases {
            let error = options.check().expect_err(what).to_string();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let user = Credentials::User { name: "ann".into(), password: "hush".into() };
        assert!(!format!("{user:?} {:?}", Credentials::Token("hush".into())).contains("hush"));
    }
}
