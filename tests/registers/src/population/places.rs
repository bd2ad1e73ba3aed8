//! Addresses, courts and offices.

use super::company::Address;
use super::dice::Dice;
use super::words::{ABROAD, PLACES, Place, STREETS};

/// A synthetic address in one of the places.
pub(crate) fn address_in(place: &Place, dice: &mut Dice) -> Address {
    // Some villages have no streets, only registration numbers.
    let has_street = dice.chance(930);
    let reg_number = if !has_street || dice.chance(500) {
        1 + dice.below(4_500)
    } else {
        0
    };
    let number = 1 + dice.below(140);
    let building_number = match dice.below(10) {
        0 => Some(format!("{number}/A")),
        _ => Some(number.to_string()),
    };
    Address {
        street: has_street.then(|| (*dice.pick(STREETS)).to_owned()),
        reg_number,
        building_number: building_number.filter(|_| has_street),
        postal_code: Some(format!("{}{:02}", place.postal, 1 + dice.below(20))),
        city: place.city,
        city_code: Some(place.code),
        country: "Slovenská republika",
        country_code: "703",
    }
}

pub(crate) fn address(dice: &mut Dice) -> Address {
    let place = dice.pick(PLACES);
    address_in(place, dice)
}

pub(crate) fn address_abroad(dice: &mut Dice) -> Address {
    let (city, postal_code, country, country_code) = *dice.pick(ABROAD);
    Address {
        street: Some("Vymyslená cesta".to_owned()),
        reg_number: 0,
        building_number: Some((1 + dice.below(99)).to_string()),
        postal_code: Some(postal_code.to_owned()),
        city,
        city_code: None,
        country,
        country_code,
    }
}

/// The letter that stands for a court in file references.
pub(crate) fn court_letter(court: u8) -> char {
    match court {
        2 => 'B',
        3 => 'S',
        4 => 'V',
        5 => 'L',
        6 => 'R',
        7 => 'T',
        8 => 'P',
        _ => 'N',
    }
}

/// The court's name as the records have it.
pub(crate) fn court_name(court: u8) -> &'static str {
    match court {
        2 => "Mestský súd Bratislava III",
        3 => "Okresný súd Banská Bystrica",
        4 => "Mestský súd Košice",
        5 => "Okresný súd Žilina",
        6 => "Okresný súd Trenčín",
        7 => "Okresný súd Trnava",
        8 => "Okresný súd Prešov",
        _ => "Okresný súd Nitra",
    }
}

/// The court's name after `Výpis z Obchodného registra`.
pub(crate) fn court_genitive(court: u8) -> &'static str {
    match court {
        2 => "Mestského súdu Bratislava III",
        3 => "Okresného súdu Banská Bystrica",
        4 => "Mestského súdu Košice",
        5 => "Okresného súdu Žilina",
        6 => "Okresného súdu Trenčín",
        7 => "Okresného súdu Trnava",
        8 => "Okresného súdu Prešov",
        _ => "Okresného súdu Nitra",
    }
}
