//! The cheapest options for the default policy's profile, of every shipped statement.

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::airs::{AirInfo, ParamKind, all, build, stated};
use circle_air::{RecordedStatement, Statement};
use circle_proof::{CircleOptions, FixedOptions, Policy, Profile, Security, VerifyError, cheapest, security};
use proof_format::security::{Limit, NoOptions};

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

/// The options that the search finds, and their security; lifted as provers do where the preprocessed tree is lower.
fn found(statement: &dyn Statement, profile: Profile) -> Result<(CircleOptions, Security), NoOptions<VerifyError>> {
    let rows = RecordedStatement::new(statement, None).unwrap().max_log_size();
    let is_lower =
        statement.preprocessed(None).iter().map(|column| column.log_size).max().is_some_and(|log| log < rows);
    let lifted = |options: CircleOptions| {
        let lifting = is_lower.then_some(rows + options.log_blowup);
        CircleOptions { lifting, ..options }
    };
    let options = cheapest(profile, &FixedOptions::default(), statement, &lifted)?;
    Ok((options, security(statement, &options).unwrap()))
}

/// Every shipped AIR, at small sizes and at sizes where its field leaves less: the options found have the security
/// asked for, or else the error tells the most that there is, and the options for that have exactly that. One query
/// less is worth less.
#[test]
fn what_the_field_leaves_of_every_shipped_statement_is_found() {
    let mut lacking = Vec::new();
    for info in all() {
        let values: &[(&str, u32)] = if info.name == "range-squares" { &[("table", 6)] } else { &[] };
        for log_rows in [6, 18].into_iter().filter(|rows| (info.least_log_rows..=info.most_log_rows).contains(rows)) {
            let Some(statement) = statement(info, log_rows, values) else { continue };
            let profile = Profile::DEFAULT;
            let (profile, (options, security)) = match found(&*statement, profile) {
                Ok(found) => (profile, found),
                Err(NoOptions::OutOfReach(out)) => {
                    assert!(out.most.bits < profile.bits && out.most.limit != Limit::Queries, "{}: {out}", info.name);
                    lacking.push((info.name, log_rows, out.most.bits));
                    let profile = Profile { bits: out.most.bits, ..profile };
                    (profile, found(&*statement, profile).expect("in reach"))
                }
                Err(error) => panic!("{}: {error}", info.name),
            };
            let bits = |security: &Security| profile.kind.of(security).bits;
            assert_eq!(bits(&security), profile.bits, "{}, 2^{log_rows} rows: {options:?}", info.name);
            let fewer = CircleOptions { queries: options.queries - 1, ..options };
            assert!(
                bits(&circle_proof::security(&*statement, &fewer).unwrap()) < profile.bits,
                "{}: {options:?}",
                info.name
            );
            assert_eq!(Policy::default().check_security(&security).is_ok(), profile == Profile::DEFAULT);
        }
    }
    // Many columns, or many rows of them.
    let expected = [("poseidon2", 18, 98), ("blake2s", 6, 98), ("blake2s", 18, 91), ("rpo-m31", 18, 97)];
    assert_eq!(lacking, expected);
}
