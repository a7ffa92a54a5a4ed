import Mathlib.Data.ZMod.Basic

/-! An AIR of the protocol circle, as docs/export.md of Polystark defines it. -/

namespace Polystark.plonk

abbrev F := ZMod 2147483647

/-- The value of a table, a column of it, and a row. -/
abbrev Trace := Nat → Nat → Int → F

/-- A tuple of a relation, and how often a row uses it. -/
structure Lookup where
  relation : Nat
  multiplicity : F
  values : List F

namespace component0_0

def logRows : Nat := 2

def n0 (t : Trace) (r : Int) : F := t 0 0 (r + (0))
def n1 (t : Trace) (r : Int) : F := t 0 1 (r + (0))
def n2 (t : Trace) (r : Int) : F := t 0 2 (r + (0))
def n3 (t : Trace) (r : Int) : F := t 0 3 (r + (0))
def n4 (t : Trace) (r : Int) : F := t 1 0 (r + (0))
def n5 (t : Trace) (r : Int) : F := t 1 1 (r + (0))
def n6 (t : Trace) (r : Int) : F := t 1 2 (r + (0))
def n7 (t : Trace) (r : Int) : F := t 1 3 (r + (0))
def n8 (t : Trace) (r : Int) : F := t 1 4 (r + (0))
def n9 (t : Trace) (r : Int) : F := n5 t r * n6 t r
def n10 (t : Trace) (r : Int) : F := n8 t r - n9 t r
def n11 (t : Trace) (r : Int) : F := n5 t r + n6 t r
def n12 (t : Trace) (r : Int) : F := n0 t r * n11 t r
def n13 (t : Trace) (r : Int) : F := n7 t r - n12 t r
def n14 (t : Trace) (r : Int) : F := 1
def n15 (t : Trace) (r : Int) : F := n14 t r - n0 t r
def n16 (t : Trace) (r : Int) : F := n8 t r * n15 t r
def n17 (t : Trace) (r : Int) : F := n13 t r - n16 t r
def n18 (t : Trace) (r : Int) : F := -n4 t r

-- 3 constraints are of columns that are made after elements are drawn: left out

/-- The constraints of a row. -/
def Holds (t : Trace) (r : Int) : Prop :=
    n10 t r = 0 ∧
    n17 t r = 0

/-- The lookups of a row. -/
def lookups (t : Trace) (r : Int) : List Lookup := [
    ⟨0, n14 t r, [n1 t r, n5 t r]⟩,
    ⟨0, n14 t r, [n2 t r, n6 t r]⟩,
    ⟨0, n18 t r, [n3 t r, n7 t r]⟩]

/-- Two rows agree in what they are about. -/
def SameInputs (s t : Trace) (r : Int) : Prop :=
    n0 s r = n0 t r ∧
    n1 s r = n1 t r ∧
    n2 s r = n2 t r ∧
    n3 s r = n3 t r ∧
    n4 s r = n4 t r

/-- Two rows agree in all else. -/
def SameOutputs (s t : Trace) (r : Int) : Prop :=
    s 1 1 (r + (0)) = t 1 1 (r + (0)) ∧
    s 1 2 (r + (0)) = t 1 2 (r + (0)) ∧
    s 1 3 (r + (0)) = t 1 3 (r + (0)) ∧
    s 1 4 (r + (0)) = t 1 4 (r + (0))

end component0_0

end Polystark.plonk
