//! The specifications in `docs/spec`: every parser's documentation cites a section that exists and shows bytes, and every link
//! between the pages leads somewhere. The pages for readers of the repository name files and features that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The number of parsers and types that cite a section. Increase it with each new one: a structure without a citation
/// is not counted.
const CITATIONS: usize = 139;

/// The start of a citation.
const CITATION: &str = "/// Specification: `docs/spec/";

fn root() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// All files with this extension in a folder and the folders in it.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The lines of a page outside of fenced code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    })
}

/// The headings of a page.
fn headings(page: &str) -> impl Iterator<Item = &str> {
    prose(page).filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The pages by their path from the root, and their texts.
fn pages() -> BTreeMap<String, String> {
    let folder = root().join("docs/spec");
    let name = |path: &Path| format!("docs/spec/{}", path.file_name().unwrap().to_str().unwrap());
    files(&folder, "md").iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_citation_names_a_section() {
    let pages = pages();
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut cited = BTreeSet::new();
    for path in ["src", "crates/files/src"].iter().flat_map(|folder| files(&root().join(folder), "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        for (index, line) in text.lines().enumerate() {
            let Some(citation) = line.trim_start().strip_prefix(CITATION) else { continue };
            let place = format!("{}:{}: {citation}", path.display(), index + 1);
            let parts = citation.strip_suffix('.').and_then(|citation| citation.split_once("`, section "));
            let Some((page, section)) = parts else {
                wrong.push(format!("{place}: expected `docs/spec/PAGE.md`, section NAME."));
                continue;
            };
            let page = format!("docs/spec/{page}");
            match pages.get(&page) {
                None => wrong.push(format!("{place}: no such page")),
                Some(text) if headings(text).all(|heading| heading != section) => {
                    wrong.push(format!("{place}: no such section"));
                }
                Some(_) => count += 1,
            }
            cited.insert(page);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= CITATIONS, "{count} citations; expected {CITATIONS} at least");
    let uncited: Vec<_> = pages.keys().filter(|page| !page.ends_with("README.md") && !cited.contains(*page)).collect();
    assert!(uncited.is_empty(), "no code cites {uncited:?}");
}

/// The parsers that read no bytes of their own.
const WITHOUT_BYTES: [(&str, &str); 2] = [
    ("bounded_length", "the parser of the length that it is given reads them"),
    ("type_number", "the parser of the number that it is given reads them"),
];

/// The public function of a line of code, with its signature, which may go on in the lines after it. Tables of types and of
/// numbers name their functions without `fn`.
fn function(lines: &[&str]) -> Option<(String, String)> {
    let line = lines[0].trim_start();
    let mut words = line.split_whitespace();
    if let (Some(name), Some(generator)) = (words.next(), words.next())
        && generator.strip_prefix("gen_") == Some(name)
        && !name.ends_with(',')
    {
        return Some((name.to_owned(), "-> impl Parser<".to_owned()));
    }
    let name: String = line.strip_prefix("pub fn ")?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let end = lines.iter().position(|line| line.ends_with(['{', ';'])).unwrap_or_default();
    Some(name).filter(|name| !name.is_empty()).map(|name| (name, lines[..=end].join(" ")))
}

/// The bytes in a text, each piece as hex digits.
fn bytes(doc: &str) -> impl Iterator<Item = String> {
    let is_byte = |byte: &str| byte.len() == 2 && byte.bytes().all(|digit| b"0123456789abcdef".contains(&digit));
    doc.split('`').skip(1).step_by(2).filter(move |code| code.split(' ').all(is_byte)).map(|code| code.replace(' ', ""))
}

/// The documentation of each public parser has bytes that it reads, which a test of its file reads too, and that of its generator
/// names the parser. Those that `structure!` makes have their example from it.
#[test]
fn every_parser_shows_bytes_that_a_test_reads() {
    let (mut count, mut wrong, mut exempt) = (0, Vec::new(), WITHOUT_BYTES.map(|(name, _)| name).to_vec());
    for path in files(&root().join("src"), "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let (code, tests) = text.split_once("\nmod tests {").unwrap_or((&text, ""));
        let tests: String = tests.split_whitespace().collect();
        let lines: Vec<_> = code.lines().collect();
        let (mut doc, mut parsers) = (String::new(), BTreeSet::new());
        for (at, line) in lines.iter().enumerate() {
            match line.trim_start() {
                line if line.starts_with("#[") => doc += if line.contains("doc(hidden)") { line } else { "" },
                line if line.starts_with("///") => doc += &line[3..],
                _ => {
                    let doc = std::mem::take(&mut doc);
                    let Some((name, signature)) = function(&lines[at..]) else { continue };
                    let is_parser =
                        ["-> impl Parser<", "-> impl Puts<", ", type_id;"].map(|end| signature.contains(end));
                    if let Some(parser) = name.strip_prefix("gen_") {
                        if parsers.contains(parser) && !doc.contains(&format!("as [`{parser}`]")) {
                            wrong.push(format!("{}: {name} names no parser", path.display()));
                        }
                    } else if exempt.contains(&name.as_str()) {
                        exempt.retain(|other| *other != name);
                    } else if is_parser.contains(&true) && !doc.contains("doc(hidden)") {
                        count += 1;
                        if bytes(&doc).next().is_none() {
                            wrong.push(format!("{}: {name} shows no bytes", path.display()));
                        }
                        let unread = bytes(&doc).filter(|bytes| !tests.contains(&format!("\"{bytes}\"")));
                        wrong.extend(unread.map(|bytes| format!("{}: {name}: no test reads {bytes}", path.display())));
                        parsers.insert(name);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80 && exempt.is_empty(), "{count} parsers, and none called {exempt:?}");
}

/// Headings may not repeat in a page: a citation or link could mean either.
#[test]
fn sections_have_names_of_their_own() {
    for (page, text) in pages() {
        let mut seen = BTreeSet::new();
        for heading in headings(&text) {
            assert!(seen.insert(anchor(heading)), "{page} has two sections called {heading:?}");
        }
    }
}

#[test]
fn every_link_between_the_pages_leads_somewhere() {
    let pages = pages();
    let mut links = 0;
    let mut wrong = Vec::new();
    for (page, text) in &pages {
        // what is between backticks is code, not a link
        let plain = prose(text).map(|line| line.split('`').step_by(2).collect::<String>());
        let targets = plain.flat_map(|line| line.split("](").skip(1).map(str::to_owned).collect::<Vec<_>>());
        for target in targets {
            let target = target.split(')').next().unwrap_or_default();
            if target.contains("://") {
                continue;
            }
            links += 1;
            let (file, section) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.clone() } else { format!("docs/spec/{file}") };
            match pages.get(&file) {
                Some(text) => {
                    if !section.is_empty() && headings(text).all(|heading| anchor(heading) != section) {
                        wrong.push(format!("{page}: {target}: no such section"));
                    }
                }
                None if root().join(&file).exists() => {}
                None => wrong.push(format!("{page}: {target}: no such file")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(links > 0);
}

/// Each page is in the index.
#[test]
fn the_index_has_every_page() {
    let pages = pages();
    let index = &pages["docs/spec/README.md"];
    for page in pages.keys().filter(|page| !page.ends_with("README.md")) {
        let name = page.rsplit('/').next().unwrap();
        assert!(index.contains(&format!("]({name})")), "{name} is not in docs/spec/README.md");
    }
}

/// The pages for readers of the repository.
const GUIDES: [&str; 16] = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benches/README.md",
    "crates/files/README.md",
    "crates/program/README.md",
    "docs/conversions.md",
    "docs/features.md",
    "docs/files.md",
    "docs/guide.md",
    "docs/program.md",
    "docs/promises.md",
    "docs/speed.md",
    "docs/testing.md",
    "fuzz/README.md",
    "release/README.md",
];

/// Files and folders that these pages link to or name as code, such as `tests/promises`, are there.
#[test]
fn the_guides_name_what_is_there() {
    let mut wrong = Vec::new();
    for page in GUIDES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let folder = root().join(page).parent().unwrap().to_owned();
        let (mut links, mut code) = (Vec::new(), Vec::new());
        for line in prose(&text) {
            for (index, part) in line.split('`').enumerate() {
                match index % 2 {
                    0 => links.extend(part.split("](").skip(1).filter_map(|rest| rest.split(')').next())),
                    _ => code.push(part),
                }
            }
        }
        for link in links.into_iter().filter(|link| !link.contains("://")) {
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let linked = if file.is_empty() { root().join(page) } else { folder.join(file) };
            match fs::read_to_string(&linked) {
                _ if section.is_empty() && linked.exists() => {}
                Ok(text) if headings(&text).any(|heading| anchor(heading) == section) => {}
                _ => wrong.push(format!("{page}: {link}")),
            }
        }
        // the README of a package names its own folders
        let base = if page.starts_with("crates/") { folder.clone() } else { root() };
        let folders =
            ["src/", "tests/", "crates/", "benches/", "bindings/", "docs/", "examples/", "fixtures/", "fuzz/", ".ci/"];
        for path in code.into_iter().filter(|code| folders.iter().any(|folder| code.starts_with(folder))) {
            let path = path.split([' ', '*']).next().unwrap_or_default();
            // files that a recipe makes, or that a pattern names
            if !path.contains("foo") && !path.contains('<') && !base.join(path).exists() {
                wrong.push(format!("{page}: {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables of features in `docs/features.md` have every feature of each library.
#[test]
fn the_page_of_features_has_every_feature() {
    let page = fs::read_to_string(root().join("docs/features.md")).unwrap();
    for (package, manifest) in [("enginewire", "Cargo.toml"), ("enginewire-files", "crates/files/Cargo.toml")] {
        let manifest = fs::read_to_string(root().join(manifest)).unwrap();
        let features =
            manifest.lines().skip_while(|line| *line != "[features]").skip(1).take_while(|line| !line.is_empty());
        let features: BTreeSet<_> = features
            .filter_map(|line| line.split_once(" = ").map(|(name, _)| name))
            .filter(|name| *name != "default")
            .collect();
        let (_, section) = page.split_once(&format!("\n## {package}\n")).unwrap();
        let table = section.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `"));
        let named = table.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
        assert_eq!(named.collect::<BTreeSet<_>>(), features, "{package}");
    }
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(anchor("Int, Float and Double"), "int-float-and-double");
    assert_eq!(anchor("project.binary"), "projectbinary");
    assert_eq!(anchor("UDim2"), "udim2");
}
