//! The bodies of requests about keys, checked.

use std::str::FromStr;

use time::{Duration, OffsetDateTime};

use crate::api::App;
use crate::api::body::Fields;
use crate::api::error::ApiError;
use crate::api::idempotency;
use crate::billing::MAX_OVERLAP_HOURS;
use crate::clock::{iso_date, parse_iso_date};
use crate::config::Network;
use crate::store::{KeyChange, KeyLimits, KeyedRequest};

/// Maximum number of scopes and of networks that a key is limited to.
const MAX_SCOPES: usize = 100;
const MAX_ADDRESSES: usize = 20;

/// Maximum length of a name, in characters.
const MAX_NAME_CHARS: usize = 100;

/// A key as a request describes it.
pub(super) struct KeyRequest {
    pub(super) name: String,
    pub(super) manage: bool,
    pub(super) limits: KeyLimits,
}

impl KeyRequest {
    /// # Errors
    /// A 422 that lists all mistakes of the body.
    pub(super) fn read(app: &App, mut fields: Fields) -> Result<Self, ApiError> {
        let name = name_in(&mut fields);
        if name.is_none() && !fields.is_wrong("name") {
            fields.wrong("name", "it is missing; expected a text");
        }
        let manage = fields.flag("manage");
        let limits = KeyLimits {
            scopes: scopes_in(app, &mut fields).flatten(),
            addresses: addresses_in(&mut fields).flatten(),
            expires_at: last_day_in(app, &mut fields).flatten(),
        };
        fields.end(&["name", "manage", "scopes", "addresses", "last_day"])?;
        Ok(Self {
            name: name.unwrap_or_default(),
            manage,
            limits,
        })
    }

    /// Binds an idempotency key to this key.
    pub(super) fn keyed(&self, app: &App, key: String) -> KeyedRequest {
        let KeyLimits {
            scopes,
            addresses,
            expires_at,
        } = &self.limits;
        let ends = expires_at.map(|at| at.unix_timestamp().to_string());
        let manage = if self.manage { "manage" } else { "-" };
        let limits = [scopes, addresses, &ends].map(|limit| limit.as_deref().unwrap_or("-"));
        let parts = ["keys", &self.name, manage].into_iter().chain(limits);
        idempotency::keyed(app, key, parts)
    }
}

/// # Errors
/// A 422 that lists all mistakes of the body.
pub(super) fn change(app: &App, mut fields: Fields) -> Result<KeyChange, ApiError> {
    let change = KeyChange {
        name: name_in(&mut fields),
        scopes: scopes_in(app, &mut fields),
        addresses: addresses_in(&mut fields),
        expires_at: last_day_in(app, &mut fields),
    };
    fields.end(&["name", "scopes", "addresses", "last_day"])?;
    Ok(change)
}

/// The overlap of a rotation in hours.
///
/// # Errors
/// A 422 that lists all mistakes of the body.
pub(super) fn hours(mut fields: Fields) -> Result<i64, ApiError> {
    let hours = fields.whole_number("overlap_hours", 0..=u64::from(MAX_OVERLAP_HOURS));
    fields.end(&["overlap_hours"])?;
    Ok(i64::try_from(hours.unwrap_or(0)).unwrap_or_default())
}

/// A name: 1 to 100 characters without control characters. `None` if it is missing or wrong.
pub(in crate::api::account) fn name_in(fields: &mut Fields) -> Option<String> {
    let name = fields.text("name")?.trim().to_owned();
    let is_right = !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.chars().any(char::is_control);
    if !is_right {
        fields.wrong("name", format!("expected 1 to {MAX_NAME_CHARS} characters"));
    }
    is_right.then_some(name)
}

/// A limit that is a list: `None` if it is not given, `Some(None)` if it is null.
fn limit_in(
    fields: &mut Fields,
    name: &str,
    most: usize,
    check: impl Fn(&str) -> Result<String, String>,
) -> Option<Option<String>> {
    if !fields.is_given(name) {
        return None;
    }
    let is_null = fields.is_null(name);
    let mut items = fields.optional_list(name, check);
    if is_null || fields.is_wrong(name) {
        return Some(None);
    }
    items.sort();
    items.dedup();
    if items.is_empty() || items.len() > most {
        let why = format!("expected 1 to {most}, or null for no limit");
        fields.wrong(name, why);
    }
    Some(Some(items.join(" ")))
}

fn scopes_in(app: &App, fields: &mut Fields) -> Option<Option<String>> {
    let catalogue = app.companies.connectors().catalogue();
    limit_in(fields, "scopes", MAX_SCOPES, |text| {
        let is_known = text == "orsr" || catalogue.scope(text).is_some();
        if is_known {
            Ok(text.to_owned())
        } else {
            Err("there is no such scope".to_owned())
        }
    })
}

fn addresses_in(fields: &mut Fields) -> Option<Option<String>> {
    limit_in(fields, "addresses", MAX_ADDRESSES, |text| {
        let network = Network::from_str(text.trim());
        let network = network.map(|network| network.to_string());
        network.map_err(|error| error.to_string())
    })
}

/// The end of the last day, `YYYY-MM-DD` in UTC; today is the earliest.
fn last_day_in(app: &App, fields: &mut Fields) -> Option<Option<OffsetDateTime>> {
    if !fields.is_given("last_day") {
        return None;
    }
    let is_null = fields.is_null("last_day");
    let text = fields.text("last_day");
    if is_null {
        return Some(None);
    }
    let text = text?;
    let Some(day) = parse_iso_date(&text) else {
        fields.wrong("last_day", "expected a date, YYYY-MM-DD");
        return None;
    };
    let today = app.context.now().date();
    let next = day.checked_add(Duration::DAY).filter(|_| day >= today);
    if next.is_none() {
        let why = format!("it is past; the earliest is {}", iso_date(today));
        fields.wrong("last_day", why);
    }
    Some(next.map(|next| next.midnight().assume_utc()))
}
