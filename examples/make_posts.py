"""Draws posts.csv and new_posts.csv: short messages to a shop, of which those about returns are positive.

30 % of the messages are about returns; 40 % of those in posts.csv are labeled (y = 1), as if somebody had marked some and
stopped. Messages are words drawn at random: mostly common ones, some of the message's topic, now and then one of another.

    python3 examples/make_posts.py
"""

import csv
import random

COMMON = """hello i have a question about my order please can you help me the it was is not and to for with this that you we
would like know when how what still today yesterday week thanks again very just now after before received bought
ordered got need want""".split()
TOPICS = {
    "returns": "refund return broken damaged money back replacement receipt exchange scratched faulty wrong label".split(),
    "delivery": "parcel courier tracking late address door neighbor arrive shipped delivery waiting van street".split(),
    "account": "password login email account profile reset newsletter card payment invoice change name number".split(),
    "products": "size color stock available material fit shirt lamp table warranty battery model recommend".split(),
}


def message(topic, stream):
    """A message of 8 to 16 words."""
    words = []
    for _ in range(stream.randint(8, 16)):
        draw = stream.random()
        if draw < 0.68:
            words.append(stream.choice(COMMON))
        elif draw < 0.90:
            words.append(stream.choice(TOPICS[topic]))
        else:
            words.append(stream.choice(TOPICS[stream.choice(list(TOPICS))]))
    return " ".join(words)


def table(name, rows, seed):
    stream = random.Random(seed)
    with open(f"examples/{name}", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "body", "y", "truth"])
        for i in range(rows):
            positive = stream.random() < 0.3
            topic = "returns" if positive else stream.choice(["delivery", "account", "products"])
            labeled = positive and stream.random() < 0.4
            writer.writerow([f"m{i:04}", message(topic, stream), int(labeled), int(positive)])


table("posts.csv", 1500, 1)
table("new_posts.csv", 500, 2)
