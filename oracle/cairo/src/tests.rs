use std::collections::BTreeSet;

use crate::random::program;
use crate::run;

/// Programs run to their end, are the same for the same seed, and together use every opcode and every builtin.
#[test]
fn programs_run_and_use_everything() {
    let mut unused: Option<BTreeSet<String>> = None;
    for seed in 0..100 {
        for with_ec in [false, true] {
            let text = program(seed, with_ec);
            assert_eq!(text, program(seed, with_ec));
            let parsed = run::parse(text.as_bytes()).unwrap();
            let runner = run::run(&parsed).unwrap_or_else(|error| panic!("{seed}: {error}"));
            let input = run::adapt(&parsed, &runner).unwrap();
            let opcodes = input.state_transitions.casm_states_by_opcode.counts();
            let builtins = input.builtin_segments.get_counts();
            let counts = opcodes.into_iter().chain(builtins.into_iter().map(|(name, count)| (name.to_string(), count)));
            let not_here = counts.filter(|(_, count)| *count == 0).map(|(name, _)| name).collect();
            unused = Some(unused.map_or(not_here.clone(), |unused| &unused & &not_here));
        }
    }
    assert_eq!(unused, Some(BTreeSet::new()));
}
