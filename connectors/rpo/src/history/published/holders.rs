//! Rows of people and companies: functions, deposits, issues of shares, predecessors and successors.

use serde::Deserialize;

use super::places::AddressRow;
use super::validity;
use super::values::{Coded, Loose};
use crate::history::codes;
use crate::history::kept::{Deposit, Name, Person, Relative, Share};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NameRow {
    formated_name: Loose,
    given_names: Loose,
    family_names: Loose,
    given_family_names: Loose,
}

/// The name of a row: that of a natural person, or of a company with its IČO.
fn name(person: Option<NameRow>, full_name: Loose, identifier: Loose) -> Name {
    let person = person.unwrap_or_default();
    let (given, family) = (person.given_names.0, person.family_names.0);
    let parts = match (&given, &family) {
        (Some(given), Some(family)) => Some(format!("{given} {family}")),
        (given, family) => given.clone().or_else(|| family.clone()),
    };
    Name {
        whole: person
            .formated_name
            .0
            .filter(|whole| Some(whole) != parts.as_ref()),
        birth: person
            .given_family_names
            .0
            .filter(|birth| Some(birth) != family.as_ref()),
        given,
        family,
        company: full_name.0,
        ico: identifier.0,
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PersonRow {
    stakeholder_type: Coded,
    statutory_body_member: Coded,
    person_name: Option<NameRow>,
    full_name: Loose,
    identifier: Loose,
    address: Option<AddressRow>,
    valid_from: Loose,
    valid_to: Loose,
}

impl PersonRow {
    pub(super) fn kept(self, list: codes::List) -> Option<Person> {
        let Coded { code, label } = self.stakeholder_type;
        let known = code.as_deref().and_then(|code| codes::label(list, code));
        let name = name(self.person_name, self.full_name, self.identifier);
        (name != Name::default()).then(|| Person {
            label: label.filter(|label| Some(label.as_str()) != known),
            code,
            member: self.statutory_body_member.text(),
            name,
            address: self.address.and_then(AddressRow::kept),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DepositRow {
    person_name: Option<NameRow>,
    full_name: Loose,
    identifier: Loose,
    #[serde(rename = "type")]
    kind: Loose,
    amount: Loose,
    currency: Coded,
    valid_from: Loose,
    valid_to: Loose,
}

impl DepositRow {
    pub(super) fn kept(self) -> Option<Deposit> {
        Some(Deposit {
            name: name(self.person_name, self.full_name, self.identifier),
            kind: self.kind.0,
            amount: self.amount.0,
            currency: self.currency.code(),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ShareRow {
    person_name: Option<NameRow>,
    full_name: Loose,
    identifier: Loose,
    share_type: Coded,
    share_form: Loose,
    share_nominal_value: Loose,
    share_currency: Coded,
    amount_of_funds: Loose,
    transferability: Loose,
    valid_from: Loose,
    valid_to: Loose,
}

impl ShareRow {
    pub(super) fn kept(self) -> Option<Share> {
        Some(Share {
            name: name(self.person_name, self.full_name, self.identifier),
            kind: self.share_type.text(),
            form: self.share_form.0,
            nominal: self.share_nominal_value.0,
            currency: self.share_currency.code(),
            count: self.amount_of_funds.0,
            transferability: self.transferability.0,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RelativeRow {
    full_name: Loose,
    identifier: Loose,
    address: Option<AddressRow>,
    valid_from: Loose,
    valid_to: Loose,
}

impl RelativeRow {
    pub(super) fn kept(self) -> Option<Relative> {
        let name = name(None, self.full_name, self.identifier);
        (name != Name::default()).then(|| Relative {
            name,
            address: self.address.and_then(AddressRow::kept),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}
