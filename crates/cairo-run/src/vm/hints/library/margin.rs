//! The hint of `excess_balance`: what an account of a perpetual exchange is worth above what its positions demand.
//!
//! Amounts are integers of 10^-8, computed as decimals of 28 digits as cairo-vm does, so that both round alike.

use std::collections::BTreeMap;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::math_utils::signed_felt;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::{BigInt, BigUint};
use rust_decimal::Decimal;

use super::Hint;
use super::context::At;
use crate::vm::hints::error::custom;

/// The hint by its text.
pub(super) const HINTS: &[(&str, Hint)] = &[(hint_code::EXCESS_BALANCE, excess_balance)];

/// The market of the money itself: `USDC-USD`.
const SETTLEMENT: u64 = u64::from_be_bytes(*b"USDC-USD");

/// Digits behind the point of an amount.
const DIGITS: u32 = 8;

/// A decimal that was computed, or none: more than 28 digits before the point.
type Computed = Option<Decimal>;

fn computed(value: Computed) -> Result<Decimal, HintError> {
    value.ok_or_else(|| custom("an amount has more than 28 digits"))
}

fn amount(felt: &Felt252) -> Result<Decimal, HintError> {
    computed(Decimal::from_str_radix(&signed_felt(*felt).to_string(), 10).ok().map(|all| all * Decimal::new(1, DIGITS)))
}

/// The amount as a felt, what is behind its last digit left out.
fn to_felt(value: Decimal) -> Result<Felt252, HintError> {
    let all = computed(value.checked_mul(Decimal::from(10_u64.pow(DIGITS))))?.trunc();
    let all: BigInt = all.to_string().parse().map_err(|_| custom("an amount is no number"))?;
    Ok(Felt252::from(all))
}

/// A dictionary by its keys, of which no two are equal: in their order, so that sums have one.
fn dictionary(at: &At<'_>, name: &str) -> Result<BTreeMap<Felt252, MaybeRelocatable>, HintError> {
    let dicts = at.scopes.get_dict_manager()?;
    let dicts = dicts.borrow();
    let entries = dicts.get_tracker(at.pointer(name)?)?.get_dictionary_ref().iter();
    let key = |key: &MaybeRelocatable| key.get_int().ok_or_else(|| custom(format!("a key of `{name}` is a pointer")));
    entries.map(|(found, value)| Ok((key(found)?, value.clone()))).collect()
}

/// A market's name is a text.
fn market(felt: &Felt252) -> Result<Felt252, HintError> {
    let is_text = std::str::from_utf8(&felt.to_bytes_be()).is_ok();
    if is_text { Ok(*felt) } else { Err(custom("the name of a market is no text")) }
}

fn amounts(at: &At<'_>, name: &str) -> Result<BTreeMap<Felt252, Decimal>, HintError> {
    let value = |value: &MaybeRelocatable| value.get_int().ok_or_else(|| custom(format!("`{name}` has a pointer")));
    dictionary(at, name)?.iter().map(|(key, found)| Ok((*key, amount(&value(found)?)?))).collect()
}

fn of_markets(at: &At<'_>, name: &str) -> Result<BTreeMap<Felt252, Decimal>, HintError> {
    let amounts = amounts(at, name)?;
    amounts.keys().try_for_each(|key| market(key).map(drop))?;
    Ok(amounts)
}

fn pointers(at: &At<'_>, name: &str) -> Result<BTreeMap<Felt252, Relocatable>, HintError> {
    let value = |value: &MaybeRelocatable| value.get_relocatable();
    let found = dictionary(at, name)?;
    let entries = found.iter().map(|(key, found)| Some((*key, value(found)?)));
    entries.collect::<Option<_>>().ok_or_else(|| custom(format!("`{name}` has a number")))
}

fn of<'a, T>(amounts: &'a BTreeMap<Felt252, T>, key: &Felt252, name: &str) -> Result<&'a T, HintError> {
    amounts.get(key).ok_or_else(|| custom(format!("`{name}` has no entry for {}", crate::felt::text(key))))
}

/// A market's demands on a position.
struct Margin {
    base: Decimal,
    factor: Decimal,
    maintenance: Decimal,
    shift: Decimal,
}

impl Margin {
    fn read(at: &At<'_>, start: Relocatable) -> Result<Self, HintError> {
        market(&at.read(start, 0)?)?;
        let part = |offset| amount(&at.read(start, offset)?);
        Ok(Self { base: part(4)?, factor: part(5)?, maintenance: part(6)?, shift: part(7)? })
    }

    /// The part of a position's value that a new position demands: it grows with the root of the value.
    fn initial(&self, value: Decimal) -> Computed {
        let above = value.checked_sub(self.shift)?.checked_mul(Decimal::from(10_u64.pow(DIGITS)))?;
        let above: BigUint = Decimal::ZERO.max(above.trunc()).to_string().parse().ok()?;
        let root = Decimal::from_str_exact(&above.sqrt().to_string()).ok()?.checked_mul(Decimal::new(1, DIGITS / 2))?;
        Some(self.base.max(self.factor.checked_mul(root)?))
    }

    /// The part that a position demands in order to stay.
    fn maintenance(&self, value: Decimal) -> Computed {
        self.maintenance.checked_mul(self.initial(value)?)
    }
}

/// Sums over positions.
#[derive(Default)]
struct Sums {
    value: Decimal,
    margin: Decimal,
    profit: Decimal,
    funding: Decimal,
}

impl Sums {
    /// Adds a position: its size, cost and funding so far, at the prices of its market and of the money.
    fn add(&mut self, part: Computed, value: Decimal, profit: Computed, funding: Computed) -> Computed {
        self.value = self.value.checked_add(value.abs())?;
        self.margin = self.margin.checked_add(part?.checked_mul(value.abs())?)?;
        self.profit = self.profit.checked_add(profit?)?;
        self.funding = self.funding.checked_add(funding?)?;
        Some(self.funding)
    }
}

fn excess_balance(at: &mut At<'_>) -> Result<(), HintError> {
    let dicts = at.scopes.get_dict_manager()?;
    let entries = dicts.borrow().trackers.values().map(|dict| 1 + dict.get_dictionary_ref().len()).sum();
    at.work(entries)?;
    let is_initial = at.felt("margin_check_type")? == at.constant("MARGIN_CHECK_INITIAL")?;
    let (assets, account) = (at.felt("token_assets_value_d")?, at.felt("account")?);
    let (prices, indices) = (of_markets(at, "prices_cache_ptr")?, of_markets(at, "indices_cache_ptr")?);
    let fees = amounts(at, "fees_cache_ptr")?;
    let mut margins = BTreeMap::new();
    for (name, start) in pointers(at, "perps_cache_ptr")? {
        margins.insert(market(&name)?, Margin::read(at, start)?);
    }
    let settlement = Felt252::from(SETTLEMENT);
    let money = *of(&prices, &settlement, "prices")?;
    let mut sums = Sums::default();
    for start in pointers(at, "perps_balances_cache_ptr")?.into_values() {
        let name = market(&at.read(start, 0)?)?;
        let [size, cost, funded] = [1, 2, 3].map(|offset| at.read(start, offset).and_then(|felt| amount(&felt)));
        let (size, cost, funded) = (size?, cost?, funded?);
        if name == settlement {
            continue;
        }
        let value = computed(size.checked_mul(*of(&prices, &name, "prices")?))?;
        let index = *of(&indices, &name, "indices")?;
        let margin = of(&margins, &name, "perps")?;
        let part = if is_initial { margin.initial(value.abs()) } else { margin.maintenance(value.abs()) };
        let profit = cost.checked_mul(money).and_then(|cost| value.checked_sub(cost));
        let funding = funded.checked_sub(index).and_then(|owed| owed.checked_mul(size)?.checked_mul(money));
        computed(sums.add(part, value, profit, funding))?;
    }
    let Sums { value, margin, profit, funding } = sums;
    let worth = computed(profit.checked_add(funding))?;
    let worth = computed(worth.checked_add(amount(&assets)?))?;
    let fee = computed(value.checked_mul(*of(&fees, &account, "fees")?))?;
    let demanded = computed(margin.checked_add(fee))?;
    let excess = computed(worth.checked_sub(demanded))?;
    at.set("check_account_value", to_felt(worth)?)?;
    at.set("check_excess_balance", to_felt(excess)?)?;
    at.set("check_margin_requirement_d", to_felt(demanded)?)?;
    at.set("check_unrealized_pnl_d", to_felt(profit)?)
}

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::rc::Rc;
    use std::sync::Arc;

    use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::{
        BuiltinHintProcessor, HintProcessorData,
    };
    use cairo_vm::hint_processor::builtin_hint_processor::dict_manager::{DictManager, DictTracker};
    use cairo_vm::hint_processor::hint_processor_definition::{HintProcessorLogic, HintReference};
    use cairo_vm::serde::deserialize_program::ApTracking;
    use cairo_vm::types::exec_scope::ExecutionScopes;
    use cairo_vm::vm::vm_core::VirtualMachine;
    use field::SplitMix64;

    use super::*;
    use crate::vm::bounds::{Bounds, Budget};
    use crate::vm::hints::library::variables::Variables;
    use crate::vm::vm_memory::VmMemory;

    const NAMES: [&str; 12] = [
        "margin_check_type",
        "token_assets_value_d",
        "account",
        "prices_cache_ptr",
        "indices_cache_ptr",
        "perps_cache_ptr",
        "fees_cache_ptr",
        "perps_balances_cache_ptr",
        "check_account_value",
        "check_excess_balance",
        "check_margin_requirement_d",
        "check_unrealized_pnl_d",
    ];
    const INITIAL: &str = "MARGIN_CHECK_INITIAL";

    /// The number of this seed, of so many digits at most; some are negative.
    fn number(random: &mut SplitMix64, digits: u32, is_signed: bool) -> Felt252 {
        let most = 10_u128.pow(1 + random.word() as u32 % digits);
        let wide = u128::from(random.word()) << 64 | u128::from(random.word());
        let positive = Felt252::from(wide % most);
        if is_signed && random.word().is_multiple_of(2) { -positive } else { positive }
    }

    /// The four results of the hint on an account of this seed, in cairo-vm or here; none if it fails.
    fn results(seed: u64, is_own: bool) -> Option<Vec<Felt252>> {
        let mut random = SplitMix64::new(seed);
        let random = &mut random;
        let mut vm = VirtualMachine::new(false, false);
        let frame = [(); 2].map(|()| vm.add_memory_segment())[1];
        vm.set_fp(frame.offset);
        // One position may be of any size; the order of several matters to cairo-vm where it rounds.
        let count = 1 + random.word() % 5;
        let digits = if count == 1 { 26 } else { 9 };
        let mut markets: Vec<Felt252> = (0..count).map(|index| Felt252::from(0x4141_4100 + 0x41 + index)).collect();
        if random.word().is_multiple_of(4) {
            markets.push(Felt252::from(SETTLEMENT));
        }
        let mut dicts = DictManager::new();
        let mut dict = |vm: &mut VirtualMachine, entries: Vec<(Felt252, MaybeRelocatable)>| {
            let start = vm.add_memory_segment();
            let entries = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
            dicts.trackers.insert(start.segment_index, DictTracker::new_with_initial(start, entries));
            MaybeRelocatable::from(start)
        };
        let account = Felt252::from(77);
        let mut cells = vec![
            MaybeRelocatable::from(random.word() as usize % 2),
            number(random, digits, true).into(),
            account.into(),
        ];
        // Now and then a key is missing.
        let keys = |random: &mut SplitMix64| {
            let keys = markets.iter().chain([&Felt252::from(SETTLEMENT)]).copied().collect::<Vec<_>>();
            let missing = random.word() % 60;
            keys.into_iter().enumerate().filter(|(i, _)| *i as u64 != missing).map(|(_, key)| key).collect::<Vec<_>>()
        };
        for is_signed in [false, true] {
            let keys = keys(random);
            let entries = keys.iter().map(|key| (*key, number(random, digits, is_signed).into())).collect();
            cells.push(dict(&mut vm, entries));
        }
        let mut structures = |vm: &mut VirtualMachine, random: &mut SplitMix64, keys: &[Felt252], size: u32| {
            let one = |key: &Felt252| {
                let start = vm.add_memory_segment();
                for offset in 0..size {
                    let value = if offset == 0 { *key } else { number(random, digits, size == 4) };
                    vm.insert_value((start + offset).unwrap(), value).unwrap();
                }
                (*key, MaybeRelocatable::from(start))
            };
            let entries = keys.iter().map(one).collect();
            dict(vm, entries)
        };
        let known = keys(random);
        let perps = structures(&mut vm, random, &known, 8);
        let balances = structures(&mut vm, random, &markets, 4);
        cells.push(perps);
        cells.push(dict(&mut vm, vec![(account, number(random, digits, false).into())]));
        cells.push(balances);
        for (offset, cell) in cells.into_iter().enumerate() {
            vm.insert_value((frame + offset).unwrap(), cell).unwrap();
        }
        let mut scopes = ExecutionScopes::new();
        scopes.assign_or_update_variable("dict_manager", Box::new(Rc::new(RefCell::new(dicts))) as Box<dyn Any>);
        let ids: HashMap<String, HintReference> =
            (0..).zip(NAMES).map(|(cell, name)| (name.to_owned(), HintReference::new_simple(cell))).collect();
        let constants = HashMap::from([(INITIAL.to_owned(), Felt252::ONE)]);
        let done = if is_own {
            let variables = ids.iter().map(|(name, cell)| (name.as_str(), cell));
            let constants = vec![(INITIAL.to_owned(), Felt252::ONE)];
            let ids = Variables::new(variables, &ApTracking::default(), constants);
            let bounds = Bounds { steps: 10_000, addresses: 10_000, ..Bounds::default() };
            let mut budget = Budget::new(bounds);
            budget.see_all(&vm).unwrap();
            let mut memory = VmMemory { vm: &mut vm, budget: &mut budget };
            excess_balance(&mut At { vm: &mut memory, scopes: &mut scopes, ids: &ids })
        } else {
            let mut data = HintProcessorData::new_default(hint_code::EXCESS_BALANCE.to_owned(), ids);
            data.constants = Arc::new(constants);
            BuiltinHintProcessor::new_empty().execute_hint(&mut vm, &mut scopes, &(Box::new(data) as Box<dyn Any>))
        };
        done.ok()?;
        Some((8..12_usize).map(|cell| *vm.get_integer((frame + cell).unwrap()).unwrap()).collect())
    }

    #[test]
    fn accounts_are_worth_what_they_are_in_cairo_vm() {
        let (mut made, mut failed) = (0, 0);
        for seed in 0..3000 {
            let own = results(seed, true);
            assert_eq!(own, results(seed, false), "seed {seed}");
            if own.is_some() { made += 1 } else { failed += 1 }
        }
        assert!(made > 1000 && failed > 100, "{made} made, {failed} failed");
    }
}
