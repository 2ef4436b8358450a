//! A last resort against decoders that panic on damaged files.
//!
//! The `parquet` crate checks most of what it reads, but not all: a page that refers to a dictionary which a flipped bit
//! has removed, for one, ends in a panic deep inside it. So do decoders of pictures. A damaged file must be an error
//! here, so its panics are caught. Nothing half-read survives them: all state lives inside the closure. Whether the panic
//! is also printed is up to the process, whose hook is left alone.

use std::panic::{self, AssertUnwindSafe};

/// Runs `decode`; a panic inside it becomes an error with the panic's message.
pub fn contained<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(decode)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unreadable".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message() {
        assert_eq!(contained(|| 7), Ok(7));
        assert_eq!(contained(|| panic!("page {} is bent", 3)), Err::<(), _>("page 3 is bent".to_string()));
        assert_eq!(contained(|| panic!("bent")), Err::<(), _>("bent".to_string()));
    }
}
