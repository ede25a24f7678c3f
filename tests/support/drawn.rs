//! Pictures of terminals in the documentation. `UPDATE_GOLDEN=1` draws them anew.

use std::fs;

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};
use pretty_assertions::assert_eq;

use super::root;

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

/// Compares a picture of the documentation with this text of a terminal.
pub(crate) fn draw(name: &str, text: &str) {
    let term = Term::new().palette(Palette::from(COLOURS)).fg_color(Color::Rgb(TEXT)).bg_color(Color::Rgb(PAGE));
    let drawn = term.min_width_px(720).render_svg(text.trim_end());
    let file = root().join("docs").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, drawn).unwrap();
        return;
    }
    assert_eq!(drawn, fs::read_to_string(file).unwrap(), "{name} shows something else than the program");
}
