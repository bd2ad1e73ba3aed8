//! Rows of people and companies: functions, deposits, issues of shares, predecessors and successors.

use std::borrow::Cow;

use serde::Deserialize;

use super::places::AddressRow;
use super::validity;
use super::values::{Coded, Loose};
use crate::history::codes;
use crate::history::kept::{Deposit, Name, Person, Relative, Share};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NameRow<'a> {
    #[serde(borrow)]
    formated_name: Loose<'a>,
    #[serde(borrow)]
    given_names: Loose<'a>,
    #[serde(borrow)]
    family_names: Loose<'a>,
    #[serde(borrow)]
    given_family_names: Loose<'a>,
}

/// The name of a row: that of a natural person, or of a company with its IČO.
fn name(person: Option<NameRow<'_>>, full_name: Loose<'_>, identifier: Loose<'_>) -> Name {
    let person = person.unwrap_or_default();
    let (given, family) = (person.given_names.kept(), person.family_names.kept());
    let is_joined = |whole: &str| match (&given, &family) {
        (Some(given), Some(family)) => {
            let rest = whole.strip_prefix(given.as_str());
            let rest = rest.and_then(|rest| rest.strip_prefix(' '));
            rest == Some(family.as_str())
        }
        (given, family) => given.as_deref().or(family.as_deref()) == Some(whole),
    };
    Name {
        whole: person
            .formated_name
            .kept()
            .filter(|whole| !is_joined(whole)),
        birth: person
            .given_family_names
            .kept()
            .filter(|birth| Some(birth) != family.as_ref()),
        given,
        family,
        company: full_name.kept(),
        ico: identifier.kept(),
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct PersonRow<'a> {
    #[serde(borrow)]
    stakeholder_type: Coded<'a>,
    #[serde(borrow)]
    statutory_body_member: Coded<'a>,
    #[serde(borrow)]
    person_name: Option<NameRow<'a>>,
    #[serde(borrow)]
    full_name: Loose<'a>,
    #[serde(borrow)]
    identifier: Loose<'a>,
    #[serde(borrow)]
    address: Option<AddressRow<'a>>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl PersonRow<'_> {
    pub(super) fn kept(self, list: codes::List) -> Option<Person> {
        let Coded { code, label } = self.stakeholder_type;
        let known = code.as_deref().and_then(|code| codes::label(list, code));
        let name = name(self.person_name, self.full_name, self.identifier);
        (name != Name::default()).then(|| Person {
            label: label
                .filter(|label| Some(label.as_ref()) != known)
                .map(Cow::into_owned),
            code: code.map(Cow::into_owned),
            member: self.statutory_body_member.text(),
            name,
            address: self.address.and_then(AddressRow::kept),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct DepositRow<'a> {
    #[serde(borrow)]
    person_name: Option<NameRow<'a>>,
    #[serde(borrow)]
    full_name: Loose<'a>,
    #[serde(borrow)]
    identifier: Loose<'a>,
    #[serde(rename = "type")]
    #[serde(borrow)]
    kind: Loose<'a>,
    #[serde(borrow)]
    amount: Loose<'a>,
    #[serde(borrow)]
    currency: Coded<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl DepositRow<'_> {
    pub(super) fn kept(self) -> Option<Deposit> {
        Some(Deposit {
            name: name(self.person_name, self.full_name, self.identifier),
            kind: self.kind.kept(),
            amount: self.amount.kept(),
            currency: self.currency.code(),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct ShareRow<'a> {
    #[serde(borrow)]
    person_name: Option<NameRow<'a>>,
    #[serde(borrow)]
    full_name: Loose<'a>,
    #[serde(borrow)]
    identifier: Loose<'a>,
    #[serde(borrow)]
    share_type: Coded<'a>,
    #[serde(borrow)]
    share_form: Loose<'a>,
    #[serde(borrow)]
    share_nominal_value: Loose<'a>,
    #[serde(borrow)]
    share_currency: Coded<'a>,
    #[serde(borrow)]
    amount_of_funds: Loose<'a>,
    #[serde(borrow)]
    transferability: Loose<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl ShareRow<'_> {
    pub(super) fn kept(self) -> Option<Share> {
        Some(Share {
            name: name(self.person_name, self.full_name, self.identifier),
            kind: self.share_type.text(),
            form: self.share_form.kept(),
            nominal: self.share_nominal_value.kept(),
            currency: self.share_currency.code(),
            count: self.amount_of_funds.kept(),
            transferability: self.transferability.kept(),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct RelativeRow<'a> {
    #[serde(borrow)]
    full_name: Loose<'a>,
    #[serde(borrow)]
    identifier: Loose<'a>,
    #[serde(borrow)]
    address: Option<AddressRow<'a>>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl RelativeRow<'_> {
    pub(super) fn kept(self) -> Option<Relative> {
        let name = name(None, self.full_name, self.identifier);
        (name != Name::default()).then(|| Relative {
            name,
            address: self.address.and_then(AddressRow::kept),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}
