//! Every setting by its name: read, shown, and refused where nothing has a use for it.

use onesided_learn::{Applies, Config, Error, ModelChoice, SETTINGS, methods};

/// A value that each setting takes.
fn value(name: &str) -> &'static str {
    match name {
        "method" => "nnpu",
        "model" => "linear",
        "monotone" => "a:up",
        "option" => "cost=0.5",
        "prior" | "prior-in-unlabeled" | "hold-out" => "0.25",
        "scenario" => "case-control",
        "reduction" => "prior-weighted",
        "surrogate" => "logistic",
        "optimizer" => "adam",
        "schedule" => "constant",
        "augment" => "flip",
        "teacher" => "on",
        "mixup" => "on",
        "average" => "0.9",
        "checkpoint" => "training.checkpoint",
        "threshold" => "quantile",
        "device" => "cpu",
        "precision" => "f32",
        "effort" => "quick",
        "single" | "fast" | "cross-fit" => "true",
        "labeling" => "easy-first",
        "labeling-depends-on" => "a",
        "beta" | "gamma" | "smoothing" | "warm-up" | "weight-decay" | "learning-rate" => "0.5",
        "epochs" | "batch" | "patience" | "seed" | "threads" | "reserve" => "3",
        other => panic!("no value for the new setting '{other}'"),
    }
}

#[test]
fn names_are_unique_and_values_come_back() {
    for (at, setting) in SETTINGS.iter().enumerate() {
        assert!(SETTINGS[..at].iter().all(|other| other.name != setting.name), "{}", setting.name);
        assert!(
            !setting.help.is_empty() && !setting.help.ends_with('.'),
            "{}: {}",
            setting.name,
            setting.help
        );
        let mut config = Config::default();
        assert_eq!((setting.get)(&config), None, "{}", setting.name);
        config.set(setting.name, value(setting.name)).unwrap();
        assert_eq!((setting.get)(&config).as_deref(), Some(value(setting.name)), "{}", setting.name);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config, "{json}");
    }
}

#[test]
fn a_setting_is_refused_by_every_method_and_model_that_has_no_use_for_it() {
    let models = [None, Some("linear"), Some("trees"), Some("vgg16")];
    let (mut taken, mut refused) = (0, 0);
    for method in methods() {
        for model in models {
            for pictures in [false, true] {
                let mut base = Config::default();
                base.set("method", method.name()).unwrap();
                if let Some(model) = model {
                    base.set("model", model).unwrap();
                    // A model for a method that brings its own is one of the pairs below.
                    if !matches!(method, onesided_learn::Method::Objective(_)) {
                        continue;
                    }
                }
                let chosen = base.model_for(pictures);
                if model.is_some() && method.cannot_take(&chosen).is_some() {
                    continue;
                }
                for setting in SETTINGS.iter().filter(|setting| !["method", "model"].contains(&setting.name))
                {
                    let mut config = base.clone();
                    config.set(setting.name, value(setting.name)).unwrap();
                    let fits = setting.is_for(method, &chosen, pictures);
                    match config.check(pictures) {
                        Ok(()) => assert!(fits, "{} took {}", method.name(), setting.name),
                        Err(Error::NotForThis { setting: named, .. }) => {
                            assert!(!fits && named == setting.name, "{} refused {named}", method.name());
                            refused += 1;
                            continue;
                        }
                        Err(other) => panic!("{} with {}: {other}", method.name(), setting.name),
                    }
                    taken += 1;
                }
            }
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} taken, {refused} refused");
}

#[test]
fn how_it_runs_is_taken_everywhere() {
    for name in ["threads", "device", "precision", "seed"] {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        assert_eq!(setting.applies, Applies::Everywhere, "{name}");
    }
}

#[test]
fn wrong_names_and_values_are_one_sentence() {
    let refusal = |name: &str, value: &str| Config::default().set(name, value).unwrap_err().to_string();
    assert!(
        refusal("learning_rate", "1").starts_with(
            "unknown setting 'learning_rate' (did you mean 'learning-rate'?); use method, model, "
        )
    );
    assert_eq!(refusal("epochs", "many"), "unknown epochs 'many'; use a whole number");
    assert_eq!(refusal("prior", "third"), "unknown prior 'third'; use a number or auto");
    assert!(refusal("prior", "1.5").contains("strictly between 0 and 1"));
    assert!(refusal("method", "colective").contains("did you mean 'collective'?"));
    assert!(
        refusal("model", "forests")
            .starts_with("unknown model 'forests' (did you mean 'forest'?); use linear, mlp, ")
    );
    assert!(refusal("option", "cost").contains("NAME=VALUE"));
    assert!(refusal("threshold", "best").contains("half, quantile or max-pu-accuracy"));
    let mut config = Config::default();
    config.set("hold-out", "1.5").unwrap();
    assert!(config.check(false).unwrap_err().to_string().contains("strictly between 0 and 1, but is 1.5"));
    config = Config::default();
    config.set("method", "naive").unwrap();
    config.set("prior", "auto").unwrap();
    assert!(config.check(false).unwrap_err().to_string().contains("nothing to estimate"));
    assert_eq!(ModelChoice::Trees.to_string(), "trees");
}
