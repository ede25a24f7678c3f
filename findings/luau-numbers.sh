#!/usr/bin/env bash
# mlua 0.12.2 (crates.io) with Luau 0.740, the Lua of Roblox and Lune (luau0-src 0.22.0), numbers in texts and in buffers.
#
# Guess: tonumber of a text is the number that this text is in a script, or nil for what is no number there. With a base and a minus it is
# negative. A buffer or string.pack refuses a number that does not fit, or both take its low bits.
#
# Seen: 0b11 and 1_000 are numbers in a script, and nil for tonumber; "inf", "nan" and 0x1p4, which a script does not have, are numbers for
# it. 0xffffffffffffffffff is 2 ** 64 in a script, and 2 ** 72 by tonumber. tonumber("-ff", 16) is 2 ** 64 - 255, rounded, and not -255.
# buffer.writeu8 takes the low bits of 300, and string.pack refuses it; both cut 1.9 to 1. string.format("%d", 2 ^ 63) is negative.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet mlua@=0.12.2 --features luau
cargo update --quiet luau0-src --precise 0.22.0+luau740
cat >src/main.rs <<'RUST'
use mlua::Lua;

fn main() {
    let lua = Lua::new();
    let eval = |code: &str| match lua.load(format!("return tostring({code})")).eval::<String>() {
        Ok(shown) => shown,
        Err(_) => "refused".to_owned(),
    };
    for (text, in_script, by_tonumber) in [
        ("0x10", "16", "16"),
        ("0b11", "3", "nil"),
        ("1_000", "1000", "nil"),
        ("0xffffffffffffffffff", "18446744073709552000", "4.722366482869645e+21"),
        ("0x1p4", "refused", "16"),
        ("inf", "nil", "inf"),
        ("nan", "nil", "nan"),
    ] {
        let found = (eval(text), eval(&format!("tonumber('{text}')")));
        println!("{text}: {} in a script, {} by tonumber", found.0, found.1);
        assert_eq!(found, (in_script.to_owned(), by_tonumber.to_owned()));
    }
    lua.load("b = buffer.create(4)").exec().unwrap();
    let written = |call: &str, read: &str| format!("(function() buffer.{call} return buffer.{read}(b, 0) end)()");
    for (code, expected) in [
        ("tonumber('-ff', 16)".to_owned(), "18446744073709552000"),
        ("tonumber('-0xff')".to_owned(), "-255"),
        (written("writeu8(b, 0, 300)", "readu8"), "44"),
        (written("writeu8(b, 0, -1)", "readu8"), "255"),
        (written("writeu8(b, 0, 1.9)", "readu8"), "1"),
        ("string.pack('<I1', 300)".to_owned(), "refused"),
        ("string.byte(string.pack('<I1', 1.9))".to_owned(), "1"),
        ("string.format('%d', 2 ^ 63)".to_owned(), "-9223372036854775808"),
        ("2 ^ 63".to_owned(), "9223372036854776000"),
    ] {
        println!("{code}: {}", eval(&code));
        assert_eq!(eval(&code), expected);
    }
}
RUST
cargo run --quiet
