//! Hints that take all that they can get: each is refused, within time, and the run's process grows little.

use std::time::{Duration, Instant};

use cairo_run::{Machine, Options};
use serde_json::json;

use super::{fault, options, run, with_hints};

/// Bytes by which this process grows at most; the tests beside one take some, too.
const GROWS: u64 = 300 << 20;
/// Time that a run takes at most: that of its hints in both machines, and of the tests beside it.
const TAKES: Duration = Duration::from_secs(150);

/// Runs hints, of which each must end in time and take little memory of this process, and says why it has failed.
fn judge(hints: &[&str]) -> Vec<Option<String>> {
    let mut wrong = Vec::new();
    let judged = hints.iter().map(|hint| {
        let (before, begun) = (peak(), Instant::now());
        let options = Options { max_steps: 1 << 22, machine: Machine::Own, ..options(None) };
        let error = run(&with_hints(&[hint], 0), &options).err();
        let (grown, took) = (peak().saturating_sub(before), begun.elapsed());
        if std::env::var_os("POLYSTARK_SHOW").is_some() {
            let error = error.as_ref().map(|error| error.chars().take(170).collect::<String>());
            eprintln!("{took:?} {} MiB {hint:?}: {error:?}", grown >> 20);
        }
        // A process that ends in a way that nobody knows is no refusal.
        let is_known = error.as_ref().is_none_or(|error| !error.contains("has ended: "));
        if grown > GROWS || took > TAKES || !is_known {
            wrong.push(format!("{hint}: {took:?}, {} MiB, {error:?}", grown >> 20));
        }
        error
    });
    let judged = judged.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    judged
}

/// Bytes that this process has taken at most so far.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or_default() << 10
}

/// Whether the long lists run, too.
fn is_slow() -> bool {
    std::env::var_os("POLYSTARK_SLOW").is_some_and(|value| value == "1")
}

/// Single operations of the interpreter that nobody counts: the limits of the process end them.
const UNCOUNTED: [&str; 7] = [
    "x = 'a' * 1000000\ny = [x] * 60000\nz = str(y)",
    "x = 'a' * 1000000\ny = [x] * 60000\nz = f'{y}'",
    "x = 'a' * 1000000\ny = [x] * 60000\nprint(y)",
    "x = 'a' * 1000000\ny = [x] * 60000\nassert False, y",
    "x = 'a' * 1000000\ny = [x] * 60000\nnobody(y)",
    "x = [1]\nfor i in range(40): x = [x, x]\nnobody(x)",
    "x = [1]\nfor i in range(40): x = [x, x]",
];

#[test]
fn what_the_interpreter_does_not_count_is_ended() {
    for (hint, error) in UNCOUNTED.iter().zip(judge(&UNCOUNTED)) {
        let error = error.unwrap_or_else(|| panic!("{hint} ran"));
        let known = ["more memory", "processor time", "--max-steps"];
        assert!(known.iter().any(|known| error.contains(known)), "{hint}: {error}");
    }
}

/// One operation that takes a minute, and few steps.
#[test]
fn a_long_operation_is_ended() {
    let options = Options { machine: Machine::CairoVm, ..options(None) };
    let begun = Instant::now();
    let error = fault("x = hex(1 << 8000000)\nwhile True: y = int(x, 16)", &options);
    assert!(error.contains("hints take more than 10 s of processor time"), "{error}");
    assert!(begun.elapsed() < TAKES, "{:?}", begun.elapsed());
}

/// Without an end, with little steps for the test's time.
#[test]
fn a_hint_that_does_not_end_is_stopped() {
    for hint in [
        "while True: pass",
        "x = sum(range(10 ** 12))",
        "while True: segments.gen_arg([0])",
        "x = [0] * 60000\nwhile True: x.index(1) if 1 in x else x.sort()",
        "for i in range(10 ** 18): s = 'x' * 10000",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "x = []\nfor i in range(10 ** 9): x.append(x)",
    ] {
        let options = Options { max_steps: 1 << 18, ..options(None) };
        let error = run(&with_hints(&[hint], 0), &options).expect_err(hint);
        assert!(
            error.contains("it has not ended after 262144 steps") && error.contains("--max-steps"),
            "{hint}: {error}"
        );
    }
    // The input is paid for by each hint that reads all of it.
    let input = json!({"list": vec![1; 100_000]});
    let options = Options { max_steps: 1 << 16, ..options(Some(input)) };
    let error = run(&with_hints(&["x = len(program_input) + 1"], 0), &options).unwrap_err();
    assert!(error.contains("--max-steps"), "{error}");
}

/// Forty doublings are a tree of 2^40 values, which the interpreter would write out whenever it hands them on.
const DOUBLINGS: [&str; 6] = [
    "x = [1]\nfor i in range(40): x = [x, x]\n",
    "x = (1,)\nfor i in range(40): x = (x, x)\n",
    "x = {0: 1}\nfor i in range(40): x = {0: x, 1: x}\n",
    "x = (1,)\nfor i in range(40): x = (x, x)\nx = [x, x]\n",
    "x = []\nfor i in range(40): x = [x, [x]]\nx.append(x)\n",
    "x = 'x' * 60000\nx = [x] * 60000\n",
];

/// Uses of such a value.
const USES: [&str; 28] = [
    "",
    "print(x)",
    "y = f'{x}'",
    "y = repr(x)",
    "y = x == [x]",
    "y = x == x",
    "y = {(x,): 1}",
    "y = hash(x)",
    "raise ValueError(x)",
    "assert False, x",
    "ids.a = x",
    "memory[x] = 1",
    "memory[fp] = x",
    "memory.get(x, x)",
    "segments.gen_arg(x)",
    "segments.write_arg(x, [])",
    "pow(x, 2)",
    "vm_enter_scope({'x': x})\nvm_exit_scope()",
    "f = vm_enter_scope\nf({'y': x})",
    "nobody(x)",
    "nobody(y=x)",
    "nobody(*x)",
    "def f(): nobody(x)\nf()",
    "print(*[nobody(x)])",
    "x.nothing(x)",
    "y = sorted([x, x])",
    "y = max(x, x)",
    "y = lambda x=x: x\nnobody(y)",
];

#[test]
fn what_leaves_a_hint_is_bounded() {
    let all = DOUBLINGS.iter().flat_map(|doubled| USES.iter().map(move |rest| format!("{doubled}{rest}")));
    let all: Vec<_> = all.enumerate().filter(|(index, _)| is_slow() || index % 11 == 3).map(|(_, hint)| hint).collect();
    let hints: Vec<&str> = all.iter().map(String::as_str).collect();
    for (hint, error) in hints.iter().zip(judge(&hints)) {
        assert!(error.is_some(), "{hint} ran");
    }
}

/// Values that grow, or work that does not end.
const FLOODS: &[&str] = &[
    "x = 1 << 10 ** 9",
    "x = 'a' * 10 ** 9",
    "x = 1\nwhile True: x = x << 1000 | 1",
    "x = 3\nwhile True: x = x * x",
    "x = 3\nwhile True: x **= 2",
    "x = (1 << 800000) - 1\nwhile True: y = x * x // (x - 5)",
    "x = (1 << 800000) - 1\nwhile True: y = x % (x - 5)",
    "x = str((1 << 8000000) - 1)",
    "x = f'{(1 << 8000000) - 1}'",
    "x = f'{1 << 800000:x}'\nwhile True: y = f'{x}{x}'",
    "x = hex(1 << 8000000)\nwhile True: y = int(x, 16)",
    "x = int('9' * 100000)",
    "x = f'{1:100000000}'",
    "x = f'{1:{10 ** 9}}'",
    "x = '%1000000000d' % 1",
    "x = '{:1000000000}'.format(1)",
    "x = 'a'.ljust(10 ** 9)",
    "x = 'a' * 60000\nx = x.replace('a', x)",
    "x = 'a' * 60000\nx = x.join([x] * 60000)",
    "x = 'a' * 60000\nx = x.split('a') * 10000",
    "x = 'a' * 60000\nwhile True: x += x",
    "x = ''\nwhile True: x += 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
    "x = [i for i in range(10 ** 12)]",
    "x = {i: [i] for i in range(10 ** 12)}",
    "x = {(i, i) for i in range(10 ** 12)}",
    "x = list(range(10 ** 12))",
    "x = tuple(zip(range(10 ** 12), range(10 ** 12)))",
    "x = set(range(10 ** 12))",
    "x = sorted(range(10 ** 12))",
    "x = [0] * 60000\nwhile True: x += x",
    "x = [0] * 60000\nwhile True: x.extend(x)",
    "x = [0] * 60000\nwhile True: x = [*x, *x]",
    "x = [0] * 60000\nwhile True: x[:0] = x",
    "x = [0] * 60000\nwhile True: y = x == list(x)",
    "x = [0] * 60000\nwhile True: x.insert(0, 1)",
    "x = list(range(60000))\nwhile True: y = sorted(x, reverse=True)",
    "x = 'ab' * 30000\nwhile True: y = x.find('ba' * 20000 + 'c')",
    "x = b'a' * 60000\nwhile True: x += x",
    "x = []\nwhile True: x.append(x)",
    "x = {}\nwhile True: x = {0: x, 1: x}",
    "def f(n): return f(n + 1)\nf(0)",
    "f = lambda f, x: f(f, [x])\nf(f, 0)",
    "def f(n):\n    try: f(n + 1)\n    except BaseException: f(n + 1)\nf(0)",
    "x = 'a' * 900000\nraise ValueError(x)",
    "x = 'a' * 900000\nwhile True:\n    try: raise ValueError(x)\n    except ValueError: pass",
    "x = 'a' * 900000\nassert False, x",
    "while True: print('a' * 90000)",
    "x = 'a' * 90000\nwhile True: print(x, x, x, x, x, x, x, x, x, x)",
    "while True: print(1, end='')",
    "while True: segments.add()",
    "while True: vm_enter_scope()",
    "while True: vm_enter_scope({'x': [0] * 60000})",
    "x = segments.add()\nwhile True: x = segments.write_arg(x, [0] * 60000)",
    "for i in range(10 ** 9): memory[fp + 100 + i] = 1 if i % 2 else fp",
];

/// More of them, some of which end well.
const PROBES: &[&str] = &[
    "x = b'a' * 60000\nx = x.join([x] * 60000)",
    "x = 'a' * 60000\nx = ''.join(x for i in range(10 ** 9))",
    "x = 'a' * 1000000\ny = [x] * 60000\nz = f'{y}'",
    "x = 'a' * 1000000\ny = [x] * 60000\nz = str(y)",
    "x = 'a' * 1000000\ny = [x] * 60000\nprint(y)",
    "x = 'a' * 1000000\ny = [x] * 60000\nprint(*y)",
    "x = 'a' * 1000000\ny = [x] * 60000\nassert False, y",
    "x = 'a' * 1000000\ny = [x] * 60000\nz = sum(y, '')",
    "x = [0] * 60000\nz = sum([x] * 60000, [])",
    "x = [0] * 60000\nz = [i for y in [x] * 60000 for i in y]",
    "x = bytes(10 ** 9)",
    "x = bytes([1] * 60000) * 60000",
    "x = f'{1.5:.1000000000f}'",
    "x = f'{1.5:.100000000e}'",
    "x = f'{10 ** 300:.1000000000f}'",
    "x = f'{\"a\":>1000000000}'",
    "x = f'{\"a\":.1000000000}'",
    "x = f'{1:0100000000d}'",
    "x = f'{1:,}' * 10 ** 8",
    "x = 'a' * 1000000\nwhile True: y = x.split('a')",
    "x = 'a\n' * 500000\nwhile True: y = x.splitlines()",
    "x = '\x00' * 1000000\ny = repr([x] * 1000)",
    "x = 'a' * 1000000\nwhile True: y = x.encode().decode().upper()",
    "x = b'a' * 1000000\nwhile True: y = x.hex()",
    "x = b'a' * 1000000\nwhile True: y = int.from_bytes(x, 'big')",
    "x = (1).to_bytes(10 ** 9, 'big')",
    "x = range(10 ** 9)\ny = x[:]\nz = list(y)",
    "x = [0] * 60000\ndef f(*a): return len(a)\ny = f(*x, *x, *x, *x, *x, *x, *x, *x)",
    "x = {i: i for i in range(10000)}\nwhile True: y = dict(x)",
    "x = {i: i for i in range(10000)}\nwhile True: y = {**x, **x}",
    "x = set(range(10000))\nwhile True: y = x.union(x, x, x)",
    "x = [list(range(1000))] * 60000\ny = set().union(*[tuple(i) for i in x])",
    "x = [0] * 60000\nwhile True: y = list(map(str, x))",
    "x = [0] * 60000\nwhile True: y = x[:] + x[:]",
    "x = [[0] * 60000 for i in range(100000)]",
    "x = [str(i) * 100 for i in range(1000000)]",
    "x = {str(i): str(i) * 100 for i in range(1000000)}",
    "x = hash('a' * 1000000)\nwhile True: y = hash('a' * 90000)",
    "x = 1 << 8000000\nwhile True: y = str(x % 10)",
    "x = divmod(1 << 8000000, (1 << 4000000) + 1)",
    "x = (1 << 8000000) // ((1 << 4000000) + 1)",
    "x = pow(1 << 8000000, 1)",
    "x = 2 ** -10 ** 9",
    "x = 2.0 ** 10 ** 9",
    "x = 10 ** 20 ** 3",
    "x = int('f' * 1000000, 16)\nwhile True: y = x * x",
    "x = [1]\nfor i in range(40): x = [x, x]\nx.sort()",
    "x = [1]\nfor i in range(40): x = [x, x]\ny = [x, x, x].index([x])",
    "x = [1]\nfor i in range(40): x = [x, x]\ny = x.count(x)",
    "x = [1]\nfor i in range(40): x = [x, x]\ny = list(x) + x\nz = x.copy() == y",
    "x = (1,)\nfor i in range(40): x = (x, x)\ny = {x}",
    "x = (1,)\nfor i in range(40): x = (x, x)\ny = frozenset([x])",
    "x = 1\nfor i in range(40): x = frozenset([(x, 1), (x, 2)])",
    "match [1, 2]:\n    case [a, b]: x = a\nprint(x)",
    "try:\n    x = [0] * 10 ** 12\nexcept BaseException:\n    pass",
    "async def f(): pass\nx = f()",
    "x = (i for i in range(10 ** 12))\ny = max(x)",
    "x = 'a' * 100000\ny = {i: x for i in range(100000)}",
    "x = [None] * 60000\ny = [x] * 60000",
    "x = [None] * 60000\ny = [x] * 60000\nz = y == list(y)",
    "import json",
    "lambda: (yield)",
    "x = [i async for i in range(3)]",
    "x = chr(0x10ffff) * 200000\ny = x.lower()",
    "x = 'ß' * 400000\ny = x.upper()",
];

#[test]
fn floods_are_bounded() {
    let chosen: Vec<&str> =
        FLOODS.iter().enumerate().filter(|(i, _)| is_slow() || i % 7 == 2).map(|(_, h)| *h).collect();
    for (hint, error) in chosen.iter().zip(judge(&chosen)) {
        assert!(error.is_some(), "{hint} ran");
    }
    if is_slow() {
        judge(PROBES);
    }
}

/// Deep texts and deep values end no process.
#[test]
fn depth_is_bounded() {
    for hint in [
        format!("x = {}0{}", "(".repeat(8000), ")".repeat(8000)),
        format!("x = {}0", "-".repeat(16_000)),
        format!("x = {}0", "not ".repeat(4000)),
        format!("x = {}0{}", "[".repeat(8000), "]".repeat(8000)),
        format!("x = {}0", "lambda:".repeat(2300)),
        format!("x = f{}", ".a".repeat(8000)),
        format!("x = 0{}", "+0".repeat(8000)),
        "x = 0\n".repeat(10_000),
    ] {
        let error = fault(&hint, &options(None));
        assert!(error.contains("hint"), "{}: {error}", &hint[..20]);
    }
    let deep = "x = []\nfor i in range(20000): x = [x]\n";
    run(&with_hints(&[deep], 0), &options(None)).unwrap();
    for rest in [
        "print(x)",
        "y = x == [x]",
        "memory[fp] = x",
        "vm_enter_scope({'x': x})\nvm_exit_scope()",
        "segments.gen_arg(x)",
    ] {
        // An error or none: the process goes on.
        drop(run(&with_hints(&[&format!("{deep}{rest}")], 0), &options(None)));
    }
}
