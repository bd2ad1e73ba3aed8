//! `/operator-files/employers.xlsx`: employers and how many people they employ.

use crate::World;
use crate::population::listed::employers;
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let today = world.clock.today();
    let rows = super::rows(world, |company| {
        let own = employers(company);
        let row = own.iter().map(|employer| {
            let people = employer.people(today);
            vec![
                super::number(&company.ico),
                text(company.name()),
                Cell::Day(Some(employer.registered)),
                Cell::Day(employer.deregistered),
                people.map_or_else(|| text(""), |people| Cell::Number(f64::from(people))),
            ]
        });
        row.collect()
    });
    Table {
        title: String::new(),
        header: vec![
            "IČO",
            "Názov",
            "Dátum registrácie",
            "Dátum odhlásenia",
            "Počet zamestnancov",
        ],
        rows,
    }
}
