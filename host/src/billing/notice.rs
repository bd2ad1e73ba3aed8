//! E-mails about crossed usage thresholds.

use time::OffsetDateTime;

use super::{Customer, Metering};
use crate::clock::rfc3339;
use crate::store::{AccountBalance, NewMail};

/// The e-mails about a crossed threshold, one per address.
#[must_use]
pub fn mails(
    customer: &Customer,
    standing: &AccountBalance,
    percent: i64,
    emails: &[String],
    now: OffsetDateTime,
) -> Vec<NewMail> {
    let account = &customer.account;
    let (used, left) = (standing.used, standing.balance);
    let end = rfc3339(standing.period_end);
    let what = match customer.metering {
        Metering::Credits | Metering::Unmetered => "credits",
        Metering::Quota => "calls of the monthly quota",
    };
    let after = match (customer.metering, customer.terms.overage) {
        (Metering::Credits | Metering::Unmetered, true) => {
            "Calls beyond them are answered and billed as overage."
        }
        (Metering::Credits | Metering::Unmetered, false) => {
            "Without credits, calls that cost one are answered with 402 credits_exhausted."
        }
        (Metering::Quota, _) => {
            "Without them, calls are answered with 402 credits_exhausted until then."
        }
    };
    let subject = format!("Lustra: {percent} % of the {what} of {account} are used");
    let body = format!(
        "The account {account} (plan {plan}) has used {used} {what} in the period since {start}, and {left} are left.\n\
         This reaches your threshold of {percent} %.\n\n\
         The period ends at {end}. {after}\n\n\
         You get this message once per period, for the highest threshold that is reached. Thresholds and addresses are set\n\
         with POST /v1/account/thresholds.\n",
        plan = standing.plan,
        start = rfc3339(standing.period_start),
    );
    let occasion = format!(
        "threshold:{}:{}:{}:{percent}",
        standing.account_id, standing.plan_version, standing.period
    );
    let mail = |recipient: &String| NewMail {
        occasion: occasion.clone(),
        recipient: recipient.clone(),
        subject: subject.clone(),
        body: body.clone(),
        created_at: now,
    };
    emails.iter().map(mail).collect()
}
