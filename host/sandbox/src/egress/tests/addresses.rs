//! Pure decisions on addresses, grants and address ranges.

use std::path::Path;

use url::Url;

use super::super::address::join;
use super::super::special::{special_name, special_range};
use super::super::{Address, Grant, InvalidAddress, InvalidGrant};

fn allows(grant: &str, url: &str) -> bool {
    let url = Url::parse(url).expect("a URL");
    Grant::parse(grant).expect("a grant").allows_url(&url)
}

#[test]
fn address_is_url_or_file() {
    let base = Address::parse("https://api.statistics.sk/rpo/").expect("an address");
    assert!(matches!(base, Address::Http(url) if url.path() == "/rpo"));
    for text in ["file:/srv/lists/dovera.csv", "file:///srv/lists/dovera.csv"] {
        let file = Address::parse(text).expect("an address");
        assert_eq!(file, Address::File("/srv/lists/dovera.csv".into()));
    }
}

#[test]
fn ambiguous_address_is_refused() {
    use InvalidAddress::{File, Scheme, Trailing, Userinfo};
    let refused = |text| Address::parse(text).expect_err(text);
    assert_eq!(refused("https://me:key@orsr.sk"), Userinfo);
    assert_eq!(refused("https://orsr.sk/#top"), Trailing);
    assert_eq!(refused("https://orsr.sk/?key=1"), Trailing);
    assert_eq!(refused("ftp://orsr.sk"), Scheme("ftp".to_owned()));
    for text in [
        "file:lists/dovera.csv",
        "file://server/dovera.csv",
        "file:/srv/../etc/passwd",
        "file:/srv/./list",
        "file:/srv//list",
        "file:/",
        "file:",
    ] {
        assert_eq!(refused(text), File, "{text}");
    }
    assert!(matches!(refused(""), InvalidAddress::NoUrl(_)));
}

#[test]
fn joined_path_stays_below_base_address() {
    let base = Url::parse("https://api.statistics.sk/rpo").expect("a URL");
    let joined = |path| join("rpo", &base, path).map(String::from);
    assert_eq!(
        joined("/v1?q=a%20b").as_deref(),
        Ok("https://api.statistics.sk/rpo/v1?q=a%20b")
    );
    assert_eq!(
        joined("?q=1").as_deref(),
        Ok("https://api.statistics.sk/rpo?q=1")
    );
    assert_eq!(joined("").as_deref(), Ok("https://api.statistics.sk/rpo"));
    assert_eq!(
        joined("/a/../b").as_deref(),
        Ok("https://api.statistics.sk/rpo/b")
    );
    for path in [
        "/../admin",
        "/%2e%2e/admin",
        "x",
        ".evil.sk/",
        "@evil.sk/",
        ":81/",
        "\\..\\x",
    ] {
        assert!(joined(path).is_err(), "{path}");
    }
    let root = Url::parse("https://orsr.sk").expect("a URL");
    let joined = |path| join("orsr", &root, path).map(String::from);
    assert_eq!(
        joined("//evil.sk/x").as_deref(),
        Ok("https://orsr.sk//evil.sk/x")
    );
    for path in [".evil.sk/", "@evil.sk/", ":81/"] {
        assert!(joined(path).is_err(), "{path}");
    }
}

#[test]
fn grant_matches_scheme_host_and_port() {
    assert!(allows("https://orsr.sk", "https://orsr.sk/vypis?id=1"));
    assert!(allows("https://orsr.sk/", "https://orsr.sk:443/"));
    assert!(allows("https://ORSR.sk", "https://orsr.SK/"));
    assert!(!allows("https://orsr.sk", "http://orsr.sk/"));
    assert!(!allows("https://orsr.sk", "https://orsr.sk:8443/"));
    assert!(!allows("https://orsr.sk", "https://www.orsr.sk/"));
    assert!(!allows("https://orsr.sk", "https://orsr.sk.evil.sk/"));
    assert!(!allows("https://orsr.sk", "https://me@orsr.sk/"));
    assert!(allows("http://127.0.0.1:4545", "http://2130706433:4545/"));
    assert!(allows(
        "http://[::1]:4545",
        "http://[0:0:0:0:0:0:0:1]:4545/"
    ));
}

#[test]
fn wildcard_covers_only_subdomains() {
    assert!(allows("https://*.orsr.sk", "https://www.orsr.sk/"));
    assert!(allows("https://*.orsr.sk", "https://a.b.orsr.sk/"));
    assert!(!allows("https://*.orsr.sk", "https://orsr.sk/"));
    assert!(!allows("https://*.orsr.sk", "https://evilorsr.sk/"));
    assert!(!allows("https://*.orsr.sk", "https://www.orsr.sk.evil.sk/"));
    assert!(!allows("https://*.orsr.sk", "https://www.orsr.sk:444/"));
    for text in [
        "https://*.sk",
        "https://*",
        "https://a.*.sk",
        "https://*.*.sk",
        "http://*.127.0.0.1",
    ] {
        assert_eq!(Grant::parse(text), Err(InvalidGrant::Wildcard), "{text}");
    }
    for text in [
        "https://orsr.sk/path",
        "https://orsr.sk?a",
        "https://me@orsr.sk",
    ] {
        assert_eq!(
            Grant::parse(text),
            Err(InvalidGrant::MoreThanHost),
            "{text}"
        );
    }
}

#[test]
fn file_grant_matches_exact_path() {
    let grant = Grant::parse("file:/srv/lists/dovera.csv").expect("a grant");
    assert!(grant.allows_file(Path::new("/srv/lists/dovera.csv")));
    assert!(!grant.allows_file(Path::new("/srv/lists/dovera.csv.old")));
    assert!(!grant.allows_file(Path::new("/srv/lists/../lists/dovera.csv")));
    assert_eq!(Grant::parse("file:/srv/../etc"), Err(InvalidGrant::File));
}

#[test]
fn every_special_range_is_recognised() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:a00:1::",
        "2002:808:808::",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "2a00:1450::5efe:a00:1",
        "2a00:1450::200:5efe:7f00:1",
    ] {
        let parsed = address.parse().expect(address);
        assert!(special_range(parsed).is_some(), "{address}");
    }
}

#[test]
fn public_addresses_are_not_special() {
    for address in [
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "169.253.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.0.1",
        "192.169.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2a00:1450:4014::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2001:200::1",
        "2003::1",
    ] {
        let parsed = address.parse().expect(address);
        assert_eq!(special_range(parsed), None, "{address}");
    }
}

#[test]
fn local_names_are_special() {
    for name in [
        "localhost",
        "LOCALHOST.",
        "x.localhost",
        "printer",
        "printer.local",
        "db.internal",
        "Db.Internal.",
    ] {
        assert!(special_name(name), "{name}");
    }
    for name in ["orsr.sk", "internal.sk", "local.orsr.sk"] {
        assert!(!special_name(name), "{name}");
    }
}
