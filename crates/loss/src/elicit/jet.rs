//! A number that carries its first two derivatives: exact differentiation, forward mode.
//!
//! For y(x) keep (y, y', y''). Sums, products and the chain rule
//! f(y) → (f, f' y', f'' y'² + f' y'') then give both derivatives of a formula to rounding, with no step size and no
//! expression that grows.

use super::built_in::times;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// y, y' and y'' at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet {
    pub value: f64,
    pub first: f64,
    pub second: f64,
}

/// The functions a formula may use, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Ln,
    Log2,
    Log10,
    Exp,
    Sqrt,
    Abs,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
}

impl Function {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ln" | "log" => Function::Ln,
            "log2" => Function::Log2,
            "log10" => Function::Log10,
            "exp" => Function::Exp,
            "sqrt" => Function::Sqrt,
            "abs" => Function::Abs,
            "sin" => Function::Sin,
            "cos" => Function::Cos,
            "tan" => Function::Tan,
            "asin" => Function::Asin,
            "acos" => Function::Acos,
            "atan" | "arctan" => Function::Atan,
            "sinh" => Function::Sinh,
            "cosh" => Function::Cosh,
            "tanh" => Function::Tanh,
            _ => return None,
        })
    }
}

impl Jet {
    pub fn constant(value: f64) -> Self {
        Self { value, first: 0.0, second: 0.0 }
    }

    pub fn variable(value: f64) -> Self {
        Self { value, first: 1.0, second: 0.0 }
    }

    /// The chain rule, given f, f' and f'' at this value.
    fn through(self, f: f64, slope: f64, curvature: f64) -> Self {
        let second = times(self.first * self.first, curvature) + times(self.second, slope);
        Self { value: f, first: times(self.first, slope), second }
    }

    /// This jet to a constant power.
    pub fn power(self, c: f64) -> Self {
        let y = self.value;
        let curvature = times(c * (c - 1.0), y.powf(c - 2.0));
        self.through(y.powf(c), times(c, y.powf(c - 1.0)), curvature)
    }

    pub fn apply(self, function: Function) -> Self {
        let y = self.value;
        let logarithm = |base: f64| self.through(y.ln() / base, 1.0 / (y * base), -1.0 / (y * y * base));
        match function {
            Function::Ln => logarithm(1.0),
            Function::Log2 => logarithm(std::f64::consts::LN_2),
            Function::Log10 => logarithm(std::f64::consts::LN_10),
            Function::Exp => self.through(y.exp(), y.exp(), y.exp()),
            Function::Sqrt => self.through(y.sqrt(), 0.5 / y.sqrt(), -0.25 / (y * y.sqrt())),
            Function::Abs => self.through(y.abs(), y.signum(), 0.0),
            Function::Sin => self.through(y.sin(), y.cos(), -y.sin()),
            Function::Cos => self.through(y.cos(), -y.sin(), -y.cos()),
            Function::Tan => {
                let slope = 1.0 + y.tan().powi(2);
                self.through(y.tan(), slope, 2.0 * y.tan() * slope)
            }
            Function::Asin | Function::Acos => {
                let slope = 1.0 / (1.0 - y * y).sqrt();
                let curvature = y * slope.powi(3);
                match function {
                    Function::Asin => self.through(y.asin(), slope, curvature),
                    _ => self.through(y.acos(), -slope, -curvature),
                }
            }
            Function::Atan => {
                let slope = 1.0 / (1.0 + y * y);
                self.through(y.atan(), slope, -2.0 * y * slope * slope)
            }
            Function::Sinh => self.through(y.sinh(), y.cosh(), y.sinh()),
            Function::Cosh => self.through(y.cosh(), y.sinh(), y.cosh()),
            Function::Tanh => {
                let slope = 1.0 - y.tanh().powi(2);
                self.through(y.tanh(), slope, -2.0 * y.tanh() * slope)
            }
        }
    }
}

impl Add for Jet {
    type Output = Jet;

    fn add(self, other: Jet) -> Jet {
        let (first, second) = (self.first + other.first, self.second + other.second);
        Jet { value: self.value + other.value, first, second }
    }
}

impl Neg for Jet {
    type Output = Jet;

    fn neg(self) -> Jet {
        Jet { value: -self.value, first: -self.first, second: -self.second }
    }
}

impl Sub for Jet {
    type Output = Jet;

    fn sub(self, other: Jet) -> Jet {
        self + -other
    }
}

impl Mul for Jet {
    type Output = Jet;

    fn mul(self, other: Jet) -> Jet {
        // A derivative of 0 is that of a constant: it takes no part, whatever it multiplies.
        Jet {
            value: self.value * other.value,
            first: times(self.first, other.value) + times(other.first, self.value),
            second: times(self.second, other.value)
                + 2.0 * times(self.first, other.first)
                + times(other.second, self.value),
        }
    }
}

impl Div for Jet {
    type Output = Jet;

    fn div(self, other: Jet) -> Jet {
        let y = other.value;
        self * other.through(1.0 / y, -1.0 / (y * y), 2.0 / (y * y * y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let names = [
            "ln", "log", "log2", "log10", "exp", "sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan",
            "sinh", "cosh", "tanh",
        ];
        for name in names {
            let function = Function::named(name).unwrap();
            // An inner function with slope and curvature, so that every term of the chain rule counts.
            let at = |x: f64| {
                let x = Jet::variable(x);
                (x.power(3.0) / (x + Jet::constant(0.5))).apply(function) * x - x.power(0.3)
            };
            let (x, h) = (0.6, 1e-5);
            let (jet, up, down) = (at(x), at(x + h), at(x - h));
            let first = (up.value - down.value) / (2.0 * h);
            let second = (up.first - down.first) / (2.0 * h);
            assert!((jet.first - first).abs() < 1e-7 * first.abs().max(1.0), "{name}: {jet:?}, {first}");
            assert!((jet.second - second).abs() < 1e-7 * second.abs().max(1.0), "{name}: {jet:?}, {second}");
        }
    }
}
