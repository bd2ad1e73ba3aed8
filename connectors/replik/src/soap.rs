//! Questions and answers in SOAP 1.1, document/literal: the envelope around them, and what stands in its place.

use lustra_sdk::http::Request;
use lustra_sdk::xml::{self, Element};
use lustra_sdk::{Evidence, Failure, malformed, text};

/// The upstream of the service.
pub const UPSTREAM: &str = "replik";

/// Below the upstream's address.
pub const PATH: &str = "/";

/// How much of a fault's text is quoted, in characters.
const FAULT_CHARACTERS: usize = 200;

/// A question of the service `konanieService`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The proceedings over a debtor, by its IČO.
    ProceedingsByIco,
    /// One proceeding with debtor and administrator.
    Detail,
    /// Which proceedings changed since a time.
    ChangesSince,
}

impl Operation {
    /// The name in the service's description.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProceedingsByIco => "getKonaniePodlaICO",
            Self::Detail => "getKonanieDetail",
            Self::ChangesSince => "vyhladajPoslednuZmenuOd",
        }
    }
}

/// The envelope of a question; the fields in the order of the service's schema.
#[must_use]
pub fn envelope(operation: Operation, fields: &[(&str, &str)]) -> String {
    let name = operation.name();
    let fields: String = fields
        .iter()
        .map(|(field, value)| format!("<d:{field}>{}</d:{field}>", escaped(value)))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:d=\"datatypes.konanie.verejnost.ru.sk.hp.com\"><soapenv:Header/><soapenv:Body>\
         <d:{name}Request>{fields}</d:{name}Request></soapenv:Body></soapenv:Envelope>"
    )
}

fn escaped(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Asks, and gives the answer's element `<operation>Response` with the evidence.
///
/// # Errors
/// As [`answer`]; statuses other than 200 without a fault as [`lustra_sdk::failure::of_status`] says; what the host
/// refused.
pub fn ask(operation: Operation, fields: &[(&str, &str)]) -> Result<(Element, Evidence), Failure> {
    let body = envelope(operation, fields);
    let response = Request::post_text(UPSTREAM, PATH, "text/xml; charset=utf-8", body)
        .header("SOAPAction", "\"\"")
        .idempotent()
        .send()?;
    if response.status != 200 {
        let status = response.status_failure();
        // SOAP 1.1 sends its faults with 500, and they say more than the status.
        let fault = (response.status == 500)
            .then(|| response.body.text(Some("utf-8")).ok())
            .flatten()
            .and_then(|text| fault_of(operation, &text));
        return Err(fault.unwrap_or(status));
    }
    // The service speaks UTF-8 whatever a header says.
    let text = response.body.text(Some("utf-8"))?;
    let element = answer(operation, &text)?;
    Ok((element, response.body.evidence()))
}

/// Reads an answer: its element `<operation>Response`.
///
/// # Errors
/// [`Failure::Unavailable`] for a SOAP fault and for a page of HTML; [`Failure::Malformed`] for what is no envelope,
/// ends early or answers another question.
pub fn answer(operation: Operation, text: &str) -> Result<Element, Failure> {
    let name = operation.name();
    let envelope = xml::parse(name, text)?;
    let body = envelope.child("Body");
    let (true, Some(body)) = (envelope.name == "Envelope", body) else {
        return Err(malformed(
            name,
            "a SOAP envelope with a body",
            envelope.name,
        ));
    };
    if let Some(fault) = fault_in(operation, body) {
        return Err(fault);
    }
    let expected = format!("{name}Response");
    match body.child(&expected) {
        Some(response) => Ok(response.clone()),
        None => {
            let found: Vec<&str> = body.children.iter().map(|c| c.name.as_str()).collect();
            Err(malformed(
                format!("{name}: Body"),
                expected,
                found.join(", "),
            ))
        }
    }
}

fn fault_of(operation: Operation, text: &str) -> Option<Failure> {
    let envelope = xml::parse(operation.name(), text).ok()?;
    fault_in(operation, envelope.child("Body")?)
}

fn fault_in(operation: Operation, body: &Element) -> Option<Failure> {
    let fault = body.child("Fault")?;
    let said = text::squeeze(fault.text_of("faultstring").unwrap_or("no faultstring"));
    let said: String = said.chars().take(FAULT_CHARACTERS).collect();
    Some(Failure::Unavailable(format!(
        "{} answered with a fault: {said}",
        operation.name()
    )))
}
