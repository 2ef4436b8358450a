//! A reward written as text, differentiated symbolically by the crate `exmex`.
//!
//! `exmex` binds a leading minus closer than a power (−x^2 is (−x)^2 to it) and reads `ln x^2` as (ln x)^2. A reward
//! that is silently another one would be worse than none, so the text is read in the sense of a textbook before it is
//! handed on: a minus at the start of the text or of a parenthesis becomes a subtraction from 0, one after another
//! operator must be put in parentheses, and so must the argument of a function.

use crate::error::LossError;
use exmex::{Differentiate, Express, FlatEx};

/// More than any formula by hand needs; nested parentheses recurse.
const LONGEST: usize = 400;
/// Names that stand for a number, beside the variable.
const CONSTANTS: [&str; 6] = ["e", "E", "PI", "π", "TAU", "τ"];
const VARIABLES: [&str; 3] = ["x", "eta", "η"];

/// J, J' and J'' as expressions of one variable.
pub(super) struct Formula {
    value: FlatEx<f64>,
    derivative: FlatEx<f64>,
    second: FlatEx<f64>,
}

impl Formula {
    /// Reads and differentiates twice.
    pub fn parse(text: &str) -> Result<Self, LossError> {
        let refuse = |reason: String| LossError::Formula { formula: shortened(text), reason };
        let plain = textbook(text).map_err(refuse)?;
        let value = exmex::parse::<f64>(&plain).map_err(|error| refuse(error.to_string()))?;
        match value.var_names() {
            [name] if VARIABLES.contains(&name.as_str()) => {}
            [] => return Err(refuse("it does not depend on x".to_string())),
            names => {
                return Err(refuse(format!(
                    "its variable must be x (or eta), but it has {}",
                    names.join(", ")
                )));
            }
        }
        let differentiate = |expression: &FlatEx<f64>| {
            let derivative = expression.clone().partial(0);
            derivative.map_err(|error| refuse(format!("it cannot be differentiated ({error})")))
        };
        let derivative = differentiate(&value)?;
        let second = differentiate(&derivative)?;
        Ok(Self { value, derivative, second })
    }

    pub fn value(&self, x: f64) -> f64 {
        at(&self.value, x)
    }

    pub fn derivative(&self, x: f64) -> f64 {
        at(&self.derivative, x)
    }

    pub fn second_derivative(&self, x: f64) -> f64 {
        at(&self.second, x)
    }

    /// J and J' as text.
    pub fn texts(&self) -> [String; 2] {
        [&self.value, &self.derivative].map(|expression| expression.unparse().replace(['{', '}'], ""))
    }
}

/// The expression at x; at the ends of [0, 1] its limit where it has no value of its own, as 0 · ln 0.
fn at(expression: &FlatEx<f64>, x: f64) -> f64 {
    let eval = |x: f64| expression.eval(&[x]).unwrap_or(f64::NAN);
    let direct = eval(x);
    if direct.is_finite() || (x != 0.0 && x != 1.0) {
        return direct;
    }
    // Toward 0 there is room for 2^−1000, toward 1 the grid of `f64` ends at 2^−53.
    let samples = [1, 2, 3, 4, 5].map(|k| match x {
        0.0 => eval(2f64.powi(-200 * k)),
        _ => eval(1.0 - 2f64.powi(-10 * k)),
    });
    let [.., before, near, last] = samples;
    let (step, next) = (near - before, last - near);
    // Each sample is nearer by the same factor. A limit makes the steps shrink; ln does not, a power lets them grow.
    let diverges = !last.is_finite() || (next / step >= 0.9 && next.abs() > 1e-6 * (1.0 + last.abs()));
    if !diverges {
        last
    } else if last.is_nan() {
        f64::NAN
    } else {
        f64::INFINITY.copysign(if last.is_finite() { next } else { last })
    }
}

/// The text with each leading minus as a subtraction from 0, or why it is not a formula.
fn textbook(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty; write J in x, such as x*ln(x)+(1-x)*ln(1-x)".to_string());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    let symbols: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.split_whitespace().collect::<Vec<_>>().windows(2).any(|pair| joined(pair[0], pair[1])) {
        return Err("two operands stand side by side; write a product as 2*x".to_string());
    }
    let mut plain = String::new();
    let mut i = 0;
    while i < symbols.len() {
        let (symbol, before) = (symbols[i], i.checked_sub(1).map(|k| symbols[k]));
        let start = i;
        i += 1;
        if symbol == '-' || symbol == '+' {
            match before {
                None | Some('(') => plain.push('0'),
                Some('+' | '-' | '*' | '/' | '^') => {
                    return Err(format!("put what follows '{}{symbol}' in parentheses", symbols[start - 1]));
                }
                _ => {}
            }
            plain.push(symbol);
        } else if symbol.is_ascii_digit() || symbol == '.' {
            while i < symbols.len() && (symbols[i].is_ascii_digit() || symbols[i] == '.') {
                i += 1;
            }
            if symbols.get(i).is_some_and(|c| c.is_alphabetic() || *c == '(') {
                return Err(
                    "a number is followed by a name; write a product as 2*x, and 1e-3 as 0.001".to_string()
                );
            }
            plain.extend(&symbols[start..i]);
        } else if symbol.is_alphabetic() {
            while i < symbols.len() && (symbols[i].is_alphanumeric() || symbols[i] == '_') {
                i += 1;
            }
            let name: String = symbols[start..i].iter().collect();
            let operand = VARIABLES.contains(&name.as_str()) || CONSTANTS.contains(&name.as_str());
            if operand == (symbols.get(i) == Some(&'(')) {
                return Err(match operand {
                    true => format!("'{name}' is followed by a parenthesis; write a product as {name}*(…)"),
                    false => format!("'{name}' is neither x nor a function with its argument in parentheses"),
                });
            }
            plain.push_str(&name);
        } else if "*/^()".contains(symbol) {
            plain.push(symbol);
        } else {
            return Err(format!(
                "'{symbol}' has no meaning here; use x, numbers, + - * / ^, and functions such as ln"
            ));
        }
    }
    Ok(plain)
}

/// Whether a space parts two operands: without it they would become one.
fn joined(left: &str, right: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    left.ends_with(word) && right.starts_with(word)
}

/// What an error message can show.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minus_means_what_it_means_on_paper() {
        for (text, at_half) in
            [("-x^2", -0.25), ("1-x^2", 0.75), ("-(x*(1-x))^2", -0.0625), ("ln(e^(-x^2))", -0.25)]
        {
            assert!((Formula::parse(text).unwrap().value(0.5) - at_half).abs() < 1e-15, "{text}");
        }
        let [value, derivative] = Formula::parse("eta*(eta-1)").unwrap().texts();
        assert_eq!((value.as_str(), derivative.as_str()), ("eta*(eta-1)", "(eta-1.0)+eta"));
    }

    #[test]
    fn limits_at_the_ends() {
        let log = Formula::parse("x*ln(x)+(1-x)*ln(1-x)").unwrap();
        assert!(log.value(0.0).abs() < 1e-290);
        assert!(log.value(1.0).abs() < 1e-13);
        assert_eq!((log.derivative(0.0), log.derivative(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!((log.derivative(0.25) - (1.0f64 / 3.0).ln()).abs() < 1e-15);
        assert!((log.second_derivative(0.25) - 16.0 / 3.0).abs() < 1e-13);
        let root = Formula::parse("-2*sqrt(x*(1-x))").unwrap();
        assert_eq!(
            (root.value(0.0), root.derivative(0.0), root.derivative(1.0)),
            (0.0, f64::NEG_INFINITY, f64::INFINITY)
        );
        // A derivative with a removable gap keeps its finite limit: J' = 2x ln x + x.
        let slow = Formula::parse("x^2*ln(x)").unwrap();
        assert_eq!(slow.value(0.0), 0.0);
        assert!(slow.derivative(0.0).abs() < 1e-290);
    }

    #[test]
    fn what_is_no_formula_is_refused_in_a_sentence() {
        let nested = format!("{}x{}", "(".repeat(300), ")".repeat(300));
        let long = "x+".repeat(300);
        for (text, part) in [
            ("", "it is empty"),
            ("2x", "write a product as 2*x"),
            ("2 x", "side by side"),
            ("x(1-x)", "write a product as x*("),
            ("1e-3*x", "0.001"),
            ("2*-x", "parentheses"),
            ("ln x", "side by side"),
            ("y*(1-y)", "'y' is neither x"),
            ("x*eta", "has eta, x"),
            ("3+4", "does not depend on x"),
            ("abs(x-0.5)", "cannot be differentiated"),
            ("foo(x)", "cannot be used"),
            ("x*(1-x", "parentheses mismatch"),
            ("x)*(x", "cannot be used"),
            ("x#2", "'#' has no meaning"),
            ("x+", "cannot be used"),
            (&nested, "longer than 400"),
            (&long, "longer than 400"),
        ] {
            let error = Formula::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{text}: {error}");
        }
        let deep = format!("{}x{}", "(".repeat(190), ")".repeat(190));
        assert_eq!(Formula::parse(&deep).unwrap().value(0.25), 0.25);
    }
}
