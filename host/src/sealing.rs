//! Encrypts what must not be readable in the store, and issues tokens that only this service can issue.
//!
//! The store alone does not reveal them: the key is in the environment or in a file of this host.

use std::io::{self, Write};
use std::path::Path;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;
use tempfile::NamedTempFile;

use crate::config::Secret;

/// Errors of the secrets key and of sealed secrets.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("reading the key of the stored secrets, {path}, failed: {error}")]
    File { path: String, error: io::Error },
    /// The secret was encrypted with another key, or is damaged.
    #[error("a stored secret was encrypted with another notifications.secrets_key")]
    OtherKey,
}

/// Encrypts and decrypts secrets, and issues tokens that only this service can issue.
pub struct Sealer {
    key: LessSafeKey,
    tokens: [u8; 32],
}

impl Sealer {
    /// Uses the given key. Without one, reads the key file in this directory, and creates it if it is missing.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(key: Option<[u8; 32]>, directory: &Path) -> Result<Self, SecretError> {
        let key = match key {
            Some(key) => key,
            None => {
                let path = directory.join("secrets.key");
                key_of_file(&path).map_err(|error| SecretError::File {
                    path: path.display().to_string(),
                    error,
                })?
            }
        };
        Ok(Self {
            tokens: mac(&key, &["tokens"]),
            key: LessSafeKey::new(
                UnboundKey::new(&AES_256_GCM, &key).expect("the key has the cipher's length"),
            ),
        })
    }

    /// Encrypts a secret for storage. `whose` is authenticated with it: decryption needs the same value.
    #[must_use]
    pub fn seal(&self, secret: &Secret, whose: &str) -> String {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut text = secret.reveal().as_bytes().to_vec();
        self.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(whose.as_bytes()),
                &mut text,
            )
            .expect("a secret is no longer than what the cipher takes");
        BASE64_STANDARD.encode([nonce.as_slice(), &text].concat())
    }

    /// Decrypts a stored secret.
    ///
    /// # Errors
    /// [`SecretError::OtherKey`] if the key or `whose` differs.
    pub fn open_sealed(&self, sealed: &str, whose: &str) -> Result<Secret, SecretError> {
        let bytes = BASE64_STANDARD
            .decode(sealed)
            .map_err(|_unshown| SecretError::OtherKey)?;
        let (nonce, rest) = bytes
            .split_first_chunk::<NONCE_LEN>()
            .ok_or(SecretError::OtherKey)?;
        let mut rest = rest.to_vec();
        let text = self
            .key
            .open_in_place(
                Nonce::assume_unique_for_key(*nonce),
                Aad::from(whose.as_bytes()),
                &mut rest,
            )
            .map_err(|_unshown| SecretError::OtherKey)?;
        let text = std::str::from_utf8(text).map_err(|_unshown| SecretError::OtherKey)?;
        Ok(Secret::new(text))
    }

    /// Encrypts the body of an e-mail with a secret. It opens for the same recipient only.
    #[must_use]
    pub fn seal_email(&self, body: String, recipient: &str) -> String {
        // The words are part of what stored bodies are authenticated with: with others, none would open.
        self.seal(&Secret::new(body), &format!("letter to {recipient}"))
    }

    /// Decrypts the body of an e-mail.
    ///
    /// # Errors
    /// The same as of [`Self::open_sealed`].
    pub fn open_email(&self, sealed: &str, recipient: &str) -> Result<String, SecretError> {
        let body = self.open_sealed(sealed, &format!("letter to {recipient}"))?;
        Ok(body.reveal().to_owned())
    }

    /// A token that proves that this service issued it for these parts.
    #[must_use]
    pub fn token(&self, parts: &[&str]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(&mac(&self.tokens, parts)[..18])
    }
}

/// HMAC-SHA256 over parts, with unambiguous boundaries.
fn mac(key: &[u8], parts: &[&str]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part.as_bytes());
    }
    mac.finalize().into_bytes().into()
}

/// Reads the key file, or creates it if it is missing. Two hosts that create it at the same time end up with the same
/// key.
fn key_of_file(path: &Path) -> io::Result<[u8; 32]> {
    if !path.exists() {
        create_key_file(path)?;
    }
    let text = std::fs::read_to_string(path)?;
    let key = BASE64_STANDARD.decode(text.trim()).ok();
    key.and_then(|key| key.try_into().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is not a key"))
}

/// Creates the file with a random key, readable by its owner only. A file that another host created first stays.
fn create_key_file(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let key: [u8; 32] = rand::random();
    // Its random name cannot collide with what an interrupted start left behind.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(BASE64_STANDARD.encode(key).as_bytes())?;
    file.as_file().sync_all()?;
    if let Err(failed) = file.persist_noclobber(path)
        && failed.error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(failed.error);
    }
    // The name must survive a power failure.
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_secret_needs_its_key_and_owner() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (ours, other) = (
            Sealer::open(Some([1; 32]), folder.path()),
            Sealer::open(Some([2; 32]), folder.path()),
        );
        let (ours, other) = (ours.expect("a key"), other.expect("a key"));
        let secret = Secret::new("whsec_c29tZXRoaW5nIHRoYXQgaXMgbG9uZyBlbm91Z2g=");
        let sealed = ours.seal(&secret, "sub_1");
        assert!(!sealed.contains(&secret.reveal()[6..20]));
        let opened = ours.open_sealed(&sealed, "sub_1").expect("it is ours");
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(ours.open_sealed(&sealed, "sub_2").is_err());
        assert!(other.open_sealed(&sealed, "sub_1").is_err());
        for damaged in ["", "!", "AAAA"] {
            assert!(ours.open_sealed(damaged, "sub_1").is_err(), "{damaged}");
        }
    }

    #[test]
    fn key_file_is_reused() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let first = Sealer::open(None, folder.path()).expect("it is made");
        let again = Sealer::open(None, folder.path()).expect("it is there");
        let sealed = first.seal(&Secret::new("text"), "a");
        assert!(again.open_sealed(&sealed, "a").is_ok());
        assert_eq!(first.token(&["a", "b"]), again.token(&["a", "b"]));
        assert_ne!(first.token(&["a", "b"]), first.token(&["ab", ""]));
        let path = folder.path().join("secrets.key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = std::fs::metadata(&path).expect("it is there");
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
        let files = std::fs::read_dir(folder.path()).expect("it is there");
        assert_eq!(files.count(), 1, "no temporary file is left");
        std::fs::write(path, "nothing").expect("it can be written");
        assert!(Sealer::open(None, folder.path()).is_err());
    }
}
