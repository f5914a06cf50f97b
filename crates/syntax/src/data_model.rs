//! The two data models of x86, which determine the sizes of types.

/// Which integer and pointer sizes hold: gcc's `-m32` or `-m64` on x86.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// `-m32`
    Ilp32,
    /// `-m64`
    #[default]
    Lp64,
}

impl DataModel {
    pub fn pointer_size(self) -> u64 {
        match self {
            Self::Ilp32 => 4,
            Self::Lp64 => 8,
        }
    }

    /// The largest difference of pointers: no object has more bytes.
    pub fn largest_object(self) -> i128 {
        match self {
            Self::Ilp32 => i32::MAX.into(),
            Self::Lp64 => i64::MAX.into(),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        }
    }
}
