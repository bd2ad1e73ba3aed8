//! `/operator-files/nbs-agents.csv`: which institutions financial agents work for, in which sectors and since when.

use crate::World;
use crate::population::supervision::{TRADER, ties};
use crate::registers::sheets::{Cell, Table, text};

pub(super) fn table(world: &World) -> Table {
    let (population, day) = (&world.population, world.clock.day());
    let today = world.clock.today();
    let mut rows = Vec::new();
    for company in (0..population.len()).map(|index| population.company(index, day)) {
        for tie in ties(&company).into_iter().filter(|tie| tie.from <= today) {
            rows.push(vec![
                text(&company.ico),
                text(company.name()),
                text(population.ico(tie.institution)),
                text(population.company(tie.institution, day).name()),
                text(tie.category),
                text(tie.sector),
                text(tie.number),
                Cell::Day(Some(tie.from)),
                // The end of a tie is known only once it has passed.
                Cell::Day(tie.to.filter(|to| *to <= today)),
            ]);
        }
    }
    // A sole trader by the other entry, which has no IČO.
    let bank = population.ico(1);
    rows.push(vec![
        text(""),
        text(TRADER),
        text(bank),
        text(""),
        text("podriadený finančný agent"),
        text(""),
        text(""),
        Cell::Day(None),
        Cell::Day(None),
    ]);
    Table {
        title: String::new(),
        header: vec![
            "IČO agenta",
            "Názov agenta",
            "IČO inštitúcie",
            "Názov inštitúcie",
            "Kategória",
            "Sektor",
            "Číslo REGFAP",
            "Platné od",
            "Platné do",
        ],
        rows,
    }
}
