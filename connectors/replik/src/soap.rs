//! SOAP 1.1 document/literal requests and answers: envelopes and faults.

use lustra_sdk::http::Request;
use lustra_sdk::xml::{self, Element};
use lustra_sdk::{Evidence, Failure, malformed, text};

/// The upstream of the service.
pub const UPSTREAM: &str = "replik";

/// The path below the upstream's address.
pub const PATH: &str = "/";

/// Maximum quoted length of a fault's text, in characters.
const FAULT_CHARACTERS: usize = 200;

/// An operation of the service `konanieService`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The proceedings of a debtor, by IČO.
    ProceedingsByIco,
    /// One proceeding with its debtor and administrator.
    Detail,
    /// The proceedings that changed since a time.
    ChangesSince,
}

impl Operation {
    /// The name in the WSDL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProceedingsByIco => "getKonaniePodlaICO",
            Self::Detail => "getKonanieDetail",
            Self::ChangesSince => "vyhladajPoslednuZmenuOd",
        }
    }
}

/// The envelope of a request, with fields in the order of the service's schema.
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

/// Sends a request and returns the answer's element `<operation>Response` with its evidence.
///
/// # Errors
/// As [`answer`]; [`lustra_sdk::failure::of_status`] for statuses other than 200 without a fault; the host's
/// refusal.
pub fn ask(operation: Operation, fields: &[(&str, &str)]) -> Result<(Element, Evidence), Failure> {
    let body = envelope(operation, fields);
    let response = Request::post_text(UPSTREAM, PATH, "text/xml; charset=utf-8", body)
        .header("SOAPAction", "\"\"")
        .idempotent()
        .send()?;
    if response.status != 200 {
        let status = response.status_failure();
        // SOAP 1.1 sends faults with status 500, and they contain more than the status.
        let fault = (response.status == 500)
            .then(|| response.body.text(Some("utf-8")).ok())
            .flatten()
            .and_then(|text| fault_of(operation, &text));
        return Err(fault.unwrap_or(status));
    }
    // The service uses UTF-8 regardless of its headers.
    let text = response.body.text(Some("utf-8"))?;
    let element = answer(operation, &text)?;
    Ok((element, response.body.evidence()))
}

/// Reads an answer: its element `<operation>Response`.
///
/// # Errors
/// [`Failure::Unavailable`] for a SOAP fault and for an HTML page; [`Failure::Malformed`] for any other
/// document, a truncated one, or the answer of another operation.
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
