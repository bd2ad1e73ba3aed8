//! The client of a request: the connection's other end, or the one that a trusted proxy names.
//!
//! Only one header is believed, because a proxy that sets one of them passes the other on as the client sent it.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};

use crate::config::{Connections, Forwarded, Network};

const FORWARDED: HeaderName = HeaderName::from_static("forwarded");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Who sent a request. Every request carries it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// The address that limits count: the client's, or that of the last proxy that is known.
    pub counted: IpAddr,
    /// The client's address. `None` if a trusted proxy does not name it.
    pub known: Option<IpAddr>,
    /// Whether the client's own connection uses TLS.
    pub is_secure: bool,
}

/// What decides about the clients of a listener.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    proxies: Vec<Network>,
    header: Forwarded,
}

/// What a proxy says about the connection before it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hop {
    address: Option<IpAddr>,
    is_secure: Option<bool>,
}

impl Trust {
    pub(super) fn new(bounds: &Connections) -> Self {
        let proxies = bounds.proxies.iter().filter_map(|proxy| proxy.parse().ok());
        Self {
            proxies: proxies.collect(),
            header: bounds.forwarded,
        }
    }

    pub(super) fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }

    /// The client of a request with these headers that came from `peer`.
    pub(super) fn client(&self, peer: IpAddr, is_secure: bool, headers: &HeaderMap) -> Client {
        let mut client = Client {
            counted: peer.to_canonical(),
            known: Some(peer.to_canonical()),
            is_secure,
        };
        if !self.is_proxy(peer) {
            return client;
        }
        let hops = match self.header {
            Forwarded::XForwardedFor => {
                let proto = headers.get_all(&FORWARDED_PROTO).iter().next_back();
                if let Some(proto) =
                    proto.and_then(|value| value.as_bytes().rsplit(|byte| *byte == b',').next())
                {
                    client.is_secure = proto.trim_ascii().eq_ignore_ascii_case(b"https");
                }
                let named = headers.get_all(&FORWARDED_FOR).iter();
                // The header has no quoted form.
                let named = named.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
                named.map(hop_of_address).collect()
            }
            Forwarded::Forwarded => forwarded(headers),
        };
        // Each proxy appends the address that it was called from. The first one from the end that is no proxy is the
        // client's; what stands before it is the client's own claim.
        for hop in hops.iter().rev() {
            client.is_secure = hop.is_secure.unwrap_or(client.is_secure);
            client.known = hop.address;
            let Some(address) = hop.address else {
                return client;
            };
            client.counted = address;
            if !self.is_proxy(address) {
                return client;
            }
        }
        client
    }
}

fn hop_of_address(text: &[u8]) -> Hop {
    let text = std::str::from_utf8(text.trim_ascii());
    Hop {
        address: text.ok().and_then(address),
        is_secure: None,
    }
}

/// The elements of `Forwarded` (RFC 7239).
fn forwarded(headers: &HeaderMap) -> Vec<Hop> {
    let mut hops = Vec::new();
    for value in headers.get_all(&FORWARDED) {
        let text = String::from_utf8_lossy(value.as_bytes());
        hops.extend(split(&text, ',').into_iter().map(hop_of_element));
    }
    hops
}

fn hop_of_element(element: &str) -> Hop {
    let mut hop = Hop::default();
    for pair in split(element, ';') {
        let Some((name, value)) = pair.split_once('=') else {
            continue;
        };
        let value = unquoted(value.trim());
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.is_secure = Some(is_https(value)),
            _ => {}
        }
    }
    hop
}

/// Splits at a separator outside quotes, and trims the parts. If a quote does not end, at each separator: a client must
/// not hide in its quote what the proxy appended.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let parts = text.split(|character| {
        let ends = character == separator && !is_quoted;
        if character == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && character == '\\' && !is_escaped;
        ends
    });
    let parts: Vec<&str> = parts.map(str::trim).collect();
    if is_quoted {
        return text.split(separator).map(str::trim).collect();
    }
    parts
}

fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"');
    inner
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text)
}

fn is_https(proto: &str) -> bool {
    proto.eq_ignore_ascii_case("https")
}

/// An address, with or without a port: `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::7`, `[2001:db8::7]:4711`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    let address = text.parse().ok().or_else(bare).or_else(with_port);
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.1";

    /// The client of a request by `peer`: counted address, known address, TLS.
    fn client(header: Forwarded, peer: &str, sent: &[(&str, &str)]) -> (String, String, bool) {
        let trust = Trust::new(&Connections {
            proxies: vec!["10.0.0.0/8".to_owned(), "2001:db8::/64".to_owned()],
            forwarded: header,
            ..Connections::default()
        });
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            let name = HeaderName::try_from(*name).expect("a name");
            headers.append(name, value.parse().expect("a value"));
        }
        let client = trust.client(peer.parse().expect("an address"), false, &headers);
        let known = client
            .known
            .map_or("?".to_owned(), |known| known.to_string());
        (client.counted.to_string(), known, client.is_secure)
    }

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let spoofed = ("x-forwarded-for", "198.51.100.7, 203.0.113.9");
        for (peer, sent, counted, known) in [
            ("192.0.2.1", vec![spoofed], "192.0.2.1", "192.0.2.1"),
            (PROXY, vec![spoofed], "203.0.113.9", "203.0.113.9"),
            (PROXY, vec![], PROXY, PROXY),
            (
                "::ffff:10.0.0.1",
                vec![("x-forwarded-for", "203.0.113.9:4711, 10.9.9.9")],
                "203.0.113.9",
                "203.0.113.9",
            ),
            (
                PROXY,
                vec![
                    ("x-forwarded-for", "198.51.100.7"),
                    ("x-forwarded-for", "[2001:db8:1::7]:1"),
                ],
                "2001:db8:1::7",
                "2001:db8:1::7",
            ),
            (
                PROXY,
                vec![("x-forwarded-for", "203.0.113.9, unknown, 10.2.2.2")],
                "10.2.2.2",
                "?",
            ),
            (PROXY, vec![("x-forwarded-for", "")], PROXY, "?"),
            // What the client sent cannot hide what the proxy appended.
            (
                PROXY,
                vec![("x-forwarded-for", "\", 203.0.113.9")],
                "203.0.113.9",
                "203.0.113.9",
            ),
            (
                PROXY,
                vec![("x-forwarded-for", "\u{fc}, 203.0.113.9")],
                "203.0.113.9",
                "203.0.113.9",
            ),
            (PROXY, vec![("forwarded", "for=203.0.113.9")], PROXY, PROXY),
        ] {
            let (found, found_known, _) = client(Forwarded::XForwardedFor, peer, &sent);
            assert_eq!(
                (found.as_str(), found_known.as_str()),
                (counted, known),
                "{sent:?}"
            );
        }
    }

    #[test]
    fn forwarded_header_is_read_like_rfc_7239() {
        for (value, counted, known, is_secure) in [
            (
                "for=203.0.113.9;proto=https",
                "203.0.113.9",
                "203.0.113.9",
                true,
            ),
            (
                "for=198.51.100.7, For=\"[2001:db8:cafe::17]:4711\";Proto=HTTP",
                "2001:db8:cafe::17",
                "2001:db8:cafe::17",
                false,
            ),
            (
                "for=203.0.113.9;by=\"a, \\\"b; c\";proto=https, for=10.1.1.1;proto=http",
                "203.0.113.9",
                "203.0.113.9",
                true,
            ),
            ("for=_hidden;proto=https", PROXY, "?", true),
            (
                "for=\"a, for=203.0.113.9",
                "203.0.113.9",
                "203.0.113.9",
                false,
            ),
            (
                "for=\u{fc}\"\\, for=\"[2001:db8:cafe::17]\"",
                "2001:db8:cafe::17",
                "2001:db8:cafe::17",
                false,
            ),
            ("proto=https", PROXY, "?", true),
        ] {
            let sent = [("forwarded", value), ("x-forwarded-for", "192.0.2.66")];
            let found = client(Forwarded::Forwarded, PROXY, &sent);
            let expected = (counted.to_owned(), known.to_owned(), is_secure);
            assert_eq!(found, expected, "{value}");
        }
    }

    #[test]
    fn proto_of_a_stranger_is_not_believed() {
        let sent = [("x-forwarded-proto", "https")];
        assert!(!client(Forwarded::XForwardedFor, "192.0.2.1", &sent).2);
        assert!(client(Forwarded::XForwardedFor, PROXY, &sent).2);
    }
}
