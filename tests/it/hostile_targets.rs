//! Addresses that no webhook may reach, in every spelling that some parser accepts.

use std::collections::BTreeSet;

/// Of each special IPv4 range: its first, its last or its most attractive address.
const SPECIAL_V4: [[u8; 4]; 28] = [
    [0, 0, 0, 0],
    [0, 255, 255, 255],
    [10, 0, 0, 1],
    [10, 255, 255, 255],
    [100, 64, 0, 1],
    [100, 127, 255, 254],
    [127, 0, 0, 1],
    [127, 0, 0, 2],
    [127, 255, 255, 254],
    [169, 254, 0, 1],
    [169, 254, 169, 254],
    [172, 16, 0, 1],
    [172, 31, 255, 254],
    [192, 0, 0, 1],
    [192, 0, 0, 170],
    [192, 0, 2, 1],
    [192, 88, 99, 1],
    [192, 168, 0, 1],
    [192, 168, 255, 254],
    [198, 18, 0, 1],
    [198, 19, 255, 254],
    [198, 51, 100, 7],
    [203, 0, 113, 9],
    [224, 0, 0, 1],
    [239, 255, 255, 255],
    [240, 0, 0, 1],
    [255, 255, 255, 254],
    [255, 255, 255, 255],
];

/// Special IPv6 ranges that contain no IPv4 address.
const SPECIAL_V6: [&str; 33] = [
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "::2",
    "100::1",
    "100:0:0:1::1",
    "64:ff9b:1::1",
    "2001::1",
    "2001:1::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:1ff::1",
    "2002::1",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "8000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe80::1",
    "febf:ffff::1",
    "fec0::1",
    "feff::1",
    "ff00::1",
    "ff02::1",
    "ff0e::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/// Names that resolve only inside a network.
const LOCAL_NAMES: [&str; 26] = [
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "localhost.",
    "localhost..",
    "a.localhost",
    "a.b.localhost.",
    "x.LOCALHOST",
    "ｌｏｃａｌｈｏｓｔ",
    "local%68ost",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "loca\u{ad}lhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ip6-localhost",
    "ip6-loopback",
    "printer.local",
    "printer.LOCAL.",
    "printer。local",
    "metadata.google.internal",
    "metadata.google.internal.",
    "METADATA.GOOGLE.ıNTERNAL.internal",
    "db.internal",
    "intranet",
    "intranet.",
    "postgres",
    "xn--4gbrim",
];

/// Ordinary names that resolve to internal addresses.
pub const LEADING_INSIDE: [&str; 10] = [
    "http://localhost.localdomain{port}/hooks",
    "http://127.0.0.1.nip.example{port}/hooks",
    "http://7f000001.rebind.example{port}/hooks",
    "https://inside.example{port}/hooks",
    "http://a.home.arpa{port}/",
    "http://gateway.lan{port}/",
    "http://xn--lcalhost-u4a.example{port}/",
    "http://inside.example.{port}/hooks?a=b#c",
    "http://0x7f.1.example{port}/hooks",
    "http://127.0.0.1x.example{port}/hooks",
];

/// Texts that are not web addresses, or only look like one.
const NO_ADDRESSES: [&str; 44] = [
    "ftp://127.0.0.1{port}/",
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "gopher://127.0.0.1{port}/_x",
    "ws://127.0.0.1{port}/",
    "wss://127.0.0.1{port}/",
    "dict://127.0.0.1{port}/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "blob:http://127.0.0.1{port}/x",
    "unix:/run/docker.sock",
    "http+unix://%2Frun%2Fdocker.sock/",
    "jar:http://127.0.0.1{port}!/",
    "view-source:http://127.0.0.1{port}/",
    "//127.0.0.1{port}/hooks",
    "/hooks",
    "127.0.0.1{port}",
    "hooks",
    "http:",
    "http://",
    "http:///hooks",
    "http://:80/",
    "http://?",
    "http://#",
    "http:127.0.0.1{port}/hooks",
    "http:/127.0.0.1{port}/hooks",
    "http:////127.0.0.1{port}/hooks",
    "HTTP://127.0.0.1{port}/hooks",
    "hTTp://[::1]{port}/hooks",
    "http://[::1%25lo]{port}/",
    "http://[::1%lo]{port}/",
    "http://[fe80::1%25eth0]{port}/",
    "http://[fe80::1%eth0]{port}/",
    "http://[::1{port}/",
    "http://::1{port}/",
    "http://[127.0.0.1]{port}/",
    "http://[v1.x]{port}/",
    "http://256.256.256.256{port}/",
    "http://1.2.3.4.5{port}/",
    "http://0x1ffffffff{port}/",
    "http://99999999999{port}/",
    "http://1.1.1.1:99999/",
    "http://1.1.1.1:-1/",
    "http://exa mple.com{port}/",
];

/// User names and passwords that disguise the real host.
const USERINFO: [&str; 12] = [
    "http://example.com@127.0.0.1{port}/",
    "http://example.com:80@127.0.0.1{port}/",
    "http://user@example.com{port}/",
    "http://user:password@example.com{port}/",
    "http://:password@example.com{port}/",
    "http://%31@example.com{port}/",
    "http://a@b@127.0.0.1{port}/",
    "http://127.0.0.1{port}@example.com/",
    "http://example.com#@127.0.0.1{port}/\u{1}",
    "http://example.com%00@127.0.0.1{port}/",
    "http://example.com%2f@127.0.0.1{port}/",
    "http://[::1]@example.com{port}/",
];

/// Characters that parsers drop or interpret differently.
const ODD: [&str; 16] = [
    "\0", "\t", "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{7f}", "\u{85}", " ", "\u{a0}",
    "\u{2028}", "\u{3000}", "\\", "\\\\", "\u{1b}",
];

/// Spellings of an IPv4 address that some parser accepts.
fn spelled_v4([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let whole = u32::from_be_bytes([a, b, c, d]);
    let dotted = format!("{a}.{b}.{c}.{d}");
    let lower = whole & 0x00ff_ffff;
    let low = whole & 0xffff;
    // Full-width digits begin at U+FF10.
    let wide: String = dotted
        .chars()
        .map(|one| match one.to_digit(10) {
            Some(digit) => char::from_u32(0xff10 + digit).unwrap_or(one),
            None => one,
        })
        .collect();
    let encoded: String = dotted.bytes().map(|byte| format!("%{byte:02x}")).collect();
    vec![
        dotted.clone(),
        format!("{dotted}."),
        format!("{whole}"),
        format!("{whole:#x}"),
        format!("{whole:#X}").replace("0X", "0x0"),
        format!("0{whole:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0{a:o}.{b}.{c:#x}.{d}"),
        format!("000{a:o}.{b}.{c}.{d}"),
        format!("{a}.{lower}"),
        format!("{a}.{b}.{low}"),
        format!("{a:#x}.{lower:#x}"),
        dotted.replace('.', "。"),
        dotted.replace('.', "．"),
        dotted.replacen('.', "%2e", 2),
        wide,
        encoded,
    ]
}

/// IPv6 addresses that embed an IPv4 address.
fn carrying([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    let dotted = format!("{a}.{b}.{c}.{d}");
    vec![
        format!("::ffff:{dotted}"),
        format!("::ffff:{high:x}:{low:x}"),
        format!("0:0:0:0:0:FFFF:{high:04X}:{low:04X}"),
        format!("::{dotted}"),
        format!("::ffff:0:{dotted}"),
        format!("64:ff9b::{dotted}"),
        format!("64:ff9b:1::{dotted}"),
        format!("2002:{high:x}:{low:x}::1"),
        format!("2001:0:{high:x}:{low:x}::1"),
        format!("2001::{:x}:{:x}", !high, !low),
        format!("2a00:1450:1:2:0:5efe:{dotted}"),
        format!("2a00:1450:1:2:200:5efe:{high:x}:{low:x}"),
    ]
}

/// Every hostile address that is recognised by its text, with this port.
pub fn recognised_by_their_text(port: u16) -> Vec<String> {
    let port = format!(":{port}");
    let mut hosts: Vec<String> = Vec::new();
    for address in SPECIAL_V4 {
        hosts.extend(spelled_v4(address));
        hosts.extend(
            carrying(address)
                .into_iter()
                .map(|host| format!("[{host}]")),
        );
    }
    hosts.extend(SPECIAL_V6.iter().map(|host| format!("[{host}]")));
    hosts.extend(LOCAL_NAMES.iter().map(|host| (*host).to_owned()));
    let mut all: BTreeSet<String> = hosts
        .iter()
        .map(|host| format!("http://{host}{port}/hooks"))
        .collect();
    for host in ["127.0.0.1", "[::1]", "localhost", "169.254.169.254"] {
        for scheme in ["http", "https"] {
            let rests = [
                "",
                "/",
                "?a=b",
                "#c",
                "/../..",
                "/%2e%2e/?x=http://example.com",
            ];
            all.extend(rests.map(|rest| format!("{scheme}://{host}{port}{rest}")));
            all.insert(format!("{scheme}://{host}"));
        }
    }
    for odd in ODD {
        all.insert(format!("http://example.com{odd}@127.0.0.1{port}/"));
        all.insert(format!("http://127.0.0.1{odd}{port}/"));
        all.insert(format!("http://exa{odd}mple.com{port}/"));
        all.insert(format!("http://example.com{port}/a{odd}b"));
        all.insert(format!("ht{odd}tp://127.0.0.1{port}/"));
    }
    let others = NO_ADDRESSES.iter().chain(&USERINFO);
    all.extend(others.map(|text| text.replace("{port}", &port)));
    all.insert(format!("http://example.com/{}", "a".repeat(2_100)));
    all.into_iter().collect()
}
