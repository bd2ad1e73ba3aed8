//! Digests of files, in the form that `sha256sum --check` and `dpkg` read.

use std::fmt::Write as _;

use md5::Md5;
use sha2::{Digest, Sha256};

use crate::tree::Tree;

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A line for each file: SHA-256, two spaces, path.
#[must_use]
pub fn sha256_sums(tree: &Tree) -> String {
    lines(tree, sha256)
}

/// A line for each file: MD5, two spaces, path.
#[must_use]
pub fn md5_sums(tree: &Tree) -> String {
    lines(tree, |bytes| hex(&Md5::digest(bytes)))
}

fn lines(tree: &Tree, digest: impl Fn(&[u8]) -> String) -> String {
    tree.files()
        .fold(String::new(), |mut lines, (path, bytes)| {
            writeln!(lines, "{}  {path}", digest(bytes)).expect("writing to a String cannot fail");
            lines
        })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_have_the_form_of_the_tools() {
        let mut tree = Tree::default();
        tree.add("b", "abc");
        tree.add("a/c", "");
        assert_eq!(
            sha256_sums(&tree),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a/c\n\
             ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n"
        );
        assert_eq!(
            md5_sums(&tree),
            "d41d8cd98f00b204e9800998ecf8427e  a/c\n900150983cd24fb0d6963f7d28e17f72  b\n"
        );
    }
}
