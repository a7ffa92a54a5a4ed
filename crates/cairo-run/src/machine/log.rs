//! The states of a component's steps, as the machine logs them.

use crate::State;
use crate::pages::Pages;

/// States that are gathered before they go to the others.
const GATHERED: usize = 1 << 10;

/// A list of states.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The last ones, so many of these.
    gathered: Vec<State>,
    number: usize,
    /// The ones before these.
    states: Pages<State>,
}

impl Log {
    /// Appends a state.
    #[inline(always)]
    pub(super) fn push(&mut self, state: State) {
        match self.gathered.get_mut(self.number) {
            Some(place) => {
                *place = state;
                self.number += 1;
            }
            None => self.push_after_all(state),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_after_all(&mut self, state: State) {
        self.gather();
        self.gathered.resize((2 * self.gathered.len()).clamp(8, GATHERED), State::default());
        self.gathered[0] = state;
        self.number = 1;
    }

    fn gather(&mut self) {
        self.states.extend_from_slice(&self.gathered[..self.number]);
        self.number = 0;
    }

    /// All states.
    pub(super) fn states(mut self) -> Pages<State> {
        self.gather();
        self.states
    }
}
