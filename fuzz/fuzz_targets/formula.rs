//! Any text as a reward: a refusal, or a function whose values and checks can be asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onesided::loss::elicit::{Reward, checks};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(reward) = Reward::formula(text) else { return };
    for eta in [0.0, 1e-9, 0.25, 0.5, 1.0] {
        let _ = (reward.value(eta), reward.derivative(eta), reward.second_derivative(eta));
    }
    if checks(&reward).all_hold() {
        let _ = (reward.loss(0.5), reward.inverse_link(-3.0));
    }
});
