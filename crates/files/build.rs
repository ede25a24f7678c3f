//! Says whether functions are inlined as `src/wire/perf.rs` explains: in optimised builds that are not loaded from a network.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(fast)");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if !is("OPT_LEVEL", "0") && !is("CARGO_CFG_TARGET_FAMILY", "wasm") {
        println!("cargo::rustc-cfg=fast");
    }
}
