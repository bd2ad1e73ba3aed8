//! The texts of the list of deliveries, and words for the codes that deliveries and events have, in Slovak and English.

use crate::language::Language;
use crate::web::texts::catalogue;

catalogue! {
    title: "Odoslania", "Deliveries";
    lead: "Čo sa odoslalo o všetkých firmách účtu, od najnovšieho.", "What was sent about all companies of the account, newest first.";
    none: "Žiadne odoslanie nezodpovedá výberu.", "No delivery matches the choice.";
    count: "Odoslaní", "Deliveries";
    every_state: "všetky", "all";
    missed: "nedoručené a pozdržané", "not delivered and held";
    every_kind: "všetky", "all";
    from_day: "Od dňa", "From day";
    to_day: "Do dňa", "To day";
    days_hint: "Dni sú podľa UTC.", "Days are in UTC.";
    resend: "Poslať znova, čo neprišlo", "Resend what did not arrive";
    resend_why: "Znova sa zaradia nedoručené a pozdržané odoslania z tohto výberu, ktorých sledovanie ešte trvá, od najstaršieho a v medziach limitov.", "Deliveries of this choice that were not delivered or are held are queued again if their subscription is still active, oldest first and within the limits.";
}

/// The texts of a language.
pub(in crate::web) fn log_texts(language: Language) -> &'static Texts {
    language.pick(&SLOVAK, &ENGLISH)
}

/// What the kinds of events mean.
const KINDS: [(&str, &str, &str); 18] = [
    (
        "company.updated",
        "zmena údajov o firme",
        "data of the company changed",
    ),
    (
        "officers.changed",
        "zmena ľudí vo funkciách",
        "people in functions changed",
    ),
    (
        "address.changed",
        "zmena sídla",
        "the registered seat changed",
    ),
    (
        "debtor.added",
        "nový záznam v zozname dlžníkov",
        "new entry on a list of debtors",
    ),
    (
        "insolvency.opened",
        "začaté konkurzné konanie",
        "insolvency proceedings opened",
    ),
    (
        "sanctions.match",
        "zhoda so sankčným zoznamom",
        "match with a sanctions list",
    ),
    (
        "debarred.updated",
        "zmena zákazu účasti v obstarávaní",
        "debarment from procurement changed",
    ),
    (
        "contracting_authority.updated",
        "zmena profilu obstarávateľa",
        "profile of a contracting authority changed",
    ),
    (
        "uvo_references.updated",
        "zmena referencií z obstarávania",
        "references from procurement changed",
    ),
    (
        "qualified_supplier.updated",
        "zmena v zozname hospodárskych subjektov",
        "list of economic operators changed",
    ),
    (
        "social_enterprise.updated",
        "zmena štatútu sociálneho podniku",
        "status of a social enterprise changed",
    ),
    ("gleif.updated", "zmena kódu LEI", "the LEI changed"),
    (
        "itms21.updated",
        "zmena projektov z eurofondov",
        "projects of European funds changed",
    ),
    (
        "ted_tender.published",
        "nové oznámenie v úradnom vestníku EÚ",
        "new notice in the EU journal",
    ),
    (
        "insolvency_administrator.updated",
        "zmena údajov správcu",
        "data of an insolvency administrator changed",
    ),
    (
        "sbs_licence.updated",
        "zmena licencie bezpečnostnej služby",
        "licence of a security service changed",
    ),
    (
        "transport_licence.updated",
        "zmena licencie dopravcu",
        "transport licence changed",
    ),
    (
        "utility_licence.updated",
        "zmena povolenia v energetike",
        "utility licence changed",
    ),
];

/// What the outcomes of attempts mean.
const OUTCOMES: [(&str, &str, &str); 10] = [
    ("success", "prijaté", "accepted"),
    ("http_error", "odpoveď s chybou", "answer with an error"),
    ("timeout", "bez odpovede v čase", "no answer in time"),
    (
        "dns",
        "meno servera sa nenašlo",
        "the server's name was not found",
    ),
    ("connect", "spojenie sa nepodarilo", "the connection failed"),
    ("tls", "zabezpečenie spojenia zlyhalo", "TLS failed"),
    (
        "blocked",
        "adresa nie je dovolená",
        "the address is not allowed",
    ),
    ("reset", "spojenie sa prerušilo", "the connection broke"),
    (
        "refused",
        "poštový server odmietol",
        "the mail server refused",
    ),
    (
        "unknown",
        "výsledok sa nezaznamenal",
        "no outcome was recorded",
    ),
];

fn word(
    table: &[(&'static str, &'static str, &'static str)],
    code: &str,
    language: Language,
) -> Option<&'static str> {
    let entry = table.iter().find(|(known, _, _)| *known == code)?;
    Some(language.pick(entry.1, entry.2))
}

/// The kind of an event in words. A kind that only a connector knows keeps its code.
pub(in crate::web) fn kind_words(kind: &str, language: Language) -> String {
    word(&KINDS, kind, language).unwrap_or(kind).to_owned()
}

/// The outcome of an attempt in words.
pub(in crate::web) fn outcome_words(outcome: &str, language: Language) -> String {
    word(&OUTCOMES, outcome, language)
        .unwrap_or(outcome)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_log_is_there_in_both_languages() {
        crate::web::texts::check(ALL);
        for (code, slovak, english) in KINDS.iter().chain(&OUTCOMES) {
            assert!(!slovak.is_empty() && slovak != english, "{code}");
        }
    }

    #[test]
    fn kinds_of_the_specification_have_words() {
        for kind in crate::changes::KINDS {
            assert_ne!(kind_words(kind, Language::Slovak), kind);
        }
    }
}
