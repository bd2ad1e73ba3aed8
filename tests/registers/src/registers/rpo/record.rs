//! A record of the register of legal persons in the formats of its API and its exports.

use time::Date;

use super::parts::{self, Style, timed_text};
use super::{people, standing};
use crate::population::calendar::Iso;
use crate::population::{Company, LegalForm, PROCURA, Role, SourceRegister};
use crate::registers::json::Json;

/// The destination format of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// An export: full history, amounts as text.
    Dump,
    /// The API, with or without history.
    Rest { has_history: bool },
}

impl View {
    fn style(self) -> Style {
        match self {
            Self::Dump => Style::Dump,
            Self::Rest { .. } => Style::Rest,
        }
    }

    /// True if the view shows an item with this last day.
    fn shows(self, until: Option<Date>) -> bool {
        match self {
            Self::Dump | Self::Rest { has_history: true } => true,
            Self::Rest { has_history: false } => until.is_none(),
        }
    }
}

/// The record of a company; the API appends a licence text.
pub(crate) fn write(json: &mut Json, company: &Company, view: View, license: Option<&str>) {
    json.object(|json| {
        Writer {
            json,
            view,
            company,
        }
        .members(license);
    });
}

struct Writer<'a> {
    json: &'a mut Json,
    view: View,
    company: &'a Company,
}

impl Writer<'_> {
    fn members(&mut self, license: Option<&str>) {
        let company = self.company;
        self.json.key("id").raw(company.rpo_id);
        if self.view != View::Dump {
            self.json
                .key("dbModificationDate")
                .plain(Iso(company.rpo_modified));
        }
        self.identity();
        self.json
            .key("establishment")
            .plain(Iso(company.established));
        if let Some(ending) = &company.ending {
            self.json.key("termination").plain(Iso(ending.date));
        }
        self.activities();
        self.people();
        standing::statuses(self.json, company, self.view.style());
        self.texts("otherLegalFacts", &company.legal_facts);
        self.acting();
        self.equities();
        self.deposits();
        self.shares();
        parts::source_register(self.json, company, self.view.style());
        standing::predecessors(self.json, company, self.view.style());
        standing::successors(self.json, company, self.view.style());
        standing::statistics(self.json, company, self.view.style());
        if self.view == View::Dump {
            self.json.key("containsInconsistency").raw(false);
        }
        if let Some(license) = license {
            self.json.key("license").string(license);
        }
    }

    /// The last day of an item: its own, or that of the company if the end closes all items.
    fn until(&self, own: Option<Date>) -> Option<Date> {
        let company = self.company;
        own.or_else(|| {
            company
                .ending
                .as_ref()
                .filter(|_| company.ended_items_closed)
                .map(|ending| ending.date)
        })
    }

    fn identity(&mut self) {
        let company = self.company;
        parts::identifier(self.json, company);
        self.json.key("fullNames");
        let names: Vec<_> = company
            .names
            .iter()
            .map(|name| (name, self.until(name.until)))
            .collect();
        let (view, style) = (self.view, self.view.style());
        self.json.array(|json| {
            for (name, until) in names.iter().filter(|(_, until)| view.shows(*until)) {
                timed_text(json, &name.value, name.since, *until);
            }
        });
        let seats: Vec<_> = company
            .seats
            .iter()
            .map(|seat| (seat, self.until(seat.until)))
            .collect();
        self.json.key("addresses").array(|json| {
            for (seat, until) in seats.iter().filter(|(_, until)| view.shows(*until)) {
                json.object(|json| {
                    parts::validity(json, seat.since, *until);
                    parts::address_members(json, &seat.value, style);
                    if style == Style::Dump && seat.value.reg_number != 0 {
                        json.key("district")
                            .object(|json| json.key("value").string(seat.value.city));
                        json.key("buildingIndex")
                            .plain(6_100_000_000_u64 + u64::from(seat.value.reg_number));
                    }
                });
            }
        });
        let form = company.legal_form;
        let closed = self.until(None).filter(|_| form == LegalForm::Trader);
        let present = (form, company.form_since(), closed);
        let former = company.former_forms.iter();
        let forms: Vec<_> = former
            .map(|former| (former.value, former.since, former.until))
            .filter(|(_, _, until)| view.shows(*until))
            .chain([present])
            .collect();
        self.json.key("legalForms").array(|json| {
            for (form, since, until) in forms {
                json.object(|json| {
                    json.key("value");
                    style.code(json, form.text(), form.code(), "CL000056");
                    parts::validity(json, since, until);
                });
            }
        });
    }

    fn activities(&mut self) {
        let view = self.view;
        let rows: Vec<_> = self
            .company
            .activities
            .iter()
            .map(|row| (row, self.until(row.until)))
            .collect();
        let is_commercial = self.company.source_register == SourceRegister::Commercial;
        self.json.key("activities").array(|json| {
            for (row, until) in rows.iter().filter(|(_, until)| view.shows(*until)) {
                json.object(|json| {
                    // The commercial register's texts end with a comma.
                    let comma = if is_commercial { "," } else { "" };
                    json.key("economicActivityDescription")
                        .string(&format!("{}{comma}", row.text));
                    parts::validity(json, row.since, *until);
                    if let Some((from, to)) = row.suspended {
                        json.key("suspendedFrom").plain(Iso(from));
                        json.key("suspendedTo").plain(Iso(to));
                    }
                });
            }
        });
    }

    fn people(&mut self) {
        let (company, view) = (self.company, self.view);
        let rows = people::Rows {
            company,
            style: view.style(),
            closes_with_company: company.ended_items_closed,
            has_history: view != View::Rest { has_history: false },
            has_placeholders: view == View::Dump || view.shows(Some(company.established)),
        };
        rows.write(self.json);
    }

    fn texts(&mut self, key: &str, rows: &[crate::population::Timed<String>]) {
        if rows.is_empty() {
            return;
        }
        self.json.key(key).array(|json| {
            for row in rows {
                timed_text(json, &row.value, row.since, row.until);
            }
        });
    }

    /// How the company acts. The procurators' rule stands in the same array.
    fn acting(&mut self) {
        let view = self.view;
        let own = self.company.acting.iter();
        let own = own.map(|row| (row.value.as_str(), row.since, self.until(row.until)));
        let procurators = self.company.officers.iter();
        let procura = procurators
            .filter(|officer| officer.role == Role::Procurist)
            .map(|officer| (PROCURA, officer.since, self.until(officer.until)));
        let rows: Vec<_> = own.chain(procura).collect();
        if rows.is_empty() {
            return;
        }
        self.json.key("authorizations").array(|json| {
            for (text, since, until) in rows.iter().filter(|(_, _, until)| view.shows(*until)) {
                timed_text(json, text, *since, *until);
            }
        });
    }

    /// Registered and paid capital are separate rows.
    fn equities(&mut self) {
        let (view, style) = (self.view, self.view.style());
        let rows: Vec<_> = self
            .company
            .capital
            .iter()
            .map(|row| (row, self.until(row.until)))
            .collect();
        if rows.is_empty() {
            return;
        }
        self.json.key("equities").array(|json| {
            for (row, until) in rows.iter().filter(|(_, until)| view.shows(*until)) {
                for (key, amount) in [
                    ("value", row.value.registered),
                    ("valuePaid", row.value.paid),
                ] {
                    json.object(|json| {
                        parts::validity(json, row.since, *until);
                        json.key(key);
                        style.amount(json, amount);
                        json.key("currency");
                        style.code(json, "euro", "EUR", "CL000083");
                    });
                }
            }
        });
    }

    fn deposits(&mut self) {
        let (view, style) = (self.view, self.view.style());
        let times = if self.company.has_doubled_rows { 2 } else { 1 };
        let owners = self
            .company
            .shareholders
            .iter()
            .filter(|owner| owner.deposit.is_some());
        let rows: Vec<_> = owners
            .map(|owner| (owner, self.until(owner.until)))
            .collect();
        if rows.is_empty() {
            return;
        }
        self.json.key("deposits").array(|json| {
            for (owner, until) in rows.iter().filter(|(_, until)| view.shows(*until)) {
                for _ in 0..times {
                    json.object(|json| {
                        parts::validity(json, owner.since, *until);
                        people::deposit_holder(json, &owner.holder);
                        json.key("type").string("(peňažný vklad)");
                        if let Some(deposit) = owner.deposit {
                            json.key("amount");
                            style.amount(json, deposit);
                        }
                        json.key("currency");
                        style.code(json, "euro", "EUR", "CL000083");
                    });
                }
            }
        });
    }

    fn shares(&mut self) {
        let (Some(shares), view) = (&self.company.shares, self.view) else {
            return;
        };
        let until = self.until(None);
        let since = self.company.form_since();
        self.json.key("shares").array(|json| {
            if !view.shows(until) {
                return;
            }
            let style = view.style();
            json.object(|json| {
                parts::validity(json, since, until);
                json.key("shareType")
                    .object(|json| json.key("value").string("kmeňové"));
                json.key("shareForm")
                    .object(|json| json.key("value").string("akcie na meno"));
                json.key("shareNominalValue");
                style.amount(json, shares.nominal);
                json.key("shareCurrency");
                style.code(json, "euro", "EUR", "CL000083");
                json.key("amountOfFunds").raw(shares.count);
            });
        });
    }
}
