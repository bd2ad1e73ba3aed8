//! Generates persons, officers and shareholders.

use time::Date;

use super::company::Address;
use super::dice::Dice;
use super::holders::{Holder, Officer, Person, Role, Shareholder};
use super::money::Money;
use super::places;
use super::words::{
    FOREIGN_FAMILY, FOREIGN_GIVEN, GIVEN_MEN, GIVEN_WOMEN, POSTFIXES, PREFIXES, SURNAME_HEADS,
    SURNAME_TAILS,
};

pub(crate) fn person(dice: &mut Dice) -> Person {
    let (man, woman) = dice.pick(SURNAME_TAILS);
    let head = dice.pick(SURNAME_HEADS);
    let is_woman = dice.chance(450);
    let given = dice.pick(if is_woman { GIVEN_WOMEN } else { GIVEN_MEN });
    let prefixes = if dice.chance(350) {
        vec![*dice.pick(PREFIXES)]
    } else {
        Vec::new()
    };
    let postfixes = if dice.chance(80) {
        vec![*dice.pick(POSTFIXES)]
    } else {
        Vec::new()
    };
    Person {
        prefixes,
        given: (*given).to_owned(),
        family: format!("{head}{}", if is_woman { woman } else { man }),
        postfixes,
    }
}

pub(crate) fn foreigner(dice: &mut Dice) -> Person {
    Person {
        prefixes: Vec::new(),
        given: (*dice.pick(FOREIGN_GIVEN)).to_owned(),
        family: (*dice.pick(FOREIGN_FAMILY)).to_owned(),
        postfixes: Vec::new(),
    }
}

/// An officer in office since `since`, occasionally a foreigner.
pub(crate) fn officer(role: Role, since: Date, dice: &mut Dice) -> Officer {
    let is_foreign = dice.chance(60);
    let (person, address) = if is_foreign {
        (foreigner(dice), places::address_abroad(dice))
    } else {
        (person(dice), places::address(dice))
    };
    Officer {
        holder: Holder::Person(person),
        role,
        address,
        since,
        until: None,
        term_until: None,
    }
}

pub(crate) fn shareholder(
    holder: Holder,
    address: Address,
    deposit: Option<Money>,
    since: Date,
) -> Shareholder {
    // Drawing no number keeps the other companies of a seed as they are.
    let has_lien = deposit.is_some() && since.ordinal().is_multiple_of(9);
    Shareholder {
        holder,
        address,
        deposit,
        paid: deposit,
        lien: has_lien.then(|| {
            format!(
                "Vzorová sporiteľňa, a. s., zmluva č. {}/{}",
                since.ordinal(),
                since.year()
            )
        }),
        since,
        until: None,
    }
}
