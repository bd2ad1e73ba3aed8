//! `/operator-files/travel-agencies.csv`: travel agencies with their protection against insolvency.

use crate::World;
use crate::population::listed::{Agency, agencies};
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let status = |agency: &Agency| match (agency.is_struck_off, agency.is_unprotected) {
        (true, _) => "zrušená",
        (false, true) => "bez ochrany",
        (false, false) => "v ochrane",
    };
    let rows = super::rows(world, |company| {
        let own = agencies(company);
        let row = own.iter().map(|agency| {
            let is_banned = agency.banned.is_some_and(|since| since <= today);
            vec![
                text(company.name()),
                text(&company.ico),
                super::seat(company),
                text(agency.provider),
                text(&agency.contract),
                Cell::Day(Some(agency.from)),
                Cell::Day(Some(agency.to)),
                text(
                    agency
                        .amount
                        .map(|amount| amount.comma(' '))
                        .unwrap_or_default(),
                ),
                text(if is_banned { "áno" } else { "nie" }),
                text(status(agency)),
            ]
        });
        row.collect()
    });
    Table {
        title: String::new(),
        header: vec![
            "Obchodné meno",
            "IČO",
            "Sídlo",
            "Poisťovňa / banka",
            "Číslo poistnej zmluvy",
            "Platnosť od",
            "Platnosť do",
            "Poistná suma",
            "Zákaz činnosti",
            "Stav",
        ],
        rows,
    }
}
