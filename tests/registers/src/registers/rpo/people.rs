//! Rows of people in a record: `statutoryBodies` and `stakeholders`.
//!
//! A row ends with each change of the address. Rows of the statutory body keep the first day of the office, those of
//! stakeholders continue on the next day. Rows of a re-registration are doubled.

use time::Date;

use super::parts::{self, Style, validity};
use crate::population::calendar::{Iso, after};
use crate::population::{
    Address, Company, Holder, LegalForm, Move, Officer, Role, Shareholder, SourceRegister,
};
use crate::registers::json::Json;

const STATUTORY_BODIES: &str = "CL010113";
const STAKEHOLDERS: &str = "CL010109";
/// What the register has in place of an unknown day.
const NO_DAY: &str = "1800-01-01";

/// The people of a company in one view of the register.
pub(crate) struct Rows<'a> {
    pub(crate) company: &'a Company,
    pub(crate) style: Style,
    /// Whether the company's end closed all rows.
    pub(crate) closes_with_company: bool,
    /// Whether closed rows are shown.
    pub(crate) has_history: bool,
    /// Whether rows without days are shown.
    pub(crate) has_placeholders: bool,
}

struct Row<'a> {
    code: (&'static str, &'static str, &'static str),
    holder: &'a Holder,
    /// The role that is written behind the name.
    written: &'static str,
    address: Address,
    since: Date,
    until: Option<Date>,
}

impl<'a> Rows<'a> {
    pub(crate) fn write(&self, json: &mut Json) {
        let is_statutory = |role: Role| role.is_statutory() || role == Role::Liquidator;
        let (statutory, others): (Vec<_>, Vec<_>) = self
            .company
            .officers
            .iter()
            .enumerate()
            .partition(|(_, officer)| is_statutory(officer.role));
        let statutory = self.officers(&statutory);
        self.array(json, "statutoryBodies", &statutory, None);
        let mut rows = self.owners();
        rows.extend(self.officers(&others));
        let placeholder = self
            .company
            .officers
            .first()
            .filter(|_| self.company.has_sentinel_row && self.has_placeholders);
        self.array(json, "stakeholders", &rows, placeholder);
    }

    /// An empty array if all rows are closed and not shown, no array if there are none.
    fn array(&self, json: &mut Json, key: &str, rows: &[Row<'_>], placeholder: Option<&Officer>) {
        if rows.is_empty() && placeholder.is_none() {
            return;
        }
        let shown = rows
            .iter()
            .filter(|row| self.has_history || row.until.is_none());
        json.key(key).array(|json| {
            for row in shown {
                self.row(json, row);
            }
            if let Some(officer) = placeholder {
                self.placeholder(json, officer);
            }
        });
    }

    fn until(&self, own: Option<Date>) -> Option<Date> {
        let ending = self.company.ending.as_ref();
        own.or_else(|| {
            ending
                .filter(|_| self.closes_with_company)
                .map(|ending| ending.date)
        })
    }

    fn officers(&self, officers: &[(usize, &'a Officer)]) -> Vec<Row<'a>> {
        let company = self.company;
        let mut rows = Vec::new();
        for (place, officer) in officers {
            let is_chair = company.is_supervisory_chair(*place);
            let row = |address: &Address, since: Date, until: Option<Date>| Row {
                code: code(officer.role),
                holder: &officer.holder,
                written: if is_chair { ", - predseda" } else { "" },
                address: address.clone(),
                since,
                until,
            };
            let until = self.until(officer.until);
            let keeps_first_day = code(officer.role).2 == STATUTORY_BODIES;
            let own: Vec<Row<'a>> = match company.move_of_officer(*place) {
                Some(Move { from, until: left }) => {
                    let next = if keeps_first_day {
                        officer.since
                    } else {
                        after(left, 1)
                    };
                    vec![
                        row(&from, officer.since, Some(left)),
                        row(&officer.address, next, until),
                    ]
                }
                None => vec![row(&officer.address, officer.since, until)],
            };
            let times = if company.has_doubled_rows && officer.role != Role::Trader {
                2
            } else {
                1
            };
            for row in own {
                rows.extend((1..times).map(|_| row.again()));
                rows.push(row);
            }
        }
        rows
    }

    fn owners(&self) -> Vec<Row<'a>> {
        let company = self.company;
        let mut rows = Vec::new();
        for (place, owner) in company.shareholders.iter().enumerate() {
            let row = |address: &Address, since: Date, until: Option<Date>| Row {
                code: code_of_owner(company, owner),
                holder: &owner.holder,
                written: "",
                address: address.clone(),
                since,
                until,
            };
            let until = self.until(owner.until);
            match company.move_of_shareholder(place) {
                Some(Move { from, until: left }) => rows.extend([
                    row(&from, owner.since, Some(left)),
                    row(&owner.address, after(left, 1), until),
                ]),
                None => rows.push(row(&owner.address, owner.since, until)),
            }
        }
        rows
    }

    fn row(&self, json: &mut Json, row: &Row<'_>) {
        let (code, label, list) = row.code;
        json.object(|json| {
            json.key("stakeholderType");
            self.style.code(json, label, code, list);
            validity(json, row.since, row.until);
            json.key("address")
                .object(|json| parts::address_members(json, &row.address, self.style));
            self.holder(json, row.holder, row.written);
        });
    }

    /// The row that repeats a sole trader as head of a branch, without valid days.
    fn placeholder(&self, json: &mut Json, officer: &Officer) {
        json.object(|json| {
            json.key("stakeholderType");
            self.style
                .code(json, "Vedúci organizačnej zložky", "15", STAKEHOLDERS);
            if self.company.index.is_multiple_of(2) {
                json.key("validFrom").plain(NO_DAY);
            } else {
                json.key("validFrom").plain(Iso(officer.since));
            }
            json.key("validTo").plain(NO_DAY);
            json.key("address")
                .object(|json| parts::address_members(json, &officer.address, self.style));
            self.holder(json, &officer.holder, "");
        });
    }

    /// The commercial register adds the whole name with titles; the trade register has the parts and the name at birth.
    fn holder(&self, json: &mut Json, holder: &Holder, written: &str) {
        let is_commercial = self.company.source_register == SourceRegister::Commercial;
        match holder {
            Holder::Person(person) => json.key("personName").object(|json| {
                if is_commercial {
                    json.key("formatedName")
                        .string(&format!("{}{written}", person.formatted()));
                }
                json.key("givenNames")
                    .array(|json| json.string(&person.given));
                json.key("familyNames")
                    .array(|json| json.string(&person.family));
                if !is_commercial {
                    json.key("givenFamilyNames")
                        .array(|json| json.string(&person.family));
                }
            }),
            Holder::Company { name, ico } => company(json, name, ico.as_deref()),
        }
    }
}

impl<'a> Row<'a> {
    fn again(&self) -> Row<'a> {
        Row {
            address: self.address.clone(),
            ..*self
        }
    }
}

/// The holder of a deposit, without titles.
pub(crate) fn deposit_holder(json: &mut Json, holder: &Holder) {
    match holder {
        Holder::Person(person) => json.key("personName").object(|json| {
            json.key("givenNames")
                .array(|json| json.string(&person.given));
            json.key("familyNames")
                .array(|json| json.string(&person.family));
        }),
        Holder::Company { name, ico } => company(json, name, ico.as_deref()),
    }
}

fn company(json: &mut Json, name: &str, ico: Option<&str>) {
    json.key("fullName").string(name);
    json.key("identifier").plain(ico.unwrap_or("Neuvedené"));
}

/// Code, label and code list.
fn code(role: Role) -> (&'static str, &'static str, &'static str) {
    match role {
        Role::Manager => ("3", "Konateľ", STATUTORY_BODIES),
        Role::BoardChair => ("4", "Predseda predstavenstva", STATUTORY_BODIES),
        Role::BoardMember => ("5", "Člen predstavenstva", STATUTORY_BODIES),
        Role::Partner => ("1", "Spoločník", STATUTORY_BODIES),
        Role::Chair => ("12", "Predseda", STATUTORY_BODIES),
        // The list has a trailing blank here.
        Role::Trader => ("19", "Podnikateľ ", STATUTORY_BODIES),
        Role::Liquidator => ("18", "Likvidátor", STATUTORY_BODIES),
        Role::Supervisor => ("98", "Člen dozorného orgánu", STAKEHOLDERS),
        Role::Procurist => ("24", "Prokurista", STAKEHOLDERS),
    }
}

fn code_of_owner(
    company: &Company,
    owner: &Shareholder,
) -> (&'static str, &'static str, &'static str) {
    match company.legal_form {
        LegalForm::JointStockCompany | LegalForm::SimpleShareCompany if owner.deposit.is_none() => {
            ("94", "Jediný akcionár a.s.", STAKEHOLDERS)
        }
        LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::Trader
        | LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::Cooperative
        | LegalForm::FlatOwners
        | LegalForm::Association => ("99", "Spoločník v.o.s. / s.r.o.", STAKEHOLDERS),
    }
}
