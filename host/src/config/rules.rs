//! The rules of the settings: which values are right, alone and together. The sections with many rules have their own.

use super::{Config, Mistake, Requests};
use crate::store::Store;

/// The rules that the settings break.
pub(super) fn broken(config: &Config) -> Vec<Mistake> {
    let groups = [
        store(config),
        bounds(config),
        origins(&config.requests),
        plans(config),
        operator(config),
        sections(config),
        connectors(config),
    ];
    let rules = groups.iter().flatten();
    rules.map(|rule| Mistake::rule(rule)).collect()
}

fn store(config: &Config) -> Vec<String> {
    let url = config.store.as_ref();
    let url = url.map(|url| Store::check_url(url.reveal()));
    let mut broken: Vec<String> = url
        .and_then(Result::err)
        .map(|error| {
            format!(
                "store: {error}; expected sqlite:FILE or postgres://user:password@host/database"
            )
        })
        .into_iter()
        .collect();
    broken.extend(config.database.mistakes().into_iter().map(str::to_owned));
    broken
}

/// Rules about single values.
fn bounds(config: &Config) -> Vec<String> {
    let Config {
        pool,
        freshness,
        requests,
        search,
        ledger,
        ..
    } = config;
    let days = freshness.details_days;
    let rules = [
        (
            config.store_connections > 0,
            "store_connections: at least 1",
        ),
        (pool.instances > 0, "pool.instances: at least 1"),
        (pool.memory_mib > 0, "pool.memory_mib: at least 1"),
        (
            (64..=8_192).contains(&pool.stack_kib),
            "pool.stack_kib: 64 to 8192",
        ),
        (
            days.is_none_or(|days| days > 0.0 && days.is_finite()),
            "freshness.details_days: more than 0",
        ),
        (requests.body_bytes > 0, "requests.body_bytes: at least 1"),
        (
            requests.timeout_seconds > 0,
            "requests.timeout_seconds: at least 1",
        ),
        (
            requests.query_bytes >= 256,
            "requests.query_bytes: at least 256",
        ),
        (
            (1..=8_760).contains(&requests.idempotency_hours),
            "requests.idempotency_hours: 1 to 8760",
        ),
        (
            !config.sandbox.key.trim().is_empty(),
            "sandbox.key: must not be empty",
        ),
        (search.poll_ms > 0, "search.poll_ms: at least 1"),
        (
            (15..=4_096).contains(&search.writer_mib),
            "search.writer_mib: 15 to 4096",
        ),
        (
            search.query_characters >= 10,
            "search.query_characters: at least 10",
        ),
        (
            (1..=65_536).contains(&config.collections.max_mib),
            "collections.max_mib: 1 to 65536",
        ),
        (
            ledger.clock_jump_minutes > 0,
            "ledger.clock_jump_minutes: at least 1",
        ),
        (
            ledger.longest_pause_days > 0,
            "ledger.longest_pause_days: at least 1",
        ),
        (!config.plans.is_empty(), "plans: at least one"),
    ];
    let broken = rules.iter().filter(|(holds, _)| !holds);
    broken.map(|(_, rule)| (*rule).to_owned()).collect()
}

fn origins(requests: &Requests) -> Vec<String> {
    let is_origin = |text: &&String| {
        let of = text.parse::<url::Url>().map(|url| url.origin());
        of.is_ok_and(|of| of.ascii_serialization() == **text)
    };
    let others = requests.origins.iter().filter(|text| !is_origin(text));
    others
        .map(|text| {
            format!("requests.origins: {text} is not an origin such as https://shop.example")
        })
        .collect()
}

fn plans(config: &Config) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, plan) in &config.plans {
        let own = plan.mistakes().into_iter();
        broken.extend(own.map(|(setting, mistake)| format!("plans.{name}.{setting}: {mistake}")));
        if !plan.leads_to_credits(&config.plans) {
            broken.push(format!(
                "plans.{name}.credits_plan: the name of a plan with credits"
            ));
        }
    }
    broken
}

fn operator(config: &Config) -> Vec<String> {
    let operator = &config.operator;
    let is_name = |host: &&String| !host.is_empty() && !host.contains(['/', ':', '*']);
    let others = operator.hosts.iter().filter(|host| !is_name(host));
    let mut broken: Vec<String> = others
        .map(|host| format!("operator.hosts: {host:?} is not a host name"))
        .collect();
    if operator.on && operator.listen.port() != 0 && operator.listen == config.listen {
        broken.push("operator.listen: another address than listen".to_owned());
    }
    broken
}

/// The rules that sections check themselves.
fn sections(config: &Config) -> Vec<String> {
    let fixed = [
        config.connections.mistakes(),
        config.tls.mistakes(),
        config.batch.mistakes(config.requests.timeout_seconds),
        config.files.mistakes(),
        config.retention.mistakes(),
    ];
    let worded = [
        config.telemetry.mistakes(),
        config.sentinel.mistakes(),
        config.operator.mistakes(),
        config.web.mistakes(),
        config.mail.mistakes(),
        config.notifications.mistakes(),
    ];
    let fixed = fixed.into_iter().flatten().map(str::to_owned);
    fixed.chain(worded.into_iter().flatten()).collect()
}

fn connectors(config: &Config) -> Vec<String> {
    let mut broken = Vec::new();
    for (id, connector) in &config.connector {
        connector.check(id, &mut broken);
    }
    broken
}
