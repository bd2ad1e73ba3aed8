//! The contents of each section of an extract.

use time::Date;

use super::html::Entry;
use crate::population::calendar::Dotted;
use crate::population::{
    Address, Company, Holder, LegalForm, Money, Officer, Person, Role, Shareholder, Timed,
};

/// Newest first, as on the site.
fn newest_first<T>(values: &[Timed<T>], write: impl Fn(Entry, &T) -> Entry) -> Vec<Entry> {
    values
        .iter()
        .rev()
        .map(|timed| write(Entry::new(timed.since, timed.until), &timed.value))
        .collect()
}

pub(crate) fn names(company: &Company) -> Vec<Entry> {
    newest_first(&company.names, |entry, name| entry.text(name))
}

pub(crate) fn seats(company: &Company) -> Vec<Entry> {
    newest_first(&company.seats, address)
}

fn address(entry: Entry, address: &Address) -> Entry {
    let street = address.street.as_deref().unwrap_or(address.city);
    let entry = entry.span(street).span(&address.house()).line();
    let entry = entry
        .span(address.city)
        .span(&address.spaced_postal_code())
        .line();
    if address.is_slovak() {
        entry
    } else {
        entry.text(address.country)
    }
}

pub(crate) fn identifier(company: &Company) -> Vec<Entry> {
    let ico = &company.ico;
    let grouped = format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]);
    vec![Entry::new(company.established, None).text(&grouped)]
}

pub(crate) fn day(company: &Company, date: Date) -> Vec<Entry> {
    vec![Entry::new(date.max(company.established), None).text(&Dotted(date).to_string())]
}

pub(crate) fn form(company: &Company) -> Vec<Entry> {
    let present = Entry::new(company.form_since(), None).text(company.legal_form.text());
    let former = newest_first(&company.former_forms, |entry, form| entry.text(form.text()));
    std::iter::once(present).chain(former).collect()
}

pub(crate) fn activities(company: &Company) -> Vec<Entry> {
    let write = |(place, text): (usize, &str)| {
        if place == 2 {
            format!("(c)\t{text}")
        } else {
            text.to_owned()
        }
    };
    let rows = company.activities.iter().enumerate();
    rows.map(|row| Entry::new(row.1.since, row.1.until).text(&write((row.0, row.1.text))))
        .collect()
}

/// A person's name as a link to the search by person, with titles outside the link.
fn linked(mut entry: Entry, person: &Person) -> Entry {
    for prefix in &person.prefixes {
        entry = entry.span(prefix);
    }
    let href = format!(
        "hladaj_osoba.asp?PR={}&MENO={}&SID=0&T=f0&R=1",
        person.family, person.given
    );
    // The attribute has no quotes, although names may contain spaces.
    entry = entry
        .raw(&format!("<a class=lnm href={href}>"))
        .span(&person.given)
        .span(&person.family)
        .raw("</a>");
    for postfix in &person.postfixes {
        entry = entry.labelled(&format!(", {postfix}"));
    }
    entry
}

/// On pages of 2025 the cell of a person or partner ends with spans that contain only an icon.
fn icons(entry: Entry, is_recent: bool) -> Entry {
    if !is_recent {
        return entry;
    }
    let class = if entry.is_current() { "ra" } else { "ro" };
    entry.raw(&format!(
        " <span class='{class}'><a href=help.asp#ifo class=link><img src=\"images/icon_ifo_green.gif\" border=0></a></span>\
         \x20<span class='{class}'><a href=help.asp#stot class=link><img src=\"images/icon_stot_green.gif\" border=0></a>\
         </span><br>"
    ))
}

fn holder(entry: Entry, holder: &Holder, is_recent: bool) -> Entry {
    match holder {
        Holder::Person(person) => linked(entry, person),
        Holder::Company {
            name,
            ico: Some(ico),
        } if is_recent => {
            let grouped = format!("IČO: {} {} {}", &ico[..2], &ico[2..5], &ico[5..]);
            entry.span(name).span(&grouped)
        }
        Holder::Company { name, .. } => entry.span(name),
    }
}

fn owner(owner: &Shareholder, is_recent: bool) -> Entry {
    let entry = holder(
        Entry::new(owner.since, owner.until),
        &owner.holder,
        is_recent,
    )
    .line();
    icons(address(entry, &owner.address), is_recent)
}

fn is_share_company(company: &Company) -> bool {
    company.shares.is_some()
}

pub(crate) fn partners(company: &Company, is_recent: bool) -> Vec<Entry> {
    // A joint-stock company may have had partners with deposits under its former legal form.
    let is_share_company = is_share_company(company);
    current_first(
        company
            .shareholders
            .iter()
            .filter(|owner| !is_share_company || owner.deposit.is_some())
            .map(|shareholder| owner(shareholder, is_recent))
            .collect(),
    )
}

pub(crate) fn single_shareholder(company: &Company, is_recent: bool) -> Vec<Entry> {
    if !is_share_company(company) {
        return Vec::new();
    }
    current_first(
        company
            .shareholders
            .iter()
            .filter(|owner| owner.deposit.is_none())
            .map(|shareholder| owner(shareholder, is_recent))
            .collect(),
    )
}

fn current_first(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| !entry.is_current());
    entries
}

pub(crate) fn deposits(company: &Company) -> Vec<Entry> {
    let with_deposit = company
        .shareholders
        .iter()
        .filter_map(|owner| Some((owner, owner.deposit?)));
    let entries = with_deposit.map(|(owner, deposit)| {
        let mut entry = Entry::new(owner.since, owner.until);
        entry = match &owner.holder {
            Holder::Person(person) => {
                let titled = person
                    .prefixes
                    .iter()
                    .fold(entry, |entry, prefix| entry.span(prefix));
                titled.span(&person.given).span(&person.family)
            }
            Holder::Company { name, .. } => entry.span(name),
        };
        entry = entry
            .line()
            .labelled(&format!("Vklad: {}", deposit.register()))
            .span("EUR");
        if let Some(paid) = owner.paid {
            entry = entry
                .labelled(&format!("Splatené: {}", paid.register()))
                .span("EUR");
        }
        if let Some(lien) = &owner.lien {
            entry = entry.line().labelled(&format!("Záložné právo: {lien}"));
        }
        entry.line()
    });
    current_first(entries.collect())
}

fn officer(officer: &Officer, is_recent: bool) -> Entry {
    let mut entry = holder(
        Entry::new(officer.since, officer.until).ending(officer.term_until),
        &officer.holder,
        is_recent,
    );
    let role = match officer.role {
        Role::BoardChair => Some("predseda predstavenstva"),
        Role::BoardMember => Some("člen predstavenstva"),
        Role::Chair => Some("predseda"),
        Role::Manager
        | Role::Partner
        | Role::Trader
        | Role::Supervisor
        | Role::Procurist
        | Role::Liquidator => None,
    };
    if let Some(role) = role {
        entry = entry.labelled(&format!("- {role}"));
    }
    entry = address(entry.line(), &officer.address);
    if officer.role != Role::Partner {
        entry = entry.labelled(&format!("Vznik funkcie: {}", Dotted(officer.since)));
        if let Some(until) = officer.until {
            entry = entry.span(&format!("Skončenie funkcie: {}", Dotted(until)));
        }
        entry = entry.line();
    }
    icons(entry, is_recent)
}

pub(crate) fn officers(company: &Company, role: Role, is_recent: bool) -> Vec<Entry> {
    let own = company
        .officers
        .iter()
        .filter(|officer| officer.role == role);
    current_first(own.map(|own| officer(own, is_recent)).collect())
}

/// The name of the body, followed by its members.
pub(crate) fn statutory_body(company: &Company, is_recent: bool) -> Vec<Entry> {
    let members: Vec<&Officer> = company
        .officers
        .iter()
        .filter(|officer| officer.role.is_statutory())
        .collect();
    let count = members
        .iter()
        .filter(|officer| officer.until.is_none())
        .count();
    let body = match company.legal_form {
        LegalForm::LimitedCompany if count > 1 => "konatelia",
        LegalForm::LimitedCompany => "konateľ",
        LegalForm::JointStockCompany | LegalForm::SimpleShareCompany | LegalForm::Cooperative => {
            "predstavenstvo"
        }
        LegalForm::GeneralPartnership
        | LegalForm::LimitedPartnership
        | LegalForm::Trader
        | LegalForm::FlatOwners
        | LegalForm::Association => "spoločníci",
    };
    let mut entries = vec![Entry::new(company.established, None).text(body)];
    entries.extend(current_first(
        members
            .into_iter()
            .map(|member| officer(member, is_recent))
            .collect(),
    ));
    entries
}

pub(crate) fn acting(company: &Company) -> Vec<Entry> {
    newest_first(&company.acting, |entry, text| entry.text(text))
}

fn paid(entry: Entry, registered: Money, paid: Money) -> Entry {
    let entry = entry.span(&registered.register()).span("EUR");
    entry
        .labelled(&format!("Rozsah splatenia: {}", paid.register()))
        .span("EUR")
        .line()
}

pub(crate) fn capital(company: &Company) -> Vec<Entry> {
    newest_first(&company.capital, |entry, capital| {
        paid(entry, capital.registered, capital.paid)
    })
}

pub(crate) fn shares(company: &Company) -> Vec<Entry> {
    let Some(shares) = &company.shares else {
        return Vec::new();
    };
    let lines = [
        format!("Počet: {}", shares.count),
        "Druh: kmeňové".to_owned(),
        "Podoba: zaknihované".to_owned(),
        "Forma: akcie na meno".to_owned(),
    ];
    let entry = lines
        .iter()
        .fold(Entry::new(company.form_since(), None), |entry, line| {
            entry.labelled(line).line()
        });
    let nominal = format!("Menovitá hodnota: {}", shares.nominal.register());
    vec![entry.labelled(&nominal).span("EUR").line()]
}

/// Texts contain line breaks and occasionally a lone asterisk.
pub(crate) fn facts(company: &Company) -> Vec<Entry> {
    let founded = format!(
        "Zapísaná osoba bola založená dňa {} vymyslenou listinou.\n*",
        Dotted(company.established)
    );
    let mut entries = vec![Entry::new(company.established, None).text(&founded)];
    entries.extend(newest_first(&company.legal_facts, |entry, text| {
        entry.text(text)
    }));
    entries
}

pub(crate) fn successor(company: &Company) -> Vec<Entry> {
    let Some(ending) = &company.ending else {
        return Vec::new();
    };
    let Some((name, ico)) = &ending.successor else {
        return Vec::new();
    };
    let grouped = format!("IČO: {} {} {}", &ico[..2], &ico[2..5], &ico[5..]);
    vec![
        Entry::new(ending.date, None)
            .span(name)
            .span(&grouped)
            .line(),
    ]
}
