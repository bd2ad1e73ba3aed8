//! Networks of IP addresses in CIDR form.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A network such as `10.0.0.0/8` or `2001:db8::/32`; a single address is a network of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// A text that is no network in CIDR form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address or a network in CIDR form, such as 192.0.2.7 or 192.0.2.0/24")]
pub struct InvalidNetwork;

impl Network {
    /// Whether an address belongs to the network. An IPv4 address that is written as IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4()
            && masked(address, self.prefix) == masked(self.address, self.prefix)
    }

    /// Whether one of these networks contains the address.
    #[must_use]
    pub fn any_contains<'a>(networks: impl IntoIterator<Item = &'a str>, address: IpAddr) -> bool {
        let mut networks = networks.into_iter();
        networks.any(|network| {
            let network = Self::from_str(network);
            network.is_ok_and(|network| network.contains(address))
        })
    }
}

/// The leading bits of an address.
fn masked(address: IpAddr, prefix: u8) -> u128 {
    let (bits, width) = match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    };
    bits.checked_shr(width - u32::from(prefix)).unwrap_or(0)
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok().ok_or(InvalidNetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|prefix| *prefix <= most)
            }
            Some(_) => None,
            None => Some(most),
        };
        let prefix = prefix.ok_or(InvalidNetwork)?;
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_contains_its_addresses_only() {
        for (network, address, expected) in [
            ("192.0.2.0/24", "192.0.2.255", true),
            ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "::ffff:192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
        ] {
            let address: IpAddr = address.parse().expect("an address");
            let found = Network::any_contains([network], address);
            assert_eq!(found, expected, "{network} {address}");
        }
        for wrong in [
            "",
            "x",
            "192.0.2.0/33",
            "192.0.2.0/",
            "192.0.2.0/+8",
            "::/129",
        ] {
            assert_eq!(Network::from_str(wrong), Err(InvalidNetwork), "{wrong}");
        }
    }
}
