//! Reads the projects of one page of the list, with one request each.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, Item, Notes, malformed, records, runtime};

use super::has_room;
use crate::cursor::{self, Kind, Sweep};
use crate::detail::{self, Detail, Recipient};
use crate::odd::OddPages;
use crate::project::KEY;
use crate::settings::Settings;
use crate::site;

/// If this many projects of a list are all gone, the list is another one.
const MIN_SAMPLE: usize = 5;

/// How many pages that could not be read are requested again in a run.
const MAX_AGAIN: usize = 20;

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
    /// The pages that could not be read so far.
    pub(super) odd: OddPages,
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
    pub(super) fn beside(odd: OddPages) -> Self {
        Self {
            odd,
            ..Self::default()
        }
    }

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
            return self.mark_read(path);
        };
        self.notes.row();
        let detail = match detail::read(&text, path, settings) {
            Err(wrong @ Failure::Malformed(_)) => {
                self.notes.odd_row("unreadable_projects", &wrong);
                return self.mark_odd(path, detail::recipient(&text, settings).as_deref());
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
        if !self.keep(detail, path)? {
            self.notes.odd("unreadable_ico");
        }
        Ok(())
    }

    /// Requests pages again that could not be read. They do not count towards the share of odd rows, since they would
    /// be most of a short run. A failure ends this without failing the run, whose sweep may still go on.
    pub(super) fn again(&mut self, today: &str, settings: &Settings) -> Result<(), Failure> {
        for path in self.odd.in_turn(today, MAX_AGAIN) {
            if settings.skip.contains(&path) {
                self.notes.count("left_out");
                self.mark_read(&path)?;
                continue;
            }
            if self.asked >= MAX_AGAIN || (self.asked > 0 && !has_room(&runtime::left())) {
                continue;
            }
            let Ok(page) = site::page(&path, settings) else {
                break;
            };
            self.asked += 1;
            let Some(text) = page else {
                self.notes.count("gone");
                self.mark_read(&path)?;
                continue;
            };
            let is_read = match detail::read(&text, &path, settings) {
                Ok(detail) => self.keep(detail, &path)?,
                Err(Failure::Malformed(_)) => {
                    self.mark_odd(&path, detail::recipient(&text, settings).as_deref())?;
                    false
                }
                Err(_) => break,
            };
            let note = if is_read {
                "read_again"
            } else {
                "still_unreadable"
            };
            self.notes.count(note);
        }
        Ok(())
    }

    /// Stores a project. A project without a company has no IČO, but may have had one before, so its record is removed.
    /// If the number is unreadable, the earlier record stays, and the page counts as unread: `false`.
    fn keep(&mut self, detail: Detail, path: &str) -> Result<bool, Failure> {
        let key = format!("{KEY}{}", detail.id);
        let note = match detail.recipient {
            Recipient::Ico(ico) => {
                self.store([records::item(key, Some(&ico), &detail.project)?]);
                return self.mark_read(path).map(|()| true);
            }
            Recipient::Unreadable => return self.mark_odd(path, None).map(|()| false),
            Recipient::Without => "without_ico",
            Recipient::Other => "other_number",
        };
        self.notes.count(note);
        self.store([Item {
            removed: true,
            ..records::item(key, None, &())?
        }]);
        self.mark_read(path).map(|()| true)
    }

    fn mark_read(&mut self, path: &str) -> Result<(), Failure> {
        let removals = self.odd.remove(path)?;
        self.store(removals);
        Ok(())
    }

    fn mark_odd(&mut self, path: &str, ico: Option<&str>) -> Result<(), Failure> {
        let records = self.odd.add(path, ico)?;
        self.store(records);
        Ok(())
    }

    fn store(&mut self, items: impl IntoIterator<Item = Item>) {
        let by_key = items.into_iter().map(|item| (item.key.clone(), item));
        self.items.extend(by_key);
    }
}
