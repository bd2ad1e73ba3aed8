//! Forms with a file.

use std::time::Duration;

use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{FromRequest, Request};

use super::form::Form;
use crate::web::Web;
use crate::web::problem::Problem;

/// Bytes over the limit that are read and discarded, because browsers read the answer only after sending everything.
const MAX_DISCARDED: usize = 64 << 20;

/// The fields of a form, and its file.
#[derive(Debug, Default)]
pub(super) struct Upload {
    pub(super) form: Form,
    /// `None` if no file was chosen, or it is empty or too large.
    pub(super) file: Option<Vec<u8>>,
    pub(super) is_too_large: bool,
}

impl Upload {
    /// The file, or the text of the field `list` as a CSV file with one column. `None` without either.
    pub(super) fn table(&mut self) -> Option<Vec<u8>> {
        let list = self.form.text("list");
        let pasted = || (!list.is_empty()).then(|| one_column(list));
        self.file.take().or_else(pasted)
    }
}

/// Numbers between commas or semicolons get a line each; a name keeps its line.
fn one_column(list: &str) -> Vec<u8> {
    let is_separator = |c: char| matches!(c, ',' | ';' | '\t');
    let mut table = String::with_capacity(list.len() + 16);
    for line in list.lines() {
        let are_numbers = line
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace() || is_separator(c));
        let cells: Vec<&str> = if are_numbers {
            line.split(is_separator).collect()
        } else {
            vec![line]
        };
        for cell in cells {
            let cell = cell.trim();
            if !cell.is_empty() {
                table.push('"');
                table.push_str(&cell.replace('"', "\"\""));
                table.push_str("\"\n");
            }
        }
    }
    table.into_bytes()
}

impl FromRequest<Web> for Upload {
    type Rejection = Problem;

    async fn from_request(request: Request, web: &Web) -> Result<Self, Problem> {
        let config = web.parts().context.config();
        let most = config.files.most_mib.saturating_mul(1 << 20);
        let time = Duration::from_secs(config.connections.body_seconds);
        let parts = Multipart::from_request(request, web).await;
        let parts = parts.map_err(|_other_form| Problem::InvalidRequest)?;
        let read = tokio::time::timeout(time, read(parts, most)).await;
        let read = read.map_err(|_elapsed| Problem::InvalidRequest)?;
        read.map_err(|error| {
            tracing::debug!(%error, "a form with a file could not be read");
            Problem::InvalidRequest
        })
    }
}

/// Reads a form of at most `most` bytes; more are discarded.
async fn read(mut parts: Multipart, most: usize) -> Result<Upload, MultipartError> {
    let mut upload = Upload::default();
    let mut received = 0_usize;
    while let Some(mut part) = parts.next_field().await? {
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let mut bytes = Vec::new();
        while let Some(chunk) = part.chunk().await? {
            received = received.saturating_add(chunk.len());
            if received <= most {
                bytes.extend_from_slice(&chunk);
                continue;
            }
            bytes = Vec::new();
            upload.is_too_large = true;
            if received > most.saturating_add(MAX_DISCARDED) {
                return Ok(upload);
            }
        }
        if !is_file {
            let value = String::from_utf8_lossy(&bytes).into_owned();
            upload.form.push(name, value);
        } else if !bytes.is_empty() {
            upload.file = Some(bytes);
        }
    }
    Ok(upload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_list_becomes_one_column() {
        let table = |list: &str| String::from_utf8(one_column(list)).expect("UTF-8");
        assert_eq!(
            table("00151742, 31322832;\n\n35 697 270"),
            "\"00151742\"\n\"31322832\"\n\"35 697 270\"\n"
        );
        assert_eq!(
            table("Mlyn, s. r. o.\r\n\"A\" a. s."),
            "\"Mlyn, s. r. o.\"\n\"\"\"A\"\" a. s.\"\n"
        );
    }
}
