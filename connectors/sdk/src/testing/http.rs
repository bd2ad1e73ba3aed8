//! The test host's requests. Decodes and unpacks bodies as the real host does.

use std::cell::RefCell;
use std::io::Read;

use encoding_rs::Encoding;
use sha2::{Digest, Sha256};

use super::rules::check_request;
use super::{Answer, HOST};
use crate::bindings::base::lustra::connector::http::Request;
use crate::{Evidence, Failure, Field, malformed};

pub struct Response {
    pub status: u16,
    pub headers: Vec<Field>,
    pub body: Body,
}

pub struct Body {
    name: String,
    wire: Vec<u8>,
    content_type: Option<String>,
    rest: RefCell<Vec<u8>>,
}

pub fn send(request: &Request) -> Result<Response, Failure> {
    check_request(request)?;
    let answer = HOST.with(|host| {
        let mut host = host.borrow_mut();
        host.requests
            .push(format!("{} {}", request.upstream, request.path));
        let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
        host.bodies.push(body.clone().into_owned());
        let to_body = host
            .answers_to
            .iter_mut()
            .find(|(upstream, path, part, _)| {
                *upstream == request.upstream
                    && *path == request.path
                    && body.contains(part.as_str())
            });
        if let Some((_, _, _, answers)) = to_body {
            let is_last = answers.len() == 1;
            return Ok(if is_last {
                answers[0].clone()
            } else {
                answers.remove(0)
            });
        }
        let key = (request.upstream.clone(), request.path.clone());
        host.answers.get(&key).cloned().unwrap_or_else(|| {
            Err(Failure::Unavailable(format!(
                "no answer is canned for {} {}",
                request.upstream, request.path
            )))
        })
    })?;
    Ok(response(request, answer))
}

fn response(request: &Request, answer: Answer) -> Response {
    let content_type = answer
        .headers
        .iter()
        .find(|(name, _)| name == "content-type")
        .map(|(_, value)| value.clone());
    Response {
        status: answer.status,
        headers: answer
            .headers
            .into_iter()
            .map(|(name, value)| Field { name, value })
            .collect(),
        body: Body {
            name: format!("{} {}", request.upstream, request.path),
            rest: RefCell::new(answer.body.clone()),
            wire: answer.body,
            content_type,
        },
    }
}

/// The charset parameter of a content type.
fn charset_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_charset = name.trim().eq_ignore_ascii_case("charset") && !value.is_empty();
        is_charset.then_some(value)
    })
}

impl Body {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn read(&self, max: u32) -> Result<Vec<u8>, Failure> {
        let mut rest = self.rest.borrow_mut();
        let count = rest.len().min(max as usize);
        Ok(rest.drain(..count).collect())
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn read_all(&self) -> Result<Vec<u8>, Failure> {
        Ok(std::mem::take(&mut self.rest.borrow_mut()))
    }

    pub fn text(&self, charset: Option<&str>) -> Result<String, Failure> {
        self.decode(charset)?;
        let bytes = self.read_all()?;
        String::from_utf8(bytes)
            .map_err(|error| malformed(&self.name, "text in UTF-8", error.to_string()))
    }

    pub fn decode(&self, charset: Option<&str>) -> Result<(), Failure> {
        let bytes = std::mem::take(&mut *self.rest.borrow_mut());
        let encoding = self.encoding(charset, &bytes)?;
        let label = encoding.name();
        let (text, broken) = encoding.decode_with_bom_removal(&bytes);
        if broken {
            return Err(malformed(
                &self.name,
                format!("text in {label}"),
                String::from_utf8_lossy(&bytes),
            ));
        }
        *self.rest.borrow_mut() = text.into_owned().into_bytes();
        Ok(())
    }

    /// The requested charset, else the byte order mark, else the content-type, else UTF-8.
    fn encoding(&self, asked: Option<&str>, bytes: &[u8]) -> Result<&'static Encoding, Failure> {
        if let Some(asked) = asked {
            return Encoding::for_label_no_replacement(asked.as_bytes())
                .ok_or_else(|| Failure::Refused(format!("the charset {asked} is unknown")));
        }
        if let Some((encoding, _length)) = Encoding::for_bom(bytes) {
            return Ok(encoding);
        }
        let Some(declared) = self.content_type.as_deref().and_then(charset_of) else {
            return Ok(encoding_rs::UTF_8);
        };
        Encoding::for_label_no_replacement(declared.as_bytes()).ok_or_else(|| {
            malformed(
                format!("{}: content-type", self.name),
                "a known charset",
                declared,
            )
        })
    }

    pub fn gunzip(&self) -> Result<(), Failure> {
        let packed = std::mem::take(&mut *self.rest.borrow_mut());
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(packed.as_slice())
            .read_to_end(&mut unpacked)
            .map_err(|error| malformed(&self.name, "a gzip stream", error.to_string()))?;
        *self.rest.borrow_mut() = unpacked;
        Ok(())
    }

    pub fn unzip(&self) -> Result<Vec<String>, Failure> {
        let archive = zip::ZipArchive::new(std::io::Cursor::new(self.rest.borrow().clone()))
            .map_err(|error| malformed(&self.name, "a zip archive", error.to_string()))?;
        archive
            .file_names()
            .map(|name| name.map(std::borrow::Cow::into_owned))
            .collect::<Result<_, _>>()
            .map_err(|error| malformed(&self.name, "names in a zip archive", error.to_string()))
    }

    pub fn entry(&self, name: &str) -> Result<Self, Failure> {
        let broken = |error: &dyn std::error::Error| {
            malformed(
                format!("{} {name}", self.name),
                "a file in the archive",
                error.to_string(),
            )
        };
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(self.rest.borrow().clone()))
            .map_err(|error| broken(&error))?;
        let mut contents = Vec::new();
        archive
            .by_name(name)
            .map_err(|error| broken(&error))?
            .read_to_end(&mut contents)
            .map_err(|error| broken(&error))?;
        Ok(Self {
            name: name.to_owned(),
            wire: self.wire.clone(),
            content_type: None,
            rest: RefCell::new(contents),
        })
    }

    pub fn evidence(&self) -> Evidence {
        let digest: String = Sha256::digest(&self.wire)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Evidence {
            id: format!("test:{}", self.name),
            digest,
            fetched_at: crate::runtime::now(),
            details: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TestHost;
    use super::*;

    fn text_of(answer: Answer, charset: Option<&str>) -> Result<String, Failure> {
        TestHost::new().answer("register", "/a", answer).install();
        let request = crate::http::Request::get("register", "/a");
        let body = request.send().expect("it is answered").body;
        body.text(charset)
    }

    #[test]
    fn requested_charset_precedes_the_byte_order_mark() {
        let marked = || Answer::ok("\u{feff}a");
        let text = text_of(marked(), Some("windows-1250")).expect("every byte is a character");
        assert_eq!(text, "ď»ża");
        assert_eq!(text_of(marked(), None).expect("it is UTF-8"), "a");
        let declared = marked().with_header("content-type", "text/plain; charset=windows-1250");
        assert_eq!(text_of(declared, None).expect("it is UTF-8"), "a");
    }

    #[test]
    fn request_that_the_host_refuses_is_not_answered() {
        TestHost::new()
            .answer("register", "a", Answer::ok("x"))
            .answer("register", "/a", Answer::ok("x"))
            .install();
        let get = |path: &str| crate::http::Request::get("register", path);
        for request in [get("a"), get("/a").header("Accept-Encoding", "gzip")] {
            assert!(matches!(request.send(), Err(Failure::Refused(_))));
        }
        assert!(get("/a").header("accept", "text/html").send().is_ok());
    }
}
