//! A notice in the other format: the same facts as XML, which readers of the JSON skip.

use crate::population::Population;
use crate::population::tenders::{Issue, Notice, ico_of, name_of};

pub(super) fn written(population: &Population, notice: &Notice, issue: &Issue) -> String {
    let parties: String = notice
        .parties()
        .iter()
        .map(|party| {
            let name = name_of(population, party.who, issue.published);
            let name = name.replace('&', "&amp;").replace('"', "&quot;");
            format!(
                "<org><name>{name}</name><ico>{}</ico></org>",
                ico_of(party.who)
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><notice><id>{}</id><title>{}</title>{parties}</notice>",
        notice.id, notice.title
    )
}
