//! Roblox model and place files.

use std::path::Path;

use libtest_mimic::Trial;

use crate::tested::{model as properties, model_manifest as manifest};

pub(crate) fn trials(corpus: &Path) -> Vec<Trial> {
    let folder = corpus.join("roblox-models");
    let blobs = corpus.join("roblox-attributes");
    let mut trials = Vec::new();
    for (name, test) in [
        ("manifest.json", manifest::finds as fn(&Path, &serde_json::Value, &Path)),
        ("replacements.json", manifest::replaces),
    ] {
        for (index, entry) in manifest::read_list(&folder.join(name)).into_iter().enumerate() {
            let (folder, blobs) = (folder.clone(), blobs.clone());
            trials.push(Trial::test(format!("{name} {index}: {}", entry["file"]), move || {
                test(&folder, &entry, &blobs);
                Ok(())
            }));
        }
    }
    for entry in manifest::read_list(&folder.join("manifest.json")) {
        let file = std::fs::read(folder.join(entry["file"].as_str().unwrap())).unwrap();
        trials.push(Trial::test(format!("model {}", entry["file"]), move || {
            properties::hold(&file);
            if file.len() < 2000 {
                properties::truncation(&file);
            }
            Ok(())
        }));
    }
    trials
}
