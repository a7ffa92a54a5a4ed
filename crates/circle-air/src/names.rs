//! Names of a component's columns, constraints and lookups, for reports of wrong traces.

/// Names of a component, in the order in which `evaluate` comes to the named things. Lists may be shorter than what
/// there is, and `None` is no name. No proof depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentNames {
    /// The name of the component.
    pub component: Option<String>,
    /// The names of its main columns. Preprocessed columns have their ids.
    pub columns: Vec<Option<String>>,
    /// The names of its constraints: the calls of `add_constraint`.
    pub constraints: Vec<Option<String>>,
    /// The names of its lookups: the calls of `add_to_relation`. stwo hands on no name of a relation.
    pub lookups: Vec<Option<String>>,
}

impl ComponentNames {
    /// The name of the component, and none of its parts.
    #[must_use]
    pub fn of(component: &str) -> Self {
        Self { component: Some(component.to_owned()), ..Self::default() }
    }

    /// The same with names of the main columns.
    #[must_use]
    pub fn with_columns<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { columns: listed(names), ..self }
    }

    /// The same with names of the constraints.
    #[must_use]
    pub fn with_constraints<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { constraints: listed(names), ..self }
    }

    /// The same with names of the lookups.
    #[must_use]
    pub fn with_lookups<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { lookups: listed(names), ..self }
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Option<String>> {
    names.into_iter().map(|name| Some(name.to_owned())).collect()
}
