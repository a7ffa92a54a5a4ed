//! What is proven with default options is taken by the default policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::airs::{AirInfo, ParamKind, all, build, stated};
use circle_air::{PreprocessedColumn, RecordedStatement, Statement};
use circle_proof::policy::MIN_SECURITY_BITS;
use circle_proof::{CircleOptions, Policy, Security, security};

/// The statement of this size as a verifier holds it, without its trace; `None` if there is none.
fn statement(info: &AirInfo, log_rows: u32, values: &[(&str, u32)]) -> Option<Arc<dyn Statement>> {
    if info.params.iter().any(|param| param.kind == ParamKind::Preimage) {
        let family = build(info.name, info.least_log_rows, &[]).unwrap().words()[0];
        let words: Vec<u32> = [family, log_rows].into_iter().chain(1..=8).collect();
        return stated(info.name, log_rows, &BTreeMap::new(), &words).ok();
    }
    let values: Vec<_> = values.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    Some(build(info.name, log_rows, &values).ok()? as Arc<dyn Statement>)
}

/// What proofs with default options are worth, lifted as provers do where the preprocessed tree is lower; `None` if there are none, or
/// if the default policy has a verifier evaluate fewer cells.
fn worth(statement: &dyn Statement) -> Option<Security> {
    let defaults = CircleOptions::default();
    let natural = RecordedStatement::new(statement, None).ok()?.max_log_size() + defaults.log_blowup;
    let cells = |column: &PreprocessedColumn| 1u64 << column.log_size;
    [None, Some(natural)].into_iter().find_map(|lifting| {
        Policy::default().check_preprocessed(statement.preprocessed(lifting).iter().map(cells).sum()).ok()?;
        security(statement, &CircleOptions { lifting, ..defaults }).ok()
    })
}

/// Every shipped AIR at every size, with the parameters that cost most: 4096 columns of 2^28 rows are worth 81 bits.
#[test]
fn the_default_policy_takes_every_shipped_statement() {
    let mut least = u32::MAX;
    for info in all() {
        for log_rows in info.least_log_rows..=info.most_log_rows {
            let choices: Vec<Vec<(&str, u32)>> = match info.name {
                "wide-fibonacci" => vec![vec![("w", 4096)]],
                "range-squares" => [1, log_rows, 26].map(|table| vec![("table", table)]).to_vec(),
                _ => vec![Vec::new()],
            };
            for values in choices {
                let Some(security) = statement(info, log_rows, &values).and_then(|statement| worth(&*statement)) else {
                    continue;
                };
                least = least.min(security.claimed.bits);
            }
        }
    }
    assert_eq!((least, MIN_SECURITY_BITS), (81, 80));
}
