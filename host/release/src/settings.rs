//! The shipped settings with the paths of an installation.

use crate::ReleaseError;

/// Where a release is installed.
#[derive(Debug, Clone, Copy)]
pub struct Paths {
    pub program: &'static str,
    pub config: &'static str,
    pub components: &'static str,
    pub precompiled: &'static str,
    /// `None`: the default, a directory in the working directory.
    pub data: Option<&'static str>,
    /// Address of the API, if it is not the default.
    pub listen: Option<&'static str>,
}

/// Started in the directory where the archive was unpacked.
pub const UNPACKED: Paths = Paths {
    program: "./lustra",
    config: "lustra.toml",
    components: "components",
    precompiled: "precompiled",
    data: None,
    listen: None,
};

/// The archive as a service: `/opt/lustra` is the unpacked directory or a link to it.
pub const SERVICE: Paths = Paths {
    program: "/opt/lustra/lustra",
    config: "/etc/lustra/lustra.toml",
    components: "/opt/lustra/components",
    precompiled: "/opt/lustra/precompiled",
    data: Some(DATA),
    listen: None,
};

/// The Debian package.
pub const PACKAGE: Paths = Paths {
    program: "/usr/bin/lustra",
    config: "/etc/lustra/lustra.toml",
    components: "/usr/share/lustra/components",
    precompiled: "/usr/lib/lustra/precompiled",
    data: Some(DATA),
    listen: None,
};

/// The container image, whose ports are published.
pub const CONTAINER: Paths = Paths {
    listen: Some("0.0.0.0:8080"),
    ..PACKAGE
};

/// Directory of a service's data.
pub const DATA: &str = "/var/lib/lustra";

/// The shipped settings with these paths. Comments and everything else stay as they are.
///
/// # Errors
/// The shipped settings have no line for a path, or are no TOML afterwards.
pub fn adjusted(shipped: &str, paths: &Paths) -> Result<String, ReleaseError> {
    let mut text = shipped.to_owned();
    let values = [
        ("components", Some(paths.components)),
        ("precompiled", Some(paths.precompiled)),
        ("data", paths.data),
        ("listen", paths.listen),
    ];
    for (setting, value) in values {
        if let Some(value) = value {
            text = with_setting(&text, setting, value)?;
        }
    }
    match text.parse::<toml::Table>() {
        Ok(_) => Ok(text),
        Err(error) => Err(ReleaseError::Unexpected {
            command: "adjusting lustra.toml".to_owned(),
            why: error.to_string(),
        }),
    }
}

/// Replaces the line of a setting, which may be commented out.
fn with_setting(text: &str, setting: &'static str, value: &str) -> Result<String, ReleaseError> {
    let is_line = |line: &str| {
        let line = line.strip_prefix("# ").unwrap_or(line);
        let rest = line.strip_prefix(setting);
        rest.is_some_and(|rest| rest.starts_with(" = "))
    };
    let mut found = false;
    let lines = text.lines().map(|line| {
        if found || !is_line(line) {
            return line.to_owned();
        }
        found = true;
        format!("{setting} = {value:?}")
    });
    let mut changed = lines.collect::<Vec<_>>().join("\n");
    changed.push('\n');
    if found {
        Ok(changed)
    } else {
        let file = "lustra.toml".to_owned();
        Err(ReleaseError::Setting { file, setting })
    }
}

/// Fills the paths of an installation into a unit.
#[must_use]
pub fn unit(template: &str, paths: &Paths) -> String {
    template
        .replace("@program@", paths.program)
        .replace("@config@", paths.config)
        .replace("@data@", paths.data.unwrap_or(DATA))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../lustra.toml");

    #[test]
    fn shipped_settings_get_the_paths_of_the_package() {
        let adjusted = adjusted(SHIPPED, &PACKAGE).expect("it has all lines");
        let table: toml::Table = adjusted.parse().expect("it is TOML");
        assert_eq!(table["data"].as_str(), Some("/var/lib/lustra"));
        assert_eq!(
            table["components"].as_str(),
            Some("/usr/share/lustra/components")
        );
        assert_eq!(
            table["precompiled"].as_str(),
            Some("/usr/lib/lustra/precompiled")
        );
        assert!(!table.contains_key("listen"));
        let before: toml::Table = SHIPPED.parse().expect("it is TOML");
        assert_eq!(table["connector"], before["connector"]);
        assert_eq!(adjusted.lines().count(), SHIPPED.lines().count());
    }

    #[test]
    fn missing_line_of_a_setting_is_an_error() {
        let refused = adjusted("# data = \"x\"\n", &PACKAGE).expect_err("no components");
        assert_eq!(
            refused.to_string(),
            "lustra.toml has no line for the setting components"
        );
    }

    #[test]
    fn units_have_no_placeholder_left() {
        let service = unit(include_str!("../files/lustra.service"), &SERVICE);
        assert!(!service.contains('@') || service.contains("@system-service"));
        assert!(
            service.contains("ExecStart=/opt/lustra/lustra serve --config /etc/lustra/lustra.toml")
        );
        assert!(service.contains("WorkingDirectory=/var/lib/lustra"));
    }
}
