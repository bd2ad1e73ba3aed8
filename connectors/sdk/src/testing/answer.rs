//! Synthetic answers of upstreams.

use std::io::Write as _;

/// One answer of an upstream.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status code, such as 200.
    pub status: u16,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body, as they are sent.
    pub body: Vec<u8>,
}

impl Answer {
    /// Status 200 with a body.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Any status with a body.
    #[must_use]
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Status 200 with JSON.
    #[must_use]
    pub fn json(body: &serde_json::Value) -> Self {
        Self::ok(body.to_string()).with_header("content-type", "application/json; charset=utf-8")
    }

    /// Status 200 with XML in UTF-8.
    #[must_use]
    pub fn xml(body: impl Into<String>) -> Self {
        Self::ok(body.into()).with_header("content-type", "text/xml; charset=utf-8")
    }

    /// Status 200 with an HTML page in UTF-8. Registers send such pages even while they are out
    /// of order.
    #[must_use]
    pub fn html(body: impl Into<String>) -> Self {
        Self::ok(body.into()).with_header("content-type", "text/html; charset=utf-8")
    }

    /// Status 200 with a zip archive of these files.
    ///
    /// # Panics
    /// Two files have the same name.
    #[must_use]
    pub fn zip(files: &[(&str, impl AsRef<[u8]>)]) -> Self {
        Self::ok(archive(files)).with_header("content-type", "application/zip")
    }

    /// Adds a header, whose name is put into lower case.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }
}

/// A zip archive of these files.
///
/// # Panics
/// Two files have the same name.
#[must_use]
#[expect(
    clippy::expect_used,
    reason = "an archive that cannot be made is a test that fails"
)]
pub fn archive(files: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, contents) in files {
        archive
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .expect("the archive takes a file of another name");
        archive
            .write_all(contents.as_ref())
            .expect("memory takes bytes");
    }
    archive.finish().expect("memory takes an end").into_inner()
}
