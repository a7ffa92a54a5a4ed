//! Subcommands for client proofs, in a program without them: they say so.

use std::sync::Arc;

use clap::Subcommand;
use sdk::Registry;

use crate::command;
use crate::commands::Absent;
use crate::exit::Failure;
use crate::output::Output;

/// A subcommand for client proofs. It is no part of the help.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(hide = true)]
    ClientProve(Absent),
    #[command(hide = true)]
    ClientVerify(Absent),
}

impl command::Command for Command {
    fn run(&self, _: &Arc<Registry>, _: &Output) -> Result<(), Failure> {
        let name = match self {
            Self::ClientProve(_) => "cairo client-prove",
            Self::ClientVerify(_) => "cairo client-verify",
        };
        Err(Absent::failure(name, "this program knows no client proofs", "client"))
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
    fn client_proofs_are_refused_with_the_name_of_the_feature() {
        let (registry, output) = (Arc::new(Registry::shipped()), Output::new(false, false));
        for line in ["cairo client-prove x.zip -o x.bin", "cairo client-verify x.bin --facts x.json"] {
            let Line { command } = Line::try_parse_from(line.split(' ')).unwrap();
            let message = command.run(&registry, &output).expect_err(line).message;
            assert!(line.starts_with(message.split(": ").next().unwrap()), "{message}");
            assert!(message.ends_with("build it with polystark's feature `client`"), "{message}");
        }
    }
}
