//! Rules that concern several settings, or types of other crates.

use super::{Config, Mistake};
use crate::store::Store;

/// The rules that the settings break.
pub(super) fn broken(config: &Config) -> Vec<Mistake> {
    let mut broken = Vec::new();
    let mut must = |holds: bool, rule: &str| {
        if !holds {
            broken.push(Mistake::rule(rule));
        }
    };
    if let Some(Err(error)) = config
        .store
        .as_ref()
        .map(|url| Store::check_url(url.reveal()))
    {
        let rule = format!(
            "store: {error}; expected sqlite:FILE or postgres://user:password@host/database"
        );
        must(false, &rule);
    }
    let operator = &config.operator;
    must(
        !operator.on || operator.listen.port() == 0 || operator.listen != config.listen,
        "operator.listen: another address than listen",
    );
    must(config.pool.memory_mib > 0, "pool.memory_mib: at least 1");
    must(
        config.requests.body_bytes > 0,
        "requests.body_bytes: at least 1",
    );
    must(
        config.requests.timeout_seconds > 0,
        "requests.timeout_seconds: at least 1",
    );
    broken
}
