//! What the demo prints: its addresses and keys, and requests to try.

use std::path::{Path, PathBuf};

use lustra_demo::Tried;

/// The demo's addresses and keys.
pub struct Directions {
    /// Address of the API, with its version.
    pub base_url: String,
    pub operator_url: String,
    pub simulator_url: String,
    pub receiver_url: String,
    pub key: String,
    pub sandbox_key: String,
    /// A link that signs the demo's owner in.
    pub sign_in_url: String,
    /// Companies to look up. The first twelve are the same in each demo.
    pub icos: Vec<String>,
    /// Directory that components are loaded from.
    pub components: PathBuf,
}

impl Directions {
    /// One line for programs.
    pub fn json(&self) -> String {
        let line = serde_json::json!({
            "base_url": self.base_url,
            "pages_url": pages_url(&self.base_url),
            "sign_in_url": self.sign_in_url,
            "operator_url": self.operator_url,
            "api_key": self.key,
            "sandbox_key": self.sandbox_key,
            "simulator_url": self.simulator_url,
            "receiver_url": self.receiver_url,
            "icos": self.icos,
            "components": self.components,
        });
        line.to_string()
    }

    fn ico(&self, index: usize) -> &str {
        self.icos.get(index).map_or("", String::as_str)
    }

    /// Pages to open, and the first request.
    pub fn pages(&self) -> String {
        let pages = pages_url(&self.base_url);
        let (first, second) = (self.ico(0), self.ico(5));
        let (base_url, key, sign_in) = (&self.base_url, &self.key, &self.sign_in_url);
        format!(
            "\nLustra answers at {base_url} (documentation: {pages}/docs). Everything is made up.\n\n\
             Open in a browser:\n  {pages}/  (search for a company)\n  {pages}/company/{first}  (a company)\n  \
             {pages}/company/{second}  (a debtor in liquidation)\n  {pages}/status  (the state of the sources)\n  {sign_in}\n  \
             (the pages of the account; the link signs in once, a key at {pages}/account any time)\n\n\
             # a company with all its scopes\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{first}?scope=all'"
        )
    }

    /// Further requests.
    pub fn requests(&self) -> String {
        let (base_url, key, simulator) = (&self.base_url, &self.key, &self.simulator_url);
        let (first, second) = (self.ico(0), self.ico(5));
        format!(
            "\n# a company that is on every debtor list\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{second}?scope=debtor_status'\n\n\
             # companies by an incomplete name, and by a name with a typo\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/search/autocomplete?q=vzorost'\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/search/name?q=cucoriedka+vzorostva'\n\n\
             # several companies at once\n\
             curl -s -H 'X-API-Key: {key}' -H 'content-type: application/json' -d '{{\"icos\":[\"{first}\",\"{second}\"]}}' {base_url}/batch/ico\n\n\
             # the credits used, and those left\n\
             curl -s -H 'X-API-Key: {key}' {base_url}/account/quota\n\
             curl -s -H 'X-API-Key: {key}' {base_url}/account/usage\n\n\
             # a demo company of the sandbox, without a key\n\
             curl -s {base_url}/sandbox/company/ico/99100118\n\n\
             # the registers' state\n\
             curl -s {base_url}/status\n\n\
             # advance the date by 31 days: the answer is stale, a refresh starts, and an officer has changed\n\
             curl -s -X POST -H 'content-type: application/json' -d '{{\"days\":31}}' {simulator}/control/advance\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{first}'\n\n\
             # make a register fail, and recover with the mode off: down, html-200, throttled, …\n\
             curl -s -X POST -H 'content-type: application/json' -d '{{\"register\":\"orsr\",\"mode\":\"down\"}}' {simulator}/control/fault\n\n\
             Companies to look up: {icos}\nA receiver for webhooks listens at {receiver}. Ctrl-C ends the demo.",
            icos = self.icos.join(" "),
            receiver = self.receiver_url,
        )
    }

    /// Requests about notifications, with the response to the receiver's subscription.
    pub fn notifications(&self, subscription: &serde_json::Value) -> String {
        let (base_url, key, simulator) = (&self.base_url, &self.key, &self.simulator_url);
        let first = self.ico(0);
        let id = subscription["id"].as_str().unwrap_or_default();
        format!(
            "\n# the receiver is subscribed to {first}: its deliveries, the changes, and the same events as a stream\n\
             curl -s -H 'X-API-Key: {key}' {base_url}/notifications/{id}/deliveries\n\
             curl -s -H 'X-API-Key: {key}' {base_url}/notifications/history/{first}\n\
             curl -sN -H 'X-API-Key: {key}' '{base_url}/notifications/stream?after=0'\n\n\
             # change the company tomorrow and advance the date: seat-moved, name-changed, debtor-appeared-tax, …\n\
             curl -s -X POST -H 'content-type: application/json' -d '{{\"ico\":\"{first}\",\"kind\":\"seat-moved\"}}' {simulator}/control/change\n\
             curl -s -X POST -H 'content-type: application/json' -d '{{\"days\":1}}' {simulator}/control/advance"
        )
    }

    /// Requests for operators.
    pub fn operation(&self) -> String {
        let operator = &self.operator_url;
        format!(
            "\n# for operators: the page {operator}/, every connector, the metrics for Prometheus, and a rescan of the\n\
             # components right now\n\
             curl -s {operator}/connectors\n\
             curl -s {operator}/metrics\n\
             lustra connector list --operator {operator}\n\
             lustra connector reload --operator {operator}"
        )
    }

    /// How to call a tried connector and to load a change of it.
    pub fn connector(&self, one: &Tried) -> String {
        let id = &one.manifest.id;
        let scopes: Vec<&str> = one
            .manifest
            .scopes
            .iter()
            .map(|scope| scope.scope.as_str())
            .collect();
        let asked = if scopes.is_empty() {
            String::new()
        } else {
            let (base_url, key, ico) = (&self.base_url, &self.key, self.ico(0));
            let scopes = scopes.join(",");
            format!(
                "\n# the section of {id}\n\
                 curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{ico}?scope={scopes}'\n"
            )
        };
        format!(
            "{asked}\n# components are loaded from {components}; after a change of {id}, build it there\n\
             {program} connector build {directory} --output {components}",
            components = quoted(&self.components),
            directory = quoted(&one.directory),
            program = quoted(&this_program()),
        )
    }
}

/// The address of the pages for people, without a slash at the end.
pub fn pages_url(base_url: &str) -> &str {
    base_url.trim_end_matches("/v1")
}

/// The program's name if the shell found it in `PATH`, otherwise its path.
fn this_program() -> PathBuf {
    let named = std::env::args_os().next().map(PathBuf::from);
    let bare = named.filter(|named| named.components().count() == 1);
    bare.or_else(|| std::env::current_exe().ok())
        .unwrap_or_else(|| PathBuf::from("lustra"))
}

/// A path quoted for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
