//! The wrappers and parts that recur in records.

use time::Date;

use crate::population::calendar::Iso;
use crate::population::{Address, Company, LegalForm, Money};
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
