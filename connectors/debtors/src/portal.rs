//! The import of the pages of the insurer Union's portal. Requests each page from the cursor's row on.

use lustra_sdk::failure::list_changed;
use lustra_sdk::http::Request;
use lustra_sdk::{Batch, Failure, ImportRun, malformed, to_json};
use serde::{Deserialize, Serialize};

use crate::debt::Notes;
use crate::settings::Settings;
use crate::since::Since;
use crate::union_api;

/// The place of a run in the portal's pages.
#[derive(Default, Serialize, Deserialize)]
struct PortalPlace {
    /// Rows read so far.
    rows: u64,
    /// Rows of the whole list, as soon as a page says it.
    total: Option<u64>,
    /// Odd rows so far.
    #[serde(default)]
    odd_rows: u64,
    /// Entries with an IČO.
    with_ico: u64,
}

/// A run over the pages of the insurer Union's portal.
pub struct PortalRun {
    authorization: String,
    origin: String,
    order: String,
    place: PortalPlace,
    since: Since,
}

impl PortalRun {
    /// Starts a run, or resumes one at a cursor.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] without credentials; `list-changed` for an invalid cursor.
    pub fn open(cursor: Option<&str>) -> Result<Self, Failure> {
        let settings = Settings::read()?;
        let user = settings.union_user.as_str();
        let password = settings.union_password.text();
        let Some(password) = password.filter(|_| !user.is_empty()) else {
            return Err(Failure::Misconfigured(
                "the insurer gives its list only with credentials: set union_user and union_password, or supply the \
                 file union-list and set union_source to \"file\""
                    .to_owned(),
            ));
        };
        let place = match cursor {
            None => PortalPlace::default(),
            Some(cursor) => serde_json::from_str(cursor).map_err(|error| {
                list_changed(format!(
                    "the cursor of the portal's list is unreadable: {error}"
                ))
            })?,
        };
        Ok(Self {
            authorization: union_api::basic(user, password),
            origin: settings.union_origin,
            order: settings.union_order,
            place,
            since: Since::of("union")?,
        })
    }

    fn ask(&self, notes: &mut Notes) -> Result<union_api::Page, Failure> {
        let query = union_api::query(self.place.rows, &self.order);
        let response = Request::post_json("union", union_api::PATH, &query)
            .header("accept", "application/json")
            .header("authorization", self.authorization.clone())
            .header("origin", self.origin.clone())
            .header("referer", format!("{}/pub/dlznici", self.origin))
            .idempotent()
            .send()?;
        match response.status {
            200..=299 => union_api::parse(&response.body.text(None)?, notes),
            401 | 403 => Err(Failure::Misconfigured(format!(
                "union refused union_user and union_password with status {}",
                response.status
            ))),
            _ => Err(response.status_failure()),
        }
    }
}

impl ImportRun for PortalRun {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if self.place.total == Some(self.place.rows) {
            return Ok(None);
        }
        let mut notes = Notes::default();
        let page = self.ask(&mut notes)?;
        if self.place.total.is_some_and(|total| total != page.total) {
            return Err(list_changed(format!(
                "the portal's list has {} rows now",
                page.total
            )));
        }
        let rows = self.place.rows + page.rows;
        if page.rows == 0 || rows > page.total {
            return Err(malformed(
                "answer of union: rows",
                format!("the rows behind {} of {}", self.place.rows, page.total),
                format!("{} rows", page.rows),
            ));
        }
        let with_ico = page
            .debts
            .iter()
            .filter(|(_, debt)| debt.ico.is_some())
            .count() as u64;
        self.place = PortalPlace {
            rows,
            total: Some(page.total),
            odd_rows: self.place.odd_rows + notes.odd_rows(),
            with_ico: self.place.with_ico + with_ico,
        };
        if rows == page.total {
            Notes::resumed(rows, self.place.odd_rows).check_odd_rows("union")?;
            if self.place.with_ico == 0 {
                return Err(malformed(
                    "answer of union: rplIco",
                    "at least one IČO",
                    "none in the whole list",
                ));
            }
        }
        // The portal's own number is unique. So keys need no knowledge of earlier pages, which a resumed run has not
        // read.
        let items = page
            .debts
            .into_iter()
            .map(|(id, debt)| {
                let key = format!("id:{id}");
                let since = self.since.date(&key, debt.ico.as_deref(), None);
                debt.into_item(key, false, since)
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&self.place)?,
            list_date: None,
            progress: u16::try_from(rows * 1000 / page.total).ok(),
            notes: notes.fields(),
        }))
    }
}
