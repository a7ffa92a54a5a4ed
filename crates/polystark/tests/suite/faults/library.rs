//! The library of Cairo: its hints, what programs print, and panics with text.
