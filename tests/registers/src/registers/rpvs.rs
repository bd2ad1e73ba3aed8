//! `/rpvs`: the register of public sector partners (`https://rpvs.gov.sk/opendatav2`), a small `OData` service.
//!
//! It serves `Partneri` and `PartneriVerejnehoSektora` as lists and by key, and the lists within a register file. The
//! service pages lists, including lists within rows; a file that is read by its key is complete. Numbers match only in
//! their stored spelling, including inner spaces. `$top` is refused, and so is a `+` for a space. Dates are local times
//! with the offset of their day, and a missing text may be empty.

mod odata;
mod rows;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use self::odata::{Options, Projection};
use self::rows::Entity;
use crate::World;
use crate::population::partners::{self, RegisterFile};

/// Number of rows on a page, and in a list within a row.
const PAGE: usize = 20;
/// The address of the service if the request does not name a host.
const PUBLIC: &str = "https://rpvs.gov.sk/opendatav2";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/rpvs/{*path}", get(answer))
}

async fn answer(
    State(world): State<Arc<World>>,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let root = host.map_or_else(|| PUBLIC.to_owned(), |host| format!("http://{host}/rpvs"));
    let answering = tokio::task::spawn_blocking(move || {
        let service = Service {
            world: &world,
            root: &root,
        };
        service.answer(&path, query.as_deref().unwrap_or_default())
    });
    match answering.await {
        Ok(Ok(body)) => (
            [(
                header::CONTENT_TYPE,
                "application/json; odata.metadata=minimal; odata.streaming=true",
            )],
            body.to_string(),
        )
            .into_response(),
        Ok(Err(Refused::NotFound)) => StatusCode::NOT_FOUND.into_response(),
        Ok(Err(Refused::Query(why))) => {
            let message = format!("The query specified in the URI is not valid. {why}");
            let body = json!({"error": {"code": "", "message": message, "details": []}});
            (StatusCode::BAD_REQUEST, axum::Json(body)).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The reason for an error answer.
#[derive(Debug)]
enum Refused {
    /// No such set or row.
    NotFound,
    /// The service does not accept the query.
    Query(String),
}

struct Service<'a> {
    world: &'a World,
    root: &'a str,
}

impl Service<'_> {
    fn answer(&self, path: &str, query: &str) -> Result<Value, Refused> {
        let options = Options::parse(query)?;
        let path = path.replace('(', "/").replace(')', "");
        let steps: Vec<&str> = path.split('/').collect();
        match steps.as_slice() {
            ["Partneri"] => self.list(Entity::File, path.as_str(), &options, query),
            ["PartneriVerejnehoSektora"] => {
                self.list(Entity::Version, path.as_str(), &options, query)
            }
            ["Partneri", id] => self.one(Entity::File, id, &options),
            ["PartneriVerejnehoSektora", id] => self.one(Entity::Version, id, &options),
            ["Partneri", id, list] => self.list_of_file(id, list, &options, query),
            _ => Err(Refused::NotFound),
        }
    }

    fn list(
        &self,
        entity: Entity,
        path: &str,
        options: &Options,
        query: &str,
    ) -> Result<Value, Refused> {
        let projection = Projection::of(entity, options)?;
        let numbers = match (&options.filter, entity) {
            (None, _) => None,
            (Some(filter), Entity::File) => Some(odata::numbers_within(filter)?),
            (Some(filter), _) => Some(odata::numbers(filter, "")?),
        };
        let mut rows = match &numbers {
            Some(numbers) => self.found(entity, numbers),
            None => self.all(entity, options.after),
        };
        rows.retain(|row| rows::id(row) > options.after);
        rows.drain(..options.skip.min(rows.len()));
        let next = (rows.len() > PAGE).then(|| {
            rows.truncate(PAGE);
            let last = rows.last().map_or(0, rows::id);
            format!("{}/{path}?{}", self.root, odata::behind(query, last))
        });
        let base = format!("{}/{path}", self.root);
        let value: Vec<Value> = rows
            .into_iter()
            .map(|row| projection.cut(row, &base))
            .collect();
        let context = format!("{}/$metadata#{path}({})", self.root, projection.names());
        let mut answer = json!({"@odata.context": context, "value": value});
        if let Some(next) = next {
            answer["@odata.nextLink"] = Value::from(next);
        }
        Ok(answer)
    }

    fn one(&self, entity: Entity, id: &str, options: &Options) -> Result<Value, Refused> {
        let id: u64 = id.parse().or(Err(Refused::NotFound))?;
        let projection = Projection::of(entity, options)?;
        let file = self.file(entity.file_of(id))?;
        let row = rows::of(entity, std::slice::from_ref(&file))
            .into_iter()
            .find(|row| rows::id(row) == id)
            .ok_or(Refused::NotFound)?;
        let mut answer = projection.whole(row);
        let context = format!("{}/$metadata#{}/$entity", self.root, entity.set());
        answer["@odata.context"] = Value::from(context);
        Ok(answer)
    }

    /// The rest of a list that was truncated within a row.
    fn list_of_file(
        &self,
        id: &str,
        list: &str,
        options: &Options,
        query: &str,
    ) -> Result<Value, Refused> {
        let file = self.file(id.parse().or(Err(Refused::NotFound))?)?;
        let entity = Entity::File
            .navigation()
            .iter()
            .find(|(name, _)| *name == list)
            .map(|(_, entity)| *entity)
            .ok_or(Refused::NotFound)?;
        let projection = Projection::of(entity, options)?;
        let whole = rows::of(Entity::File, std::slice::from_ref(&file)).pop();
        let rows = whole.as_ref().and_then(|file| file[list].as_array());
        let mut rows = rows.ok_or(Refused::NotFound)?.clone();
        rows.retain(|row| rows::id(row) > options.after);
        let path = format!("Partneri({id})/{list}");
        let more = rows.len() > PAGE;
        rows.truncate(PAGE);
        let last = rows.last().map_or(0, rows::id);
        let value: Vec<Value> = rows.into_iter().map(|row| projection.whole(row)).collect();
        let context = format!("{}/$metadata#{path}", self.root);
        let mut answer = json!({"@odata.context": context, "value": value});
        if more {
            let behind = odata::behind(query, last);
            answer["@odata.nextLink"] = Value::from(format!("{}/{path}?{behind}", self.root));
        }
        Ok(answer)
    }

    fn files_of(&self, index: u32) -> Vec<RegisterFile> {
        let company = self.world.population.company(index, self.world.clock.day());
        partners::register_files(&company)
    }

    fn file(&self, id: u32) -> Result<RegisterFile, Refused> {
        let index = partners::company_of_file(id)
            .filter(|index| *index < self.world.population.len())
            .ok_or(Refused::NotFound)?;
        self.files_of(index)
            .into_iter()
            .find(|file| file.id == id)
            .ok_or(Refused::NotFound)
    }

    /// The rows with a version that has one of the numbers in its stored spelling.
    fn found(&self, entity: Entity, numbers: &[String]) -> Vec<Value> {
        let digits = numbers.iter().map(|number| number.replace(' ', ""));
        let mut owners: Vec<u32> = digits
            .filter_map(|digits| self.world.population.by_ico(&digits))
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let mut files: Vec<RegisterFile> = owners
            .into_iter()
            .flat_map(|index| self.files_of(index))
            .collect();
        let is_found = |stored: &str| numbers.iter().any(|number| number == stored);
        if entity == Entity::Version {
            for file in &mut files {
                file.versions
                    .retain(|version| is_found(&version.stored_ico));
            }
        } else {
            files.retain(|file| file.versions.iter().any(|one| is_found(&one.stored_ico)));
        }
        rows::of(entity, &files)
    }

    /// One page of rows after an id, and one row more.
    fn all(&self, entity: Entity, after: u64) -> Vec<Value> {
        let first = partners::company_of_file(entity.file_of(after)).unwrap_or(0);
        let mut rows = Vec::new();
        for index in first..self.world.population.len() {
            let of_company = rows::of(entity, &self.files_of(index));
            rows.extend(of_company.into_iter().filter(|row| rows::id(row) > after));
            if rows.len() > PAGE {
                break;
            }
        }
        rows
    }
}
