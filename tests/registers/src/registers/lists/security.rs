//! `/operator-files/security-licences.csv`: licences of private security services.

use crate::World;
use crate::population::listed::{Trade, licences};
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let mut rows = super::rows(world, |company| {
        let own = licences(company, Trade::Security);
        let row = own.iter().map(|licence| {
            vec![
                text(company.name()),
                text(&company.ico),
                super::seat(company),
                text(&licence.number),
                text(licence.text),
                text("KR PZ Vzorov"),
                Cell::Day(Some(licence.from)),
                Cell::Day(licence.to),
                super::status(licence.halted(today), 'á'),
            ]
        });
        row.collect()
    });
    // A natural person, listed by name only.
    let mut person: Vec<Cell> = [
        "Ján Strážnik",
        "",
        "Bránová 3, 999 01 Vzorov",
        "KR-99/2020-X",
    ]
    .map(text)
    .to_vec();
    person.extend(
        [
            "detektívna služba",
            "KR PZ Vzorov",
            "01.02.2020",
            "31.01.2030",
            "platná",
        ]
        .map(text),
    );
    rows.push(person);
    Table {
        title: String::new(),
        header: vec![
            "Obchodné meno",
            "IČO",
            "Sídlo",
            "Číslo licencie",
            "Druh",
            "Útvar",
            "Dátum vydania",
            "Platnosť do",
            "Stav",
        ],
        rows,
    }
}
