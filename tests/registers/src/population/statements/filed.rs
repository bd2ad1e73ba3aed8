//! The statements that a company files.

use time::{Date, Month};

use super::{Shown, Statement, StatementFigures, StatementForm, StatementKind, day, dice};
use crate::population::calendar::after;
use crate::population::company::Company;

/// A statement before it has a number.
#[derive(Debug, Clone)]
pub(super) struct Filing {
    pub(super) kind: StatementKind,
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) submitted: Date,
    pub(super) consolidated: bool,
    pub(super) form: StatementForm,
    pub(super) shown: Shown,
    pub(super) figures: StatementFigures,
}

impl Filing {
    /// A regular statement of a year, or of its part since the company began. Another salt gives other figures.
    pub(super) fn of(company: &Company, year: i32, form: StatementForm, salt: u64) -> Self {
        let from = day(year, Month::January, 1);
        let began = company
            .established
            .replace_day(1)
            .unwrap_or(company.established);
        let to = day(year, Month::December, 31);
        let year_of = u64::try_from(year).unwrap_or(0);
        let mut dice = dice(company, 100 + (salt << 16) + year_of);
        let submitted = after(to, 60 + dice.below(120));
        Self {
            kind: StatementKind::Regular,
            from: if (from..=to).contains(&began) {
                began
            } else {
                from
            },
            to,
            submitted,
            consolidated: false,
            form,
            shown: if form == StatementForm::Ifrs {
                Shown::File
            } else {
                Shown::Figures
            },
            figures: figures(form, &mut dice),
        }
    }

    pub(super) fn filed_later(self, days: u32) -> Self {
        Self {
            submitted: after(self.submitted, days),
            ..self
        }
    }

    pub(super) fn numbered(self, id: u64) -> Statement {
        Statement {
            id,
            kind: self.kind,
            from: self.from,
            to: self.to,
            submitted: self.submitted,
            consolidated: self.consolidated,
            form: self.form,
            shown: self.shown,
            figures: self.figures,
        }
    }
}

/// Figures that balance, as far as the form has lines for them. One in eight has more debts than assets.
fn figures(form: StatementForm, dice: &mut crate::population::dice::Dice) -> StatementFigures {
    let assets = i64::from(1_000 + dice.below(2_000_000));
    let share = i64::from(dice.below(80)) - 10;
    let equity = assets / 100 * share;
    let accruals = i64::from(dice.below(900));
    let revenue = i64::from(dice.below(5_000_000));
    let profit = i64::from(dice.below(200_000)) - 60_000;
    let is_double_entry = match form {
        StatementForm::SingleEntry => false,
        StatementForm::Company
        | StatementForm::Micro
        | StatementForm::Old2009
        | StatementForm::Old2011
        | StatementForm::NonProfit
        | StatementForm::Ifrs => true,
    };
    // The micro form has no line for accruals.
    let accruals = Some(accruals).filter(|_| is_double_entry && form != StatementForm::Micro);
    let own = if is_double_entry { equity } else { 0 };
    // The result forms of 2009 to 2013 have no line for total revenue.
    let has_revenue = !matches!(form, StatementForm::Old2009 | StatementForm::Old2011);
    StatementFigures {
        assets: Some(assets),
        equity: Some(equity).filter(|_| is_double_entry),
        liabilities: Some(assets - own - accruals.unwrap_or(0)),
        accruals,
        revenue: Some(revenue).filter(|_| has_revenue),
        profit: Some(profit).filter(|_| is_double_entry),
    }
}
