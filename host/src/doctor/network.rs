//! Checks that ask other machines: name resolution, the mail server, the registers.
//!
//! Registers are asked through the egress of connectors: the same grants, resolver, rates and pauses hold, and only
//! addresses are asked that a connector is configured and granted to reach. Every wait is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::Instant;
use url::Host;

use super::observation::NetworkObservation;
use super::{Check, Finding, Observer, Subject};
use crate::config::{Config, SmtpServer, check};
use crate::connectors::configured::Configured;
use crate::connectors::egress::{
    Address, Allowance, Egress, EgressFailure, Limits, Lookup, Outgoing, Reach, Upstream,
    special_name, system,
};
use crate::connectors::plain_text;
use crate::mail;

/// Questions to different machines at the same time.
const AT_ONCE: usize = 8;

/// Time limit of resolving one name.
const RESOLVING: Duration = Duration::from_secs(5);

/// Time limit of one register, with the retries of the egress.
const REGISTER: Duration = Duration::from_secs(20);

/// Requests to one register, with redirects and retries.
const REQUESTS: u64 = 8;

const REDIRECTS: u32 = 5;

/// Most bytes of an answer, whose body is not read.
const BYTES: u64 = 1 << 20;

/// Most characters of a reason.
const REASON: usize = 300;

/// Pauses of upstream addresses that registers requested.
pub(super) type Pauses = Vec<(String, Duration)>;

pub(super) async fn examine(
    subject: &Subject<'_>,
    pauses: &Pauses,
    observer: &mut (dyn Observer + Send),
) {
    let upstreams = upstreams(subject.config);
    let resolves = names(subject.config, &upstreams, observer).await;
    mail_server(subject.config, observer).await;
    // Without name resolution, every register would fail for the same reason.
    if resolves {
        registers(subject, &upstreams, pauses, observer).await;
    }
}

/// The upstreams of all enabled connectors, each address once, by connector and upstream.
fn upstreams(config: &Config) -> BTreeMap<String, Upstream> {
    let mut upstreams = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let Ok((manifests, _unreadable)) = check::manifests(&config.components) else {
        return upstreams;
    };
    for (id, manifest) in manifests {
        let own = config.connector.get(&id);
        let Some(own) = own.filter(|own| own.is_enabled()) else {
            continue;
        };
        let Ok(configured) = Configured::of(manifest, own) else {
            continue;
        };
        for (name, upstream) in configured.upstreams {
            let address = match &upstream.address {
                Address::Http(url) => url.to_string(),
                Address::File(path) => path.display().to_string(),
                Address::Unset => continue,
            };
            if seen.insert(address) {
                upstreams.insert(format!("{id}/{name}"), upstream);
            }
        }
    }
    upstreams
}

/// Resolves the names of registers and of the mail server. Returns whether any was resolved, or none is needed.
async fn names(
    config: &Config,
    upstreams: &BTreeMap<String, Upstream>,
    observer: &mut (dyn Observer + Send),
) -> bool {
    let mut names = BTreeSet::new();
    for upstream in upstreams.values() {
        if let Address::Http(url) = &upstream.address
            && let Some(Host::Domain(name)) = url.host()
        {
            names.insert(name.to_owned());
        }
    }
    let server = config.mail.smtp.as_ref().filter(|_| config.mail.on);
    let server = server.and_then(|url| SmtpServer::parse(url.reveal()).ok());
    let server = server.map(|server| server.host);
    let is_name = |host: &String| host.parse::<std::net::IpAddr>().is_err();
    names.extend(server.clone().filter(is_name));
    let (lookup, total) = (system(), names.len());
    let resolving = names.into_iter().map(|name| {
        let lookup = Arc::clone(&lookup);
        async move {
            let resolved = resolve(&lookup, &name).await;
            (name, resolved)
        }
    });
    let mut resolving = futures_util::stream::iter(resolving).buffer_unordered(AT_ONCE);
    let (mut done, mut failed, mut found) = (0, 0, Vec::new());
    while let Some((name, resolved)) = resolving.next().await {
        done += 1;
        observer.progress(Check::Dns, done, total);
        // Only connectors must not reach private addresses; a mail server may be near.
        let is_server = server.as_ref() == Some(&name);
        match resolved {
            Ok(addresses) => {
                let special = special(&name, &addresses).filter(|_| !is_server);
                found.extend(special.map(|special| Finding::new(Check::Dns, name, special)));
            }
            Err(reason) => {
                failed += 1;
                let unresolved = NetworkObservation::Unresolved(reason);
                found.push(Finding::new(Check::Dns, name, unresolved));
            }
        }
    }
    if total > 1 && failed == total {
        let nothing = NetworkObservation::NothingResolves { names: total };
        observer.found(Finding::new(Check::Dns, "", nothing));
        return false;
    }
    if found.is_empty() {
        let well = NetworkObservation::NamesResolve { names: total };
        observer.found(Finding::new(Check::Dns, "", well));
    }
    found.sort_by(|a: &Finding, b| a.subject.cmp(&b.subject));
    found
        .into_iter()
        .for_each(|finding| observer.found(finding));
    true
}

async fn resolve(lookup: &Lookup, name: &str) -> Result<Vec<SocketAddr>, String> {
    match tokio::time::timeout(RESOLVING, lookup(name.to_owned())).await {
        Ok(Ok(addresses)) if addresses.is_empty() => Err("it has no address".to_owned()),
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_elapsed) => Err(format!("no answer within {} s", RESOLVING.as_secs())),
    }
}

/// An address of the name that the egress refuses.
fn special(name: &str, addresses: &[SocketAddr]) -> Option<NetworkObservation> {
    if special_name(name) {
        return None;
    }
    addresses.iter().find_map(|address| {
        let range = Reach::Public.refuses(address.ip())?;
        let address = address.ip().to_string();
        Some(NetworkObservation::Special { address, range })
    })
}

async fn mail_server(config: &Config, observer: &mut (dyn Observer + Send)) {
    let observation = if !config.mail.on {
        NetworkObservation::MailOff
    } else {
        observer.progress(Check::Mail, 0, 1);
        let tried = mail::try_server(&config.mail).await;
        observer.progress(Check::Mail, 1, 1);
        match tried {
            None => NetworkObservation::MailToFiles(config.data.join("mail")),
            Some(Ok(accepted)) => NetworkObservation::MailAccepted {
                server: accepted.server,
                encrypted: accepted.encrypted,
                authenticated: accepted.authenticated,
            },
            Some(Err((stage, reason))) => {
                let reason = plain_text::one_line(&reason, REASON);
                NetworkObservation::MailFailed { stage, reason }
            }
        }
    };
    observer.found(Finding::new(Check::Mail, "", observation));
}

async fn registers(
    subject: &Subject<'_>,
    upstreams: &BTreeMap<String, Upstream>,
    pauses: &Pauses,
    observer: &mut (dyn Observer + Send),
) {
    let user_agent = concat!("Lustra/", env!("CARGO_PKG_VERSION"));
    let egress = match Egress::new(user_agent, subject.clock.clone()) {
        Ok(egress) => egress,
        Err(error) => {
            let reason = error.to_string();
            let unreachable = NetworkObservation::Unreachable(reason);
            observer.found(Finding::new(Check::Registers, "", unreachable));
            return;
        }
    };
    for (address, left) in pauses {
        egress.start_cooldown(address, *left);
    }
    let (egress, total) = (&egress, upstreams.len());
    let spool = &subject.config.data;
    let asking = upstreams.iter().map(|(name, upstream)| async move {
        let allowance = Arc::new(Allowance::new(Limits {
            requests: REQUESTS,
            bytes: BYTES,
            body: BYTES,
            piece: BYTES,
            redirects: REDIRECTS,
            archive_ratio: 1,
            archive_entries: 0,
            spool: spool.clone(),
            max_wait: REGISTER,
        }));
        (name.clone(), register(egress, upstream, &allowance).await)
    });
    let mut asking = futures_util::stream::iter(asking).buffer_unordered(AT_ONCE);
    let (mut done, mut failed, mut found) = (0, 0, Vec::new());
    while let Some((name, observation)) = asking.next().await {
        done += 1;
        observer.progress(Check::Registers, done, total);
        failed += usize::from(matches!(observation, NetworkObservation::Unreachable(_)));
        found.push(Finding::new(Check::Registers, name, observation));
    }
    found.sort_by(|a: &Finding, b| a.subject.cmp(&b.subject));
    found
        .into_iter()
        .for_each(|finding| observer.found(finding));
    if total > 1 && failed == total {
        let nothing = NetworkObservation::NothingReachable { registers: total };
        observer.found(Finding::new(Check::Registers, "", nothing));
    }
}

/// Asks one register for its base address, or opens the operator's file.
async fn register(
    egress: &Egress,
    upstream: &Upstream,
    allowance: &Arc<Allowance>,
) -> NetworkObservation {
    if let Address::File(path) = &upstream.address {
        return match tokio::fs::File::open(path).await {
            Ok(_file) => NetworkObservation::FileReadable,
            Err(error) => NetworkObservation::FileUnreadable(error.to_string()),
        };
    }
    if let Some(left) = egress.upstream_state(&upstream.address).cooldown {
        return NetworkObservation::Paused(left);
    }
    let outgoing = Outgoing {
        method: http::Method::GET,
        path: String::new(),
        headers: Vec::new(),
        body: None,
        idempotent: true,
    };
    let began = Instant::now();
    let sending = egress.send(upstream, outgoing, allowance);
    match tokio::time::timeout(REGISTER, sending).await {
        Ok(Ok(answer)) if answer.status < 500 => NetworkObservation::Answers {
            status: answer.status,
            took: began.elapsed(),
        },
        Ok(Ok(answer)) => NetworkObservation::Fails {
            status: answer.status,
        },
        Ok(Err(EgressFailure::Throttled(seconds))) => {
            NetworkObservation::Paused(Duration::from_secs(seconds.unwrap_or_default().into()))
        }
        Ok(Err(failure)) => {
            let reason = plain_text::one_line(&failure.to_string(), REASON);
            NetworkObservation::Unreachable(reason)
        }
        Err(_elapsed) => {
            let reason = format!("no answer within {} s", REGISTER.as_secs());
            NetworkObservation::Unreachable(reason)
        }
    }
}
