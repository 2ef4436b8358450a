//! A reward written as text: a small calculator with exact derivatives.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = signed (("*" | "/") signed)*
//! signed  = ("-" | "+") signed | power
//! power   = operand ("^" signed)?
//! operand = number | "x" | "eta" | "e" | "pi" | function "(" sum ")" | "(" sum ")"
//! ```
//!
//! So −x^2 is −(x²) and 2^3^2 is 2^9, as on paper. The text becomes a list of steps for a stack of [`Jet`]s, which carry
//! J' and J'' along. (The crate `exmex`, which differentiates symbolically, was tried first: it takes −x^2 for (−x)²,
//! and overflows the stack of a thread on the second derivative of a product of a dozen factors.)

use super::jet::{Function, Jet};
use crate::error::LossError;

/// More than any formula by hand needs; each parenthesis is a level of recursion.
const LONGEST: usize = 400;

/// J as steps of a calculation.
#[derive(Debug)]
pub(super) struct Formula {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    Variable,
    Apply(Function),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Formula {
    /// Reads the text.
    pub fn parse(text: &str) -> Result<Self, LossError> {
        let text = text.trim();
        let refuse = |reason: String| LossError::Formula { formula: shortened(text), reason };
        if text.is_empty() {
            return Err(refuse("it is empty; write J in x, such as x*ln(x)+(1-x)*ln(1-x)".to_string()));
        }
        if text.chars().count() > LONGEST {
            return Err(refuse(format!("it is longer than {LONGEST} characters")));
        }
        let mut parser = Parser { symbols: text.chars().collect(), at: 0, steps: Vec::new() };
        parser.sum().map_err(refuse)?;
        if let Some(symbol) = parser.peek() {
            return Err(refuse(parser.unexpected(symbol)));
        }
        if !parser.steps.contains(&Step::Variable) {
            return Err(refuse("it does not depend on x".to_string()));
        }
        Ok(Self { text: text.to_string(), steps: parser.steps })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn value(&self, x: f64) -> f64 {
        self.at(x, |jet| jet.value)
    }

    pub fn derivative(&self, x: f64) -> f64 {
        self.at(x, |jet| jet.first)
    }

    pub fn second_derivative(&self, x: f64) -> f64 {
        self.at(x, |jet| jet.second)
    }

    fn eval(&self, x: f64) -> Jet {
        let mut stack: Vec<Jet> = Vec::with_capacity(8);
        // The parser leaves as many operands as each step takes; NaN would show a mistake in it.
        let pop = |stack: &mut Vec<Jet>| stack.pop().unwrap_or(Jet::constant(f64::NAN));
        for &step in &self.steps {
            let result = match step {
                Step::Number(number) => Jet::constant(number),
                Step::Variable => Jet::variable(x),
                Step::Apply(function) => pop(&mut stack).apply(function),
                Step::Negate => -pop(&mut stack),
                _ => {
                    let (right, left) = (pop(&mut stack), pop(&mut stack));
                    match step {
                        Step::Add => left + right,
                        Step::Subtract => left - right,
                        Step::Multiply => left * right,
                        Step::Divide => left / right,
                        _ if right.first == 0.0 && right.second == 0.0 => left.power(right.value),
                        _ => (right * left.apply(Function::Ln)).apply(Function::Exp),
                    }
                }
            };
            stack.push(result);
        }
        pop(&mut stack)
    }

    /// One of the three at x; at the ends of [0, 1] its limit where it has no value, as 0 · ln 0.
    fn at(&self, x: f64, part: impl Fn(Jet) -> f64) -> f64 {
        let direct = part(self.eval(x));
        if direct.is_finite() || (x != 0.0 && x != 1.0) {
            return direct;
        }
        // Toward 0 there is room for 2^−1000, toward 1 the grid of `f64` ends at 2^−53.
        let samples = [1, 2, 3, 4, 5].map(|k| match x {
            0.0 => part(self.eval(2f64.powi(-200 * k))),
            _ => part(self.eval(1.0 - 2f64.powi(-10 * k))),
        });
        let [.., before, near, last] = samples;
        let (step, next) = (near - before, last - near);
        // Each sample is nearer by the same factor. A limit makes the steps shrink; ln does not, a power lets them grow.
        if !last.is_finite() {
            last
        } else if next / step >= 0.9 && next.abs() > 1e-6 * (1.0 + last.abs()) {
            f64::INFINITY.copysign(next)
        } else {
            last
        }
    }
}

struct Parser {
    symbols: Vec<char>,
    at: usize,
    steps: Vec<Step>,
}

impl Parser {
    /// The next symbol that is not a space, with typographic ones replaced by what they mean.
    fn peek(&mut self) -> Option<char> {
        while self.symbols.get(self.at).is_some_and(|symbol| symbol.is_whitespace()) {
            self.at += 1;
        }
        self.symbols.get(self.at).map(|symbol| match symbol {
            '−' => '-',
            '·' | '×' => '*',
            &other => other,
        })
    }

    /// The next symbol if it is one of these, taken.
    fn take(&mut self, wanted: &str) -> Option<char> {
        let symbol = self.peek().filter(|symbol| wanted.contains(*symbol))?;
        self.at += 1;
        Some(symbol)
    }

    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        while let Some(sign) = self.take("+-") {
            self.product()?;
            self.steps.push(if sign == '+' { Step::Add } else { Step::Subtract });
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        while let Some(sign) = self.take("*/") {
            self.signed()?;
            self.steps.push(if sign == '*' { Step::Multiply } else { Step::Divide });
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), String> {
        match self.take("+-") {
            Some(sign) => {
                self.signed()?;
                self.steps.extend((sign == '-').then_some(Step::Negate));
                Ok(())
            }
            None => self.power(),
        }
    }

    fn power(&mut self) -> Result<(), String> {
        self.operand()?;
        if self.take("^").is_some() {
            self.signed()?;
            self.steps.push(Step::Power);
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => self.parenthesis(),
            Some(symbol) if symbol.is_ascii_digit() || symbol == '.' => self.number(),
            Some(symbol) if symbol.is_alphabetic() => {
                let name = self.word(|symbol| symbol.is_alphanumeric() || symbol == '_');
                match name.as_str() {
                    "x" | "eta" | "η" => self.steps.push(Step::Variable),
                    "e" => self.steps.push(Step::Number(std::f64::consts::E)),
                    "pi" | "π" => self.steps.push(Step::Number(std::f64::consts::PI)),
                    _ => {
                        let function = Function::named(&name).ok_or_else(|| {
                            format!("'{name}' is neither x nor a function such as ln, exp, sqrt or atan")
                        })?;
                        if self.peek() != Some('(') {
                            return Err(format!("the argument of {name} must be in parentheses"));
                        }
                        self.parenthesis()?;
                        self.steps.push(Step::Apply(function));
                    }
                }
                Ok(())
            }
            Some(symbol) => Err(self.unexpected(symbol)),
            None => Err("it ends where a number or x should follow".to_string()),
        }
    }

    fn parenthesis(&mut self) -> Result<(), String> {
        self.at += 1;
        self.sum()?;
        match (self.take(")"), self.peek()) {
            (Some(_), _) => Ok(()),
            (None, Some(symbol)) => Err(self.unexpected(symbol)),
            (None, None) => Err("a parenthesis is not closed".to_string()),
        }
    }

    fn number(&mut self) -> Result<(), String> {
        let start = self.at;
        let mut text = self.word(|symbol| symbol.is_ascii_digit() || symbol == '.');
        // An exponent, but not the constant in 2*e: digits must follow.
        let rest: String = self.symbols[self.at..].iter().take(3).collect();
        let signed = rest.strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['-', '+']).unwrap_or(rest));
        if signed.is_some_and(|rest| rest.starts_with(|symbol: char| symbol.is_ascii_digit())) {
            self.at += 2;
            self.word(|symbol| symbol.is_ascii_digit());
            text = self.symbols[start..self.at].iter().collect();
        }
        let number = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
        self.steps.push(Step::Number(number));
        Ok(())
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.symbols.get(self.at).is_some_and(|&symbol| belongs(symbol)) {
            self.at += 1;
        }
        self.symbols[start..self.at].iter().collect()
    }

    fn unexpected(&self, symbol: char) -> String {
        let place = self.at + 1;
        if symbol.is_alphanumeric() || symbol == '(' {
            format!("'{symbol}' at character {place} follows an operand; write a product as 2*x")
        } else {
            format!("'{symbol}' at character {place} is not expected there")
        }
    }
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
    fn signs_and_powers_mean_what_they_mean_on_paper() {
        for (text, at_half) in [
            ("-x^2", -0.25),
            ("1-x^2", 0.75),
            ("-(x*(1-x))^2", -0.0625),
            ("x^-1", 2.0),
            ("2*-x", -1.0),
            ("2^3^2*x", 256.0),
            ("8/2/2*x", 1.0),
            ("1 - x - x", 0.0),
            ("ln(e^(−η^2))", -0.25),
            ("1e-3*x + 2.5e1*x", 12.5005),
            ("2*e*x", std::f64::consts::E),
            ("(-1-x)^3", -3.375),
            ("x^x", 0.5f64.sqrt()),
        ] {
            let found = Formula::parse(text).unwrap().value(0.5);
            assert!((found - at_half).abs() < 1e-14, "{text}: {found}");
        }
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
        assert_eq!(root.value(0.0), 0.0);
        assert_eq!((root.derivative(0.0), root.derivative(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        // A derivative with a removable gap keeps its finite limit: J' = 2x ln x + x.
        let slow = Formula::parse("x^2*ln(x)").unwrap();
        assert_eq!(slow.value(0.0), 0.0);
        assert!(slow.derivative(0.0).abs() < 1e-290);
        // A power has its derivatives at 0 without a limit.
        let square = Formula::parse("x^2").unwrap();
        assert_eq!((square.derivative(0.0), square.second_derivative(0.0)), (0.0, 2.0));
    }

    #[test]
    fn what_is_no_formula_is_refused_in_a_sentence() {
        let long = "x+".repeat(300);
        for (text, part) in [
            ("  ", "it is empty"),
            ("2x", "'x' at character 2 follows an operand; write a product as 2*x"),
            ("x(1-x)", "'(' at character 2 follows an operand"),
            ("ln x", "the argument of ln must be in parentheses"),
            ("y*(1-y)", "'y' is neither x nor a function"),
            ("foo(x)", "'foo' is neither"),
            ("3+4", "does not depend on x"),
            ("x*(1-x", "a parenthesis is not closed"),
            ("x)*(x", "')' at character 2 is not expected"),
            ("x#2", "'#' at character 2 is not expected"),
            ("x+", "it ends where a number or x should follow"),
            ("1.2.3*x", "'1.2.3' is not a number"),
            ("*x", "'*' at character 1 is not expected"),
            (&long, "longer than 400"),
        ] {
            let error = Formula::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the reward formula '") && error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn long_and_deep_formulas_are_calculated_all_the_same() {
        let deep = format!("{}x{}", "(".repeat(199), ")".repeat(199));
        assert_eq!(Formula::parse(&deep).unwrap().value(0.25), 0.25);
        // x^200: J'' = 200 · 199 x^198.
        let product = Formula::parse(&["x"; 200].join("*")).unwrap();
        assert!((product.second_derivative(1.0) - 39_800.0).abs() < 1e-8);
        assert_eq!(Formula::parse(&format!("{}x", "-".repeat(398))).unwrap().value(0.25), 0.25);
        assert!(
            Formula::parse(&format!("{}x", "x^".repeat(199))).unwrap().second_derivative(0.5).is_finite()
        );
    }
}
