//! Refusals of what a hint may not do, with their places.

use cairo_run::{Kind, Options, OwnHints, load};
use serde_json::json;

use super::{fault, options, server, with_hints};

#[test]
fn what_a_hint_may_not_do_is_refused_with_its_place() {
    let mut wrong = Vec::new();
    for (hint, expected) in [
        ("import os", "line 1 of the hint: a hint imports no modules"),
        ("\nimport socket", "line 2 of the hint: a hint imports no modules"),
        ("open('/etc/passwd')", "a hint has no files, no network and no clock"),
        ("open('/tmp/polystark', 'w').write('x')", "a hint has no files, no network and no clock"),
        ("__import__('os')", "names that begin with `__` are not the hint's"),
        ("eval('1')", "NameError: name 'eval' is not defined"),
        ("exec('1')", "NameError: name 'exec' is not defined"),
        ("globals()", "NameError: name 'globals' is not defined"),
        ("x = locals, vars", "NameError: name 'locals' is not defined"),
        ("x = [].__class__", "names that begin with `__` are not the hint's"),
        ("class A: pass", "a hint defines no classes"),
        ("x = [0] * 10 ** 12", "it takes more memory than a hint may take"),
        ("x = 'x' * 10 ** 10", "it takes more memory than a hint may take"),
        ("x = 1 << 10 ** 9", "it takes more memory than a hint may take"),
        ("x = 3 ** 10 ** 9", "it takes more memory than a hint may take"),
        ("x = [0]\nwhile True: x = x + x", "it takes more memory than a hint may take"),
        ("x = pow(3, 10 ** 9)", "pow: more than 8192 bits"),
        ("x = pow(3, 10 ** 9999, 7)", "pow: more than 8192 bits"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("\n\nraise ValueError('why')", "line 3 of the hint: ValueError: why"),
        ("x = 1\nx = 1 // 0", "line 2 of the hint: ZeroDivisionError"),
        ("ids.a = 1\nids.a = 2", "Inconsistent memory assignment"),
        ("ids.a = -1", "ids.a: -1 is negative, and a felt is not; take it modulo PRIME"),
        ("ids.a = PRIME", "is not below the prime; take it modulo PRIME"),
        ("ids.a = 2 ** 5000", "is not below the prime; take it modulo PRIME"),
        ("ids.a = fp + fp", "is not below the prime; take it modulo PRIME"),
        ("ids.a = 'x'", "ids.a: 'x' is no integer"),
        ("memory[0] = 1", "memory: 0 is no address"),
        ("memory[fp - 100] = 1", "is no address"),
        ("x = memory[fp]", "Unknown memory cell at address 1:5"),
        ("ids.q = 1", "line 1 of the hint: ids.q: there is no such variable or constant"),
        ("ids.K = 1", "a constant or an address is not written"),
        ("ids.here = 1", "ids.here is a value that is computed, and no cell"),
        ("ids.p = 1", "it is a __main__.P: name a member of it"),
        ("x = program_input['n']", "KeyError"),
        ("vm_exit_scope()", "Cannot exit main scope"),
        ("segments.gen_arg([1], 2)", "`segments.gen_arg` takes other arguments"),
        ("segments.gen_arg(list=[1])", "`segments.gen_arg` takes other arguments"),
        ("segments.gen_arg([1], arg=[1])", "`segments.gen_arg` takes other arguments"),
        ("segments.write_arg(arg=[1])", "`segments.write_arg` takes other arguments"),
        ("vm_enter_scope(1, 2)", "`vm_enter_scope` takes other arguments"),
        ("x = memory.get_range(fp, 10 ** 9)", "the size is no number from 0 to 262144"),
        ("segments.nothing()", "there is no function `segments.nothing`"),
        ("x = (", "line 1 of the hint: SyntaxError"),
        ("i = fp\nmemory[i], i = 1, i + 1", "line 2 of the hint: the address of a cell reads `i`, which the same"),
        ("memory[i] = i = fp", "the address of a cell reads `i`, which the same statement assigns: use two"),
        ("x = y = \u{e9}\u{e9}", "a name has letters, digits and `_` of ASCII alone"),
        ("memory[fp + 2 ** 60] = 1", "--max-addresses"),
        ("x = segments.write_arg(segments.add(), [0] * 60000)\nmemory[x + 10 ** 9] = 1", "--max-addresses"),
    ] {
        let error = fault(hint, &options(Some(json!({}))));
        if !error.contains(expected) {
            wrong.push(format!("{hint}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The interpreter finds its own values by these names in later hints.
#[test]
fn no_variable_has_a_name_of_pythons_own() {
    for hint in [
        "sum = 1",
        "id, x = 1, 2",
        "hash: int = 1",
        "min += 1",
        "for next in [1]: pass",
        "x = (len := 1)",
        "def f():\n    global max\n    max = 1",
        "def any(): pass",
        "try: x = 1\nexcept ValueError as type: pass",
        "KeyError = 1",
        "vm_enter_scope({'list': 1})",
    ] {
        let error = fault(hint, &options(None));
        assert!(error.contains("is Python's own, and no variable of a hint has its name"), "{hint}: {error}");
    }
}

#[test]
fn inputs_without_such_hints_do_not_take_them() {
    let program = serde_json::to_vec(&with_hints(&[""], 0)).unwrap();
    let kind = Some(Kind::Executable);
    let refused = load(&program, &Options { kind, own_hints: OwnHints::Python(server()), ..Options::default() });
    assert!(refused.unwrap_err().to_string().contains("has no hints in Python"));
    // Nothing is started where no hint is the program's own.
    let nowhere = OwnHints::Python("/nowhere".into());
    let program = serde_json::to_vec(&with_hints(&["memory[ap] = segments.add()"], 0)).unwrap();
    load(&program, &Options { kind: Some(Kind::Compiled), own_hints: nowhere, ..Options::default() }).unwrap();
}
