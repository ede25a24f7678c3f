//! The pictures of `docs/program.md` and the guide: the terminal output of the program and of an example, as SVG.
//!
//! `UPDATE_GOLDEN=1 cargo test --all-features --test pictures` redraws them; look at them before committing.

#![allow(clippy::unwrap_used)] // a test may panic

#[path = "../examples/pretty_errors.rs"]
mod pretty_errors;

use std::fs;
use std::path::Path;
use std::process::Command;

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};
use pretty_assertions::assert_eq;

/// Commands, as a shell has them, with what they print in colour; run in a folder with some fixtures.
fn session(commands: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/roblox-attributes");
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

/// A colour from its number, as in the HTML notation `#rrggbb`.
const fn rgb(hex: u32) -> RgbColor {
    let [_, red, green, blue] = hex.to_be_bytes();
    RgbColor(red, green, blue)
}

const TEXT: RgbColor = rgb(0xe6e6e6);
const PAGE: RgbColor = rgb(0x16181d);

/// The dark colours of `inspect --html`: black, red, green, yellow, blue, magenta, cyan and white, and all of them bright.
const HALF: [RgbColor; 8] =
    [PAGE, rgb(0xff7b72), rgb(0x8ddb8c), rgb(0xe3b341), rgb(0x6cb6ff), rgb(0xd2a8ff), rgb(0x56d4dd), TEXT];
const COLOURS: [RgbColor; 16] = {
    let [a, b, c, d, e, f, g, h] = HALF;
    [a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h]
};

fn check(name: &str, commands: &[&str]) {
    draw(name, &session(commands));
}

fn draw(name: &str, text: &str) {
    let term = Term::new().palette(Palette::from(COLOURS)).fg_color(Color::Rgb(TEXT)).bg_color(Color::Rgb(PAGE));
    let drawn = term.min_width_px(720).render_svg(text.trim_end());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, drawn).unwrap();
        return;
    }
    assert_eq!(drawn, fs::read_to_string(file).unwrap(), "{name} shows something else than the program");
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

#[test]
fn errors_are_drawn_by_other_libraries() {
    let input = pretty_errors::BROKEN;
    let error = enginewire::roblox::attributes::decode(input).unwrap_err();
    let ariadne = pretty_errors::by_ariadne(&error, "spawn.bin", input).unwrap();
    let miette = pretty_errors::by_miette(&error, "spawn.bin", input).unwrap();
    draw("pretty-errors.svg", &format!("{}\n{miette}", String::from_utf8(ariadne).unwrap()));
}
