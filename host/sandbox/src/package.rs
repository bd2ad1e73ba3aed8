//! Packages a component: adds its manifest as a custom section, so that a host can load the file.
//!
//! This is the last step of building a Rust crate, and the only step for a component built by another language's tools.
//! Loading, not packaging, checks that the component follows the contract. The digest at the end detects corruption of
//! the file; it does not authenticate the packager.

use std::io;
use std::path::{Path, PathBuf};

use lustra_store::ConnectorId;
use ring::digest::{Context, SHA256};

use super::cache;
use super::manifest::{self, Manifest, ManifestError};

/// Why a component could not be packaged.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file could not be read or written.
    #[error("{what}: {error}")]
    File { what: String, error: io::Error },
    /// The bytes are not a WebAssembly component.
    #[error("{0} is not a WebAssembly component; convert a core module to a component first")]
    NoComponent(String),
    /// It already contains a different manifest.
    #[error("{0} already contains another manifest")]
    Packaged(String),
    /// It exports an interface that its manifest does not offer, so the host would never call it.
    #[error("{what}: it exports {interface}, but its manifest has no {member}")]
    NotOffered {
        /// Name of the component.
        what: String,
        /// The interface, such as `importer`.
        interface: &'static str,
        /// The member of the manifest that would offer it.
        member: &'static str,
    },
    /// The manifest is invalid.
    #[error("{what}: {error}")]
    Manifest {
        /// Path of the manifest.
        what: String,
        error: ManifestError,
    },
}

/// A component that a host can load.
#[derive(Debug, Clone)]
pub struct Built {
    /// Id of the connector.
    pub id: ConnectorId,
    /// Path of the component.
    pub file: PathBuf,
    /// Size of the file in bytes.
    pub size: u64,
    /// Whether it differs from the previous file.
    pub changed: bool,
}

/// Adds a manifest to a component and writes the result, named after the connector, to a directory.
///
/// # Errors
/// A [`PackageError`]; nothing was written then.
pub fn package(component: &Path, manifest: &Path, output: &Path) -> Result<Built, PackageError> {
    let bytes = std::fs::read(component).map_err(|error| file_error(component, error))?;
    let text = std::fs::read_to_string(manifest).map_err(|error| file_error(manifest, error))?;
    let parsed = Manifest::parse(&text).map_err(|error| PackageError::Manifest {
        what: manifest.display().to_string(),
        error,
    })?;
    if !wasmparser::Parser::is_component(&bytes) {
        return Err(PackageError::NoComponent(component.display().to_string()));
    }
    check_offered(&component.display().to_string(), &bytes, &parsed)?;
    let bytes = digest_of(&bytes).map_or(&*bytes, |(rest, _)| rest).to_vec();
    let packaged = match manifest_in(&bytes) {
        None => with_section(bytes, manifest::SECTION, text.as_bytes()),
        Some(there) if there == text.as_bytes() => bytes,
        Some(_) => return Err(PackageError::Packaged(component.display().to_string())),
    };
    std::fs::create_dir_all(output).map_err(|error| file_error(output, error))?;
    write(parsed.id, &with_digest(&packaged), output)
}

/// Copies a component that was built or packaged elsewhere to a directory.
///
/// # Errors
/// [`PackageError::File`]; nothing was written then.
pub fn place(built: Built, output: &Path) -> Result<Built, PackageError> {
    let bytes = std::fs::read(&built.file).map_err(|error| file_error(&built.file, error))?;
    std::fs::create_dir_all(output).map_err(|error| file_error(output, error))?;
    write(built.id, &bytes, output)
}

/// Refuses a component that exports an interface that its manifest does not offer. `what` names it in the error.
///
/// # Errors
/// [`PackageError::NotOffered`].
pub fn check_offered(
    what: &str,
    component: &[u8],
    manifest: &Manifest,
) -> Result<(), PackageError> {
    let exports = exports(component);
    let abilities = [
        (
            "company-source",
            "company_source",
            manifest.company_source.is_some(),
        ),
        ("enrichment", "scopes", !manifest.scopes.is_empty()),
        ("importer", "datasets", !manifest.datasets.is_empty()),
    ];
    for (interface, member, is_offered) in abilities {
        let name = format!("lustra:connector/{interface}@1.");
        if !is_offered && exports.iter().any(|export| export.starts_with(&name)) {
            return Err(PackageError::NotOffered {
                what: what.to_owned(),
                interface,
                member,
            });
        }
    }
    Ok(())
}

/// Names of a component's own exports, without those of nested components.
fn exports(component: &[u8]) -> Vec<String> {
    let (mut depth, mut names) = (0_u32, Vec::new());
    for payload in wasmparser::Parser::new(0).parse_all(component) {
        match payload {
            Ok(
                wasmparser::Payload::ModuleSection { .. }
                | wasmparser::Payload::ComponentSection { .. },
            ) => depth += 1,
            Ok(wasmparser::Payload::End(_)) => depth = depth.saturating_sub(1),
            Ok(wasmparser::Payload::ComponentExportSection(section)) if depth == 0 => {
                let section = section.into_iter().flatten();
                names.extend(section.map(|export| export.name.name.to_owned()));
            }
            Ok(_) => {}
            // A damaged component is refused when it is loaded.
            Err(_) => break,
        }
    }
    names
}

/// Appends an outermost custom section to a component.
pub(super) fn with_section(mut component: Vec<u8>, name: &str, data: &[u8]) -> Vec<u8> {
    let section = wasm_encoder::CustomSection {
        name: name.into(),
        data: data.into(),
    };
    wasm_encoder::ComponentSection::append_to_component(&section, &mut component);
    component
}

/// The manifest's bytes, from the first custom section with its name at any depth.
pub(super) fn manifest_in(bytes: &[u8]) -> Option<Vec<u8>> {
    section_in(bytes, manifest::SECTION)
}

/// The first custom section with this name.
pub(super) fn section_in(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    wasmparser::Parser::new(0)
        .parse_all(bytes)
        .find_map(|payload| match payload {
            Ok(wasmparser::Payload::CustomSection(section)) if section.name() == name => {
                Some(section.data().to_vec())
            }
            _ => None,
        })
}

/// Name of the custom section with the digest of the rest of the component.
pub const DIGEST: &str = "lustra:digest";

/// Result of checking a component's digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The bytes are unchanged since packaging.
    Holds,
    /// There is no digest; older packages have none.
    Absent,
    /// The bytes were changed after packaging.
    Broken,
}

/// The digest section's header: section id, length, length of the name, and name.
const DIGEST_HEAD: &[u8] = b"\0\x4e\x0dlustra:digest";

/// Hexadecimal digits of a digest.
const DIGEST_LENGTH: usize = 64;

/// Appends a digest of the component's bytes as the last section, and replaces an existing one.
#[must_use]
pub fn with_digest(component: &[u8]) -> Vec<u8> {
    let bytes = digest_of(component).map_or(component, |(rest, _)| rest);
    with_section(bytes.to_vec(), DIGEST, cache::digest(bytes).as_bytes())
}

/// Compares a component with its digest section, and hashes all its bytes like [`cache::digest`]. A start does this for
/// every component, so the bytes are hashed once for both.
#[must_use]
pub fn proof_and_digest(component: &[u8]) -> (Proof, String) {
    let Some((rest, packaged)) = digest_of(component) else {
        return (Proof::Absent, cache::digest(component));
    };
    let (_, section) = component.split_at(rest.len());
    let mut hashing = Context::new(&SHA256);
    hashing.update(rest);
    let digest = cache::hex(hashing.clone().finish().as_ref());
    let proof = if digest.as_bytes() == packaged {
        Proof::Holds
    } else {
        Proof::Broken
    };
    hashing.update(section);
    (proof, cache::hex(hashing.finish().as_ref()))
}

/// Splits a component into its bytes without the digest section, and the digest.
fn digest_of(component: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, digest) = component.split_at_checked(component.len().checked_sub(DIGEST_LENGTH)?)?;
    Some((rest.strip_suffix(DIGEST_HEAD)?, digest))
}

/// Writes a component to a directory atomically, unless the same bytes are already there.
pub(super) fn write(
    id: ConnectorId,
    component: &[u8],
    output: &Path,
) -> Result<Built, PackageError> {
    let file = output.join(format!("{id}.wasm"));
    let changed = std::fs::read(&file).map_or(true, |before| before != component);
    if changed {
        let temporary = file.with_extension("wasm.tmp");
        std::fs::write(&temporary, component).map_err(|error| file_error(&temporary, error))?;
        std::fs::rename(&temporary, &file).map_err(|error| file_error(&file, error))?;
    }
    Ok(Built {
        id,
        file,
        size: component.len() as u64,
        changed,
    })
}

fn file_error(path: &Path, error: io::Error) -> PackageError {
    PackageError::File {
        what: path.display().to_string(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        r#"{"id":"x-y","version":"0.1.0","title":"X","register":"X","upstreams":{}}"#;
    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    fn package_of(component: &[u8], manifest: &str) -> (tempfile::TempDir, Result<Built, String>) {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (from, beside) = (folder.path().join("c.wasm"), folder.path().join("m.json"));
        std::fs::write(&from, component).expect("a fresh folder");
        std::fs::write(&beside, manifest).expect("a fresh folder");
        let built = package(&from, &beside, &folder.path().join("out"));
        (folder, built.map_err(|error| error.to_string()))
    }

    #[test]
    fn package_adds_manifest_and_names_file_after_connector() {
        let (_folder, built) = package_of(COMPONENT, MANIFEST);
        let built = built.expect("it is a component");
        assert_eq!((built.id.as_str(), built.changed), ("x-y", true));
        let bytes = std::fs::read(&built.file).expect("it was written");
        assert_eq!(manifest_in(&bytes), Some(MANIFEST.as_bytes().to_vec()));
        let (_again, again) = package_of(&bytes, MANIFEST);
        assert_eq!(again.expect("it is the same").size, built.size);
        let other = MANIFEST.replace("0.1.0", "0.2.0");
        let (_other, refused) = package_of(&bytes, &other);
        assert!(refused.expect_err("two").contains("another manifest"));
    }

    #[test]
    fn digest_detects_damaged_component() {
        let component = with_section(COMPONENT.to_vec(), "data", &[7; 500]);
        let proof = |component: &[u8]| {
            let (proof, digest) = proof_and_digest(component);
            assert_eq!(digest, cache::digest(component));
            proof
        };
        assert_eq!(proof(&component), Proof::Absent);
        let packaged = with_digest(&component);
        assert_eq!(proof(&packaged), Proof::Holds);
        assert_eq!(with_digest(&packaged), packaged, "it is replaced");
        assert_eq!(
            section_in(&packaged, DIGEST).map(|digest| digest.len()),
            Some(64)
        );
        for place in [
            8,
            component.len() / 2,
            component.len() - 1,
            packaged.len() - 1,
        ] {
            let mut damaged = packaged.clone();
            damaged[place] ^= 1;
            assert_eq!(proof(&damaged), Proof::Broken, "at {place}");
        }
    }

    #[test]
    fn export_without_manifest_member_is_refused() {
        let mut component = wasm_encoder::Component::new();
        let mut instances = wasm_encoder::ComponentInstanceSection::new();
        instances.export_items::<&str, [(&str, wasm_encoder::ComponentExportKind, u32); 0]>([]);
        component.section(&instances);
        let mut exports = wasm_encoder::ComponentExportSection::new();
        let kind = wasm_encoder::ComponentExportKind::Instance;
        exports.export("lustra:connector/importer@1.0.0", kind, 0, None);
        component.section(&exports);
        let component = component.finish();
        let (_folder, refused) = package_of(&component, MANIFEST);
        let refused = refused.expect_err("there are no datasets");
        assert!(
            refused.ends_with("it exports importer, but its manifest has no datasets"),
            "{refused}"
        );
        let offered = MANIFEST.replace(
            "\"upstreams\":{}",
            r#""upstreams":{},"datasets":[{"id":"a","title":"A","kind":"snapshot"}]"#,
        );
        let (_folder, packaged) = package_of(&component, &offered);
        packaged.expect("it is offered");
    }

    #[test]
    fn non_component_or_invalid_manifest_is_refused() {
        let (_folder, module) = package_of(b"\0asm\x01\0\0\0", MANIFEST);
        assert!(
            module
                .expect_err("a module")
                .contains("not a WebAssembly component")
        );
        let (_folder, manifest) = package_of(COMPONENT, r#"{"id":"X"}"#);
        assert!(manifest.expect_err("no manifest").contains("m.json"));
    }
}
