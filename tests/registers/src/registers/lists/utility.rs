//! `/operator-files/utility-licences.csv`: permits and confirmations in energy and water.

use crate::World;
use crate::population::listed::{Trade, licences};
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let rows = super::rows(world, |company| {
        let own = licences(company, Trade::Utility);
        let row = own.iter().map(|licence| {
            vec![
                text(&licence.number),
                text(company.name()),
                super::number(&company.ico),
                super::seat(company),
                text(licence.text),
                text(if licence.is_confirmation {
                    "potvrdenie"
                } else {
                    "povolenie"
                }),
                Cell::Day(Some(licence.from)),
                licence
                    .to
                    .map_or_else(|| text("na dobu neurčitú"), |to| Cell::Day(Some(to))),
                super::status(licence.halted(today), 'é'),
            ]
        });
        row.collect()
    });
    Table {
        title: String::new(),
        header: vec![
            "Číslo povolenia",
            "Držiteľ",
            "IČO",
            "Sídlo",
            "Činnosť",
            "Druh",
            "Dátum vydania",
            "Platnosť do",
            "Stav",
        ],
        rows,
    }
}
