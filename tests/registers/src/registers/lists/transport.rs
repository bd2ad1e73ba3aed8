//! `/operator-files/transport-licences.xlsx`: licences of road transport operators.

use crate::World;
use crate::population::listed::{Trade, licences};
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let rows = super::rows(world, |company| {
        let own = licences(company, Trade::Transport);
        let row = own.iter().map(|licence| {
            vec![
                text(company.name()),
                super::number(&company.ico),
                super::seat(company),
                text(&licence.number),
                text(licence.text),
                Cell::Day(Some(licence.from)),
                Cell::Day(Some(licence.from)),
                Cell::Day(licence.to),
                licence
                    .vehicles
                    .map_or_else(|| text(""), |count| Cell::Number(f64::from(count))),
                text("Ľuboš Vodičský"),
                text("Okresný úrad Vzorov"),
                super::status(licence.halted(today), 'á'),
            ]
        });
        row.collect()
    });
    Table {
        title: "Prevádzkovatelia cestnej dopravy".to_owned(),
        header: vec![
            "Obchodné meno",
            "IČO",
            "Sídlo",
            "Číslo licencie/povolenia",
            "Druh",
            "Dátum vydania",
            "Platnosť od",
            "Platnosť do",
            "Počet overených kópií / vozidiel",
            "Vedúci dopravy",
            "Vydal",
            "Stav",
        ],
        rows,
    }
}
