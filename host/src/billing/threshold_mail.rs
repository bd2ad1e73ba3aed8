//! E-mails about crossed usage thresholds, in the account's language.

use super::{Customer, Metering};
use crate::clock::rfc3339;
use crate::store::{AccountBalance, NewMail};
use time::OffsetDateTime;

/// The e-mails about a crossed threshold, one per address.
#[must_use]
pub fn mails(
    customer: &Customer,
    balance: &AccountBalance,
    percent: i64,
    emails: &[String],
    now: OffsetDateTime,
) -> Vec<NewMail> {
    let message = Message {
        customer,
        balance,
        percent,
    };
    let (subject, body) = (message.subject(), message.body());
    let occasion = format!(
        "threshold:{}:{}:{}:{percent}",
        balance.account_id, balance.plan_version, balance.period
    );
    let mail = |recipient: &String| NewMail {
        occasion: occasion.clone(),
        recipient: recipient.clone(),
        subject: subject.clone(),
        body: body.clone(),
        sealed: false,
        account: Some(balance.account_id),
        created_at: now,
    };
    emails.iter().map(mail).collect()
}

struct Message<'a> {
    customer: &'a Customer,
    balance: &'a AccountBalance,
    percent: i64,
}

impl Message<'_> {
    fn pick<T>(&self, slovak: T, english: T) -> T {
        self.customer.language.pick(slovak, english)
    }

    /// What the account is metered in. The Slovak text is in the genitive.
    fn unit(&self) -> &'static str {
        match self.customer.metering {
            Metering::Credits | Metering::Unmetered => self.pick("kreditov", "credits"),
            Metering::Quota => self.pick("volaní mesačnej kvóty", "calls of the monthly quota"),
        }
    }

    /// What happens to calls when nothing is left.
    fn consequence(&self) -> &'static str {
        match (self.customer.metering, self.customer.terms.overage) {
            (Metering::Credits | Metering::Unmetered, true) => self.pick(
                "Ďalšie volania budú vybavené a vyúčtované nad rámec plánu.",
                "Calls beyond them are answered and billed as overage.",
            ),
            (Metering::Credits | Metering::Unmetered, false) => self.pick(
                "Bez kreditov sa na spoplatnené volania odpovedá chybou 402 credits_exhausted.",
                "Without credits, calls that cost one are answered with 402 credits_exhausted.",
            ),
            (Metering::Quota, _) => self.pick(
                "Po ich vyčerpaní sa dovtedy na volania odpovedá chybou 402 credits_exhausted.",
                "Without them, calls are answered with 402 credits_exhausted until then.",
            ),
        }
    }

    fn subject(&self) -> String {
        let (percent, unit, account) = (self.percent, self.unit(), &self.customer.account);
        self.pick(
            format!("Lustra: účet {account} vyčerpal {percent} % {unit}"),
            format!("Lustra: {percent} % of the {unit} of {account} are used"),
        )
    }

    fn body(&self) -> String {
        let AccountBalance {
            plan,
            used,
            balance: left,
            ..
        } = self.balance;
        let (start, end) = (
            rfc3339(self.balance.period_start),
            rfc3339(self.balance.period_end),
        );
        let (percent, unit, account) = (self.percent, self.unit(), &self.customer.account);
        let after = self.consequence();
        self.pick(
            format!(
                "Účet {account} (plán {plan}) vyčerpal od {start} {used} {unit}, zostáva {left}.\n\
                 Dosiahol tým nastavenú hranicu {percent} %.\n\n\
                 Obdobie sa končí {end}. {after}\n\n\
                 Každá hranica sa oznamuje raz za obdobie. Ak sa naraz dosiahne viac hraníc, správa je len o najvyššej.\n\
                 Hranice a adresy sa nastavujú cez POST /v1/account/thresholds, jazyk cez POST /v1/account/language.\n"
            ),
            format!(
                "The account {account} (plan {plan}) has used {used} {unit} in the period since {start}, and {left} are left.\n\
                 This reaches its threshold of {percent} %.\n\n\
                 The period ends at {end}. {after}\n\n\
                 Each threshold is announced once in a period. If several are reached at once, only the highest is.\n\
                 Thresholds and addresses are set with POST /v1/account/thresholds, the language with POST /v1/account/language.\n"
            ),
        )
    }
}
