//! A model of rows that workers hold is that of one machine to the byte, however many workers there are, whichever rows they hold and
//! whenever they die.

use onesided::cluster::{Cluster, ClusterEngine, ClusterWorker};
use onesided::data::{OutColumn, Stream, write_table};
use onesided::{
    ClassPrior, Error, Fit, Input, InputOptions, LargeTable, Learner, Model, ModelChoice, Signal,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-cluster-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Workers in this process, which die at random: before they got a message, or before their answer was heard.
struct InProcess {
    workers: Mutex<Vec<ClusterWorker>>,
    /// One in so many messages is deadly; 0 for none.
    deadly: usize,
    chance: Mutex<Stream>,
}

impl InProcess {
    fn cluster(workers: usize, deadly: usize) -> Arc<Cluster> {
        let workers = Mutex::new((0..workers).map(|_| ClusterWorker::new()).collect());
        Arc::new(Cluster::new(Box::new(Self {
            workers,
            deadly,
            chance: Mutex::new(Stream::new(7, "deaths")),
        })))
    }

    fn dies(&self) -> bool {
        self.deadly > 0 && self.chance.lock().unwrap().below(self.deadly) == 0
    }
}

impl ClusterEngine for InProcess {
    fn workers(&self) -> usize {
        self.workers.lock().unwrap().len()
    }

    fn each(&self, messages: &[(usize, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, String> {
        let mut workers = self.workers.lock().unwrap();
        let mut answer = |&(worker, message): &(usize, &[u8])| {
            if self.dies() {
                workers[worker] = ClusterWorker::new();
                return None;
            }
            let answer = workers[worker].answer(message);
            if self.dies() {
                workers[worker] = ClusterWorker::new();
                return None;
            }
            Some(answer)
        };
        Ok(messages.iter().map(&mut answer).collect())
    }
}

/// Numbers, whole numbers, categories with missing cells, flags, 400 levels, two columns of dates and weights; a third is positive, a
/// third of those labeled, or the first ones alone.
fn table(rows: usize, first_alone: bool) -> Vec<(&'static str, OutColumn)> {
    let mut stream = Stream::new(5, "table");
    let (mut x, mut count, mut x2, mut w, mut y) = (vec![], vec![], vec![], vec![], vec![]);
    let (mut kind, mut from, mut to, mut flag, mut level) = (vec![], vec![], vec![], vec![], vec![]);
    for i in 0..rows {
        let positive = stream.uniform() < 0.33;
        let moved = if positive { 1.2 } else { 0.0 };
        let drawn = stream.uniform() < 0.33;
        let labeled = positive && if first_alone { i < rows / 5 } else { drawn };
        x.push(stream.normal() + moved);
        x2.push((100.0 * (stream.normal() - moved)).round() / 100.0);
        count.push((stream.below(7) + usize::from(positive)) as u64);
        kind.push(["a", "b", "c", "d", ""][(stream.uniform() * 4.9) as usize].to_string());
        flag.push(["true", "false"][usize::from(stream.uniform() < 0.4)].to_string());
        level.push(format!("l{}", (stream.uniform() * 400.0) as usize));
        let (month, day) = (stream.below(12) + 1, stream.below(28) + 1);
        from.push(format!("2022-{month:02}-{day:02}"));
        to.push(format!("2023-{month:02}-{:02}", 1 + i % 28));
        w.push(1 + (i % 3) as u64);
        y.push(u64::from(labeled));
    }
    vec![
        ("x", OutColumn::F64(x)),
        ("kind", OutColumn::Text(kind)),
        ("from", OutColumn::Text(from)),
        ("count", OutColumn::U64(count)),
        ("flag", OutColumn::Text(flag)),
        ("level", OutColumn::Text(level)),
        ("to", OutColumn::Text(to)),
        ("w", OutColumn::U64(w)),
        ("y", OutColumn::U64(y)),
        ("x2", OutColumn::F64(x2)),
    ]
}

fn some(column: &OutColumn, rows: std::ops::Range<usize>) -> OutColumn {
    match column {
        OutColumn::F64(values) => OutColumn::F64(values[rows].to_vec()),
        OutColumn::U64(values) => OutColumn::U64(values[rows].to_vec()),
        OutColumn::Text(values) => OutColumn::Text(values[rows].to_vec()),
        _ => unreachable!(),
    }
}

/// The same rows in files of so many each.
fn files(folder: &Path, name: &str, table: &[(&'static str, OutColumn)], parts: &[usize]) -> Input {
    let (mut first, mut files) = (0, Vec::new());
    for (number, rows) in parts.iter().enumerate() {
        let file = folder.join(format!("{name}-{number:03}.parquet"));
        let columns: Vec<(&str, OutColumn)> =
            table.iter().map(|(name, column)| (*name, some(column, first..first + rows))).collect();
        write_table(&file, &columns).unwrap();
        first += rows;
        files.push(file);
    }
    Input::parts(files)
}

fn learner() -> Learner {
    Learner::new().model(ModelChoice::Trees).method("nnpu").prior(ClassPrior::new(0.33).unwrap())
}

fn in_cluster(
    learner: &Learner,
    words: &[(&str, &str)],
    input: &Input,
    cluster: &Arc<Cluster>,
) -> Result<Model, Error> {
    let mut options = InputOptions::default();
    words.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    let words: Vec<(String, Vec<String>)> =
        words.iter().map(|(name, value)| (name.to_string(), vec![value.to_string()])).collect();
    let fit = Fit::new(learner.clone()).reading(options);
    fit.read_in_cluster(input, &words, cluster.clone())?.learn(&mut |_| Signal::Continue)
}

/// One machine's.
fn large(learner: &Learner, words: &[(&str, &str)], input: &Input) -> Model {
    let mut options = InputOptions::default();
    words.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    let options = Fit::new(learner.clone()).reading(options).options(onesided::RowsAre::Table).unwrap();
    let table = LargeTable::read(&options, input, None).unwrap();
    learner.fit_large(table, &mut |_| Signal::Continue).unwrap()
}

fn same(one: &Model, other: &Model) -> bool {
    one.to_bytes().unwrap() == other.to_bytes().unwrap() && one.known_rows() == other.known_rows()
}

#[test]
fn workers_and_partitions_change_no_byte() {
    const ROWS: usize = 1_400;
    let folder = Folder::new("same");
    for (name, first_alone) in [("drawn", false), ("first", true)] {
        let table = table(ROWS, first_alone);
        let one = files(&folder.0, name, &table, &[ROWS]);
        let words = [("label", "y"), ("weight", "w")];
        let expected = large(&learner(), &words, &one);
        assert!(expected.about().fitted_on.is_some());
        let parted: [(&str, &[usize]); 4] = [
            ("even", &[350, 350, 350, 350]),
            ("uneven", &[1_000, 399, 1]),
            ("one-row", &[1, 1_399]),
            ("small", &[200, 200, 200, 200, 200, 200, 200]),
        ];
        for (number, (kind, parts)) in parted.into_iter().enumerate() {
            let input = files(&folder.0, &format!("{name}-{kind}"), &table, parts);
            let workers = [1, 2, 3, 7][number];
            let cluster = InProcess::cluster(workers, 0);
            let model = in_cluster(&learner(), &words, &input, &cluster).unwrap();
            assert!(same(&model, &expected), "{name}, {kind}, {workers} workers");
            assert_eq!(cluster.restarts(), 0);
            assert!(cluster.bytes().iter().all(|&bytes| bytes > 0));
        }
    }
}

#[test]
fn deaths_at_random_change_no_byte() {
    let folder = Folder::new("deaths");
    let input = files(&folder.0, "t", &table(900, false), &[500, 400]);
    let words = [("label", "y")];
    let expected = large(&learner(), &words, &input);
    let cluster = InProcess::cluster(3, 60);
    let model = in_cluster(&learner(), &words, &input, &cluster).unwrap();
    assert!(same(&model, &expected));
    assert!(cluster.restarts() > 20, "{}", cluster.restarts());
    // One that always dies ends the fit.
    let error = in_cluster(&learner(), &words, &input, &InProcess::cluster(2, 1)).unwrap_err().to_string();
    assert!(error.contains("died 20 times over one message"), "{error}");
}

#[test]
fn a_share_is_estimated_and_workers_may_be_more_than_rows() {
    let folder = Folder::new("few");
    let input = files(&folder.0, "t", &table(300, false), &[120, 180]);
    let estimated = Learner::new().model(ModelChoice::Trees).method("nnpu");
    let expected = large(&estimated, &[("label", "y")], &input);
    let model = in_cluster(&estimated, &[("label", "y")], &input, &InProcess::cluster(2, 0)).unwrap();
    assert!(same(&model, &expected));
    let few = files(&folder.0, "f", &table(90, false), &[40, 50]);
    let model = in_cluster(&learner(), &[("label", "y")], &few, &InProcess::cluster(100, 0)).unwrap();
    assert!(same(&model, &large(&learner(), &[("label", "y")], &few)));
}

#[test]
fn what_cannot_be_is_one_sentence() {
    let folder = Folder::new("wrong");
    let rows = table(300, false);
    let wrong = |name: &str, rows: &[(&'static str, OutColumn)]| {
        let first = files(&folder.0, &format!("{name}-a"), &table(300, false), &[300]);
        let second = files(&folder.0, &format!("{name}-b"), rows, &[300]);
        let files =
            first.paths().into_iter().chain(second.paths()).map(Path::to_path_buf).collect::<Vec<_>>();
        let error =
            in_cluster(&learner(), &[("label", "y")], &Input::parts(files), &InProcess::cluster(2, 0));
        error.unwrap_err().to_string()
    };
    let error = wrong("label", &rows.iter().filter(|(name, _)| *name != "y").cloned().collect::<Vec<_>>());
    assert!(error.contains("label-b-000.parquet' is a part of one table with '"), "{error}");
    assert!(error.contains("but it has no column 'y'; write all parts with the same columns"), "{error}");
    let mut other = rows.clone();
    other[3].1 = OutColumn::Text(vec!["many".to_string(); 300]);
    assert!(wrong("type", &other).contains("has the column 'count' as another type"));
    other.swap(3, 4);
    assert!(wrong("order", &other).contains("has the same columns in another order"));
    let input = Input::parts([folder.0.join("label-a-000.parquet"), folder.0.join("gone.parquet")]);
    let error = in_cluster(&learner(), &[("label", "y")], &input, &InProcess::cluster(2, 0)).unwrap_err();
    assert!(error.to_string().contains("gone.parquet"), "{error}");
    let linear = learner().model("linear".parse().unwrap());
    let error = in_cluster(&linear, &[("label", "y")], &input, &InProcess::cluster(2, 0)).unwrap_err();
    assert!(error.to_string().contains("in a cluster takes 'trees' alone"), "{error}");
    // A part without positives is none of these.
    let mut unlabeled = rows;
    unlabeled[8].1 = OutColumn::U64(vec![0; 300]);
    let first = files(&folder.0, "p-a", &table(300, false), &[300]);
    let second = files(&folder.0, "p-b", &unlabeled, &[300]);
    let files: Vec<PathBuf> =
        first.paths().into_iter().chain(second.paths()).map(Path::to_path_buf).collect();
    in_cluster(&learner(), &[("label", "y")], &Input::parts(files), &InProcess::cluster(2, 0)).unwrap();
    // What is no message is answered by a sentence.
    let answer = ClusterWorker::new().answer(b"hello");
    assert!(String::from_utf8_lossy(&answer).contains("all must be of the same version of onesided"));
}
