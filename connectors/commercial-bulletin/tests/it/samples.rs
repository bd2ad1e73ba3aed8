//! The layouts against the bulletin's own schemas, if present on this machine: every element in a layout must
//! exist in the schema of its form. No notice was recorded.

#![expect(
    clippy::print_stdout,
    reason = "a test that panics has failed, and the output shows what was read"
)]

use std::fs;
use std::path::PathBuf;

use lustra_commercial_bulletin::layouts::LAYOUTS;
use lustra_sdk::testing::sample;
use lustra_sdk::xml::{self, Element};

/// Layouts without a schema.
const WITHOUT_SCHEMA: [&str; 5] = [
    "AuctionDecree",
    "OznamenieVyzvaLikvidatorovDodatocna",
    "KonkurzyAVyrovnania",
    "OznameniaSpravcov",
    "PredajMajetkuLividator",
];

fn schemas() -> Vec<(PathBuf, Element)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = sample("ov/xsd").into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let schema = xml::parse("schema", text.trim_start_matches('\u{feff}')).unwrap();
                found.push((path, schema));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn named<'a>(elements: &[&'a Element], name: &str) -> Option<&'a Element> {
    elements
        .iter()
        .find(|element| element.attribute("name") == Some(name))
        .copied()
}

/// The elements directly below one, by its inline type or by the named type in one of the schemas.
fn below<'a>(element: &'a Element, schemas: &[&'a Element]) -> Vec<&'a Element> {
    let of_type = |kind: &'a Element| -> Vec<&'a Element> {
        let sequences = kind.children_named("sequence");
        sequences
            .flat_map(|sequence| sequence.children_named("element"))
            .collect()
    };
    if let Some(inline) = element.child("complexType") {
        return of_type(inline);
    }
    let Some(named_type) = element.attribute("type") else {
        return Vec::new();
    };
    let name = named_type.rsplit(':').next().unwrap();
    let types: Vec<&Element> = schemas
        .iter()
        .flat_map(|schema| schema.children_named("complexType"))
        .collect();
    named(&types, name).map(of_type).unwrap_or_default()
}

#[test]
fn layout_elements_exist_in_their_schema() {
    let files = schemas();
    if files.is_empty() {
        println!("skipped: the schemas are absent");
        return;
    }
    let mut checked = 0;
    for layout in LAYOUTS {
        let of_layout = files.iter().find_map(|(_, schema)| {
            let roots: Vec<&Element> = schema.children_named("element").collect();
            named(&roots, layout.root).map(|root| (schema, root))
        });
        let Some((schema, root)) = of_layout else {
            assert!(WITHOUT_SCHEMA.contains(&layout.root), "{}", layout.root);
            continue;
        };
        // Types of the form itself take precedence over shared ones.
        let shared = files
            .iter()
            .filter(|(path, _)| path.ends_with("Spolocne.xsd"));
        let types: Vec<&Element> = std::iter::once(schema)
            .chain(shared.map(|(_, schema)| schema))
            .collect();
        let paths = layout.subjects.iter().map(|(path, _)| *path);
        for path in paths.chain(layout.kind).chain(layout.reference) {
            let mut at = root;
            for step in path {
                let children = below(at, &types);
                at = named(&children, step)
                    .unwrap_or_else(|| panic!("{}: {path:?} ends before {step}", layout.root));
            }
            assert_eq!(
                below(at, &types),
                Vec::<&Element>::new(),
                "{path:?} is a text"
            );
            checked += 1;
        }
    }
    println!("{checked} paths of {} layouts", LAYOUTS.len());
    assert!(checked > 20, "only {checked} paths were checked");
}

#[test]
fn layouts_without_ico_have_none_in_their_schema() {
    for (path, schema) in schemas() {
        let roots: Vec<&Element> = schema.children_named("element").collect();
        let layout = LAYOUTS
            .iter()
            .find(|layout| named(&roots, layout.root).is_some());
        let Some(layout) = layout.filter(|layout| layout.subjects.is_empty()) else {
            continue;
        };
        let ids = schema.below("element").into_iter().filter(|element| {
            element
                .attribute("name")
                .is_some_and(|name| name.to_ascii_lowercase().contains("ico"))
        });
        assert_eq!(ids.count(), 0, "{}: {}", layout.root, path.display());
    }
}
