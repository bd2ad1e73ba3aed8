//! Hand-written proceedings of the showcase on the first day.

use super::super::calendar::before;
use super::super::company::Company;
use super::super::showcase::SHOWCASE_SIZE;
use super::{Kind, Proceeding, State};

/// The proceedings of a showcase company. `None` for an ordinary one.
pub(super) fn of(company: &Company, first: u64) -> Option<Vec<Proceeding>> {
    if company.index >= SHOWCASE_SIZE {
        return None;
    }
    let ago = |days| before(company.origin.start, days);
    let begun = |kind, days| Proceeding::begun(first, kind, ago(days));
    let one = match company.index {
        1 => begun(Kind::Restructuring, 2_400)
            .declared(ago(2_350))
            .over(ago(2_000), "POTVRDENIE_PLANU_SUDOM"),
        3 => begun(Kind::ReliefBySchedule, 75).declared(ago(40)),
        4 => begun(Kind::Bankruptcy, 900).stopped(ago(870), "SPATVZATIE"),
        6 => begun(Kind::Preventive, 500)
            .declared(ago(480))
            .over(ago(95), "ODSUHLAS_ENY_PLAN"),
        9 => begun(Kind::SmallBankruptcy, 1_500)
            .declared(ago(1_450))
            .over(ago(900), "NEDOSTATOK_MAJETKU"),
        11 => Proceeding {
            state: State::Unheard,
            last_event: "Odročenie konania",
            ..begun(Kind::Bankruptcy, 50).declared(ago(20))
        },
        _ => return Some(Vec::new()),
    };
    Some(vec![one])
}
