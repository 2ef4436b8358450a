"""Texts and numbers in one fit, against either alone, on a public table.

    npm install vega-datasets
    python3 benches/texts_and_numbers.py node_modules/vega-datasets/data/movies.json target/release/onesided

The table has 2,926 films with a genre: title and director are texts, gross, budget, running time and ratings numbers,
distributor, rating and kind of fiction categories. Positive are horror films and thrillers, half of which are labeled;
30 % of the rows are kept for testing. Prints the AUC on them, for three seeds of the fit.
"""

import csv, json, pathlib, random, subprocess, sys, tempfile

COLUMNS = [
    "Title", "Director", "US Gross", "Worldwide Gross", "Production Budget", "Running Time min",
    "Rotten Tomatoes Rating", "IMDB Rating", "IMDB Votes", "MPAA Rating", "Distributor", "Creative Type",
]
TEXTS = "Title,Director"
WAYS = {
    "texts and the rest": ["--text", TEXTS, "--drop", "truth"],
    "texts alone": ["--text", TEXTS, "--only", TEXTS, "--drop", "truth"],
    "the rest alone": ["--drop", f"truth,{TEXTS}"],
}


def write(path, films, labeled):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS + ["y"] * labeled + ["truth"])
        for film in films:
            truth = int(film["Major Genre"] in ("Horror", "Thriller/Suspense"))
            label = int(truth and random.random() < 0.5)
            cells = ["" if film.get(column) is None else film[column] for column in COLUMNS]
            out.writerow(cells + [label] * labeled + [truth])
    return sum(film["Major Genre"] in ("Horror", "Thriller/Suspense") for film in films) / len(films)


def main(source, binary):
    films = [film for film in json.load(open(source)) if film.get("Major Genre")]
    random.seed(0)
    random.shuffle(films)
    cut = int(0.7 * len(films))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        prior = write(folder / "train.csv", films[:cut], True)
        write(folder / "test.csv", films[cut:], False)
        for name, flags in WAYS.items():
            found = []
            for seed in range(3):
                model = folder / "model.safetensors"
                fit = [binary, "fit", folder / "train.csv", "--label", "y", "--prior", f"{prior:.4f}", "--model", "linear"]
                subprocess.run([*fit, "--seed", str(seed), "--out", model, *flags], check=True, capture_output=True)
                judge = [binary, "evaluate", model, folder / "test.csv", "--truth", "truth", "--json"]
                found.append(json.loads(subprocess.run(judge, check=True, capture_output=True).stdout)["auc"])
            print(f"{name:20} {sum(found) / 3:.3f}  ({min(found):.3f} to {max(found):.3f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
