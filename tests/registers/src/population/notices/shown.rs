//! The bulletin's notices about the showcase, and a large set of notices about natural persons.

use time::Duration;

use super::entries;
use super::forms::{Form, Part};
use super::{FIRST, Notice, Party, Place};

/// Positions in an issue reserved for the showcase.
const SHOWN: u32 = 1_000;
/// Positions reserved for the large set.
const CROWD: u32 = 1_200;
/// Number of notices about natural persons loaded by the mirror at one moment: more than one page.
const CROWD_SIZE: u32 = 120;
/// Days between the large set and the start.
const CROWD_DAY: i64 = 80;

/// The special property of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Odd {
    No,
    /// Its XML ends early.
    Broken,
    /// Other companies are named too.
    With(&'static [(u32, Part)]),
    /// Other companies are named until the correction.
    Until(&'static [(u32, Part)]),
    /// The table of register entries contains an invalid number.
    Impossible,
    /// The table names another company until the correction.
    Mistaken(u32),
}

/// Days before the start, form, company, and special property.
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
    // A number with leading zeros.
    (36, Form::RegisterEntry, 6, Odd::No),
    (25, Form::Deed, 2, Odd::Impossible),
    (21, Form::RegisterEntry, 8, Odd::No),
    (12, Form::DeedList, 5, Odd::No),
    // A sole trader is not in the commercial register.
    (7, Form::RegisterEntry, 3, Odd::No),
    (2, Form::RegisterEntry, 2, Odd::Mistaken(8)),
];

/// Company 0 has this many notices, one every third day, in rotating forms.
const OFTEN: i64 = 25;
const OFTEN_FORMS: [Form; 5] = [
    Form::FirstReductionLimited,
    Form::Enforcement,
    Form::SecondReductionLimited,
    Form::AuctionResult,
    Form::Bankruptcy,
];

/// The showcase's notices of an issue. Those due on a weekend appear in the issue of the Friday before.
pub(super) fn notices(place: &Place<'_>) -> Vec<Notice> {
    if !place.is_working_day() || place.issue >= 0 {
        return Vec::new();
    }
    // Monday to Friday are 0 to 4. Friday includes the weekend's notices.
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
            // The auctioneer comes first.
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
