//! The kernels as Metal's compiler sees them: their text in the Metal dialect, with a stand-in for Metal's library.
//!
//! Features that plain C++ lacks are translated after the preprocessor: entry points with their attributes, and arrays
//! in threadgroup memory. On the way it is checked that every pointer names its address space; that none becomes a
//! pointer into another one is checked by clang, if that is the compiler.

mod kernel;
mod limits;
mod tokens;
mod wrong;

use std::collections::BTreeSet;

use gpu_hal::Result;

use kernel::Kernel;
pub(crate) use limits::{BUFFERS, PARAMS};
use tokens::{Token, tokens};
use wrong::wrong;

/// The text before the translated text, after the emulator.
pub(crate) const LIBRARY: &str = include_str!("metal_stdlib.h");

/// How a text asks for Metal's library.
const INCLUDE: &str = "#include <metal_stdlib>";

const SPACES: [&str; 4] = ["device", "constant", "thread", "threadgroup"];
/// Words of Metal that C++ takes as names.
const RESERVED: [&str; 5] = ["half", "bfloat", "vertex", "fragment", "sampler"];
const SCALARS: [&str; 8] = ["void", "bool", "uchar", "ushort", "uint", "int", "ulong", "long"];

/// The text for the preprocessor: without the library, which comes later.
pub(crate) fn without_library(text: &str) -> Result<String> {
    if text.matches(INCLUDE).count() != 1 {
        return Err(wrong("the text must include <metal_stdlib>, once"));
    }
    Ok(text.replace(INCLUDE, "namespace metal {}"))
}

/// C++ from the preprocessor's output of the Metal dialect.
pub(crate) fn translate(text: &str) -> Result<String> {
    let tokens = tokens(text);
    if let Some(token) = tokens.iter().find(|token| RESERVED.contains(&token.text)) {
        return Err(wrong(format!("line {}: '{}' is a word of Metal", token.line, token.text)));
    }
    every_pointer_has_a_space(&tokens)?;
    let mut out = String::with_capacity(text.len() + 4096);
    let (mut at, mut copied) = (0, 0);
    let mut kernels: Vec<Kernel<'_>> = Vec::new();
    let mut depth = 0usize;
    while at < tokens.len() {
        let is = |from: usize, texts: &[&str]| {
            texts.iter().enumerate().all(|(n, text)| tokens.get(from + n).is_some_and(|token| token.text == *text))
        };
        let start = tokens[at].start;
        if depth == 0 && (tokens[at].text == "kernel" || is(at, &["[", "["])) {
            let (kernel, end) = Kernel::read(text, &tokens, at)?;
            out.push_str(&text[copied..start]);
            out.push_str(&kernel.declaration());
            kernels.push(kernel);
            (at, copied) = (end, tokens[end].start);
            continue;
        }
        if tokens[at].text == "threadgroup" && is(at + 3, &["["]) {
            if depth == 0 {
                return Err(wrong(format!("line {}: threadgroup memory outside of a function", tokens[at].line)));
            }
            let close = tokens[at..].iter().position(|token| token.text == "]").map(|n| at + n);
            let close = close.ok_or_else(|| wrong(format!("line {}: '[' without ']'", tokens[at].line)))?;
            let (kind, name) = (tokens[at + 1].text, tokens[at + 2].text);
            let count = &text[tokens[at + 3].end..tokens[close].start];
            out.push_str(&text[copied..start]);
            out.push_str(&format!(
                "threadgroup {kind}* {name} = (threadgroup {kind}*)emu::shared<{kind}>(__LINE__, ({count}))"
            ));
            (at, copied) = (close + 1, tokens[close].end);
            continue;
        }
        match tokens[at].text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    out.push_str(&text[copied..]);
    // The wrappers name the emulator's functions.
    out.push_str("\n#undef thread\n");
    kernels.iter().for_each(|kernel| out.push_str(&kernel.wrapper()));
    Ok(out)
}

/// A type's name, then `*` or `&`: before it there must be an address space.
fn every_pointer_has_a_space(tokens: &[Token<'_>]) -> Result<()> {
    let mut types: BTreeSet<&str> = SCALARS.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if token.text == "struct" {
            types.extend(tokens.get(at + 1).map(|name| name.text));
        } else if token.text == "typedef" {
            let end = tokens[at..].iter().position(|token| token.text == ";").map_or(tokens.len(), |n| at + n);
            types.extend(tokens[at..end].last().map(|name| name.text));
        }
    }
    for (at, pair) in tokens.windows(2).enumerate() {
        let is_pointer = types.contains(pair[0].text) && ["*", "&"].contains(&pair[1].text);
        let mut before = tokens[..at].iter().rev().skip_while(|token| token.text == "const");
        if is_pointer && !before.next().is_some_and(|token| SPACES.contains(&token.text)) {
            let (line, name) = (pair[0].line, pair[0].text);
            return Err(wrong(format!("line {line}: a pointer to {name} without an address space")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gpu_hal::ErrorKind;

    use super::*;

    #[test]
    fn entries_and_shared_arrays_are_translated() {
        let text = "# 1 \"x\"\nstruct P { ulong n; };\n[[max_total_threads_per_threadgroup(64)]]\nkernel void f(device const ulong* a \
                    [[buffer(2)]], device ulong* b [[buffer(0)]], constant P& p [[buffer(30)]],\nuint t [[thread_index_in_threadgroup]]) \
                    { threadgroup ulong s[2 * 8]; b[0] = s[t] * a[0]; }";
        let out = translate(text).expect("sound");
        assert!(
            out.contains("threadgroup ulong* s = (threadgroup ulong*)emu::shared<ulong>(__LINE__, (2 * 8));"),
            "{out}"
        );
        assert!(out.contains("static void f(device const ulong* a , device ulong* b , constant P& p ,"), "{out}");
        assert!(
            out.contains("(device const ulong*)arguments[2], (device ulong*)arguments[0], *(constant P*)params"),
            "{out}"
        );
        assert!(
            out.contains("{2, 0, 0}, {0, 1, 0}, {30, 0, sizeof(P)}, {31, 0, 0}") && out.contains("_threads = (64);"),
            "{out}"
        );
    }

    #[test]
    fn what_metal_refuses_is_refused() {
        let refused = |text: &str, words: &str| {
            let error = translate(text).expect_err(text);
            assert!(error.kind == ErrorKind::KernelBuild && error.detail.contains(words), "{text}: {error}");
        };
        refused("static void f(ulong* a) {}", "line 1: a pointer to ulong without an address space");
        refused("struct S { uint a; };\nstatic void f(const S& a) {}", "line 2: a pointer to S");
        refused("typedef uint u32;\nvoid f(device uint* a) { u32 b = *(u32*)a; }", "pointer to u32");
        refused("threadgroup uint a[3];", "outside of a function");
        refused("static uint f(uint half) { return half / 2; }", "'half' is a word of Metal");
        refused("kernel void f(device uint* a) {}", "no attribute");
        refused("kernel void f(device uint* a [[buffer(31)]]) {}", "31");
        refused("kernel void f(device uint* a [[buffer(1)]], device uint* b [[buffer(1)]]) {}", "twice");
        refused("kernel void f(uint a [[no_such_thing]]) {}", "no_such_thing");
        assert!(translate("static void f(device const ulong* a, thread uint* b) { *b = (uint)a[0] * *b; }").is_ok());
    }
}
