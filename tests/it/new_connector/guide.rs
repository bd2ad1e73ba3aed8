//! The authors' guide shows the generated files, and its changes of them work.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{cargo, elsewhere, new_connector};

#[tokio::test]
async fn guide_shows_the_generated_files() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connectors/README.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let folder = elsewhere();
    let path = PathBuf::from(new_connector(&folder, "licences").await);
    let source = std::fs::read_to_string(path.join("src/lib.rs")).expect("it was just written");
    let manifest = std::fs::read_to_string(path.join("manifest.json")).expect("it is there");
    let shown = guide
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    for line in lines(shown.expect("a piece of the source")) {
        assert!(lines(&source).contains(&line), "not in src/lib.rs: {line}");
    }
    // The change that the guide asks for.
    assert!(
        lines(&source).contains(&"\"valid_to\": valid_to,"),
        "{source}"
    );
    let required = "\"required\": [\"number\", \"kind\", \"valid_from\", \"valid_to\"],";
    assert!(lines(&manifest).contains(&required), "{manifest}");
    // The guide's list of files is abbreviated by an ellipsis and ends with the last ones.
    let listed = guide.split("created the connector licences:\n").nth(1);
    let listed = listed.and_then(|rest| rest.split("\n\n").next());
    for file in lines(listed.expect("the files")) {
        assert!(file == "…" || path.join(file).is_file(), "{file}");
    }
}

/// The chapter *Add a list*, applied to the crate that `connector new` writes.
#[tokio::test]
async fn list_of_the_guide_passes_its_tests() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connectors/README.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let (_, chapter) = guide.split_once("\n## Add a list\n").expect("a chapter");
    let (chapter, _) = chapter.split_once("\n## ").expect("more chapters");
    let blocks = |language: &str| -> Vec<String> {
        let fence = format!("```{language}\n");
        let fenced = chapter.split(&fence).skip(1);
        let block = |rest: &str| rest.split("```").next().unwrap_or_default().to_owned();
        fenced.map(block).collect()
    };
    let json = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let (datasets, scope) = match &blocks("json")[..] {
        [datasets, scope] => (
            json(&format!("{{{}}}", datasets.trim().trim_end_matches(','))),
            json(scope),
        ),
        other => panic!("the dataset and the scope: {other:?}"),
    };
    let [module, importer, begin, test] = &blocks("rust")[..] else {
        panic!("the module, the importer, the beginning of enrich, and a test");
    };
    let odd = guide
        .lines()
        .find(|line| line.starts_with("\"max_odd_percent\": "));
    let odd = json(&format!("{{{}}}", odd.expect("the setting")));

    let folder = elsewhere();
    let path = PathBuf::from(new_connector(&folder, "licences").await);
    let change = |file: &str, from: &str, to: &str| {
        let file = path.join(file);
        let text = std::fs::read_to_string(&file).expect("it was just written");
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(file, text.replacen(from, to, 1)).expect("the folder is ours");
    };
    change("Cargo.toml", "sdk\" }\n", "sdk\", features = [\"csv\"] }\n");
    let manifest = path.join("manifest.json");
    let mut declared = json(&std::fs::read_to_string(&manifest).expect("it is there"));
    declared["datasets"] = datasets["datasets"].clone();
    declared["scopes"]
        .as_array_mut()
        .expect("a list")
        .push(scope);
    declared["settings"]["properties"]["max_odd_percent"] = odd["max_odd_percent"].clone();
    std::fs::write(manifest, declared.to_string()).expect("the folder is ours");
    std::fs::write(path.join("src/revoked.rs"), module).expect("the folder is ours");
    change(
        "src/lib.rs",
        "lustra_sdk::export!(Connector: Enrichment);\n",
        importer,
    );
    change(
        "src/lib.rs",
        "        if scope != ",
        &format!("{begin}        if scope != "),
    );
    change(
        "src/lib.rs",
        "Failure, Section,",
        "Failure, ImportRun, Importer, Section,",
    );
    change(
        "tests/asking.rs",
        "TestHost, subject",
        "TestHost, run_import, subject",
    );
    change(
        "tests/asking.rs",
        "#[test]\n",
        &format!("{test}\n#[test]\n"),
    );
    let tested = cargo(&["test", "--offline"], &path.display().to_string()).await;
    let tested = tested.printed();
    assert!(
        tested.contains("imported_list_names_the_company ... ok"),
        "{tested}"
    );
}

fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}
