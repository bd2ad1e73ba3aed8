//! What stands in the bulletin about the showcase, and a crowd of people.

use time::Duration;

use super::entries;
use super::forms::{Form, Part};
use super::{FIRST, Notice, Party, Place};

/// Places in an issue that the showcase's notices have.
const SHOWN: u32 = 1_000;
/// Places that the crowd's have.
const CROWD: u32 = 1_200;
/// Notices on people alone that the mirror loaded at one moment: more than a page.
const CROWD_SIZE: u32 = 120;
/// The day of the crowd, before the start.
const CROWD_DAY: i64 = 80;

/// What is special about a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Odd {
    /// Nothing.
    No,
    /// Its XML ends early.
    Broken,
    /// Others are named too.
    With(&'static [(u32, Part)]),
    /// Others are named until it is corrected.
    Until(&'static [(u32, Part)]),
    /// The table of register entries has a number that is none.
    Impossible,
    /// The table has another company until it is corrected.
    Mistaken(u32),
}

/// Days before the start, form, company, and what is special.
type Line = (i64, Form, u32, Odd);

const TABLE: &[Line] = &[
    (85, Form::OldLaw, 8, Odd::No),
    (82, Form::Liquidator, 5, Odd::No),
    (75, Form::Bankruptcy, 10, Odd::With(&[(7, Part::Proposer)])),
    (61, Form::FirstReductionLimited, 5, Odd::No),
    (54, Form::SecondReductionLimited, 5, Odd::No),
    (47, Form::TaxAuction, 8, Odd::No),
    (40, Form::Auction, 6, Odd::With(&[(1, Part::Auctioneer)])),
    (33, Form::Sale, 2, Odd::No),
    (31, Form::Unknown, 2, Odd::No),
    (
        30,
        Form::Enforcement,
        10,
        Odd::With(&[(2, Part::Obligor), (6, Part::Obligor)]),
    ),
    (28, Form::Correction, 10, Odd::No),
    (27, Form::Correction, 10, Odd::No),
    (20, Form::Liquidator2020, 5, Odd::No),
    (15, Form::Bankruptcy, 9, Odd::Broken),
    (14, Form::RegisterEntry, 9, Odd::No),
    (13, Form::Dissolution, 9, Odd::No),
    (10, Form::Enforcement, 5, Odd::No),
    (3, Form::Bankruptcy, 10, Odd::Until(&[(7, Part::Proposer)])),
    (84, Form::Deed, 0, Odd::No),
    (63, Form::RegisterEntry, 1, Odd::No),
    (44, Form::DeedList, 1, Odd::No),
    // A number that begins with zeros.
    (36, Form::RegisterEntry, 6, Odd::No),
    (25, Form::Deed, 2, Odd::Impossible),
    (21, Form::RegisterEntry, 8, Odd::No),
    (12, Form::DeedList, 5, Odd::No),
    // A sole trader stands in no commercial register.
    (7, Form::RegisterEntry, 3, Odd::No),
    (2, Form::RegisterEntry, 2, Odd::Mistaken(8)),
];

/// Company 0 is named so often, every third day, in these forms in turn.
const OFTEN: i64 = 25;
const OFTEN_FORMS: [Form; 5] = [
    Form::FirstReductionLimited,
    Form::Enforcement,
    Form::SecondReductionLimited,
    Form::AuctionResult,
    Form::Bankruptcy,
];

/// The showcase's notices of an issue. What falls on a weekend stands in the issue of the Friday before.
pub(super) fn notices(place: &Place<'_>) -> Vec<Notice> {
    if !place.is_working_day() || place.issue >= 0 {
        return Vec::new();
    }
    // Monday to Friday, 0 to 4; on Friday the weekend's are there too.
    let is_friday = place.published.weekday().number_days_from_monday() == 4;
    let covered = if is_friday { 3 } else { 1 };
    let is_here = |days_before: i64| {
        let issue = -days_before;
        (place.issue..place.issue + covered).contains(&issue)
    };
    let table = TABLE
        .iter()
        .zip(SHOWN..)
        .filter(|((days_before, ..), _)| is_here(*days_before))
        .map(|(line, slot)| of_line(place, line, slot));
    let often = (0..OFTEN)
        .zip(SHOWN + 100..)
        .filter(|(number, _)| is_here(FIRST - 2 - 3 * number))
        .map(|(number, slot)| {
            let form = OFTEN_FORMS[usize::try_from(number).unwrap_or(0) % OFTEN_FORMS.len()];
            place.notice(place.id(slot), form, 0)
        });
    let mut notices: Vec<Notice> = table.chain(often).collect();
    if is_here(CROWD_DAY) {
        notices.extend((CROWD..CROWD + CROWD_SIZE).map(|slot| Notice {
            parties: Vec::new(),
            people: 1,
            has_attachment: false,
            is_bulk: true,
            ..place.notice(place.id(slot), Form::Bankruptcy, 0)
        }));
    }
    notices
}

fn of_line(place: &Place<'_>, (_, form, index, odd): &Line, slot: u32) -> Notice {
    let mut notice = place.notice(place.id(slot), *form, *index);
    let mut join = |others: &[(u32, Part)]| {
        let others = others.iter().map(|(index, part)| Party {
            index: *index,
            part: *part,
        });
        notice.parties.extend(others);
    };
    match odd {
        Odd::No => {}
        Odd::Broken => notice.is_broken = true,
        Odd::With(others) => {
            join(others);
            // The auctioneer is written first.
            if form.is_auction() {
                notice.parties.reverse();
            }
        }
        Odd::Until(others) => {
            let shift = Duration::days(super::UPDATED_AFTER);
            match place.updated() {
                None => join(others),
                Some(_) => notice.updated = Some(place.published.saturating_add(shift)),
            }
        }
        Odd::Impossible => entries::impossible(&mut notice),
        Odd::Mistaken(other) => place.until_corrected(&mut notice, Some(*other)),
    }
    notice
}
