//! `/fs-reports`: the tax authority's files (`https://report.financnasprava.sk`).
//!
//! Each is a ZIP with an XML file and its schema, rebuilt every night at half past four.

use std::io::{self, Seek, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use time::macros::time;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::fs::{List, Row, foreign_rows, rows};
use super::http_date;
use crate::World;
use crate::bodies;
use crate::population::calendar::Packed;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/fs-reports/{file}", get(file))
}

async fn file(
    State(world): State<Arc<World>>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(list) = file.strip_suffix(".zip").and_then(List::parse) else {
        return (StatusCode::NOT_FOUND, "Not Found").into_response();
    };
    let modified = http_date(world.clock.today().with_time(time!(04:30)).assume_utc());
    let known = headers
        .get(header::IF_MODIFIED_SINCE)
        .and_then(|value| value.to_str().ok());
    if known == Some(modified.as_str()) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    match bodies::spooled(move |file| archive(&world, list, file)).await {
        Ok((length, body)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/zip".to_owned()),
                (header::LAST_MODIFIED, modified),
                (header::CONTENT_LENGTH, length.to_string()),
            ];
            (headers, body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "generating the file {file} failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn archive(world: &World, list: List, file: &mut (impl Write + Seek)) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_level(Some(1));
    let mut archive = ZipWriter::new(file);
    archive.start_file(format!("{}.xml", list.slug()), options)?;
    let mut xml = io::BufWriter::with_capacity(64 << 10, &mut archive);
    write_xml(world, list, &mut xml)?;
    xml.flush()?;
    drop(xml);
    archive.start_file(format!("{}.xsd", list.slug()), options)?;
    archive.write_all(schema(list).as_bytes())?;
    archive.finish()?;
    Ok(())
}

fn write_xml(world: &World, list: List, xml: &mut impl Write) -> io::Result<()> {
    let (root, container) = (list.root(), list.slug().to_uppercase());
    let population = &world.population;
    let day = world.clock.day();
    writeln!(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let date = Packed(world.clock.today());
    writeln!(
        xml,
        "<{root}><DatumAktualizacieZoznamu>{date}</DatumAktualizacieZoznamu><{container}>"
    )?;
    let mut text = String::new();
    for index in 0..population.len() {
        let company = population.company(index, day);
        if list.contains(&company) {
            for row in rows(list, &company, population.seed()) {
                item(&mut text, list, &row);
                xml.write_all(text.as_bytes())?;
            }
        }
    }
    if list == List::Registered {
        for row in foreign_rows(population) {
            item(&mut text, list, &row);
            xml.write_all(text.as_bytes())?;
        }
    }
    writeln!(xml, "</{container}></{root}>")
}

/// One `ITEM`; a missing value is a missing element.
fn item(text: &mut String, list: List, row: &Row) {
    text.clear();
    text.push_str("<ITEM>");
    for (column, value) in list.columns().iter().zip(row) {
        let Some(value) = value else { continue };
        text.push('<');
        text.push_str(column);
        text.push('>');
        for letter in value.chars() {
            match letter {
                '&' => text.push_str("&amp;"),
                '<' => text.push_str("&lt;"),
                '>' => text.push_str("&gt;"),
                '"' => text.push_str("&quot;"),
                _ => text.push(letter),
            }
        }
        text.push_str("</");
        text.push_str(column);
        text.push('>');
    }
    text.push_str("</ITEM>\n");
}

fn schema(list: List) -> String {
    let elements: String = list
        .columns()
        .iter()
        .map(|column| format!("<xs:element name=\"{column}\" type=\"xs:string\" minOccurs=\"0\"/>"))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\
         <xs:element name=\"{}\"><xs:complexType><xs:sequence>\
         <xs:element name=\"DatumAktualizacieZoznamu\" type=\"xs:string\"/><xs:element name=\"{}\"><xs:complexType>\
         <xs:sequence><xs:element name=\"ITEM\" minOccurs=\"0\" maxOccurs=\"unbounded\"><xs:complexType><xs:sequence>\
         {elements}</xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>\
         </xs:sequence></xs:complexType></xs:element></xs:schema>\n",
        list.root(),
        list.slug().to_uppercase()
    )
}
