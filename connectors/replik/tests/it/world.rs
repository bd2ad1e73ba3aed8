//! Test support for whole calls: a subject, answers in envelopes, and sections checked against the schema.

use lustra_replik::Replik;
use lustra_replik::soap::{PATH, UPSTREAM};
use lustra_sdk::serde_json::Value;
use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Section, Subject};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const NOW: &str = "2026-01-15T08:00:00Z";

/// Parts of the bodies of the three operations.
pub const LIST: &str = "getKonaniePodlaICORequest";
pub const CHANGES: &str = "vyhladajPoslednuZmenuOdRequest";

pub fn page_number(number: usize) -> String {
    format!("<d:Stranka>{number}</d:Stranka>")
}

pub fn detail_of(id: &str) -> String {
    format!("<d:KonanieId>{id}</d:KonanieId>")
}

pub fn envelope(inner: &str) -> Answer {
    Answer::ok(format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:d=\"datatypes.konanie.verejnost.ru.sk.hp.com\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><s:Body>{inner}</s:Body></s:Envelope>"
    ))
}

pub fn row(id: usize, ico: &str, kind: &str, state: &str) -> String {
    let ico = if ico.is_empty() {
        String::new()
    } else {
        format!("<d:DlznikIco>{ico}</d:DlznikIco>")
    };
    format!(
        "<d:KonanieInfo><d:Id>{id}</d:Id><d:SpisovaZnackaSudu>1K/{id}/2026</d:SpisovaZnackaSudu><d:Typ>{kind}</d:Typ>\
         <d:Dlznik>Vzorová, s. r. o.</d:Dlznik>{ico}<d:StavKonania>{state}</d:StavKonania></d:KonanieInfo>"
    )
}

pub fn page(rows: &[String], total: usize) -> Answer {
    envelope(&format!(
        "<d:getKonaniePodlaICOResponse><d:KonanieInfoList>{}</d:KonanieInfoList>\
         <d:VysledkovCelkom>{total}</d:VysledkovCelkom></d:getKonaniePodlaICOResponse>",
        rows.concat()
    ))
}

/// A proceeding with a debtor (the inner XML of its element) and an administrator's mark.
pub fn detail(id: &str, debtor: &str, mark: &str) -> Answer {
    let administrator = if mark.is_empty() {
        String::new()
    } else {
        format!(
            "<d:Spravca><d:Znacka>{mark}</d:Znacka><d:Priezvisko>Skúšobná</d:Priezvisko></d:Spravca>"
        )
    };
    envelope(&format!(
        "<d:getKonanieDetailResponse><d:Konanie xsi:type=\"d:Konkurz\"><d:Id>{id}</d:Id>{debtor}{administrator}\
         </d:Konanie></d:getKonanieDetailResponse>"
    ))
}

pub fn debtor(ico: &str) -> String {
    format!("<d:Dlznik xsi:type=\"d:PravnickaOsoba\"><d:Ico>{ico}</d:Ico></d:Dlznik>")
}

pub fn changes(entries: &[(&str, &str)]) -> Answer {
    let entries: String = entries
        .iter()
        .map(|(id, at)| {
            format!("<d:PoslednaZmenaNaKonani KonanieId=\"{id}\" PoslednaZmena=\"{at}\"/>")
        })
        .collect();
    envelope(&format!(
        "<d:vyhladajPoslednuZmenuOdResponse><d:PoslednaZmenaNaKonaniList>{entries}</d:PoslednaZmenaNaKonaniList>\
         </d:vyhladajPoslednuZmenuOdResponse>"
    ))
}

pub fn host() -> TestHost {
    TestHost::new().now(NOW)
}

pub fn answering(host: TestHost, containing: &str, answer: Answer) -> TestHost {
    host.answer_to(UPSTREAM, PATH, containing, answer)
}

pub fn subject() -> Subject {
    testing::subject(ICO)
}

pub fn enrich(host: TestHost) -> Result<(Section, Value), Failure> {
    enrich_of(host, subject())
}

pub fn enrich_of(host: TestHost, subject: Subject) -> Result<(Section, Value), Failure> {
    host.install();
    let section = Replik::enrich("insolvency", subject)?;
    let content = manifest().content("insolvency", &section);
    Ok((section, content))
}
