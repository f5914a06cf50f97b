//! What the environment of a program may do, and the memory that belongs to it.
//!
//! The environment's choices become edges of the automata when these are built: inputs and branches. They are
//! failing allocations, volatile objects, the arguments of `main`, and static objects before `--function`. So
//! no engine, domain or checker needs to know about the environment.
//!
//! A program can get pointers from input functions, or find them in fresh memory. Such a pointer may be
//! valid, and nothing else is known about its target. Executions have objects at fixed addresses for such
//! targets, with zeros at first. So the pointer is a number like any other input: it can be recorded,
//! repeated, and written into a harness.

use summa_c::tree::{FuncId, Program, VarId};

/// The assumptions about everything around the program. All of it becomes edges of the automata: no engine
/// knows about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Each allocation may give null. Otherwise none does, and a request that is too large for any object
    /// ends the execution.
    pub allocation_may_fail: bool,
    /// Nothing but the program writes to volatile objects. Otherwise each read of one may give any value.
    pub volatile_is_memory: bool,
    /// Objects with static storage, except constants, have any values when the entry function is called.
    /// Otherwise they have their initial values.
    pub any_globals: bool,
}

/// Is the function a `main` as in 5.1.2.2.1, or with an environment as third parameter? Then it gets the
/// arguments of a program.
pub fn is_hosted(program: &Program, main: FuncId) -> bool {
    let types = &program.types;
    let is_list = |&list: &VarId| {
        let string = types.pointee(program.vars[list].ty);
        let character = string.and_then(|string| types.pointee(string));
        character.is_some_and(|ty| types.size_of(ty) == Some(1) && types.is_integer(ty))
    };
    match program.functions[main].params.as_slice() {
        [argc, lists @ ..] => {
            program.func_name(main) == "main"
                && program.vars[*argc].ty == types.int
                && (1..=2).contains(&lists.len())
                && lists.iter().all(is_list)
        }
        [] => false,
    }
}

/// The first address. In both data models no function and no object of the program lies here.
pub const START: u64 = 0x0800_0000;
/// Bytes in an object.
pub const SIZE: u64 = 1 << 16;
/// The number of objects.
pub const COUNT: u64 = 64;

/// An address inside of an object of the environment, with room before and behind it. Different ones for
/// different places, as long as there are not too many.
pub fn address(object: i64, offset: i64) -> u64 {
    let object = object.rem_euclid(COUNT as i64) as u64;
    START + SIZE * object + SIZE / 4 + offset.rem_euclid(SIZE as i64 / 2) as u64
}

/// The start of the object of the environment at an address.
pub fn object_at(address: u64) -> Option<u64> {
    let distance = address.checked_sub(START).filter(|&distance| distance < SIZE * COUNT)?;
    Some(address - distance % SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lie_in_their_objects() {
        for (object, offset) in [(1, 0), (63, -8), (-1, i64::MAX), (i64::MAX, 40_000), (i64::MIN, i64::MIN)] {
            let address = address(object, offset);
            let start = object_at(address);
            assert_eq!(start, Some(START + SIZE * object.rem_euclid(64) as u64));
            assert!((SIZE / 4..SIZE * 3 / 4).contains(&(address % SIZE)), "{object} {offset}");
        }
        assert_eq!(object_at(START - 1), None);
        assert_eq!(object_at(START + SIZE * COUNT), None);
    }
}
