//! Rows of addresses.

use std::borrow::Cow;

use serde::Deserialize;

use super::validity;
use super::values::{Coded, Loose};
use crate::address;
use crate::history::kept::{Address, Seat};

/// The number of Slovakia in ISO 3166-1.
const SLOVAKIA: &str = "703";

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AddressRow<'a> {
    #[serde(borrow)]
    formated_address: Loose<'a>,
    #[serde(borrow)]
    street: Loose<'a>,
    #[serde(borrow)]
    reg_number: Loose<'a>,
    #[serde(borrow)]
    building_number: Loose<'a>,
    #[serde(borrow)]
    postal_codes: Loose<'a>,
    #[serde(borrow)]
    municipality: Coded<'a>,
    #[serde(borrow)]
    country: Coded<'a>,
}

impl AddressRow<'_> {
    pub(super) fn kept(self) -> Option<Address> {
        let number = |number: Loose<'_>| number.kept().filter(|number| number != "0");
        let number = address::house(
            number(self.reg_number),
            number(self.building_number),
            self.street.0.is_some(),
        );
        let city = self.municipality.text();
        let street = match (self.street.kept(), number) {
            (Some(street), Some(number)) => Some(format!("{street} {number}")),
            (street, number) => street.or(number),
        };
        let whole = || self.formated_address.kept().filter(|_| city.is_none());
        let street = street.or_else(whole);
        let Coded { code, label } = self.country;
        let is_slovak = code.as_deref() == Some(SLOVAKIA);
        let foreign = |text: Option<Cow<'_, str>>| text.filter(|_| !is_slovak).map(Cow::into_owned);
        let address = Address {
            street,
            city,
            zip: self.postal_codes.kept().map(|mut code| {
                if is_slovak {
                    code.retain(|c| !c.is_whitespace());
                }
                code
            }),
            country: foreign(code),
            country_name: foreign(label),
        };
        (address != Address::default()).then_some(address)
    }
}

/// An address with its validity. The members are repeated because a flattened struct is read through a copy of the
/// whole row.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct SeatRow<'a> {
    #[serde(borrow)]
    formated_address: Loose<'a>,
    #[serde(borrow)]
    street: Loose<'a>,
    #[serde(borrow)]
    reg_number: Loose<'a>,
    #[serde(borrow)]
    building_number: Loose<'a>,
    #[serde(borrow)]
    postal_codes: Loose<'a>,
    #[serde(borrow)]
    municipality: Coded<'a>,
    #[serde(borrow)]
    country: Coded<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl SeatRow<'_> {
    pub(super) fn kept(self) -> Option<Seat> {
        let address = AddressRow {
            formated_address: self.formated_address,
            street: self.street,
            reg_number: self.reg_number,
            building_number: self.building_number,
            postal_codes: self.postal_codes,
            municipality: self.municipality,
            country: self.country,
        };
        Some(Seat {
            address: address.kept()?,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}
