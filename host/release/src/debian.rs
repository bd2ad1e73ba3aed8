//! The Debian package: the same files at the places that Debian's policy gives them.

use std::sync::Arc;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use crate::archive::{gzip, tar_gz};
use crate::settings::{PACKAGE, adjusted, unit};
use crate::sums::md5_sums;
use crate::tree::Tree;
use crate::{ReleaseError, contents::Contents};

const POSTINST: &str = include_str!("../files/debian/postinst");
const PRERM: &str = include_str!("../files/debian/prerm");
const POSTRM: &str = include_str!("../files/debian/postrm");

/// What the package's control file says.
#[derive(Debug)]
pub struct Control<'a> {
    pub version: &'a str,
    /// Debian's name of the architecture, such as `amd64`.
    pub architecture: &'a str,
    pub maintainer: &'a str,
    /// Oldest version of the C library.
    pub libc: Option<&'a str>,
    /// Seconds since 1970, of all files and of the changelog.
    pub time: u64,
}

/// The package's file name.
#[must_use]
pub fn file_name(control: &Control<'_>) -> String {
    format!("lustra_{}_{}.deb", control.version, control.architecture)
}

/// The package.
///
/// # Errors
/// The shipped settings lack a line.
pub fn package(contents: &Contents, control: &Control<'_>) -> Result<Vec<u8>, ReleaseError> {
    let data = files(contents, control)?;
    let mut info = Tree::default();
    info.add("control", control_file(control, data.size()));
    info.add("conffiles", format!("{}\n", PACKAGE.config));
    let sums = md5_sums(&without(&data, PACKAGE.config.trim_start_matches('/')));
    info.add("md5sums", sums);
    for (name, script) in [("postinst", POSTINST), ("prerm", PRERM), ("postrm", POSTRM)] {
        info.add_program(name, Arc::new(script.as_bytes().to_vec()));
    }
    Ok(ar(
        &[
            ("debian-binary", b"2.0\n"),
            ("control.tar.gz", &tar_gz(&info, "./", control.time)),
            ("data.tar.gz", &tar_gz(&data, "./", control.time)),
        ],
        control.time,
    ))
}

/// `dpkg` keeps digests of settings files elsewhere.
fn without(tree: &Tree, path: &str) -> Tree {
    let mut others = Tree::default();
    for (other, bytes) in tree.files().filter(|(other, _)| *other != path) {
        others.add(other, bytes);
    }
    others
}

fn files(contents: &Contents, control: &Control<'_>) -> Result<Tree, ReleaseError> {
    let mut data = Tree::default();
    let archive = &contents.archive;
    let settings = adjusted(&contents.settings, &PACKAGE)?;
    data.add("etc/lustra/lustra.toml", settings);
    data.add_program("usr/bin/lustra", Arc::clone(&contents.program));
    data.copy_below(archive, "components", "usr/share/lustra/components");
    data.copy_below(archive, "precompiled", "usr/lib/lustra/precompiled");
    for (name, template) in crate::contents::UNITS {
        let path = format!("usr/lib/systemd/system/{name}");
        data.add(path, unit(template, &PACKAGE));
    }
    for (shell, path) in [
        (
            "lustra.bash",
            "usr/share/bash-completion/completions/lustra",
        ),
        ("_lustra", "usr/share/zsh/vendor-completions/_lustra"),
        (
            "lustra.fish",
            "usr/share/fish/vendor_completions.d/lustra.fish",
        ),
    ] {
        if let Some(completion) = archive.file(&format!("completions/{shell}")) {
            data.add(path, completion.as_slice());
        }
    }
    for (path, page) in archive.files() {
        if let Some(name) = path.strip_prefix("man/") {
            let section = name.rsplit('.').next().unwrap_or("1");
            let path = format!("usr/share/man/man{section}/{name}.gz");
            data.add(path, gzip(page));
        }
    }
    let documents = "usr/share/doc/lustra";
    data.copy_below(archive, "docs", documents);
    data.copy_below(archive, "ops", &format!("{documents}/ops"));
    for name in ["sbom.cdx.json", "LICENSES-third-party.txt"] {
        if let Some(file) = archive.file(name) {
            data.add(format!("{documents}/{name}.gz"), gzip(file));
        }
    }
    if let Some(changes) = archive.file("CHANGELOG.md") {
        data.add(format!("{documents}/CHANGELOG.md.gz"), gzip(changes));
    }
    let changes = changelog(control);
    data.add(
        format!("{documents}/changelog.gz"),
        gzip(changes.as_bytes()),
    );
    data.add(format!("{documents}/copyright"), COPYRIGHT);
    data.add("usr/share/lintian/overrides/lustra", overrides(control));
    Ok(data)
}

/// Findings of lintian that are meant to be so.
fn overrides(control: &Control<'_>) -> String {
    let mut lines = vec![
        "# Machine code of connectors, which the program verifies by digest; no tool may change it.",
        "lustra: unstripped-binary-or-object [usr/lib/lustra/precompiled/*]",
        "# An upgrade restarts the service only if it runs.",
        "lustra: maintainer-script-calls-systemctl [postinst:*]",
    ];
    if control.maintainer.contains("@example.org") {
        lines.extend([
            "# Who distributes the package names a maintainer with --maintainer.",
            "lustra: bogus-mail-host *",
        ]);
    }
    lines.push("");
    lines.join("\n")
}

/// The changelog of the package, in Debian's form. The program's own is beside it.
fn changelog(control: &Control<'_>) -> String {
    let time = i64::try_from(control.time).unwrap_or_default();
    let time = OffsetDateTime::from_unix_timestamp(time).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let time = time.format(&Rfc2822).expect("the year has four digits");
    format!(
        "lustra ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- {}  {time}\n",
        control.version, control.maintainer
    )
}

fn control_file(control: &Control<'_>, size: usize) -> String {
    let libc = control.libc.map_or("libc6".to_owned(), |version| {
        format!("libc6 (>= {version})")
    });
    format!(
        "Package: lustra\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: {}\n\
         Installed-Size: {}\n\
         Pre-Depends: init-system-helpers (>= 1.54~)\n\
         Depends: adduser, ca-certificates, libgcc-s1, {libc}\n\
         Recommends: systemd\n\
         Section: net\n\
         Priority: optional\n\
         Description: Slovak company data as one JSON API\n\
         \x20Lustra answers what the Slovak public registers say about a company, as one\n\
         \x20JSON document with a source and a date for every part. Each register is read\n\
         \x20by a connector, a WebAssembly component in a sandbox.\n\
         \x20.\n\
         \x20This package has the server, its connectors compiled for this architecture,\n\
         \x20and a systemd unit with socket activation.\n",
        control.version,
        control.architecture,
        control.maintainer,
        size.div_ceil(1024),
    )
}

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lustra

Files: *
Copyright: 2026 the authors of Lustra
License: Apache-2.0
Comment: The program contains third-party crates. Their licences are in
 /usr/share/doc/lustra/LICENSES-third-party.txt.gz.

License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
";

/// An archive in the form of `ar`, which a Debian package is.
fn ar(members: &[(&str, &[u8])], time: u64) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let size = bytes.len();
        let header = format!(
            "{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
            0, 0, 100_644
        );
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(bytes);
        if size % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::contents::tests::contents;

    const CONTROL: Control<'_> = Control {
        version: "0.1.0",
        architecture: "amd64",
        maintainer: "Lustra <lustra@example.org>",
        libc: Some("2.34"),
        time: 1_700_000_000,
    };

    #[test]
    fn scripts_are_posix_and_stop_at_errors() {
        for script in [POSTINST, PRERM, POSTRM] {
            assert!(script.starts_with("#!/bin/sh\nset -e\n"), "{script}");
            let mut shell = Command::new("sh");
            let checked = shell.args(["-n", "-c", script]).status();
            assert!(checked.expect("there is a shell").success(), "{script}");
        }
    }

    #[test]
    fn changelog_has_the_form_of_debian() {
        assert_eq!(
            changelog(&CONTROL),
            "lustra (0.1.0) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n \
             -- Lustra <lustra@example.org>  Tue, 14 Nov 2023 22:13:20 +0000\n"
        );
    }

    #[test]
    fn member_of_odd_length_is_padded() {
        let archive = ar(&[("a", b"odd"), ("b", b"even")], 7);
        let text = String::from_utf8(archive).expect("it is text");
        let a = "a               7           0     0     100644  3         `\nodd\n";
        let b = "b               7           0     0     100644  4         `\neven";
        assert_eq!(text, format!("!<arch>\n{a}{b}"));
    }

    /// `dpkg-deb` judges the package where it is installed, as on the machines that build one.
    #[test]
    fn package_is_read_by_dpkg() {
        let package = package(&contents(), &CONTROL).expect("it is complete");
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let file = folder.path().join(file_name(&CONTROL));
        std::fs::write(&file, &package).expect("a fresh folder");
        let Ok(listed) = Command::new("dpkg-deb")
            .arg("--contents")
            .arg(&file)
            .output()
        else {
            return;
        };
        let listed = String::from_utf8(listed.stdout).expect("it is text");
        for line in [
            "-rwxr-xr-x root/root",
            " usr/bin/lustra\n",
            " etc/lustra/lustra.toml\n",
            " usr/share/lustra/components/rpo.wasm\n",
            " usr/lib/lustra/precompiled/index.json\n",
            " usr/lib/systemd/system/lustra.socket\n",
            " usr/share/man/man1/lustra.1.gz\n",
            " usr/share/zsh/vendor-completions/_lustra\n",
            " usr/share/doc/lustra/copyright\n",
        ] {
            assert!(listed.contains(line), "{line}\n{listed}");
        }
        let mut dpkg = Command::new("dpkg-deb");
        let shown = dpkg
            .arg("--field")
            .arg(&file)
            .output()
            .expect("it is there");
        let shown = String::from_utf8(shown.stdout).expect("it is text");
        for line in [
            "Version: 0.1.0\n",
            "Depends: adduser, ca-certificates, libgcc-s1, libc6 (>= 2.34)\n",
        ] {
            assert!(shown.contains(line), "{line}\n{shown}");
        }
    }
}
