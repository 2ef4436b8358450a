//! Damage for tests: files cut short at every byte, and files with bytes changed at every place and at random.

use onesided_table::Stream;

/// Every beginning of `bytes` but the whole; of long ones each of the first and last 300, and some between.
pub(super) fn cuts(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    let len = bytes.len();
    (0..len).filter(|&at| at < 300 || len - at < 300 || at % 97 == 0).for_each(|at| check(&bytes[..at]));
}

/// `bytes` with each of its first 300 bytes set to 0, to 255 and with a bit flipped, and 500 random mutations.
pub(super) fn damaged(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    for at in 0..bytes.len().min(300) {
        for change in
            [|_: u8| 0, |_| 255, |byte| byte ^ 1, |byte| byte ^ 0x80, |byte: u8| byte.wrapping_add(1)]
        {
            let mut changed = bytes.to_vec();
            changed[at] = change(changed[at]);
            check(&changed);
        }
    }
    let mut stream = Stream::new(4, "damage");
    for _ in 0..500 {
        let mut changed = bytes.to_vec();
        for _ in 0..=stream.below(6) {
            let (len, span) = (changed.len(), 1 + stream.below(16));
            if len == 0 {
                break;
            }
            let at = stream.below(len);
            match stream.below(4) {
                0 => changed[at] = stream.next_u64() as u8,
                1 => changed[at] ^= 1 << stream.below(8),
                2 => drop(changed.drain(at..len.min(at + span))),
                _ => {
                    let piece = changed[at..len.min(at + span)].to_vec();
                    changed.splice(at..at, piece);
                }
            }
        }
        check(&changed);
    }
}
