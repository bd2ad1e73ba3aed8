//! The wrappers and parts that recur in records.

use time::Date;

use crate::population::calendar::Iso;
use crate::population::{Address, Company, Holder, LegalForm, Money, Officer, Role, Shareholder};
use crate::registers::json::Json;

/// The format of codes and amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Exports: the codelist comes first, amounts are texts.
    Dump,
    /// The API: the value comes first, amounts are numbers.
    Rest,
}

impl Style {
    pub(crate) fn code(self, json: &mut Json, value: &str, code: &str, list: &str) {
        json.object(|json| match self {
            Self::Dump => {
                json.key("codelistCode").plain(list);
                json.key("code").plain(code);
                json.key("value").string(value);
            }
            Self::Rest => {
                json.key("value").string(value);
                json.key("code").plain(code);
                json.key("codelistCode").plain(list);
            }
        });
    }

    pub(crate) fn amount(self, json: &mut Json, amount: Money) {
        match self {
            Self::Dump => json.plain(amount.dotted()),
            Self::Rest => json.raw(amount.number()),
        }
    }
}

pub(crate) fn validity(json: &mut Json, since: Date, until: Option<Date>) {
    json.key("validFrom").plain(Iso(since));
    if let Some(until) = until {
        json.key("validTo").plain(Iso(until));
    }
}

pub(crate) fn timed_text(json: &mut Json, value: &str, since: Date, until: Option<Date>) {
    json.object(|json| {
        json.key("value").string(value);
        validity(json, since, until);
    });
}

/// The end of a sole trader also closes the identifier.
pub(crate) fn identifier(json: &mut Json, company: &Company) {
    let is_closed = company.legal_form == LegalForm::Trader && company.ended_items_closed;
    let until = company
        .ending
        .as_ref()
        .filter(|_| is_closed)
        .map(|ending| ending.date);
    json.key("identifiers")
        .array(|json| timed_text(json, &company.ico, company.established, until));
}

pub(crate) fn address_members(json: &mut Json, address: &Address, style: Style) {
    if let Some(street) = &address.street {
        json.key("street").string(street);
    }
    json.key("regNumber").raw(address.reg_number);
    if let Some(number) = &address.building_number {
        json.key("buildingNumber").plain(number);
    }
    if let Some(code) = &address.postal_code {
        json.key("postalCodes").array(|json| json.plain(code));
    }
    json.key("municipality");
    match address.city_code {
        Some(code) => style.code(json, address.city, code, "CL000025"),
        None => json.object(|json| json.key("value").string(address.city)),
    }
    json.key("country");
    style.code(json, address.country, address.country_code, "CL000086");
}

/// `personName`, or `fullName` and `identifier`.
pub(crate) fn holder_members(json: &mut Json, holder: &Holder, has_titles: bool) {
    match holder {
        Holder::Person(person) => json.key("personName").object(|json| {
            if has_titles && !(person.prefixes.is_empty() && person.postfixes.is_empty()) {
                json.key("formatedName").string(&person.formatted());
            }
            json.key("givenNames")
                .array(|json| json.string(&person.given));
            json.key("familyNames")
                .array(|json| json.string(&person.family));
            for (key, titles) in [
                ("prefixes", &person.prefixes),
                ("postfixes", &person.postfixes),
            ] {
                if has_titles && !titles.is_empty() {
                    json.key(key).array(|json| {
                        for title in titles {
                            json.object(|json| json.key("value").string(title));
                        }
                    });
                }
            }
        }),
        Holder::Company { name, ico } => {
            json.key("fullName").string(name);
            if let Some(ico) = ico {
                json.key("identifier").plain(ico);
            }
        }
    }
}

pub(crate) fn officer(json: &mut Json, officer: &Officer, until: Option<Date>, style: Style) {
    json.object(|json| {
        json.key("stakeholderType");
        match officer.role {
            Role::Manager => style.code(json, "Konateľ", "3", "CL010113"),
            Role::Trader => style.code(json, "Podnikateľ", "19", "CL010113"),
            Role::BoardChair | Role::BoardMember => {
                json.object(|json| json.key("value").string("Predstavenstvo"));
            }
            Role::Partner => json.object(|json| json.key("value").string("Spoločník")),
            Role::Chair => json.object(|json| json.key("value").string("Predseda")),
            Role::Supervisor => {
                json.object(|json| json.key("value").string("Člen dozorného orgánu"));
            }
            Role::Procurist => json.object(|json| json.key("value").string("Prokurista")),
            Role::Liquidator => json.object(|json| json.key("value").string("Likvidátor")),
        }
        let member = match officer.role {
            Role::BoardChair => Some("predseda predstavenstva"),
            Role::BoardMember => Some("člen predstavenstva"),
            Role::Manager
            | Role::Trader
            | Role::Partner
            | Role::Chair
            | Role::Supervisor
            | Role::Procurist
            | Role::Liquidator => None,
        };
        if let Some(member) = member {
            json.key("statutoryBodyMember")
                .object(|json| json.key("value").string(member));
        }
        validity(json, officer.since, until);
        json.key("address")
            .object(|json| address_members(json, &officer.address, style));
        holder_members(json, &officer.holder, true);
    });
}

pub(crate) fn owner(
    json: &mut Json,
    owner: &Shareholder,
    form: LegalForm,
    until: Option<Date>,
    style: Style,
) {
    json.object(|json| {
        json.key("stakeholderType");
        match form {
            LegalForm::JointStockCompany | LegalForm::SimpleShareCompany => {
                json.object(|json| json.key("value").string("Akcionár"));
            }
            LegalForm::Trader
            | LegalForm::GeneralPartnership
            | LegalForm::LimitedCompany
            | LegalForm::LimitedPartnership
            | LegalForm::Cooperative
            | LegalForm::FlatOwners
            | LegalForm::Association => {
                style.code(json, "Spoločník v.o.s. / s.r.o.", "99", "CL010109");
            }
        }
        validity(json, owner.since, until);
        json.key("address")
            .object(|json| address_members(json, &owner.address, style));
        holder_members(json, &owner.holder, true);
    });
}

/// The row that repeats a sole trader as head of a branch, with an end in the year 1800.
pub(crate) fn bogus_row(json: &mut Json, officer: &Officer, style: Style) {
    json.object(|json| {
        json.key("stakeholderType");
        style.code(json, "Vedúci organizačnej zložky", "15", "CL010109");
        json.key("validFrom").plain(Iso(officer.since));
        json.key("validTo").plain("1800-01-01");
        json.key("address")
            .object(|json| address_members(json, &officer.address, style));
        holder_members(json, &officer.holder, true);
    });
}

pub(crate) fn source_register(json: &mut Json, company: &Company, style: Style) {
    let register = company.source_register;
    json.key("sourceRegister").object(|json| {
        json.key("value");
        style.code(json, register.text(), register.code(), "CL010112");
        for (key, value) in [
            ("registrationOffices", &company.registration_office),
            ("registrationNumbers", &company.registration_number),
        ] {
            json.key(key)
                .array(|json| timed_text(json, value, company.established, None));
        }
    });
}
