//! Writes the JavaScript that belongs to a WebAssembly module: `enginewire-bindgen MODULE FOLDER`.
//!
//! The program `wasm-bindgen` must have exactly the version of the crate that the module was built with. A package of its own has
//! that version in its lock file, so that nobody has to install the right one.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: enginewire-bindgen MODULE FOLDER");
        return ExitCode::from(2);
    };
    // each host gives the module's bytes itself, so that one file serves Node, bundlers and browsers
    let written = Bindgen::new().input_path(module).web(true).and_then(|bindgen| {
        bindgen.omit_default_module_path(true).reset_state_function(true).typescript(true).generate(folder)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("enginewire-bindgen: {error:?}");
            ExitCode::FAILURE
        }
    }
}
