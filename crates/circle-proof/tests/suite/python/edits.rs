//! Edits of a file and of the proof in it: every field, lengths, order, one more or the prime more, cuts, bytes behind.

use circle_proof::{CircleOptions, FriLayer, Proof, ProofFile, Suite, decode, encode};
use field::{Field, M31, PrimeField, QM31, SplitMix64};
use gpu_hal::Digest;

/// A file that is another one, by chance as good. `other` is another honest file.
pub(super) fn edited(random: &mut SplitMix64, file: &ProofFile, other: &ProofFile) -> Vec<u8> {
    let mut file = file.clone();
    match random.below(20) {
        0 => {
            let mut bytes = file.encode().expect("small");
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            return bytes;
        }
        1 => {
            let mut bytes = file.encode().expect("small");
            bytes.truncate(random.below(bytes.len()));
            return bytes;
        }
        2 => {
            let mut bytes = file.encode().expect("small");
            bytes.extend(vec![random.below(256) as u8; 1 + random.below(40)]);
            return bytes;
        }
        3 => edit_bytes(random, &mut file.proof),
        4 => {
            let word = random.below(file.words.len());
            file.words[word] = nearby(random, file.words[word]);
        }
        5 => edit_sums(random, &mut file.claimed_sums, &other.claimed_sums),
        6 => edit_statement(random, &mut file),
        7 => file.suite = Suite::ALL[random.below(Suite::ALL.len())],
        8 => file.proof.clone_from(&other.proof),
        _ => {
            let mut proof = decode(&file.proof, file.suite).expect("an honest proof");
            let other = decode(&other.proof, other.suite).expect("an honest proof");
            edit_proof(random, &mut proof, &other);
            file.proof = encode(&proof);
        }
    }
    file.encode().expect("small")
}

/// A number that is one more or less, or has another bit.
fn nearby(random: &mut SplitMix64, number: u32) -> u32 {
    match random.below(3) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        _ => number ^ 1 << random.below(32),
    }
}

fn edit_bytes(random: &mut SplitMix64, proof: &mut Vec<u8>) {
    let at = 4 * random.below(proof.len() / 4);
    match random.below(6) {
        0 => proof[at] ^= 1 << random.below(8),
        1 => proof.truncate(at),
        2 => proof.extend(vec![random.below(256) as u8; 1 + random.below(40)]),
        // The prime more, where that has a form in four bytes.
        3 => {
            let word = proof[at..at + 4].first_chunk_mut().expect("four bytes");
            *word = u32::from_le_bytes(*word).wrapping_add(M31::ORDER as u32).to_le_bytes();
        }
        4 => proof[at..at + 4].copy_from_slice(&(M31::ORDER as u32).to_le_bytes()),
        _ => {
            let end = (at + 1 + random.below(64)).min(proof.len());
            drop(proof.drain(at..end));
        }
    }
}

fn edit_sums(random: &mut SplitMix64, sums: &mut Vec<QM31>, others: &[QM31]) {
    if sums.is_empty() || random.below(4) == 0 {
        return edit_list(random, sums, &[QM31::ONE]);
    }
    let at = random.below(sums.len());
    match random.below(3) {
        0 => edit_element(random, &mut sums[at]),
        // The total stays, where there are two.
        1 => {
            let more = QM31::ONE;
            sums[at] += more;
            let next = (at + 1) % sums.len();
            sums[next] -= more;
        }
        _ => sums.clone_from(&others.to_vec()),
    }
}

fn edit_statement(random: &mut SplitMix64, file: &mut ProofFile) {
    match random.below(4) {
        0 => file.log_rows = nearby(random, file.log_rows).min(30),
        1 => file.air = ["plonk", "fibonacci", "nothing"][random.below(3)].to_owned(),
        2 => drop(file.parameters.insert("s".to_owned(), 1)),
        _ => match file.parameters.values_mut().next() {
            Some(value) => *value += 1,
            None => drop(file.words.pop()),
        },
    }
}

/// Another length or another order. `more` has items that may be added.
fn edit_list<T: Clone>(random: &mut SplitMix64, list: &mut Vec<T>, more: &[T]) {
    let place = |random: &mut SplitMix64, list: &Vec<T>| random.below(list.len().max(1));
    let at = place(random, list);
    match random.below(5) {
        0 if !list.is_empty() => drop(list.remove(at)),
        1 if !list.is_empty() => list.insert(at, list[at].clone()),
        2 if list.len() > 1 => {
            let next = (at + 1) % list.len();
            list.swap(at, next);
        }
        3 if list.len() > 1 => {
            let other = place(random, list);
            list.swap(at, other);
        }
        _ => match more.get(place(random, &more.to_vec())) {
            Some(item) => list.insert(at.min(list.len()), item.clone()),
            None => drop(list.pop()),
        },
    }
}

fn edit_base(random: &mut SplitMix64, value: &mut M31) {
    *value = match random.below(3) {
        0 => *value + M31::ONE,
        1 => M31::ZERO,
        _ => M31::reduce(random.word()),
    };
}

fn edit_element(random: &mut SplitMix64, value: &mut QM31) {
    let coordinate = random.below(4);
    edit_base(random, &mut value.0[coordinate]);
}

/// One item, or the list itself.
fn edit_items<T: Clone>(
    random: &mut SplitMix64,
    list: &mut Vec<T>,
    more: &[T],
    edit: impl Fn(&mut SplitMix64, &mut T),
) {
    if list.is_empty() || random.below(3) == 0 {
        return edit_list(random, list, more);
    }
    let at = random.below(list.len());
    edit(random, &mut list[at]);
}

fn edit_digest(random: &mut SplitMix64, digest: &mut Digest) {
    let byte = random.below(digest.len());
    digest[byte] ^= 1 << random.below(7);
}

fn edit_config(random: &mut SplitMix64, config: &mut CircleOptions) {
    match random.below(6) {
        0 => config.pow_bits = nearby(random, config.pow_bits),
        1 => config.log_blowup = nearby(random, config.log_blowup),
        2 => config.queries = nearby(random, config.queries),
        3 => config.fold_step = nearby(random, config.fold_step),
        4 => config.log_last = nearby(random, config.log_last),
        _ => config.lifting = config.lifting.map_or(Some(random.below(12) as u32), |_| None),
    }
}

fn edit_layer(random: &mut SplitMix64, layer: &mut FriLayer, other: &FriLayer) {
    match random.below(4) {
        0 => edit_digest(random, &mut layer.commitment),
        1 => edit_items(random, &mut layer.decommitment, &other.decommitment, edit_digest),
        2 => edit_items(random, &mut layer.fri_witness, &other.fri_witness, edit_element),
        _ => layer.clone_from(other),
    }
}

fn edit_proof(random: &mut SplitMix64, proof: &mut Proof, other: &Proof) {
    let tree = random.below(proof.commitments.len());
    let of = tree.min(other.commitments.len() - 1);
    match random.below(13) {
        0 => edit_config(random, &mut proof.config),
        1 => edit_items(random, &mut proof.commitments, &other.commitments, edit_digest),
        2 => edit_list(random, &mut proof.sampled_values, &other.sampled_values),
        3 | 4 => edit_items(random, &mut proof.sampled_values[tree], &other.sampled_values[of], |random, values| {
            edit_items(random, values, &[QM31::ONE], edit_element);
        }),
        5 => edit_list(random, &mut proof.decommitments, &other.decommitments),
        6 => edit_items(random, &mut proof.decommitments[tree], &other.decommitments[of], edit_digest),
        7 => edit_list(random, &mut proof.queried_values, &other.queried_values),
        8 | 9 => edit_items(random, &mut proof.queried_values[tree], &other.queried_values[of], |random, values| {
            edit_items(random, values, &[M31::ONE], edit_base);
        }),
        10 => proof.proof_of_work = proof.proof_of_work.wrapping_add(1 << random.below(40)),
        11 => {
            let fri = &mut proof.fri_proof;
            let layers = fri.inner_layers.len();
            match random.below(layers + 2) {
                0 => edit_layer(random, &mut fri.first_layer, &other.fri_proof.first_layer),
                1 => edit_list(random, &mut fri.inner_layers, &other.fri_proof.inner_layers),
                layer => edit_layer(random, &mut fri.inner_layers[layer - 2], &other.fri_proof.first_layer),
            }
        }
        _ => {
            let last = &mut proof.fri_proof.last_layer;
            edit_items(random, last, &other.fri_proof.last_layer, edit_element);
            // None has no form in bytes.
            if last.is_empty() {
                last.push(QM31::ONE);
            }
        }
    }
}
