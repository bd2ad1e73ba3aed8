//! A notice as a tree of components in all variants: panels flat or under tabs; references as a text, as a list
//! or as a text that looks like a list; amounts with spaces of two widths and with a comma or a point.

use serde_json::{Value, json};

use crate::population::calendar::Iso;
use crate::population::identifiers;
use crate::population::tenders::{
    ContactKind, Form, Issue, Lot, Notice, Party, Spelling, Who, company_on, contract_url, ico_of,
    name_of, published_by,
};
use crate::population::{Money, Population};

fn leaf<V: Into<Value>>(key: &str, value: V) -> Value {
    json!({ "key": key, "value": value.into() })
}

fn panel(key: &str, components: impl Into<Value>) -> Value {
    json!({ "key": key, "components": components.into() })
}

pub(super) fn written(population: &Population, notice: &Notice, issue: &Issue) -> Value {
    let parties = notice.parties();
    let mut components = vec![metadata(notice)];
    components.extend(procedure(notice));
    for (party, place) in parties.iter().zip(1..) {
        components.push(organisation(population, *party, place, issue));
    }
    components.extend(results(notice, &parties));
    let components = match notice.id % 3 {
        0 => components,
        1 => {
            let rest = components.split_off(components.len() / 2);
            vec![panel("tab-1", components), panel("tab-2", rest)]
        }
        _ => vec![panel("tabs", vec![panel("tab", components)])],
    };
    json!({ "id": notice.id, "name": notice.form.title(), "components": components })
}

fn metadata(notice: &Notice) -> Value {
    let kind = match notice.form {
        Form::Result | Form::NationalResult | Form::Correction => "result",
        Form::Planning => "planning",
        Form::Competition => "competition",
        Form::ContractChange => "change",
    };
    let mut components = vec![
        leaf("DL-Metadata-Partner", "Obec Čmeľovce (ID: 39000)"),
        leaf(
            "DL-Metadata-Order",
            format!("{} (ID: {})", notice.title, notice.order),
        ),
        leaf("BT-02-notice", "29"),
        leaf("BT-03-notice", kind),
    ];
    if notice.has_uuid {
        let uuid = format!("00000000-0000-4000-8000-{:012}", notice.order);
        components.push(leaf("BT-04-notice", uuid));
    }
    panel("metadataWrapper", components)
}

fn procedure(notice: &Notice) -> Vec<Value> {
    vec![
        leaf("OPT-300-Procedure-Buyer", "ORG-0001"),
        json!({ "key": "BT-21-Procedure", "value": "A procurement", "lang": "eng" }),
        json!({ "key": "BT-21-Procedure", "value": notice.title, "lang": "slk" }),
        leaf("BT-262-Procedure", notice.cpv),
        leaf("BT-27-Procedure_value", "100 000"),
        leaf("BT-27-Procedure_currency", "EUR"),
    ]
}

fn organisation(population: &Population, party: Party, place: u32, issue: &Issue) -> Value {
    // The label is sometimes wrong, but the order is always correct.
    let label = if place.is_multiple_of(3) { 1 } else { place };
    let mut components = vec![
        leaf("DL-Context-Org", format!("ORG-{label:04}")),
        leaf(
            "BT-500-Organization-Company",
            name_of(population, party.who, issue.published),
        ),
    ];
    let ico = ico_of(party.who);
    let spaced = |between: &str| [&ico[..2], &ico[2..5], &ico[5..]].join(between);
    let number = match party.spelling {
        Spelling::Plain | Spelling::Abroad => Some(ico.clone()),
        Spelling::Spaced => Some(spaced(" ")),
        Spelling::NoBreak => Some(spaced("\u{a0}")),
        Spelling::TaxNumber => match party.who {
            Who::Company(index) => Some(identifiers::dic(index)),
            Who::Body(_) | Who::Office => None,
        },
        Spelling::Missing => None,
    };
    components.extend(number.map(|number| leaf("BT-501-Organization-Company-CIN", number)));
    if party.spelling == Spelling::Abroad {
        components.push(leaf("BT-514-Organization-Company", "CZE"));
    } else if place.is_multiple_of(2) {
        components.push(leaf("BT-514-Organization-Company", "SVK"));
    }
    components.extend(contacts(population, party, issue));
    panel("GR-Organisations_panel", components)
}

fn contacts(population: &Population, party: Party, issue: &Issue) -> Vec<Value> {
    let key = |kind: ContactKind| match kind {
        ContactKind::Email => "BT-506-Organization-Company",
        ContactKind::Phone => "BT-503-Organization-Company",
        ContactKind::Website => "BT-505-Organization-Company",
    };
    match party.who {
        Who::Company(index) => {
            let company = company_on(population, index, issue.published);
            let contacts = published_by(&company, issue.published).into_iter();
            let mut components: Vec<Value> = contacts
                .map(|contact| leaf(key(contact.kind), contact.written))
                .collect();
            // A person named by the company, who is not a contact of any company.
            let touch_point = leaf("BT-506-Organization-TouchPoint", "info@osoba.example.sk");
            components.push(panel("GR-TouchPoint", vec![touch_point]));
            components
        }
        Who::Body(place) => vec![leaf(
            key(ContactKind::Email),
            format!("podatelna@obec-{place}.example.sk"),
        )],
        Who::Office => vec![leaf(key(ContactKind::Email), "info@urad.example.sk")],
    }
}

/// The tenders of all lots in order: for each lot the winner's, then the loser's.
fn results(notice: &Notice, parties: &[Party]) -> Vec<Value> {
    let id_of = |party: &Party| {
        let place = parties
            .iter()
            .position(|one| one == party)
            .unwrap_or_default();
        format!("ORG-{:04}", place + 1)
    };
    let (mut groups, mut tenders, mut outcomes, mut contracts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (lot, place) in notice.lots.iter().zip(0..) {
        let lot_id = Lot::id(place);
        if !lot.winners.is_empty() {
            let members = lot.winners.iter().map(id_of).collect();
            groups.push(party_panel(notice.id, members));
            tenders.push(tender(notice, lot, &lot_id, groups.len(), 1));
            if let Some(contract) = lot.contract {
                contracts.push(panel(
                    "GR-SettledContract_panel",
                    vec![
                        leaf("BT-3202-Contract", format!("TEN-{:04}", tenders.len())),
                        leaf("BT-145-Contract", format!("{}Z", Iso(contract))),
                        leaf("BT-150-Contract", "1"),
                        leaf("BT-151-Contract", contract_url(notice, place)),
                    ],
                ));
            }
        }
        let winning = (!lot.winners.is_empty()).then_some(tenders.len());
        if let Some(loser) = &lot.loser {
            groups.push(party_panel(notice.id, vec![id_of(loser)]));
            tenders.push(tender(notice, lot, &lot_id, groups.len(), 2));
        }
        outcomes.push(outcome(notice, &lot_id, winning));
    }
    // Only the document order within one kind matters; the kinds may be in any order.
    [groups, tenders, outcomes, contracts].concat()
}

fn party_panel(notice: u64, members: Vec<String>) -> Value {
    let components = match (notice % 2, members.as_slice()) {
        (0, [_, _, ..]) => vec![leaf("OPT-300-Tenderer", as_text(&members))],
        (_, _) => members
            .into_iter()
            .map(|member| leaf("OPT-300-Tenderer", member))
            .collect(),
    };
    panel("GR-TenderingParty_panel", components)
}

/// Formats a list as Python prints it.
fn as_text(ids: &[String]) -> String {
    format!("['{}']", ids.join("', '"))
}

fn tender(notice: &Notice, lot: &Lot, lot_id: &str, party: usize, rank: u32) -> Value {
    let reference = if notice.form == Form::NationalResult {
        "BT-3201-Tender"
    } else {
        "OPT-310-Tender"
    };
    let mut components = vec![
        leaf("BT-13714-Tender", lot_id),
        leaf(reference, format!("TPA-{party:04}")),
        leaf("BT-171-Tender", rank.to_string()),
    ];
    // The losing tender had a higher price.
    let value = lot.value.map(|value| Money(value.0 * u64::from(rank)));
    if let Some(value) = value {
        components.push(leaf("BT-720-Tender_value", amount(value, notice.id)));
        components.push(leaf("BT-720-Tender_currency", lot.currency));
    } else if notice.id.is_multiple_of(2) {
        components.push(leaf("BT-720-Tender_value", "neuvedené"));
        components.push(leaf("BT-720-Tender_currency", lot.currency));
    }
    panel("GR-LotTender_panel", components)
}

fn amount(value: Money, notice: u64) -> String {
    match notice % 4 {
        0 => value.dotted(),
        1 => value.comma(' '),
        2 => value.comma('\u{a0}'),
        // `84 709.6`.
        _ => value
            .comma(' ')
            .replace(',', ".")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
    }
}

fn outcome(notice: &Notice, lot_id: &str, winning: Option<usize>) -> Value {
    let mut components = vec![leaf("BT-13713-LotResult", lot_id)];
    match winning {
        None => components.push(leaf("BT-142-LotResult", "clos-nw")),
        Some(tender) => {
            components.push(leaf("BT-142-LotResult", "selec-w"));
            let id = format!("TEN-{tender:04}");
            let reference = match notice.id % 3 {
                0 => json!(id),
                1 => json!([id]),
                _ => json!(as_text(&[id])),
            };
            if notice.form != Form::NationalResult {
                components.push(leaf("OPT-320-LotResult", reference));
            }
        }
    }
    components.push(panel(
        "GR-LotResult-ReceivedSubmissions_panel",
        vec![
            leaf("BT-760-LotResult", "tenders"),
            leaf("BT-759-LotResult", 2),
        ],
    ));
    panel("GR-LotResult_panel", components)
}
