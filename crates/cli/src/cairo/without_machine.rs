//! Subcommands that run programs, in a program without the machine: they say so.

use std::sync::Arc;

use clap::Subcommand;
use sdk::Registry;

use crate::command;
use crate::commands::Absent;
use crate::exit::Failure;
use crate::output::Output;

/// A subcommand that runs programs. It is no part of the help.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(hide = true)]
    Prove(Absent),
    #[command(hide = true)]
    Run(Absent),
}

impl command::Command for Command {
    fn run(&self, _: &Arc<Registry>, _: &Output) -> Result<(), Failure> {
        let name = match self {
            Self::Prove(_) => "cairo prove",
            Self::Run(_) => "cairo run",
        };
        Err(Absent::failure(name, "this program runs no Cairo programs", "cairo-vm"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command::Command as _;

    #[derive(Parser)]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn programs_are_refused_with_the_name_of_the_feature() {
        let (registry, output) = (Arc::new(Registry::shipped()), Output::new(false, false));
        for line in ["cairo prove fib.json -o fib.proof", "cairo run --max-steps 2^20 fib.json"] {
            let Line { command } = Line::try_parse_from(line.split(' ')).unwrap();
            let message = command.run(&registry, &output).expect_err(line).message;
            let [name, lack, remedy] = <[&str; 3]>::try_from(message.split(": ").collect::<Vec<_>>()).unwrap();
            assert!(line.starts_with(name) && name.len() > "cairo ".len(), "{message}");
            assert_eq!(lack, "this program runs no Cairo programs");
            assert_eq!(remedy, "build it with polystark's feature `cairo-vm`");
        }
    }
}
