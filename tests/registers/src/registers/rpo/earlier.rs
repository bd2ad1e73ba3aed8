//! The second, ended record that some IČO have, of a former body.

use super::parts::{Style, timed_text, validity};
use super::record::View;
use crate::population::calendar::{Iso, after};
use crate::population::{Company, EarlierRecord};
use crate::registers::json::Json;

/// Very old records have a text instead of a number, and the number in another member.
pub(crate) fn identifiers(json: &mut Json, company: &Company, record: &EarlierRecord) {
    let turn = after(record.established, 365);
    json.key("identifiers").array(|json| {
        timed_text(json, "Neuvedené", record.established, Some(turn));
        timed_text(json, &company.ico, turn, Some(record.terminated));
    });
}

pub(crate) fn write(
    json: &mut Json,
    company: &Company,
    record: &EarlierRecord,
    view: View,
    license: Option<&str>,
) {
    let style = if view == View::Dump {
        Style::Dump
    } else {
        Style::Rest
    };
    let has_history = view != View::Rest { has_history: false };
    let until = Some(record.terminated);
    json.object(|json| {
        json.key("id").raw(record.rpo_id);
        if view != View::Dump {
            json.key("dbModificationDate").plain("2015-02-23");
        }
        identifiers(json, company, record);
        json.key("fullNames").array(|json| {
            if has_history {
                timed_text(json, &record.name, record.established, until);
            }
        });
        json.key("addresses").array(|json| {
            if has_history {
                json.object(|json| {
                    validity(json, record.established, until);
                    json.key("regNumber").raw(0);
                    json.key("municipality")
                        .object(|json| json.key("value").string(company.seat().city));
                    json.key("country");
                    style.code(json, "Slovenská republika", "703", "CL000086");
                });
            }
        });
        json.key("legalForms").array(|json| {
            json.object(|json| {
                json.key("value");
                style.code(json, "Nešpecifikovaná právna forma", "995", "CL000056");
                validity(json, record.established, until);
            });
        });
        json.key("establishment").plain(Iso(record.established));
        json.key("termination").plain(Iso(record.terminated));
        source(json, record, style);
        if view == View::Dump {
            json.key("containsInconsistency").raw(true);
        }
        if let Some(license) = license {
            json.key("license").string(license);
        }
    });
}

/// The source register, which no longer exists.
pub(crate) fn source(json: &mut Json, record: &EarlierRecord, style: Style) {
    json.key("sourceRegister").object(|json| {
        json.key("value");
        style.code(json, "Register organizácií", "70", "CL010112");
        let rows = [
            ("registrationOffices", "Obvodný národný výbor"),
            ("registrationNumbers", "ONV-1/1949"),
        ];
        for (key, value) in rows {
            json.key(key)
                .array(|json| timed_text(json, value, record.established, Some(record.terminated)));
        }
    });
}
