//! The axioms of path formulas: every fact that is assumed and not shown, with the reason why no execution
//! contradicts it.
//!
//! A question of the checker is *premises ∧ guard ∧ facts ⟹ conclusion*. The guard says which executions take
//! the path. The facts come from everything that was translated, on every branch of the path: where branches
//! meet, the facts of both are premises. So a fact must be of one of three kinds.
//!
//! * **free**: it is about new symbols, and for all values of the other symbols there are values of the new
//!   ones that make it true. Then it excludes no execution, on this branch or another one.
//! * **state**: it holds of the values at the beginning of the path (symbols in version 0), in every state
//!   that an execution can have there.
//! * **here**: it holds of the executions that take this branch, and is assumed with the branch's condition
//!   as its premise (`Encoder::assume_here`, and `taken` in summaries). It says nothing about other branches,
//!   even if it is wrong here.
//!
//! | what is assumed | where | kind | why |
//! | --- | --- | --- | --- |
//! | any value of an integer type lies in its range | `encoder.rs` | free | that is what any value of the type means; there is one |
//! | integers in cells lie in the range of their type | `path/entry.rs` | state | only such values are stored, and what was never written is any of them |
//! | the number of a pointer's object is not negative | `path/entry.rs` | state | objects are numbered from 0, which is no object |
//! | the next object comes after those of the program, and is below 2^63 | `path/entry.rs` | state | numbers are given in ascending order; at one a nanosecond it takes 292 years to use them up |
//! | a local that lives in memory is an object of its own, given before the next one, or has not begun to live | `path/entry.rs` | state | declarations give each object to one local, and calls give callers theirs back |
//! | the result of a library function without an exact formula lies in the range of its description | `library/mod.rs` | free | the symbol is new, and the function gives no other value |
//! | elements of arrays lie in the range of their type when they are read | `memory.rs`, `library/block.rs`, `library/string.rs` | state | what is stored is in range, whichever branch stores it (a term of a type always lies in its range; what division by zero gives can be chosen so), and so is what was there before |
//! | the bytes of a float are read as this float | `memory.rs` | free | each float has bytes, and so have the formats with an explicit leading bit |
//! | the result of a bit operation without an exact term has these signs and bounds | `expr.rs` | free | what C computes has them, for all operands of the type |
//! | a pointer that is made from any number is null just if the number is zero | `expr.rs` | free | the pointer is new, and may be null or not |
//! | the number of a pointer into an object is not zero | `expr.rs` | here | no pointer that the standard allows leaves its object so far; others can be computed on branches that an execution does not take |
//! | behind a call that is not entered, no object's number was taken back, and they are below 2^63 | `path/relation.rs` | here | as for the next object |
//! | behind a call by contract: its formula, and the same about objects | `path/summary.rs` | here | the contract is shown elsewhere, for calls that return; of one that does not it may say anything, so that it is a premise that the call did |
//!
//! Besides, formulas rely on this:
//!
//! * *One of two ways.* Where paths meet, at most one of them is taken: the sides of a branch exclude each
//!   other, and a place is left only when all paths to it have arrived (`path/mod.rs`, `walk.rs`).
//! * *Objects at a meeting.* Of two numbers of the next object, the larger one is taken; that is enough,
//!   since numbers are only names (`encoder.rs`).
//! * *The end of executions.* Undefined behaviour ends an execution. So the result of a division by zero, of
//!   a shift too far, and of an access outside of objects may be any value, and need not be excluded. String
//!   literals are not written. (None of the facts above says so. Engines that rely on it write it down as
//!   points, which are shown.)
//! * *Numbers that are pointers.* If a number was made from a pointer with an object, converting it back
//!   gives this pointer and no other (`expr.rs`).
//! * *Memory.* Points-to and mod/ref say which cells a place can be. These analyses are trusted.
//! * *The graph.* Edges from which no error is reachable are left out, in all procedures and lemmas alike.
//!
//! A contract or point may give a number to a cell. It is put into the formula directly only if the cell can
//! hold it: a term outside of its range would make the facts about ranges wrong on all branches.
