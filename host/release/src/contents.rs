//! What a release contains, in the layout of the archive.

use std::path::Path;
use std::sync::Arc;

use crate::ReleaseError;
use crate::settings::{CONTAINER, SERVICE, UNPACKED, adjusted, unit};
use crate::sums::sha256_sums;
use crate::tree::Tree;

/// The systemd units, as templates.
pub const UNITS: [(&str, &str); 2] = [
    ("lustra.service", include_str!("../files/lustra.service")),
    ("lustra.socket", include_str!("../files/lustra.socket")),
];

const CONTAINERFILE: &str = include_str!("../files/Containerfile");

/// Files of the repository that the archive has under the same names.
const SAME: [&str; 2] = ["CHANGELOG.md", "LICENSE"];

/// The contents of a release.
#[derive(Debug, Clone)]
pub struct Contents {
    /// The archive, without the checksums.
    pub archive: Tree,
    /// The program.
    pub program: Arc<Vec<u8>>,
    /// The shipped settings, before paths are adjusted.
    pub settings: String,
}

/// Parts that are made, not copied.
#[derive(Debug, Default)]
pub struct Made {
    pub program: Vec<u8>,
    pub sbom: Vec<u8>,
    pub third_party: String,
}

impl Contents {
    /// Collects the files of the repository, and of the directory in which the packaged program was run.
    ///
    /// # Errors
    /// A file cannot be read, or the shipped settings lack a line.
    pub fn collect(
        repository: &Path,
        ran_in: &Path,
        version: &str,
        made: Made,
    ) -> Result<Self, ReleaseError> {
        let settings_file = repository.join("lustra.toml");
        let settings =
            std::fs::read_to_string(&settings_file).map_err(ReleaseError::file(&settings_file))?;
        let program = Arc::new(made.program);
        let mut archive = Tree::default();
        archive.add_program("lustra", Arc::clone(&program));
        archive.add("lustra.toml", adjusted(&settings, &UNPACKED)?);
        for directory in ["components", "precompiled", "completions", "man"] {
            let from = ran_in.join(directory);
            if from.is_dir() {
                archive.add_below(directory, &from)?;
            }
        }
        for (name, template) in UNITS {
            archive.add(format!("systemd/{name}"), unit(template, &SERVICE));
        }
        archive.add("systemd/lustra.toml", adjusted(&settings, &SERVICE)?);
        archive.add("Containerfile", CONTAINERFILE.replace("@version@", version));
        archive.add("container/lustra.toml", adjusted(&settings, &CONTAINER)?);
        archive.add_directory("container/data");
        archive.add_below("docs", &repository.join("host/docs"))?;
        let dashboards = repository.join("host/ops");
        if dashboards.is_dir() {
            archive.add_below("ops", &dashboards)?;
        }
        for name in SAME {
            let file = repository.join(name);
            let bytes = std::fs::read(&file).map_err(ReleaseError::file(&file))?;
            archive.add(name, bytes);
        }
        archive.add("sbom.cdx.json", made.sbom);
        archive.add("LICENSES-third-party.txt", made.third_party);
        Ok(Self {
            archive,
            program,
            settings,
        })
    }

    /// The archive with its checksums.
    #[must_use]
    pub fn with_sums(&self) -> Tree {
        let mut tree = self.archive.clone();
        tree.add("SHA256SUMS", sha256_sums(&self.archive));
        tree
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::program::repository;

    /// A small release: real files of the repository, an invented program.
    pub(crate) fn contents() -> Contents {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        for (file, text) in [
            ("components/rpo.wasm", "wasm"),
            ("precompiled/index.json", "{}"),
            ("completions/lustra.bash", "complete"),
            ("completions/_lustra", "#compdef lustra"),
            ("man/lustra.1", ".TH lustra 1"),
        ] {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a fresh folder");
            std::fs::write(file, text).expect("a fresh folder");
        }
        let made = Made {
            program: b"program".to_vec(),
            sbom: b"{}".to_vec(),
            third_party: "licences".to_owned(),
        };
        Contents::collect(&repository(), folder.path(), "0.1.0", made).expect("it is complete")
    }

    #[test]
    fn archive_has_all_that_a_server_needs() {
        let tree = contents().with_sums();
        let paths: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        for path in [
            "lustra",
            "lustra.toml",
            "components/rpo.wasm",
            "precompiled/index.json",
            "systemd/lustra.service",
            "systemd/lustra.socket",
            "systemd/lustra.toml",
            "completions/_lustra",
            "man/lustra.1",
            "Containerfile",
            "container/lustra.toml",
            "docs/operating.md",
            "sbom.cdx.json",
            "LICENSES-third-party.txt",
            "LICENSE",
            "CHANGELOG.md",
        ] {
            assert!(paths.contains(&path), "{path}");
            let sums = tree.file("SHA256SUMS").expect("it is there");
            let sums = String::from_utf8_lossy(sums);
            assert!(sums.contains(&format!("  {path}\n")), "{path}");
        }
    }

    #[test]
    fn image_copies_only_what_the_archive_has() {
        let tree = contents().with_sums().with_directories();
        let file = CONTAINERFILE;
        let copied: Vec<&str> = file
            .lines()
            .filter(|line| line.starts_with("COPY "))
            .filter_map(|line| line.split_whitespace().nth(2))
            .collect();
        assert_eq!(copied.len(), 5, "{copied:?}");
        for path in copied {
            assert!(tree.contains_key(path), "{path}");
        }
        for line in [
            "\nUSER 65532:65532\n",
            "CMD [\"/usr/bin/lustra\", \"health\"]\n",
            "\nVOLUME [\"/var/lib/lustra\"]\n",
        ] {
            assert!(file.contains(line), "{line}");
        }
    }
}
