//! What a subscription may name: webhooks, addresses and event kinds.

use std::collections::BTreeSet;

use crate::api::App;
use crate::api::body::Fields;
use crate::changes::all_kinds;

/// Maximum number of addresses per subscription.
const MAX_EMAILS: usize = 20;

/// A webhook whose URL passed the checks.
pub(super) struct Webhook {
    pub(super) url: String,
    /// The queue of its host.
    pub(super) endpoint: String,
}

/// Reads the webhook of a body. Accepts both names of the field.
pub(super) async fn webhook(app: &App, fields: &mut Fields) -> Option<Webhook> {
    let (named, other) = (fields.text("webhook_url"), fields.text("url"));
    let name = if named.is_some() {
        "webhook_url"
    } else {
        "url"
    };
    if let (Some(named), Some(other)) = (&named, &other)
        && named != other
    {
        fields.wrong("url", "it differs from webhook_url, which means the same");
        return None;
    }
    let text = named.or(other)?;
    match app.notifier.check_webhook(text.trim()).await {
        Ok(url) => Some(Webhook {
            url: url.url().as_str().to_owned(),
            endpoint: url.endpoint(),
        }),
        Err(error) => {
            fields.wrong(name, error.to_string());
            None
        }
    }
}

/// Reads the addresses of a body, each once, as it is written first.
pub(super) fn emails(fields: &mut Fields, name: &str) -> Vec<String> {
    let emails = fields.optional_list(name, |text| {
        let address = text.trim();
        if crate::mail::is_address(address) {
            Ok(address.to_owned())
        } else {
            Err("it is not an e-mail address".to_owned())
        }
    });
    let mut seen = BTreeSet::new();
    let emails: Vec<String> = emails
        .into_iter()
        // Consent and limits do not tell them apart.
        .filter(|email| seen.insert(email.to_lowercase()))
        .collect();
    if emails.len() > MAX_EMAILS {
        let number = emails.len();
        fields.wrong(
            name,
            format!("at most {MAX_EMAILS}, and there are {number}"),
        );
    }
    emails
}

/// The requested event kinds in their stored form. `None` means all kinds.
pub(super) fn kinds(app: &App, fields: &mut Fields) -> Option<String> {
    let catalogue = app.companies.connectors().catalogue();
    let known = all_kinds(&catalogue);
    let kinds: BTreeSet<String> = fields
        .optional_list("events", |text| {
            let kind = text.trim();
            if kind == "updated" || known.contains(kind) {
                Ok(kind.to_owned())
            } else {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                Err(format!("unknown; there are updated, {}", known.join(", ")))
            }
        })
        .into_iter()
        .collect();
    let is_every = kinds.is_empty() || kinds.contains("updated");
    (!is_every).then(|| format!(",{},", kinds.into_iter().collect::<Vec<_>>().join(",")))
}
