//! Archives with the same bytes for the same tree: sorted entries, one time, owner root, fixed permissions.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::tree::{Tree, TreeEntry};

/// A gzipped tar archive of a tree. Every path begins with `prefix`; `time` is in seconds since 1970.
///
/// No entry can be written by group or others, so that what is unpacked is trusted like the program.
///
/// # Panics
/// Never: writing to memory does not fail, and paths fit the format.
#[must_use]
pub fn tar_gz(tree: &Tree, prefix: &str, time: u64) -> Vec<u8> {
    let gzip = GzBuilder::new().write(Vec::new(), Compression::new(6));
    let written = write_tar(tree, prefix, time, gzip).and_then(flate2::write::GzEncoder::finish);
    written.expect("writing to memory cannot fail")
}

fn write_tar<W: Write>(tree: &Tree, prefix: &str, time: u64, to: W) -> io::Result<W> {
    let mut builder = Builder::new(to);
    let top = prefix.trim_end_matches('/');
    if !top.is_empty() {
        append(
            &mut builder,
            &format!("{top}/"),
            &TreeEntry::Directory,
            time,
        )?;
    }
    for (path, entry) in tree.with_directories() {
        let slash = if entry == TreeEntry::Directory {
            "/"
        } else {
            ""
        };
        append(
            &mut builder,
            &format!("{prefix}{path}{slash}"),
            &entry,
            time,
        )?;
    }
    builder.into_inner()
}

fn append<W: Write>(
    builder: &mut Builder<W>,
    path: &str,
    entry: &TreeEntry,
    time: u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    let (kind, mode, bytes): (_, _, &[u8]) = match entry {
        TreeEntry::Directory => (EntryType::Directory, 0o755, &[]),
        TreeEntry::File { bytes, executable } => {
            let mode = if *executable { 0o755 } else { 0o644 };
            (EntryType::Regular, mode, bytes)
        }
    };
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(bytes.len() as u64);
    builder.append_data(&mut header, path, bytes)
}

/// A gzipped file without name and time.
///
/// # Panics
/// Never: writing to memory does not fail.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    let written = gzip.write_all(bytes).and_then(|()| gzip.finish());
    written.expect("writing to memory cannot fail")
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::Arc;

    use flate2::read::GzDecoder;

    use super::*;

    fn tree() -> Tree {
        let mut tree = Tree::default();
        tree.add("docs/a.md", "text");
        tree.add_program("bin", Arc::new(b"code".to_vec()));
        tree.add_directory("data");
        let long = format!("docs/{}.md", "x".repeat(150));
        tree.add(long, "long");
        tree
    }

    /// Path, mode, owner, time and contents of each entry.
    fn unpacked(archive: &[u8]) -> Vec<(String, u32, u64, u64, String)> {
        let mut archive = tar::Archive::new(GzDecoder::new(archive));
        let entries = archive.entries().expect("it is an archive");
        entries
            .map(|entry| {
                let mut entry = entry.expect("an entry");
                let path = entry.path().expect("a path").display().to_string();
                let mut text = String::new();
                entry.read_to_string(&mut text).expect("text");
                let header = entry.header();
                let number = |value: io::Result<u64>| value.expect("a number");
                let mode = header.mode().expect("a number");
                (
                    path,
                    mode,
                    number(header.uid()),
                    number(header.mtime()),
                    text,
                )
            })
            .collect()
    }

    #[test]
    fn archive_is_sorted_and_owned_by_root() {
        let entries = unpacked(&tar_gz(&tree(), "lustra-1/", 1_700_000_000));
        let paths: Vec<&str> = entries.iter().map(|entry| entry.0.as_str()).collect();
        let long = format!("lustra-1/docs/{}.md", "x".repeat(150));
        assert_eq!(
            paths,
            [
                "lustra-1/",
                "lustra-1/bin",
                "lustra-1/data/",
                "lustra-1/docs/",
                "lustra-1/docs/a.md",
                &long
            ]
        );
        let modes: Vec<u32> = entries.iter().map(|entry| entry.1).collect();
        assert_eq!(modes, [0o755, 0o755, 0o755, 0o755, 0o644, 0o644]);
        assert!(
            entries
                .iter()
                .all(|entry| entry.2 == 0 && entry.3 == 1_700_000_000)
        );
        assert_eq!(entries[4].4, "text");
    }

    #[test]
    fn same_tree_gives_the_same_bytes() {
        let other_order = {
            let mut other = Tree::default();
            let before = tree();
            for (path, bytes) in before.files().collect::<Vec<_>>().into_iter().rev() {
                if path != "bin" {
                    other.add(path, bytes);
                }
            }
            other.add_directory("data");
            other.add_program("bin", Arc::new(b"code".to_vec()));
            other
        };
        assert_eq!(tar_gz(&tree(), "a/", 1), tar_gz(&other_order, "a/", 1));
        assert_ne!(tar_gz(&tree(), "a/", 1), tar_gz(&tree(), "a/", 2));
    }
}
