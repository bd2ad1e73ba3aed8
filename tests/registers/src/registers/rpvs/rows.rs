//! Rows in the register's format, with all expandable members.

use serde_json::{Value, json};
use time::{Date, Month, Weekday};

use crate::population::calendar::Iso;
use crate::population::partners::{RegisterFile, Valid, Version};
use crate::population::{Holder, Person};

/// A kind of row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    /// A register file, from the set `Partneri`.
    File,
    /// An identity version, from the set `PartneriVerejnehoSektora`.
    Version,
    /// A beneficial owner, from the set `KonecniUzivateliaVyhod`.
    Owner,
    /// An authorised person, from the set `OpravneneOsoby`.
    Authorised,
    /// Any other kind; it has nothing to expand.
    Other,
}

impl Entity {
    /// The name of the set.
    pub(super) fn set(self) -> &'static str {
        match self {
            Self::File => "Partneri",
            Self::Version => "PartneriVerejnehoSektora",
            Self::Owner => "KonecniUzivateliaVyhod",
            Self::Authorised => "OpravneneOsoby",
            Self::Other => "Ine",
        }
    }

    /// The id of the file to which the row belongs.
    pub(super) fn file_of(self, id: u64) -> u32 {
        let id = match self {
            Self::File => id,
            Self::Version | Self::Owner | Self::Authorised | Self::Other => id / 1_000,
        };
        u32::try_from(id).unwrap_or(u32::MAX)
    }

    /// The expandable members and their kinds of rows.
    pub(super) fn navigation(self) -> &'static [(&'static str, Self)] {
        match self {
            Self::File => &[
                ("PartneriVerejnehoSektora", Self::Version),
                ("KonecniUzivateliaVyhod", Self::Owner),
                ("OpravneneOsoby", Self::Authorised),
                ("VerejniFunkcionari", Self::Other),
                ("KvalifikovanePodnety", Self::Other),
                ("OverenieIdentifikacieKUV", Self::Other),
                ("Vymaz", Self::Other),
                ("Pokuta", Self::Other),
            ],
            Self::Version => &[
                ("Partner", Self::Other),
                ("PravnaForma", Self::Other),
                ("Adresa", Self::Other),
            ],
            Self::Owner => &[("Adresa", Self::Other), ("StatnaPrislusnost", Self::Other)],
            Self::Authorised => &[("Adresa", Self::Other)],
            Self::Other => &[],
        }
    }
}

pub(super) fn id(row: &Value) -> u64 {
    row["Id"].as_u64().unwrap_or_default()
}

/// The id of a row within a file, derived from the file's id.
fn within(file: &RegisterFile, place: usize) -> u64 {
    u64::from(file.id) * 1_000 + u64::try_from(place).unwrap_or_default() + 1
}

/// The files or their versions, ordered by id.
pub(super) fn of(entity: Entity, files: &[RegisterFile]) -> Vec<Value> {
    match entity {
        Entity::File => files.iter().map(file).collect(),
        Entity::Version => files.iter().flat_map(versions).collect(),
        Entity::Owner | Entity::Authorised | Entity::Other => Vec::new(),
    }
}

fn file(file: &RegisterFile) -> Value {
    let numbered = |rows: Vec<Value>| -> Vec<Value> {
        let rows = rows.into_iter().enumerate();
        rows.map(|(place, mut row)| {
            row["Id"] = Value::from(within(file, place));
            row
        })
        .collect()
    };
    let officials = file.officials.iter().map(|official| {
        let mut row = named(Some(&official.person), file);
        row["Funkcia"] = match official.function {
            Some(function) => Value::from(function),
            None => missing(file),
        };
        with(row, official.valid)
    });
    let complaints = file.complaints.iter().map(|complaint| {
        let (ended, last, result) = complaint.decided.map_or((None, None, None), |decided| {
            (Some(decided.0), Some(decided.1), Some(decided.2))
        });
        json!({
            "SpisovaZnackaKonania": complaint.case_number,
            "DatumZacatiaKonania": local(complaint.started),
            "DatumSkonceniaKonania": ended.map(local),
            "DatumPravoplatnostiRozhodnutia": last.map(local),
            "SposobRozhodnutiaKP": result.map_or_else(|| missing(file), Value::from),
        })
    });
    let verifications = file.verifications.iter().map(|verification| {
        json!({"DatumOverenia": local(verification.on), "Poznamka": verification.statement})
    });
    json!({
        "Id": file.id,
        "CisloVlozky": file.number,
        "PartneriVerejnehoSektora": versions(file),
        "KonecniUzivateliaVyhod": numbered(owners(file)),
        "OpravneneOsoby": numbered(authorised(file)),
        "VerejniFunkcionari": numbered(officials.collect()),
        "KvalifikovanePodnety": numbered(complaints.collect()),
        "OverenieIdentifikacieKUV": numbered(verifications.collect()),
        "Vymaz": file.erasure.as_ref().map(|erasure| {
            json!({"Id": within(file, 0), "Datum": local(erasure.on), "Dovod": erasure.reason, "Poznamka": ""})
        }),
        "Pokuta": file.fine.as_ref().map(|fine| {
            json!({"Id": within(file, 0), "DatumVytvorenia": local(fine.recorded), "Poznamka": fine.note})
        }),
    })
}

fn versions(file: &RegisterFile) -> Vec<Value> {
    let rows = file.versions.iter().enumerate();
    rows.map(|(place, version)| version_row(file, place, version))
        .collect()
}

fn version_row(file: &RegisterFile, place: usize, version: &Version) -> Value {
    let mut row = named(version.person.as_ref(), file);
    row["Id"] = Value::from(within(file, place));
    row["DatumNarodenia"] = Value::Null;
    row["ObchodneMeno"] = match &version.business_name {
        Some(name) => Value::from(name.as_str()),
        None => missing(file),
    };
    row["Ico"] = Value::from(version.stored_ico.as_str());
    row["FormaOsoby"] = Value::from(version.form.word());
    row["Partner"] = json!({"Id": file.id, "CisloVlozky": file.number});
    row["PravnaForma"] = Value::Null;
    row["Adresa"] = address();
    with(row, version.valid)
}

fn owners(file: &RegisterFile) -> Vec<Value> {
    let rows = file.owners.iter().map(|owner| {
        let person = match &owner.holder {
            Some(Holder::Person(person)) => Some(person),
            Some(Holder::Company { .. }) | None => None,
        };
        let mut row = named(person, file);
        row["DatumNarodenia"] = owner.born.map_or(Value::Null, |born| local(born).into());
        row["JeVerejnyCinitel"] = Value::from(owner.is_public_official);
        put_company(&mut row, owner.holder.as_ref(), file);
        row["Adresa"] = address();
        row["StatnaPrislusnost"] = owner.citizenship.map_or(Value::Null, |country| {
            json!({"Meno": country, "StatistickyKod": if country.starts_with("Slov") { "703" } else { "276" }})
        });
        with(row, owner.valid)
    });
    rows.collect()
}

fn authorised(file: &RegisterFile) -> Vec<Value> {
    let rows = file.authorised.iter().map(|authorised| {
        let person = match &authorised.holder {
            Holder::Person(person) => Some(person),
            Holder::Company { .. } => None,
        };
        let mut row = named(person, file);
        put_company(&mut row, Some(&authorised.holder), file);
        row["FormaOsoby"] = Value::from(match &authorised.holder {
            Holder::Person(_) => "FyzickaOsoba",
            Holder::Company { .. } => "PravnickaOsoba",
        });
        row["Adresa"] = address();
        with(row, authorised.valid)
    });
    rows.collect()
}

fn put_company(row: &mut Value, holder: Option<&Holder>, file: &RegisterFile) {
    let (name, ico) = match holder {
        Some(Holder::Company { name, ico }) => (Value::from(name.as_str()), ico.as_deref()),
        Some(Holder::Person(_)) | None => (missing(file), None),
    };
    row["ObchodneMeno"] = name;
    row["Ico"] = ico.map_or_else(|| missing(file), Value::from);
}

fn named(person: Option<&Person>, file: &RegisterFile) -> Value {
    let text = |text: Option<String>| {
        text.filter(|text| !text.is_empty())
            .map_or_else(|| missing(file), Value::from)
    };
    json!({
        "Meno": text(person.map(|person| person.given.clone())),
        "Priezvisko": text(person.map(|person| person.family.clone())),
        "TitulPred": text(person.map(|person| person.prefixes.join(" "))),
        "TitulZa": text(person.map(|person| person.postfixes.join(", "))),
    })
}

/// Missing values are empty texts in some files and null in others.
fn missing(file: &RegisterFile) -> Value {
    if (file.id / 64).is_multiple_of(2) {
        Value::Null
    } else {
        Value::from("")
    }
}

fn with(mut row: Value, valid: Valid) -> Value {
    row["PlatnostOd"] = Value::from(local(valid.since));
    row["PlatnostDo"] = valid.until.map_or(Value::Null, |until| local(until).into());
    row
}

/// An address outside the population, which a connector must not publish.
fn address() -> Value {
    json!({
        "Identifikator": "", "MenoUlice": "Tajná", "SupisneCislo": "", "OrientacneCislo": "13", "Mesto": "Nezverejnené",
        "MestoKod": "", "Psc": "99999",
    })
}

/// Midnight in Bratislava: `2021-03-01T00:00:00+01:00`.
fn local(date: Date) -> String {
    let offset = if is_summer(date) { 2 } else { 1 };
    format!("{}T00:00:00+0{offset}:00", Iso(date))
}

/// Clocks change at night on the last Sundays of March and October, so midnight of that day still has the
/// previous offset.
fn is_summer(date: Date) -> bool {
    let last_sunday = |month| {
        let mut days =
            (25..=31).filter_map(|day| Date::from_calendar_date(date.year(), month, day).ok());
        days.find(|day| day.weekday() == Weekday::Sunday)
    };
    last_sunday(Month::March).is_some_and(|begin| date > begin)
        && last_sunday(Month::October).is_some_and(|end| date <= end)
}
