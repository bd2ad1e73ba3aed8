//! `/operator-files/social-enterprises.xlsx`: registered social enterprises.

use crate::World;
use crate::population::listed::enterprises;
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let rows = super::rows(world, |company| {
        let own = enterprises(company);
        let row = own.iter().map(|enterprise| {
            let revoked = enterprise.revoked.filter(|day| *day <= today);
            vec![
                text(company.name()),
                super::number(&company.ico),
                super::seat(company),
                text(enterprise.kind),
                text(&enterprise.certificate),
                Cell::Day(Some(enterprise.granted)),
                Cell::Day(revoked),
                text(if revoked.is_some() {
                    "zrušený"
                } else {
                    "platný"
                }),
            ]
        });
        row.collect()
    });
    Table {
        title: "Register sociálnych podnikov".to_owned(),
        header: vec![
            "Názov",
            "IČO",
            "Sídlo",
            "Druh podniku",
            "Číslo osvedčenia",
            "Dátum priznania štatútu",
            "Dátum zrušenia",
            "Stav",
        ],
        rows,
    }
}
