//! Writes the answers as XML.

use time::format_description::well_known::Rfc3339;

use super::log::Entry;
use super::{Debtor, listed_ico};
use crate::population::calendar::Iso;
use crate::population::proceedings::{Administrator, Kind, Proceeding};
use crate::population::{Address, Company, Holder, LegalForm, places};

const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const TYPES: &str = "datatypes.konanie.verejnost.ru.sk.hp.com";

/// The prefixes of an answer, which differ between answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefixes {
    envelope: &'static str,
    types: &'static str,
    /// The prefix in values of `xsi:type`, which is a different one in some answers.
    kinds: &'static str,
}

impl Prefixes {
    pub(super) fn of(number: u64) -> Self {
        match number % 3 {
            0 => Self {
                envelope: "soapenv",
                types: "d",
                kinds: "d",
            },
            1 => Self {
                envelope: "SOAP-ENV",
                types: "ns2",
                kinds: "ns2",
            },
            _ => Self {
                envelope: "S",
                types: "ns3",
                kinds: "q1",
            },
        }
    }

    pub(super) fn envelope(self, body: &str) -> String {
        let (e, t, k) = (self.envelope, self.types, self.kinds);
        let kinds = if k == t {
            String::new()
        } else {
            format!(" xmlns:{k}=\"{TYPES}\"")
        };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{e}:Envelope xmlns:{e}=\"{ENVELOPE}\" xmlns:{t}=\"{TYPES}\"{kinds} \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><{e}:Header/><{e}:Body>{body}</{e}:Body></{e}:Envelope>\n"
        )
    }

    fn element(self, name: &str, inside: &str) -> String {
        format!("<{p}:{name}>{inside}</{p}:{name}>", p = self.types)
    }

    /// A text element, left out if there is no text.
    fn optional(self, name: &str, value: Option<&str>) -> String {
        value.map_or_else(String::new, |value| self.element(name, &text(value)))
    }

    fn date(self, name: &str, date: Option<time::Date>) -> String {
        self.optional(name, date.map(|date| Iso(date).to_string()).as_deref())
    }

    fn of_kind(self, name: &str, kind: &str, inside: &str) -> String {
        format!(
            "<{p}:{name} xsi:type=\"{k}:{kind}\">{inside}</{p}:{name}>",
            p = self.types,
            k = self.kinds
        )
    }
}

/// Text with escaped entities.
pub(super) fn text(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

pub(super) fn list(p: Prefixes, operation: &str, rows: &[String], total: usize) -> String {
    let list = p.element("KonanieInfoList", &rows.concat());
    let total = p.element("VysledkovCelkom", &total.to_string());
    p.element(&format!("{operation}Response"), &format!("{list}{total}"))
}

/// A row of a list. Rows of a query by period do not contain the debtor's IČO.
pub(super) fn row(p: Prefixes, debtor: &Debtor, proceeding: &Proceeding, with_ico: bool) -> String {
    let administrator = proceeding.administrator.as_ref();
    let (name, ico, born) = match debtor {
        Debtor::Company(company) => (company.name().to_owned(), listed_ico(company), None),
        Debtor::Person(person) => {
            let name = format!("{} {}", person.name.family, person.name.given);
            (name, None, Some(person.born))
        }
    };
    let file = administrator.map(|administrator| {
        let mark = mark(administrator, proceeding.id);
        format!("{} {mark}", proceeding.case_number)
    });
    let inside = [
        p.element("Id", &proceeding.id.to_string()),
        p.element(
            "SpisovaZnackaSpravcu",
            &text(file.as_deref().unwrap_or_default()),
        ),
        p.element("SpisovaZnackaSudu", &text(&proceeding.case_number)),
        p.element("Typ", proceeding.kind.code()),
        p.date("DatumZacatiaKonania", Some(proceeding.began)),
        p.date("DatumZacatiaProcesu", proceeding.declared),
        p.date("DatumUkonceniaProcesu", proceeding.ended.map(|(on, _)| on)),
        p.optional(
            "DovodUkonceniaProcesu",
            proceeding.ended.map(|(_, why)| why),
        ),
        p.element("Dlznik", &text(&name)),
        p.optional("DlznikIco", ico.as_deref().filter(|_| with_ico)),
        p.date("DlznikDatumNarodenia", born),
        p.element("PoslednaUdalost", &text(proceeding.last_event)),
        p.date("DatumPoslednejUdalosti", Some(proceeding.last_event_on)),
        p.element("Sud", &court_code(proceeding.court)),
        p.element("SudNazov", proceeding.court_name()),
        p.element(
            "Spravca",
            &text(&administrator.map(Administrator::listed).unwrap_or_default()),
        ),
        p.optional("TypSpravcu", administrator.map(|_| "RIADNY")),
        p.optional("TypPrideleniaSpravcu", administrator.map(|_| "GENEROVANY")),
        p.element("StavKonania", proceeding.state.code()),
    ];
    p.element("KonanieInfo", &inside.concat())
}

/// Some files contain a space within the mark.
fn mark(administrator: &Administrator, id: u64) -> String {
    if id.is_multiple_of(4) {
        administrator.mark.replacen('S', "S ", 1)
    } else {
        administrator.mark.clone()
    }
}

fn court_code(court: u8) -> String {
    (100 + u32::from(court)).to_string()
}

pub(super) fn detail(
    p: Prefixes,
    debtor: &Debtor,
    petitioner: Option<&Company>,
    proceeding: &Proceeding,
) -> String {
    let kind = match proceeding.kind {
        Kind::Restructuring => "Restrukturalizacia",
        Kind::Bankruptcy | Kind::SmallBankruptcy | Kind::Other => "Konkurz",
        Kind::ReliefByBankruptcy => "OddlzenieKonkurz",
        Kind::ReliefBySchedule => "OddlzenieSplatkovyKalendar",
        Kind::Liquidation => "Likvidacia",
        Kind::Preventive => "VPR",
    };
    let court = format!(
        "{}{}",
        p.element("id", &court_code(proceeding.court)),
        p.element("nazov", proceeding.court_name())
    );
    let administrator = proceeding.administrator.as_ref();
    let inside = [
        p.element("Id", &proceeding.id.to_string()),
        p.element("SpisovaZnackaSudu", &text(&proceeding.case_number)),
        p.element("Typ", proceeding.kind.code()),
        petitioner.map_or_else(String::new, |one| company_element(p, "Navrhovatel", one)),
        debtor_element(p, debtor),
        p.element("Sud", &court),
        p.element("Sudca", "Mgr. Vzor Skúšobný"),
        administrator.map_or_else(String::new, |one| {
            administrator_element(p, one, proceeding.id)
        }),
        p.date("DatumZacatiaKonania", Some(proceeding.began)),
        p.date("DatumZacatiaProcesu", proceeding.declared),
        p.optional("MalyKonkurz", (kind == "Konkurz").then_some("false")),
    ];
    let proceeding = p.of_kind("Konanie", kind, &inside.concat());
    p.element("getKonanieDetailResponse", &proceeding)
}

fn debtor_element(p: Prefixes, debtor: &Debtor) -> String {
    match debtor {
        Debtor::Company(company) => company_element(p, "Dlznik", company),
        Debtor::Person(person) => {
            let inside = [
                p.element("Meno", &person.name.given),
                p.element("Priezvisko", &person.name.family),
                p.element("RodneCislo", "000000/0000"),
                p.date("DatumNarodenia", Some(person.born)),
            ];
            p.of_kind("Dlznik", "FyzickaOsoba", &inside.concat())
        }
    }
}

fn company_element(p: Prefixes, name: &str, company: &Company) -> String {
    let is_trader = company.legal_form == LegalForm::Trader;
    let kind = if is_trader {
        "FyzickaOsobaPodnikatel"
    } else {
        "PravnickaOsoba"
    };
    p.of_kind(name, kind, &company_inside(p, company))
}

fn company_inside(p: Prefixes, company: &Company) -> String {
    let ico = &company.ico;
    [
        address(p, company.seat()),
        p.element("ObchodneMeno", &text(company.name())),
        p.element(
            "Ico",
            &format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]),
        ),
        p.element("PravnaForma", company.legal_form.text()),
    ]
    .concat()
}

fn administrator_element(p: Prefixes, administrator: &Administrator, id: u64) -> String {
    let [born, phone, email] = &administrator.private;
    let (person, company) = match &administrator.holder {
        Holder::Person(person) => (Some(person), None),
        Holder::Company { name, .. } => (None, Some(name)),
    };
    let titles = |titles: &[&str]| Some(titles.join(" ")).filter(|titles| !titles.is_empty());
    let inside = [
        p.element("Znacka", &mark(administrator, id)),
        p.date("DatumZapisu", administrator.entered),
        p.optional("Meno", person.map(|person| person.given.as_str())),
        p.optional("Priezvisko", person.map(|person| person.family.as_str())),
        p.optional(
            "TitulPredMenom",
            person
                .and_then(|person| titles(&person.prefixes))
                .as_deref(),
        ),
        p.optional(
            "TitulZaMenom",
            person
                .and_then(|person| titles(&person.postfixes))
                .as_deref(),
        ),
        p.optional("DatumNarodenia", person.map(|_| born.as_str())),
        p.optional("ObchodneMeno", company.map(String::as_str)),
        p.optional("Ico", administrator.ico()),
        address(p, &administrator.office),
        p.optional("Telefon", Some(phone)),
        p.optional("Email", Some(email)),
    ];
    p.element("Spravca", &inside.concat())
}

fn address(p: Prefixes, address: &Address) -> String {
    let house = Some(address.reg_number)
        .filter(|number| *number > 0)
        .map(|number| number.to_string());
    let country = if address.country_code == "703" {
        "SVK"
    } else {
        "XXX"
    };
    let inside = [
        p.optional("Ulica", address.street.as_deref()),
        p.optional("SupisneCislo", house.as_deref()),
        p.optional("OrientacneCislo", address.building_number.as_deref()),
        p.element("Obec", address.city),
        p.optional("Psc", Some(&address.spaced_postal_code())),
        p.element("Krajina", country),
    ];
    p.element("Adresa", &inside.concat())
}

pub(super) fn changes<'a>(p: Prefixes, entries: impl Iterator<Item = &'a Entry>) -> String {
    let entries: String = entries
        .map(|entry| {
            let at = entry.changed.format(&Rfc3339).unwrap_or_default();
            format!(
                "<{}:PoslednaZmenaNaKonani KonanieId=\"{}\" PoslednaZmena=\"{at}\"/>",
                p.types, entry.id
            )
        })
        .collect();
    let list = p.element("PoslednaZmenaNaKonaniList", &entries);
    p.element("vyhladajPoslednuZmenuOdResponse", &list)
}

pub(super) fn courts(p: Prefixes) -> String {
    let courts: String = (2..=9)
        .map(|court| {
            let inside = format!(
                "{}{}",
                p.element("id", &court_code(court)),
                p.element("nazov", places::court_name(court))
            );
            p.element("Sud", &inside)
        })
        .collect();
    p.element("getZoznamSudovResponse", &courts)
}
