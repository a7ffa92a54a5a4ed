//! The prover: goldilocks.md, sections 6 to 9, over any [`StarkBackend`].

use std::sync::Arc;

use air::{Air, Column, GroupRole, Recorded, Trace};
use field::{ExtensionField, Field, Goldilocks, powers};
use gpu_hal::{
    Basis, Columns, Combination, Constraints, CosetDomain, CosetProtocol, Digest, EvalOrder, LeafLayout, Protocol,
    Running, StarkBackend,
};
use proof::{Proof, ProofOptions, Seed, Transcript};

use crate::domains::Domains;
use crate::observer::begin;
use crate::plan::{self, Composition, Plan, Programs};
use crate::witness::Witness;
use crate::{Observer, Phase, ProveError, fri, openings};

/// Extension field of a backend's protocol.
pub(crate) type Ext<B> = <<B as StarkBackend>::P as Protocol>::Ext;
/// A table on a backend's device.
pub(crate) type Table<B> = Columns<<B as StarkBackend>::Buffer>;

/// An AIR made ready on a backend: its programs are recorded and prepared once and serve any number of proofs.
/// It owns what it needs, so a server can hold it and share it between threads.
pub struct Prover<B: StarkBackend<P: CosetProtocol>> {
    pub(crate) backend: Arc<B>,
    pub(crate) air: Arc<dyn Air<B::P>>,
    pub(crate) recorded: Recorded<B::P>,
    programs: Programs<B>,
}

/// A committed table: its low-degree extension in storage order, and the tree over its rows.
pub(crate) struct Committed<B: StarkBackend> {
    pub(crate) lde: Table<B>,
    pub(crate) tree: B::Tree,
    pub(crate) root: Digest,
}

impl<B: StarkBackend<P: CosetProtocol>> Prover<B> {
    /// Records the AIR and prepares its programs on the backend.
    ///
    /// # Errors
    /// [`ProveError::Air`] if the AIR contradicts itself, [`ProveError::Hal`] if the backend cannot prepare a program.
    pub fn new(backend: Arc<B>, air: Arc<dyn Air<B::P>>) -> Result<Self, ProveError> {
        let recorded = air::record(&*air)?;
        let constraints = backend.prepare(recorded.constraints())?;
        let running = recorded.running().map(|spec| backend.prepare(&spec.program)).transpose()?;
        Ok(Self { backend, air, recorded, programs: Programs { constraints, running } })
    }

    /// The recorded AIR.
    pub fn recorded(&self) -> &Recorded<B::P> {
        &self.recorded
    }

    /// What a proof with these options will take on the device.
    ///
    /// # Errors
    /// [`ProveError::Options`].
    pub fn plan(&self, options: &ProofOptions) -> Result<Plan, ProveError> {
        plan::plan(&*self.backend, &self.programs, &self.recorded, options)
    }

    /// Proves that `trace` satisfies the AIR. The proof is a function of the arguments alone. Its out-of-domain identity is
    /// checked before it is returned: a trace that does not satisfy the AIR gives [`ProveError::Unsatisfied`], not a proof.
    ///
    /// # Errors
    /// See [`ProveError`]. After an error the backend is as before, and its memory released.
    pub fn prove(
        &self,
        trace: &Trace<Goldilocks>,
        options: &ProofOptions,
        seed: Seed<'_>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<Proof<B::P>, ProveError> {
        self.prove_from(Witness::Host(trace), options, seed, observer)
    }

    pub(crate) fn prove_from(
        &self,
        witness: Witness<'_>,
        options: &ProofOptions,
        seed: Seed<'_>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<Proof<B::P>, ProveError> {
        let plan = self.plan(options)?;
        self.check_shape(witness)?;
        self.check_memory(&plan)?;
        let (backend, layout) = (&*self.backend, self.recorded.layout());
        let domains = Domains {
            log_trace: plan.log_trace,
            log_blowup: plan.log_lde - plan.log_trace,
            lde: options.lde_domain(plan.log_trace),
        };
        let mut transcript = Transcript::new(&seed.bytes::<B::P>(
            &self.recorded.digest(),
            1 << plan.log_trace,
            self.recorded.public_inputs(),
            options,
        ));

        // Round 1.
        let span = begin(observer, Phase::Main);
        let (main_rows, main) = self.main_columns(witness, &domains)?;
        let main = self.commit_lde(main, 1, options)?;
        observer.root("main", &main.root);
        transcript.append_bytes(&main.root);
        drop(span);
        let challenges: Vec<Ext<B>> = (0..layout.challenges).map(|_| transcript.sample_element()).collect();
        observer.values("rap_challenges", &challenges);
        let aux = if layout.aux_columns == 0 {
            None
        } else {
            let _span = begin(observer, Phase::Auxiliary);
            let rows = self.auxiliary(witness, &main_rows, &challenges)?;
            let committed = self.commit(&rows, trace_basis(&domains), &domains, 1, options)?;
            observer.root("aux", &committed.root);
            transcript.append_bytes(&committed.root);
            Some((rows, committed))
        };
        let (aux_rows, aux) = aux.unzip();

        // Round 2.
        let span = begin(observer, Phase::Composition);
        let beta: Ext<B> = transcript.sample_element();
        observer.values("beta", &[beta]);
        let params = self.recorded.params(&challenges)?;
        let combination = self.recorded.combination(beta);
        let composition = self.composition(&main, aux.as_ref(), &params, &combination, &plan, &domains)?;
        let composition = self.commit_lde(composition, 2, options)?;
        observer.root("composition", &composition.root);
        transcript.append_bytes(&composition.root);
        drop(span);

        // Round 3.
        let span = begin(observer, Phase::OutOfDomain);
        let z: Ext<B> = transcript.sample_out_of_domain(plan.log_trace, plan.log_lde, options.offset());
        observer.values("z", &[z]);
        let frame = self.frame(&main_rows, aux_rows.as_ref(), z, &domains)?;
        let parts = self.parts_at(&composition, z, &domains)?;
        for column in 0..layout.main_columns + layout.aux_columns {
            for row in &frame {
                transcript.append_element(&row[column]);
            }
        }
        for part in &parts {
            transcript.append_element(part);
        }
        frame.iter().for_each(|row| observer.values("trace_ood_row", row));
        observer.values("composition_ood", &parts);
        self.check_identity(&params, &combination, z, &frame, &parts)?;
        drop((main_rows, aux_rows));
        drop(span);

        // Round 4.
        let span = begin(observer, Phase::Deep);
        let gamma: Ext<B> = transcript.sample_element();
        observer.values("deep_gamma", &[gamma]);
        let quotient = self.deep(&main, aux.as_ref(), &composition, gamma, z, &frame, &parts, &domains)?;
        drop(span);
        let span = begin(observer, Phase::Fri);
        let fri = fri::commit(backend, quotient, &domains, options.hash, &mut transcript, observer)?;
        drop(span);
        let span = begin(observer, Phase::Grinding);
        let nonce = self.grind(options.grinding, &mut transcript)?;
        drop(span);
        let _span = begin(observer, Phase::Openings);
        let queries: Vec<usize> =
            (0..options.queries).map(|_| transcript.sample_u64(1 << (plan.log_lde - 1)) as usize).collect();
        observer.queries(&queries);
        let opened = openings::open(backend, &main, aux.as_ref(), &composition, &fri, &queries, &layout)?;
        Ok(Proof {
            trace_length: 1 << plan.log_trace,
            main_root: main.root,
            aux_root: aux.as_ref().map(|aux| aux.root),
            trace_ood: proof::OodTable {
                width: (layout.main_columns + layout.aux_columns) as u64,
                height: layout.frame_rows as u64,
                data: frame.into_iter().flatten().collect(),
            },
            composition_root: composition.root,
            composition_ood: parts,
            fri_roots: fri.layers.iter().map(|layer| layer.root).collect(),
            fri_last_value: fri.last_value,
            fri_decommitments: opened.fri,
            deep_openings: opened.deep,
            nonce,
        })
    }

    fn check_memory(&self, plan: &Plan) -> Result<(), ProveError> {
        match self.backend.memory()?.available {
            Some(available) if plan.peak_bytes > available => {
                Err(ProveError::Memory { needed: plan.peak_bytes, at: plan.peak_at, available })
            }
            _ => Ok(()),
        }
    }

    /// Extends a table to the LDE domain and commits to it.
    fn commit(
        &self,
        rows: &Table<B>,
        from: Basis<CosetDomain<Goldilocks>>,
        domains: &Domains,
        rows_per_leaf: usize,
        options: &ProofOptions,
    ) -> Result<Committed<B>, ProveError> {
        let lde = self.backend.lde(rows.as_ref(), from, domains.lde)?;
        self.commit_lde(lde, rows_per_leaf, options)
    }

    fn commit_lde(
        &self,
        lde: Table<B>,
        rows_per_leaf: usize,
        options: &ProofOptions,
    ) -> Result<Committed<B>, ProveError> {
        let tree = self.backend.merkle(&[lde.as_ref()], LeafLayout::new(rows_per_leaf), options.hash)?;
        let root = self.backend.root(&tree)?;
        Ok(Committed { lde, tree, root })
    }

    /// The auxiliary trace, in row order: running columns by the device, host columns uploaded.
    fn auxiliary(
        &self,
        witness: Witness<'_>,
        main_rows: &Table<B>,
        challenges: &[Ext<B>],
    ) -> Result<Table<B>, ProveError> {
        let (backend, recorded) = (&*self.backend, &self.recorded);
        let running = match recorded.running().zip(self.programs.running.as_ref()) {
            None => None,
            Some((spec, program)) => {
                let periodic = self.upload_periodic()?;
                let mut tables = vec![main_rows.as_ref()];
                tables.extend(periodic.iter().map(Columns::as_ref));
                let args = Running {
                    program,
                    columns: &tables,
                    log_height: recorded.log_trace_length(),
                    params: challenges,
                    running: &spec.columns,
                };
                Some((spec, backend.running(&args)?))
            }
        };
        let host = self.host_columns(witness, challenges)?;
        match (running, host) {
            (Some((_, table)), None) | (None, Some(table)) => Ok(table),
            (Some((spec, running)), Some(host)) => {
                // Back into the order of declaration.
                let mut source = vec![(0, 0); recorded.layout().aux_columns];
                spec.aux_index.iter().enumerate().for_each(|(at, &index)| source[index] = (0, at));
                recorded.host_aux().iter().enumerate().for_each(|(at, &index)| source[index] = (1, at));
                let picks: Vec<(usize, usize)> = source
                    .into_iter()
                    .flat_map(|(table, at)| {
                        (0..<B::P as Protocol>::DEGREE).map(move |c| (table, at * <B::P as Protocol>::DEGREE + c))
                    })
                    .collect();
                Ok(backend.select(&[running.as_ref(), host.as_ref()], &picks)?)
            }
            (None, None) => unreachable!("the recorder refuses auxiliary columns that nothing declares"),
        }
    }

    /// Uploads the periodic tables, one period each, in the order of their groups.
    fn upload_periodic(&self) -> Result<Vec<Table<B>>, ProveError> {
        let tables = self.recorded.periodic().iter();
        Ok(tables
            .map(|table| self.backend.upload(table.data(), table.width(), table.log_height()))
            .collect::<Result<_, _>>()?)
    }

    /// The composition parts on the LDE domain.
    fn composition(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        params: &[Ext<B>],
        combination: &Combination<B::P>,
        plan: &Plan,
        domains: &Domains,
    ) -> Result<Table<B>, ProveError> {
        let (backend, recorded) = (&*self.backend, &self.recorded);
        let fixed = self.fixed_tables(domains)?;
        let mut fixed_tables = fixed.iter();
        let tables: Vec<Columns<&B::Buffer>> = recorded
            .groups()
            .iter()
            .map(|role| match role {
                GroupRole::Main => main.lde.as_ref(),
                GroupRole::Aux => aux.expect("an AIR with an auxiliary group has auxiliary columns").lde.as_ref(),
                GroupRole::Periodic { .. } | GroupRole::Exemptions => {
                    fixed_tables.next().expect("a table was made for every fixed group").as_ref()
                }
            })
            .collect();
        let log_eval = match plan.composition {
            Composition::Direct => plan.log_lde,
            Composition::Prefix { log_eval } => log_eval,
        };
        let mut values = backend.constraint_eval(&Constraints {
            program: &self.programs.constraints,
            columns: &tables,
            domain: domains.lde,
            log_trace: plan.log_trace,
            log_eval,
            params,
            combination,
        })?;
        drop(fixed);
        if plan.composition == Composition::Direct {
            return Ok(values);
        }
        let on_prefix = Basis::Evaluations { domain: domains.lde.prefix(log_eval), order: EvalOrder::Storage };
        let parts = recorded.layout().composition_parts;
        if parts == 1 {
            return Ok(backend.lde(values.as_ref(), on_prefix, domains.lde)?);
        }
        backend.ntt(values.as_mut(), on_prefix, Basis::Coefficients)?;
        let split = backend.split(values.as_ref(), parts, plan.log_trace)?;
        drop(values);
        Ok(backend.lde(split.as_ref(), Basis::Coefficients, domains.lde)?)
    }

    /// Tables of the periodic and exemption groups on the LDE domain. A column of period `p` is a polynomial in
    /// `x^(n/p)`, so its table is its extension to the coset `h^(n/p) <root(p b)>`.
    fn fixed_tables(&self, domains: &Domains) -> Result<Vec<Table<B>>, ProveError> {
        let mut out = Vec::new();
        for rows in self.upload_periodic()? {
            let log_period = rows.log_height;
            let domain = CosetDomain::new(
                domains.lde.shift.pow_two_to(domains.log_trace - log_period),
                log_period + domains.log_blowup,
            );
            let from = Basis::Evaluations { domain: CosetDomain::subgroup(log_period), order: EvalOrder::Row };
            out.push(self.backend.lde(rows.as_ref(), from, domain)?);
        }
        let coefficients = self.recorded.exemption_coefficients();
        if !coefficients.is_empty() {
            let width = coefficients.len() >> domains.log_trace;
            let table = self.backend.upload(&coefficients, width, domains.log_trace)?;
            out.push(self.backend.lde(table.as_ref(), Basis::Coefficients, domains.lde)?);
        }
        Ok(out)
    }

    /// `frame[d][j] = t_j(g^d z)`, main columns first.
    fn frame(
        &self,
        main: &Table<B>,
        aux: Option<&Table<B>>,
        z: Ext<B>,
        domains: &Domains,
    ) -> Result<Vec<Vec<Ext<B>>>, ProveError> {
        let rows = self.recorded.layout().frame_rows;
        let points: Vec<Ext<B>> = domains.trace_points().take(rows).map(|g| z * g).collect();
        let mut frame = self.backend.eval_at(main.as_ref(), trace_basis(domains), &points)?;
        if let Some(aux) = aux {
            let values = self.backend.eval_at(aux.as_ref(), trace_basis(domains), &points)?;
            for (row, aux_row) in frame.iter_mut().zip(values) {
                row.extend(combine_coordinates(&aux_row));
            }
        }
        Ok(frame)
    }

    /// `H_k(z^P)` of every part: the parts have degree below n, so n of their evaluations are enough.
    fn parts_at(&self, composition: &Committed<B>, z: Ext<B>, domains: &Domains) -> Result<Vec<Ext<B>>, ProveError> {
        let from = Basis::Evaluations { domain: domains.lde.prefix(domains.log_trace), order: EvalOrder::Storage };
        let point = z.pow(self.recorded.layout().composition_parts as u64);
        let values = self.backend.eval_at(composition.lde.as_ref(), from, &[point])?;
        Ok(values.iter().flat_map(|row| combine_coordinates::<Ext<B>>(row)).collect())
    }

    /// The identity that the verifier checks: constraints at z, from the frame, against the parts.
    fn check_identity(
        &self,
        params: &[Ext<B>],
        combination: &Combination<B::P>,
        z: Ext<B>,
        frame: &[Vec<Ext<B>>],
        parts: &[Ext<B>],
    ) -> Result<(), ProveError> {
        let main_columns = self.recorded.layout().main_columns;
        let cell = |column: Column, row: usize| match column {
            Column::Main(index) => frame[row][index],
            Column::Aux(index) => frame[row][main_columns + index],
        };
        let expected = self.recorded.composition_at(z, params, combination, cell)?;
        let claimed = powers(z).zip(parts).fold(Ext::<B>::ZERO, |sum, (power, part)| sum + power * *part);
        if expected != claimed {
            return Err(ProveError::Unsatisfied("the out-of-domain identity fails"));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the inputs of one protocol step, each named by the protocol")]
    fn deep(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        gamma: Ext<B>,
        z: Ext<B>,
        frame: &[Vec<Ext<B>>],
        parts: &[Ext<B>],
        domains: &Domains,
    ) -> Result<Table<B>, ProveError> {
        let layout = self.recorded.layout();
        let degree = <B::P as Protocol>::DEGREE;
        let (rows, columns) = (layout.frame_rows, layout.main_columns + layout.aux_columns);
        let weights: Vec<Ext<B>> = powers(gamma).take(rows * columns + parts.len()).collect();
        let coordinates = |table: usize, column: usize, weight: Ext<B>| {
            (0..degree)
                .map(move |c| (table, column * degree + c, weight * <Ext<B> as ExtensionField<Goldilocks>>::basis(c)))
        };
        let mut terms = Vec::with_capacity(rows + 1);
        for (row, (g, values)) in domains.trace_points().zip(frame).enumerate() {
            let weight = |column: usize| weights[column * rows + row];
            let mut term = gpu_hal::DeepTerm {
                point: z * g,
                weights: Vec::new(),
                constant: Ext::<B>::ZERO,
                slope: Ext::<B>::ZERO,
            };
            for (column, value) in values.iter().enumerate() {
                term.constant += weight(column) * *value;
                match column.checked_sub(layout.main_columns) {
                    None => term.weights.push((0, column, weight(column))),
                    Some(aux_column) => term.weights.extend(coordinates(1, aux_column, weight(column))),
                }
            }
            terms.push(term);
        }
        let parts_table = 1 + usize::from(aux.is_some());
        let mut term = gpu_hal::DeepTerm {
            point: z.pow(parts.len() as u64),
            weights: Vec::new(),
            constant: Ext::<B>::ZERO,
            slope: Ext::<B>::ZERO,
        };
        for (part, (value, weight)) in parts.iter().zip(&weights[rows * columns..]).enumerate() {
            term.constant += *weight * *value;
            term.weights.extend(coordinates(parts_table, part, *weight));
        }
        terms.push(term);
        let mut tables = vec![main.lde.as_ref()];
        tables.extend(aux.map(|aux| aux.lde.as_ref()));
        tables.push(composition.lde.as_ref());
        Ok(self.backend.deep_quotient(&tables, domains.lde, &terms)?)
    }

    fn grind(&self, bits: u32, transcript: &mut Transcript) -> Result<Option<u64>, ProveError> {
        if bits == 0 {
            return Ok(None);
        }
        let challenge = gpu_hal::GrindChallenge { digest: proof::grinding::inner(&transcript.state(), bits), bits };
        let nonce = self.backend.grind(&challenge)?.ok_or(ProveError::Grinding(bits))?;
        transcript.append_bytes(&nonce.to_be_bytes());
        Ok(Some(nonce))
    }
}

pub(crate) fn trace_basis(domains: &Domains) -> Basis<CosetDomain<Goldilocks>> {
    Basis::Evaluations { domain: domains.trace(), order: EvalOrder::Row }
}

/// Values of extension columns from the values of their coordinate columns: `sum_c value_c * basis_c`.
fn combine_coordinates<E: ExtensionField<Goldilocks>>(values: &[E]) -> Vec<E> {
    let combine = |column: &[E]| column.iter().enumerate().fold(E::ZERO, |sum, (c, value)| sum + *value * E::basis(c));
    values.chunks_exact(E::DEGREE).map(combine).collect()
}
