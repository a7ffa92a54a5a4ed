//! The golden intermediates, `vectors/goldilocks/*.json`, driven one operation after the other. The arguments of an
//! operation come from the file, so that each is tested on its own.

mod programs;

use backend_reference::CpuReference;
use field::{ExtensionField, Field, Fp3, Goldilocks, TwoAdicField, powers};
use golden::goldilocks::{base, element, elements};
use golden::{bytes, list, number};
use gpu_hal::{
    Basis, CosetDomain, DeepTerm, Digest, EvalOrder, EvalRequest, GoldilocksStark, HashFn, LeafLayout, NonceSearch,
    OpenRequest, StarkBackend,
};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use serde_json::Value;

use crate::operations::common::{Table, bit_reversed, download, evaluations, flatten, one, unflatten};

/// A proof's parameters and intermediates.
struct Vector {
    public: Value,
    inner: Value,
    log_trace: u32,
    domain: CosetDomain<Goldilocks>,
}

fn vectors(base: bool) -> Vec<(String, Vector)> {
    let load = |vector: golden::goldilocks::Vector| {
        let (inner, case) = (vector.inner(), vector.case);
        let (log_trace, options) = (case.rows.ilog2(), case.options);
        let domain =
            CosetDomain::new(Goldilocks::new(options.coset_offset), log_trace + options.blowup.trailing_zeros());
        (case.name, Vector { public: vector.json, inner, log_trace, domain })
    };
    golden::goldilocks::vectors().into_iter().filter(|vector| vector.is_base() == base).map(load).collect()
}

fn digest(value: &Value) -> Digest {
    bytes(value).try_into().expect("32 bytes")
}

/// The state of a test over one vector.
struct Run<'a, E: ExtensionField<Goldilocks>> {
    backend: CpuReference<GoldilocksStark<E>>,
    vector: &'a Vector,
    name: &'a str,
    main: Table<Goldilocks>,
    aux: Option<Table<Goldilocks>>,
}

impl<'a, E: ExtensionField<Goldilocks>> Run<'a, E> {
    fn new(name: &'a str, vector: &'a Vector) -> Self {
        let backend = CpuReference::<GoldilocksStark<E>>::new();
        let main: Vec<Goldilocks> = list(&vector.public["main_trace_columns"], |column| list(column, base)).concat();
        let main = backend.upload(&main, main.len() >> vector.log_trace, vector.log_trace).expect("upload");
        let upload = |column: &Value| backend.upload(&flatten(&elements::<E>(column)), E::DEGREE, vector.log_trace);
        let aux = list(&vector.public["aux_trace_columns"], upload).pop().map(|table| table.expect("upload"));
        Self { backend, vector, name, main, aux }
    }

    fn on_trace(&self) -> Basis<CosetDomain<Goldilocks>> {
        evaluations(CosetDomain::subgroup(self.vector.log_trace), EvalOrder::Row)
    }

    fn lde(&self, table: &Table<Goldilocks>) -> Table<Goldilocks> {
        self.backend.lde(table.as_ref(), self.on_trace(), self.vector.domain).expect("lde")
    }

    /// A table of one extension column from values in storage order.
    fn upload(&self, stored: &[E]) -> Table<Goldilocks> {
        self.backend.upload(&flatten(stored), E::DEGREE, stored.len().ilog2()).expect("upload")
    }

    fn root(&self, table: &Table<Goldilocks>, rows_per_leaf: usize) -> Digest {
        let tree = self.backend.merkle(&[table.as_ref()], LeafLayout::new(rows_per_leaf), HashFn::Keccak256);
        self.backend.root(&tree.expect("a tree")).expect("a root")
    }

    /// `inner[key]`, given in natural order, in storage order.
    fn stored(&self, key: &str) -> Vec<E> {
        bit_reversed(&elements(&self.vector.inner[key]))
    }

    /// The parts' coefficients, one extension column a part.
    fn parts(&self) -> Vec<Vec<E>> {
        list(&self.vector.inner["composition_part_coefficients"], |part| {
            let mut coefficients = elements(part);
            assert!(coefficients.len() <= 1 << self.vector.log_trace, "a part is of degree below n");
            coefficients.resize(1 << self.vector.log_trace, E::ZERO);
            coefficients
        })
    }

    fn trace(&self) {
        let lde = self.lde(&self.main);
        let columns = &self.vector.inner["lde_main_columns_natural_order"];
        let expected = list(columns, |column| bit_reversed(&list(column, base)));
        assert_eq!(download(&self.backend, &lde), expected.concat(), "{}: main columns", self.name);
        assert_eq!(self.root(&lde, 1), digest(&self.vector.public["trace_root"]), "{}: main root", self.name);
        if let Some(aux) = &self.aux {
            let lde = self.lde(aux);
            let expected = self.stored("lde_aux_column_natural_order");
            assert_eq!(unflatten::<E>(&download(&self.backend, &lde)), expected, "{}: aux column", self.name);
            assert_eq!(self.root(&lde, 1), digest(&self.vector.public["aux_root"]), "{}: aux root", self.name);
        }
        self.openings(&lde);
    }

    fn openings(&self, main: &Table<Goldilocks>) {
        let columns = [main.as_ref()];
        let tree = self.backend.merkle(&columns, LeafLayout::new(1), HashFn::Keccak256).expect("a tree");
        for opening in self.vector.public["openings"].as_array().expect("a list") {
            let index = number(&opening["iota"]) as usize;
            let (rows, leaves) = (&[2 * index, 2 * index + 1], &[2 * index]);
            let request = OpenRequest { columns: &columns, tree: &tree, rows, leaves };
            let opened = self.backend.open(&[request]).expect("an opening").pop().expect("one request");
            let row = |key: &str| list(&opening[key], base);
            assert_eq!(opened.rows, [row("main"), row("main_sym")], "{}: opened rows", self.name);
            let path: Vec<Digest> = list(&opening["main_path"], digest);
            assert_eq!(opened.paths, [path], "{}: path", self.name);
        }
    }

    fn composition(&self) {
        let mut table = self.upload(&self.stored("composition_evaluations_natural_order"));
        let stored = evaluations(self.vector.domain, EvalOrder::Storage);
        self.backend.ntt(table.as_mut(), stored, Basis::Coefficients).expect("interpolation");
        let parts = self.parts();
        let split = self.backend.split(table.as_ref(), parts.len(), self.vector.log_trace).expect("parts");
        let expected: Vec<Goldilocks> = parts.iter().flat_map(|part| flatten(part)).collect();
        assert_eq!(download(&self.backend, &split), expected, "{}: parts", self.name);
        let lde = self.backend.lde(split.as_ref(), Basis::Coefficients, self.vector.domain).expect("lde");
        let root = digest(&self.vector.public["composition_root"]);
        assert_eq!(self.root(&lde, 2), root, "{}: composition root", self.name);
    }

    /// The extension columns of a table at the points.
    fn at(&self, table: &Table<Goldilocks>, from: Basis<CosetDomain<Goldilocks>>, points: &[E]) -> Vec<Vec<E>> {
        let values =
            self.backend.eval_at(&[EvalRequest { columns: table.as_ref(), from, points }]).map(one).expect("values");
        let join = |c: &[E]| c.iter().enumerate().map(|(k, x)| E::basis(k) * *x).sum();
        values.iter().map(|values| values.chunks_exact(E::DEGREE).map(join).collect()).collect()
    }

    fn points(&self, rows: usize) -> Vec<E> {
        let z: E = element(&self.vector.public["z"]);
        powers(Goldilocks::two_adic_generator(self.vector.log_trace)).take(rows).map(|g| z * g).collect()
    }

    fn out_of_domain(&self) {
        let rows: Vec<Vec<E>> = list(&self.vector.public["trace_ood_rows"], elements);
        let points = self.points(rows.len());
        let mut values = self
            .backend
            .eval_at(&[EvalRequest { columns: self.main.as_ref(), from: self.on_trace(), points: &points }])
            .map(one)
            .expect("values");
        if let Some(aux) = &self.aux {
            let aux = self.at(aux, self.on_trace(), &points);
            values.iter_mut().zip(aux).for_each(|(row, aux)| row.extend(aux));
        }
        assert_eq!(values, rows, "{}: trace at z", self.name);

        let parts = self.parts();
        let coefficients: Vec<Goldilocks> = parts.iter().flat_map(|part| flatten(part)).collect();
        let table = self.backend.upload(&coefficients, parts.len() * E::DEGREE, self.vector.log_trace).expect("upload");
        let power = self.points(1)[0].pow(parts.len() as u64);
        let expected: Vec<E> = elements(&self.vector.public["composition_ood"]);
        assert_eq!(self.at(&table, Basis::Coefficients, &[power]), [expected], "{}: parts at z^P", self.name);
    }

    fn deep(&self) {
        let public = &self.vector.public;
        let mut tables = vec![self.lde(&self.main)];
        tables.extend(self.aux.as_ref().map(|aux| self.lde(aux)));
        let parts = self.parts();
        let coefficients: Vec<Goldilocks> = parts.iter().flat_map(|part| flatten(part)).collect();
        let table = self.backend.upload(&coefficients, parts.len() * E::DEGREE, self.vector.log_trace).expect("upload");
        tables.push(self.backend.lde(table.as_ref(), Basis::Coefficients, self.vector.domain).expect("lde"));

        // An extension column with weight w is its base columns with the weights w * basis.
        let spread = |table: usize, column: usize, weight: E| {
            (0..E::DEGREE).map(move |k| (table, column * E::DEGREE + k, weight * E::basis(k)))
        };
        let rows: Vec<Vec<E>> = list(&public["trace_ood_rows"], elements);
        let weights: Vec<Vec<E>> = list(&public["deep_trace_coefficients_by_column"], elements);
        let mut terms: Vec<DeepTerm<GoldilocksStark<E>>> = Vec::new();
        for (d, point) in self.points(rows.len()).into_iter().enumerate() {
            let mut term = DeepTerm { point, weights: Vec::new(), constant: E::ZERO, slope: E::ZERO };
            for (column, weights) in weights.iter().enumerate() {
                match column.checked_sub(self.main.width) {
                    None => term.weights.push((0, column, weights[d])),
                    Some(aux) => term.weights.extend(spread(1, aux, weights[d])),
                }
                term.constant += weights[d] * rows[d][column];
            }
            terms.push(term);
        }
        let weights: Vec<E> = elements(&public["deep_composition_coefficients"]);
        let values: Vec<E> = elements(&public["composition_ood"]);
        terms.push(DeepTerm {
            point: self.points(1)[0].pow(parts.len() as u64),
            weights: weights.iter().enumerate().flat_map(|(k, w)| spread(tables.len() - 1, k, *w)).collect(),
            constant: weights.iter().zip(values).map(|(w, value)| *w * value).sum(),
            slope: E::ZERO,
        });
        let tables: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let result = self.backend.deep_quotient(&tables, self.vector.domain, &terms).expect("a quotient");
        let expected = self.stored("deep_evaluations_natural_order");
        assert_eq!(unflatten::<E>(&download(&self.backend, &result)), expected, "{}: DEEP", self.name);
    }

    fn fri(&self) {
        let public = &self.vector.public;
        let layers: Vec<Vec<E>> = list(&self.vector.inner["fri_layers_bit_reversed"], elements);
        let zetas: Vec<E> = elements(&public["fri_zetas"]);
        assert_eq!(zetas.len(), layers.len() + 1);
        let last: E = element(&public["fri_last_value"]);
        let mut domain = self.vector.domain;
        let mut layer = self.upload(&self.stored("deep_evaluations_natural_order"));
        for (k, zeta) in zetas.into_iter().enumerate() {
            layer = self.backend.fri_fold(layer.as_ref(), domain, zeta).expect("a fold");
            domain = CosetDomain::new(domain.shift.square(), domain.log_size - 1);
            let values: Vec<E> = unflatten(&download(&self.backend, &layer));
            match layers.get(k) {
                Some(expected) => {
                    assert_eq!(values, *expected, "{}: layer {k}", self.name);
                    let root = digest(&public["fri_roots"][k]);
                    assert_eq!(self.root(&layer, 2), root, "{}: root of layer {k}", self.name);
                }
                None => assert!(values.iter().all(|value| *value == last), "{}: last value", self.name),
            }
        }
    }

    fn grind(&self) {
        let bits = number(&self.vector.public["params"]["grinding_factor"]) as u32;
        if bits == 0 {
            return;
        }
        let prefix = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xed];
        let seed = digest(&self.vector.public["grinding_seed"]);
        let inner = Keccak256Hash.hash_iter([&prefix[..], &seed, &[bits as u8]].concat());
        let nonce =
            self.backend.grind(&NonceSearch { hash: HashFn::Keccak256, prefix: inner, bits }).expect("a search");
        let expected = self.vector.public["nonce"].as_str().and_then(|nonce| nonce.parse().ok());
        assert!(expected.is_some() && nonce == expected, "{}: nonce {nonce:?}, not {expected:?}", self.name);
    }
}

/// Runs one check on every vector, over the field that its proof is made with.
macro_rules! on_all {
    ($($check:ident),*) => {$(
        #[test]
        fn $check() {
            vectors(false).iter().for_each(|(name, vector)| Run::<Fp3>::new(name, vector).$check());
            vectors(true).iter().for_each(|(name, vector)| Run::<Goldilocks>::new(name, vector).$check());
        }
    )*};
}

on_all!(trace, running, constraints, composition, out_of_domain, deep, fri, grind);
