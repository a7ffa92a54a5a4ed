//! The arguments of a campaign.

/// The request.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    pub(crate) target: String,
    pub(crate) backend: String,
    pub(crate) cases: u64,
    pub(crate) first: u64,
    pub(crate) seed: u64,
    pub(crate) threads: u64,
    pub(crate) seconds: Option<u64>,
    /// How many constraint programs there are; `None`: one a case.
    pub(crate) programs: Option<u64>,
    pub(crate) replay: Option<String>,
}

impl Arguments {
    /// From the words behind the program's name.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let target = words.next().ok_or("name a target, or `list`")?;
        let mut arguments = Self {
            target,
            backend: "cpu".to_owned(),
            cases: 1000,
            first: 0,
            seed: 0,
            threads: 1,
            seconds: None,
            programs: None,
            replay: None,
        };
        while let Some(flag) = words.next() {
            let value = words.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag} {value}: give a number below 2^64"));
            match flag.as_str() {
                "--backend" => arguments.backend = value,
                "--cases" => arguments.cases = number()?,
                "--first" => arguments.first = number()?,
                "--seed" => arguments.seed = number()?,
                "--threads" => arguments.threads = number()?.clamp(1, 1024),
                "--seconds" => arguments.seconds = Some(number()?),
                "--programs" => arguments.programs = Some(number()?),
                "--replay" => arguments.replay = Some(value),
                _ => return Err(format!("{flag} is no argument")),
            }
        }
        if arguments.first.checked_add(arguments.cases).is_none() {
            return Err("--first and --cases: their sum is 2^64 or more".to_owned());
        }
        Ok(arguments)
    }
}
