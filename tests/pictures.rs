//! The pictures of the guide.

#[path = "../examples/pretty_errors.rs"]
mod pretty_errors;

use crate::drawn::draw;

#[test]
fn errors_are_drawn_by_other_libraries() {
    let input = pretty_errors::BROKEN;
    let error = enginewire::roblox::attributes::decode(input).unwrap_err();
    let ariadne = pretty_errors::by_ariadne(&error, "spawn.bin", input).unwrap();
    let miette = pretty_errors::by_miette(&error, "spawn.bin", input).unwrap();
    draw("pretty-errors.svg", &format!("{}\n{miette}", String::from_utf8(ariadne).unwrap()));
}
