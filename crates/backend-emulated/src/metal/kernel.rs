//! Entry points: their attributes, and a function that the emulator can call.

use std::fmt::Write;

use gpu_hal::Result;

use super::limits::{BUFFERS, PARAMS};
use super::tokens::{Kind, Token};
use super::wrong::wrong;

/// A parameter of an entry point.
struct Parameter<'a> {
    /// Its declaration without the attribute, and the type in it.
    declaration: &'a str,
    kind: &'a str,
    role: Role,
}

/// Where the argument comes from.
enum Role {
    /// The buffer of that index; whether it may be written.
    Buffer { index: usize, writes: bool },
    /// The parameter block, of that type.
    Params,
    /// A value that the emulator knows, as an expression.
    Known(&'static str),
}

/// An entry point's declaration.
pub(super) struct Kernel<'a> {
    name: &'a str,
    /// Most threads of a block.
    threads: &'a str,
    parameters: Vec<Parameter<'a>>,
}

/// Threads of a block where a kernel does not say.
const MOST_THREADS: &str = "(1024)";

impl<'a> Kernel<'a> {
    /// Reads the declaration that begins at a token; returns it and the place of the token after it, which opens the
    /// body.
    pub(super) fn read(text: &'a str, tokens: &[Token<'a>], mut at: usize) -> Result<(Self, usize)> {
        let line = tokens[at].line;
        let fail = |what: &str| wrong(format!("line {line}: {what}"));
        let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let mut threads = MOST_THREADS;
        if text_at(at) == "[" {
            if text_at(at + 2) != "max_total_threads_per_threadgroup" {
                return Err(fail(&format!("the attribute '{}'", text_at(at + 2))));
            }
            // As an expression in parentheses.
            let end = tokens[at..].iter().position(|token| token.text == "]").map(|n| at + n);
            let end = end.ok_or_else(|| fail("an attribute without an end"))?;
            threads = &text[tokens[at + 3].start..tokens[end - 1].end];
            at = end + 2;
        }
        if text_at(at) != "kernel" || text_at(at + 1) != "void" || text_at(at + 3) != "(" {
            return Err(fail("no 'kernel void NAME('"));
        }
        let name = text_at(at + 2);
        let first = at + 4;
        let mut parameters = Vec::new();
        let (mut depth, mut start, mut at) = (0usize, first, first);
        loop {
            match text_at(at) {
                "(" => depth += 1,
                ")" if depth > 0 => depth -= 1,
                "," | ")" if depth == 0 => {
                    parameters.push(Parameter::read(text, &tokens[start..at], name)?);
                    start = at + 1;
                    if text_at(at) == ")" {
                        break;
                    }
                }
                "" => return Err(fail("a declaration without an end")),
                _ => {}
            }
            at += 1;
        }
        let mut seen = [false; BUFFERS];
        for parameter in &parameters {
            let index = match parameter.role {
                Role::Buffer { index, .. } => index,
                Role::Params => PARAMS,
                Role::Known(_) => continue,
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(fail(&format!("kernel '{name}' takes buffer {index} twice")));
            }
        }
        Ok((Self { name, threads, parameters }, at + 1))
    }

    /// The function under its own name.
    pub(super) fn declaration(&self) -> String {
        let parameters: Vec<&str> = self.parameters.iter().map(|parameter| parameter.declaration).collect();
        format!("static void {}({}) ", self.name, parameters.join(", "))
    }

    /// The function that the emulator calls, and the attributes.
    pub(super) fn wrapper(&self) -> String {
        let name = self.name;
        let argument = |parameter: &Parameter<'_>| match parameter.role {
            Role::Buffer { index, .. } => format!("({})arguments[{index}]", parameter.kind),
            Role::Params => format!("*({}*)params", parameter.kind),
            Role::Known(expression) => expression.to_owned(),
        };
        let arguments: Vec<String> = self.parameters.iter().map(argument).collect();
        let mut table = String::new();
        for parameter in &self.parameters {
            let entry = match parameter.role {
                Role::Buffer { index, writes } => format!("{{{index}, {}, 0}}, ", u8::from(writes)),
                Role::Params => {
                    format!("{{{PARAMS}, 0, sizeof({})}}, ", parameter.kind.trim_start_matches("constant").trim())
                }
                Role::Known(_) => continue,
            };
            table.push_str(&entry);
        }
        let mut out = String::new();
        let written = write!(
            out,
            "extern \"C\" void metal_{name}(void** arguments, const void* params) {{ {name}({}); }}\n\
             extern \"C\" {{ extern const emu::MetalArgument metal_{name}_arguments[]; \
             const emu::MetalArgument metal_{name}_arguments[] = {{{table}{{31, 0, 0}}}};\n\
             extern const uint32_t metal_{name}_threads; const uint32_t metal_{name}_threads = {}; }}\n",
            arguments.join(", "),
            self.threads
        );
        written.expect("writing to a string cannot fail");
        out
    }
}

/// The value of numbers with plus signs and parentheses, up to `]`.
fn sum(tokens: &[Token<'_>]) -> Option<usize> {
    let terms = tokens.iter().map(|token| token.text).take_while(|text| *text != "]");
    terms.filter(|text| !["(", ")", "+"].contains(text)).map(|text| text.parse::<usize>().ok()).sum()
}

impl<'a> Parameter<'a> {
    /// `TYPE NAME [[ATTRIBUTE]]`.
    fn read(text: &'a str, tokens: &[Token<'a>], kernel: &str) -> Result<Self> {
        let line = tokens.first().map_or(0, |token| token.line);
        let fail = |what: String| wrong(format!("line {line}: kernel '{kernel}': {what}"));
        let open = tokens.windows(2).position(|pair| pair[0].text == "[" && pair[1].text == "[");
        let (Some(open), Some(first)) = (open.filter(|open| *open >= 2), tokens.first()) else {
            return Err(fail("a parameter with no attribute".into()));
        };
        let (name, attribute) = (&tokens[open - 1], &tokens[open + 2..]);
        let declaration = &text[first.start..tokens[open].start];
        let kind = &text[first.start..name.start];
        let known = |expression| Ok(Role::Known(expression));
        let role = match attribute[0].text {
            "buffer" => {
                let index = sum(&attribute[1..]).ok_or_else(|| fail("a buffer's index that is no sum".into()))?;
                match (first.text, index) {
                    (_, index) if index >= BUFFERS => Err(fail(format!("there is no buffer {index}"))),
                    ("constant", PARAMS) => Ok(Role::Params),
                    ("device", index) if index != PARAMS => {
                        Ok(Role::Buffer { index, writes: tokens.get(1).is_some_and(|token| token.text != "const") })
                    }
                    (space, index) => Err(fail(format!("buffer {index} in the address space '{space}'"))),
                }
            }
            "thread_index_in_threadgroup" => known("emu::thread()"),
            "threadgroup_position_in_grid" => known("uint3{emu::block(0), emu::block(1), emu::block(2)}"),
            "threads_per_threadgroup" => known("uint3{emu::block_threads(), 1, 1}"),
            // No kernel asks for the others.
            "threadgroups_per_grid" => known("uint3{emu::grid_x(), 1, 1}"),
            other => Err(fail(format!("the attribute '{other}'"))),
        }?;
        if name.kind != Kind::Word {
            return Err(fail("a parameter without a name".into()));
        }
        // The parameter block is a reference.
        let kind = if matches!(role, Role::Params) { kind.trim_end().trim_end_matches('&') } else { kind };
        Ok(Self { declaration, kind: kind.trim_end(), role })
    }
}
