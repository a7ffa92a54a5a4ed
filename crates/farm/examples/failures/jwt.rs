//! Servers that know accounts and users by JWTs, and a user with the rights that a farm needs, and no more.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream;
use farm::{Client, Credentials, Digest, Error, Options, Prover, Settings, State, WorkerOptions, run_worker};
use nkeys::KeyPair;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::Outcome;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};
use crate::waiting::work;

const SOON: Duration = Duration::from_secs(15);

/// The subjects that a farm publishes to, and subscribes to, according to `docs/farm.md`.
const PUBLISHES: [&str; 9] = [
    "polystark.>",
    "$JS.API.>",
    "$JS.ACK.>",
    "$JS.FC.>",
    "$KV.polystark-jobs.>",
    "$KV.polystark-workers.>",
    "$KV.polystark-alarms.>",
    "$O.polystark-inputs.>",
    "$O.polystark-proofs.>",
];
const SUBSCRIBES: [&str; 2] = ["polystark.>", "_INBOX.>"];

/// Base64 for addresses, without padding (RFC 4648, 5).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits = |part: &[u8]| {
        let bits = (0..3).fold(0_usize, |bits, i| bits << 8 | usize::from(part.get(i).copied().unwrap_or(0)));
        let digit = move |i: usize| char::from(DIGITS[bits >> (18 - 6 * i) & 63]);
        (0..=part.len()).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(digits).collect()
}

/// A JWT about `subject`, signed by `issuer`: header, claims and signature. Its identity is a digest of its claims.
fn jwt(issuer: &KeyPair, subject: &KeyPair, name: &str, nats: &Value, expires: Option<u64>) -> Result<String, String> {
    let mut claims = json!({
        "iat": farm::now() / 1000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": name, "nats": nats
    });
    if let Some(expires) = expires {
        claims["exp"] = expires.into();
    }
    claims["jti"] = Digest::of(claims.to_string().as_bytes()).to_string().into();
    let header = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let signed = format!("{}.{}", base64(header.to_string().as_bytes()), base64(claims.to_string().as_bytes()));
    let signature = issuer.sign(signed.as_bytes()).map_err(text)?;
    Ok(format!("{signed}.{}", base64(&signature)))
}

/// An account, which may store or not.
fn account(operator: &KeyPair, account: &KeyPair, name: &str, disk: i64) -> Result<String, String> {
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": 0, "disk_storage": disk, "streams": if disk == 0 { 0 } else { -1 }, "consumer": -1
    });
    jwt(operator, account, name, &json!({"type": "account", "version": 2, "limits": limits}), None)
}

/// The file of a user's credentials, as `nsc` writes it.
fn creds(folder: &Path, name: &str, account: &KeyPair, expires: Option<u64>) -> Result<Credentials, String> {
    let user = KeyPair::new_user();
    let nats = json!({
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": {"allow": PUBLISHES}, "sub": {"allow": SUBSCRIBES}
    });
    let jwt = jwt(account, &user, name, &nats, expires)?;
    let seed = user.seed().map_err(text)?;
    let file = folder.join(format!("{name}.creds"));
    let text_of = format!(
        "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    );
    std::fs::write(&file, text_of).map_err(text)?;
    Ok(Credentials::Jwt(file))
}

/// A client with the account's credentials works, though they allow no more than the farm's documentation lists; others
/// are refused.
pub(crate) async fn credentials(nats: PathBuf) -> Outcome {
    let folder = tempfile::tempdir().map_err(text)?;
    let (operator, ours) = (KeyPair::new_operator(), KeyPair::new_account());
    let (poor, unknown, system) = (KeyPair::new_account(), KeyPair::new_account(), KeyPair::new_account());
    let operator_jwt = jwt(&operator, &operator, "operator", &json!({"type": "operator", "version": 2}), None)?;
    let lines = format!(
        "operator: {operator_jwt}\nresolver: MEMORY\nsystem_account: {0}\nresolver_preload: {{ {0}: {1}\n {2}: {3}\n {4}: {5} }}",
        system.public_key(),
        account(&operator, &system, "system", 0)?,
        ours.public_key(),
        account(&operator, &ours, "farm", -1)?,
        poor.public_key(),
        account(&operator, &poor, "poor", 0)?,
    );
    let file = |name, account, expires| creds(folder.path(), name, account, expires);
    let options = Options { credentials: file("user", &ours, None)?, ..Options::default() };
    let rig = Rig::with(&nats, 1, ("", &lines), options).await?;
    let others = [
        ("expired", file("expired", &ours, Some(farm::now() / 1000 - 60))?),
        ("of an account that nobody knows", file("unknown", &unknown, None)?),
        ("none", Credentials::None),
    ];
    for (what, credentials) in others {
        let options = Options { credentials, patience: Duration::from_secs(1), ..rig.options.clone() };
        let refused = Client::connect(&options).await.err();
        must(matches!(refused, Some(Error::Options(_))), || format!("credentials {what}: {refused:?}"))?;
    }
    // With another account, which may store nothing, it is let in, and there is no farm.
    let credentials = file("poor", &poor, None)?;
    let options = Options { credentials, patience: Duration::from_secs(1), ..rig.options.clone() };
    let poor = Client::connect(&options).await.err();
    must(matches!(poor, Some(Error::Server { .. })), || format!("an account without a store: {poor:?}"))?;

    // Everything that a farm does: inputs, jobs, workers, watching, cancelling, changing, alarms.
    let client = &rig.client;
    let (stop, worker) = work(client, "w", Some(1 << 30));
    let input = client.put_input(vec![7; 100_000].into()).await.map_err(text)?;
    let mut first = job(0, 5, &[("proof-bytes", "700000")]);
    first.job.inputs.insert("file".into(), input);
    let first = rig.submit([first]).await?;
    let ended = tokio::time::timeout(SOON, client.wait(first[0].name)).await.map_err(text)?.map_err(text)?;
    must(ended.state == State::Done, || format!("it is {}: {:?}", ended.state, ended.error))?;
    let jobs = rig.submit((1..20).map(|i| job(i, 5, &[]))).await?;
    rig.all_done(&first, SOON).await?;
    rig.all_done(&jobs, SOON).await?;
    let long = rig.submit([job(20, 60_000, &[])]).await?.remove(0);
    rig.until_running(long.name).await?;
    let waiting = rig.submit([job(21, 5, &[("bytes", "2000000000")])]).await?.remove(0);
    for name in [waiting.name, long.name] {
        client.cancel(name).await.map_err(text)?;
    }
    let settings =
        Settings { keep: Duration::from_secs(7200), queued_jobs: 77, ..client.settings().await.map_err(text)? };
    client.configure(&settings.apply(rig.options.clone())).await.map_err(text)?;
    // A client that asks for other settings works with the farm's.
    let lease = rig.options.lease * 2;
    let other = Client::connect(&Options { lease, ..rig.options.clone() }).await.map_err(text)?;
    let (now, works) = (other.settings().await.map_err(text)?, other.options());
    must(now == settings && settings.lease == rig.options.lease, || format!("{now:?}, not {settings:?}"))?;
    must(settings.apply(works.clone()).keep == works.keep && works.lease == settings.lease, || format!("{works:?}"))?;
    must(!client.workers().await.map_err(text)?.is_empty(), || "no worker is seen".into())?;
    drop(stop);
    worker.await.map_err(text)?.map_err(text)?;

    // A proof is lost, and another worker makes a different one: that is an alarm.
    let Credentials::Jwt(path) = &rig.options.credentials else { return Err("no credentials".into()) };
    let connect = async_nats::ConnectOptions::with_credentials_file(path).await.map_err(text)?;
    let context = jetstream::new(connect.connect(rig.servers[0].url()).await.map_err(text)?);
    let proofs = context.get_stream("OBJ_polystark-proofs").await.map_err(text)?;
    proofs.purge().await.map_err(text)?;
    let again = rig.submit([job(1, 5, &[])]).await?.remove(0);
    let (stop, stopped) = oneshot::channel::<()>();
    let differs: Arc<dyn Prover> = Arc::new(Toy { differs: true, room: None });
    let stopped = async { drop(stopped.await) };
    let worker = tokio::spawn(run_worker(client.clone(), differs, WorkerOptions::new("x"), stopped));
    rig.until(again.name, "done", SOON, |job| job.state == State::Done).await?;
    drop(stop);
    worker.await.map_err(text)?.map_err(text)?;
    let alarms = client.alarms_of(again.name).await.map_err(text)?;
    must(alarms.len() == 1, || format!("{} alarms", alarms.len()))?;
    Ok("credentials that are expired, of no or of another account refused; all that a farm does with the listed subjects alone"
        .to_owned())
}
