//! Reads the projects of one page of the list, with one request each.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, Item, Notes, malformed, records, runtime};

use super::has_room;
use crate::cursor::{self, Kind, Sweep};
use crate::detail::{self, Detail, Recipient};
use crate::project::KEY;
use crate::settings::Settings;
use crate::site;

/// If this many projects of a list are all gone, the list is another one.
const MIN_SAMPLE: usize = 5;

/// How many marks of earlier pages are stored with a page's own.
const REMEMBERED: usize = 40;

/// What was read of a page.
#[derive(Default)]
pub(super) struct Gathered {
    /// Records by key, including removals of projects that no longer belong to a company.
    pub(super) items: BTreeMap<String, Item>,
    pub(super) notes: Notes,
    /// The youngest day of a project.
    pub(super) youngest: Option<String>,
    /// How many project pages were requested.
    pub(super) asked: usize,
    gone: usize,
}

/// How far a page was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The page was read to its end, or to where the sweep may stop.
    Whole,
    /// The page was read as far as the call's allowance permits.
    Cut,
}

impl Gathered {
    /// Reads the projects of a page and records them in the sweep.
    pub(super) fn page(
        &mut self,
        projects: &[String],
        sweep: &mut Sweep,
        stop_at: &[String],
        settings: &Settings,
    ) -> Result<Outcome, Failure> {
        let marks: Vec<String> = projects.iter().map(|path| cursor::mark(path)).collect();
        if sweep.page == 0 && sweep.anchor.is_empty() {
            sweep.anchor.clone_from(&marks);
        }
        for (path, mark) in projects.iter().zip(&marks) {
            if stop_at.contains(mark) {
                sweep.has_met = true;
                if sweep.kind == Kind::New {
                    break;
                }
            }
            if sweep.read.contains(mark) {
                continue;
            }
            if settings.skip.contains(path) {
                self.notes.count("left_out");
                continue;
            }
            if self.asked > 0 && !has_room(&runtime::left()) {
                return Ok(Outcome::Cut);
            }
            self.project(path, sweep, settings)?;
            sweep.read.insert(0, mark.clone());
        }
        if self.asked >= MIN_SAMPLE && self.gone == self.asked {
            return Err(malformed(
                format!("list of projects, page {}", sweep.page),
                "links to projects",
                format!("{} links to nothing", self.gone),
            ));
        }
        let before = std::mem::replace(&mut sweep.read, marks.clone());
        let before = before.into_iter().filter(|mark| !marks.contains(mark));
        sweep.read.extend(before.take(REMEMBERED));
        Ok(Outcome::Whole)
    }

    fn project(
        &mut self,
        path: &str,
        sweep: &mut Sweep,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let page = site::page(path, settings)?;
        self.asked += 1;
        let Some(text) = page else {
            // The project was removed after the list was made.
            self.gone += 1;
            self.notes.count("gone");
            return Ok(());
        };
        self.notes.row();
        let detail = match detail::read(&text, path, settings) {
            Err(wrong @ Failure::Malformed(_)) => {
                self.notes.odd_row("unreadable_projects", &wrong);
                return Ok(());
            }
            detail => detail?,
        };
        if let Some(day) = detail.project.dated() {
            let is_younger = self.youngest.as_deref().is_none_or(|known| known < day);
            if is_younger {
                self.youngest = Some(day.to_owned());
            }
            if sweep.back_to.as_deref().is_none_or(|known| day < known) {
                sweep.back_to = Some(day.to_owned());
            }
        }
        if let Some(item) = self.item(detail)? {
            self.items.insert(item.key.clone(), item);
        }
        Ok(())
    }

    /// The record of a project. A project without a company has no IČO, but may have had one before, so its record is
    /// removed. If the number is unreadable, the earlier record stays.
    fn item(&mut self, detail: Detail) -> Result<Option<Item>, Failure> {
        let key = format!("{KEY}{}", detail.id);
        let oddity = match detail.recipient {
            Recipient::Ico(ico) => {
                return records::item(key, Some(&ico), &detail.project).map(Some);
            }
            Recipient::Unreadable => {
                self.notes.odd("unreadable_ico");
                return Ok(None);
            }
            Recipient::Without => "without_ico",
            Recipient::Other => "other_number",
        };
        self.notes.count(oddity);
        Ok(Some(Item {
            removed: true,
            ..records::item(key, None, &())?
        }))
    }
}
