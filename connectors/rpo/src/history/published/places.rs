//! Rows of addresses.

use serde::Deserialize;

use super::validity;
use super::values::{Coded, Loose};
use crate::address;
use crate::history::kept::{Address, Seat};

/// The number of Slovakia in ISO 3166-1.
const SLOVAKIA: &str = "703";

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AddressRow {
    formated_address: Loose,
    street: Loose,
    reg_number: Loose,
    building_number: Loose,
    postal_codes: Loose,
    municipality: Coded,
    country: Coded,
}

impl AddressRow {
    pub(super) fn kept(self) -> Option<Address> {
        let number = address::house(
            self.reg_number.0.filter(|number| number != "0"),
            self.building_number.0.filter(|number| number != "0"),
            self.street.0.is_some(),
        );
        let city = self.municipality.text();
        let street = match (self.street.0, number) {
            (Some(street), Some(number)) => Some(format!("{street} {number}")),
            (street, number) => street.or(number),
        };
        let whole = self.formated_address.0.filter(|_| city.is_none());
        let Coded { code, label } = self.country;
        let is_slovak = code.as_deref() == Some(SLOVAKIA);
        let address = Address {
            street: street.or(whole),
            city,
            zip: self.postal_codes.0.map(|code| {
                let has_spaces = !is_slovak;
                code.chars()
                    .filter(|c| has_spaces || !c.is_whitespace())
                    .collect()
            }),
            country: code.filter(|_| !is_slovak),
            country_name: label.filter(|_| !is_slovak),
        };
        (address != Address::default()).then_some(address)
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SeatRow {
    #[serde(flatten)]
    address: AddressRow,
    valid_from: Loose,
    valid_to: Loose,
}

impl SeatRow {
    pub(super) fn kept(self) -> Option<Seat> {
        Some(Seat {
            address: self.address.kept()?,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}
