//! What to do about a settings file that cannot be used, where the reason is how the command was started.

use std::io::ErrorKind;
use std::path::Path;

use lustra::config::{ConfigFileError, Problem};

/// Settings files of commands that name none, in this order: of an unpacked archive, and of the package.
pub(crate) const DEFAULT_FILES: [&str; 2] = ["lustra.toml", "/etc/lustra/lustra.toml"];

/// The environment of the service, which its unit reads. Commands do not.
pub(crate) const OF_SERVICE: &str = "/etc/lustra/environment";

/// Help for an error of the settings `file`, to be appended to its text. `of_service` is the environment file of the
/// service.
pub(crate) fn of(error: &ConfigFileError, file: &Path, of_service: &Path) -> Option<String> {
    match error {
        ConfigFileError::File(_, error)
            if error.kind() == ErrorKind::NotFound && file == Path::new(DEFAULT_FILES[0]) =>
        {
            let [here, package] = DEFAULT_FILES;
            Some(format!(
                "\n  neither {here} in this directory nor {package} exists; name the settings file with --config FILE \
                 or the environment variable LUSTRA_CONFIG"
            ))
        }
        ConfigFileError::File(..) => None,
        ConfigFileError::Mistakes(_, error) => {
            let mut mistakes = error.0.iter();
            let is_unset = mistakes.any(|mistake| matches!(mistake.problem, Problem::Unset(_)));
            // A file that only root can read exists for others too.
            (is_unset && of_service.exists()).then(|| {
                let of_service = of_service.display();
                format!(
                    "\n  the service reads {of_service}, commands do not; as root, run: \
                     ( set -a; . {of_service}; exec runuser -u lustra -- lustra … )"
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use lustra::config::Config;

    use super::*;

    #[test]
    fn unset_variable_names_the_file_of_the_service() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (file, environment) = (folder.path().join("a.toml"), folder.path().join("env"));
        let help = |text: &str| {
            std::fs::write(&file, text).expect("the folder is ours");
            let error = Config::read_file(&file).expect_err("it is wrong");
            of(&error, &file, &environment)
        };
        let unset = "store = \"env:LUSTRA_NOT_SET_IN_TESTS\"\n";
        assert_eq!(help(unset), None, "there is no service");
        std::fs::write(&environment, "").expect("the folder is ours");
        let said = help(unset).expect("the service has an environment");
        let line = format!("( set -a; . {}; exec runuser", environment.display());
        assert!(said.contains(&line), "{said}");
        assert_eq!(help("lisen = 1\n"), None, "another mistake");
    }

    #[test]
    fn missing_default_file_names_the_places_tried() {
        let error = || {
            let missing = std::io::Error::from(ErrorKind::NotFound);
            ConfigFileError::File("lustra.toml".to_owned(), missing)
        };
        let said = of(&error(), Path::new("lustra.toml"), Path::new("/")).expect("it helps");
        for part in ["/etc/lustra/lustra.toml", "--config", "LUSTRA_CONFIG"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(of(&error(), Path::new("/own.toml"), Path::new("/")), None);
    }
}
