//! The pictures of `docs/program.md`: the terminal output of the program, as SVG.
//!
//! `UPDATE_GOLDEN=1 cargo test pictures::` redraws them; look at them before committing.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::drawn::draw;

/// Commands, as a shell has them, with what they print in colour; run in a folder with some fixtures.
fn session(commands: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/roblox-attributes");
    for (from, to) in [("readable.bin", "torch.bin"), ("bad/rotation-id.bin", "broken.bin")] {
        fs::copy(fixtures.join(from), folder.path().join(to)).unwrap();
    }
    let run = |command: &&str| {
        let output = Command::new(env!("CARGO_BIN_EXE_enginewire"))
            .args(command.split(' ').skip(1))
            .args(["--color", "always"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        format!("\x1b[2m$ \x1b[0m\x1b[1m{command}\x1b[0m\n{}", String::from_utf8(text).unwrap())
    };
    commands.iter().map(run).collect::<Vec<_>>().join("\n")
}

fn check(name: &str, commands: &[&str]) {
    draw(name, &session(commands));
}

#[test]
fn a_broken_value_field_by_field() {
    check("inspect.svg", &["enginewire inspect -f roblox-attributes broken.bin"]);
}

#[test]
fn values_are_read_changed_and_compared() {
    check(
        "values.svg",
        &[
            "enginewire get torch.bin",
            "enginewire set torch.bin Fuel=42 Material=Enum.Material.Neon Lit=false -o new.bin",
            "enginewire diff torch.bin new.bin",
            "enginewire set torch.bin Color=red -o new.bin",
            "enginewire check -f roblox-attributes torch.bin broken.bin",
        ],
    );
}
