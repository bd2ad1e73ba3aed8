//! Chunk boundaries, odd characters and other kinds of files.

use super::*;

/// A reader that returns single bytes, so that every position is a chunk boundary.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(into.len()).min(1);
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn mended(bytes: &[u8]) -> Result<String, Failure> {
    let read = |opened: Result<Opened<_>, Failure>| match opened? {
        Opened::Empty => Ok(String::new()),
        Opened::File(file) => io::read_to_string(file).map_err(|error| http::of_io("file", &error)),
    };
    let whole = Mended::open("file", bytes, "r").map(|opened| match opened {
        Opened::Empty => String::new(),
        Opened::File(file) => io::read_to_string(file).unwrap_or_default(),
    });
    let dropped = read(Mended::open("file", Drops(bytes), "r"));
    if let (Ok(whole), Ok(dropped)) = (&whole, &dropped) {
        assert_eq!(whole, dropped, "borders do not matter");
    }
    dropped
}

#[test]
fn nearly_valid_xml_becomes_xml() {
    for (raw, expected) in [
        ("<r>A & B &amp; C</r>", "<r>A &amp; B &amp; C</r>"),
        ("<r>&scaron;&nbsp;&euro;</r>", "<r>š\u{a0}€</r>"),
        (
            "<r>&nonsense; &#353; &#2;</r>",
            "<r>&amp;nonsense; &#353; &amp;#2;</r>",
        ),
        ("<r>&toolongtobeone;</r>", "<r>&amp;toolongtobeone;</r>"),
        ("<r>a < b <5 <c/></r>", "<r>a &lt; b &lt;5 <c/></r>"),
        ("<r>a\u{b}b\u{1f}</r>", "<r>a b </r>"),
        (
            "<r><![CDATA[A & B <5 ]] ]]>&</r>",
            "<r><![CDATA[A & B <5 ]] ]]>&amp;</r>",
        ),
        (
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- <x> --><r>žltý 漢 😀</r>",
            "<?xml version=\"1.0\"?>\n<!-- <x> --><r>žltý 漢 😀</r>",
        ),
        ("<r>&", "<r>&amp;"),
    ] {
        assert_eq!(
            mended(raw.as_bytes()).expect("it is mended"),
            expected,
            "{raw}"
        );
    }
}

#[test]
fn single_bytes_that_are_not_utf8_are_replaced() {
    let whole = "<r>žltý šťavnatý kôň".as_bytes();
    let raw = [whole, b" \x9e \xc5</r>"].concat();
    assert_eq!(
        mended(&raw).expect("it is mended"),
        "<r>žltý šťavnatý kôň \u{fffd} \u{fffd}</r>"
    );
    let letters = "š".repeat(1_000);
    let many = [b"<r>", letters.as_bytes(), &[0x9e; 300], b"</r>"].concat();
    assert!(matches!(mended(&many), Err(Failure::Malformed(_))));
}

#[test]
fn file_in_another_charset_is_refused() {
    let long = [b"<r>", "a".repeat(CHUNK).as_bytes(), b"\x9elt\xfd</r>"].concat();
    let dense = [b"<r>", b"\x9elt\xfd ".repeat(CHUNK).as_slice(), b"</r>"].concat();
    for raw in [b"<r>\x9elt\xfd</r>", long.as_slice(), &dense] {
        let Ok(Opened::File(file)) = Mended::open("file", raw, "r") else {
            panic!("it has the root");
        };
        assert!(io::read_to_string(file).is_err(), "{} bytes", raw.len());
    }
}

#[test]
fn short_file_in_another_charset_gives_no_byte() {
    let Ok(Opened::File(mut file)) = Mended::open("file", &b"<r>\x9elt\xfd</r>"[..], "r") else {
        panic!("it has the root");
    };
    assert!(file.read(&mut [0; 4]).is_err());
}

#[test]
fn other_kinds_of_files_are_recognized() {
    assert_eq!(mended(b"").expect("nothing"), "");
    for page in [
        "<!DOCTYPE html><html><body/></html>",
        "<HTML lang=\"sk\"></HTML>",
    ] {
        assert!(matches!(
            mended(page.as_bytes()),
            Err(Failure::Unavailable(_))
        ));
    }
    for other in ["<error/>", "garbage", "<", "<?xml version=\"1.0\"?>", "<r"] {
        assert!(
            matches!(mended(other.as_bytes()), Err(Failure::Malformed(_))),
            "{other}"
        );
    }
}
