//! What the program says to its users.
