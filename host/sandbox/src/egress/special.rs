//! Addresses and names that are not on the public internet.
//!
//! Pure functions. The list follows the design (delivery-billing §3) and IANA's special-purpose registries. For IPv6
//! only `2000::/3` is public. Forms that embed an IPv4 address are judged by it; the obsolete forms (6to4, Teredo,
//! v4-compatible) are always special.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The name of the special range of the address, or `None` if it is public.
pub(super) fn special_range(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

/// Whether a host name has a meaning only inside a network: it has no dot or is under a local domain.
#[must_use]
pub fn special_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    !host.contains('.')
        || [".localhost", ".local", ".internal"]
            .iter()
            .any(|suffix| host.ends_with(suffix))
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, _, _) => "unspecified",
        (10, _, _) | (172, 16..=31, _) | (192, 168, _) => "private",
        (100, 64..=127, _) => "shared by carriers",
        (127, _, _) => "loopback",
        (169, 254, _) => "link-local",
        (192, 0, 0) => "protocol assignments",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "documentation",
        (192, 88, 99) => "6to4 relay",
        (198, 18..=19, _) => "benchmarking",
        (224..=239, _, _) => "multicast",
        (240.., _, _) => "reserved or broadcast",
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    if let Some(inner) = translated(&segments) {
        return special_v4(inner);
    }
    if let Some(range) = special_isatap(&segments) {
        return Some(range);
    }
    Some(match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0, 0, 0, 0, 0, 0, 0, 1] => "loopback",
        [0, 0, 0, 0, 0, 0, ..] => "v4-compatible",
        [0x64, 0xff9b, ..] => "local NAT64",
        [0x100, 0, 0, ..] => "discard",
        [0xfc00..=0xfdff, ..] => "unique local",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xfec0..=0xfeff, ..] => "site-local",
        [0xff00..=0xffff, ..] => "multicast",
        [0x2001, 0, ..] => "Teredo",
        [0x2001, 2, 0, ..] => "benchmarking",
        [0x2001, 0..=0x1ff, ..] => "protocol assignments",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => "documentation",
        [0x2002, ..] => "6to4",
        [0x2000..=0x3fff, ..] => return None,
        _ => "reserved",
    })
}

/// The IPv4 address in a v4-mapped or NAT64 address. Both forms reach that address, public or not.
fn translated(segments: &[u16; 8]) -> Option<Ipv4Addr> {
    match *segments {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        _ => None,
    }
}

/// Checks an ISATAP interface identifier, which embeds an IPv4 address; special if that address is.
fn special_isatap(segments: &[u16; 8]) -> Option<&'static str> {
    match *segments {
        [.., 0 | 0x200, 0x5efe, high, low] => special_v4(v4(high, low)),
        _ => None,
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}
