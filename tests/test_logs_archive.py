"""Folders, zips and gzip files of logs: what is no log is named, and a bad archive is refused."""

import gzip
import json
import zipfile

import pytest
from talks import FIXTURES, MESSAGES, written

from memory_lab import logs
from memory_lab.errors import LogError

LOG = json.dumps(MESSAGES)


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    (tmp_path / "b").mkdir()
    written(tmp_path / "b", [{"title": "second", "messages": MESSAGES}])
    written(tmp_path, {"title": "third", "messages": MESSAGES}, "c.export")
    written(tmp_path, b"\x89PNG", "photo.png")
    written(tmp_path, '{"email": "ana@example.com"}', "user.json")
    written(tmp_path, LOG, ".hidden.json")
    written(tmp_path, LOG[:-3], "cut.json")
    zipped(tmp_path / "a.zip", {"x.json": LOG})
    talks = logs.load(tmp_path)
    assert [talk.name for talk in talks] == ["third", "second"]
    assert talks[1].file == str(tmp_path / "b" / "log.json")
    assert [words.removeprefix(f"{tmp_path}/").split(":")[0].split(",")[0] for words in talks.skipped] == [
        "a.zip", "cut.json", "photo.png", "user.json"]
    assert "cut off" in talks.skipped[1] and "no JSON" in talks.skipped[2]


def test_a_zip_is_found_by_its_content(tmp_path):
    path = zipped(tmp_path / "export", {"conversations.json": (FIXTURES / "chatgpt.json").read_text(),
                                        "chat.html": "<html>", "__MACOSX/._conversations.json": "x"})
    talks = logs.load(path)
    assert [talk.format for talk in talks] == ["ChatGPT export"]
    assert talks[0].messages == logs.load(FIXTURES / "chatgpt.json")[0].messages
    assert talks.skipped == [f"{path}/chat.html: no JSON."]


def test_gzip_is_unpacked(tmp_path):
    [talk] = logs.load(written(tmp_path, gzip.compress(LOG.encode()), "log.bin"))
    assert talk.messages == MESSAGES and "unpacked from gzip" in talk.notes


def test_what_has_no_log_is_refused_with_reasons(tmp_path):
    with pytest.raises(LogError, match=r"none of 0 files .* It is empty"):
        logs.load(tmp_path)
    with pytest.raises(LogError, match=r"none of 1 files .*chat.html: no JSON"):
        logs.load(zipped(tmp_path / "a.zip", {"chat.html": "<html>"}))


def test_damaged_archives_are_refused(tmp_path):
    whole = zipped(tmp_path / "a.zip", {"log.json": LOG * 50}).read_bytes()
    for place in range(0, len(whole), 19):
        broken = written(tmp_path, whole[:place] + b"\xff" * 3 + whole[place + 3:], "b.zip")
        try:
            logs.load(broken)
        except LogError as error:
            assert str(error).startswith(str(broken))
    with pytest.raises(LogError, match="damaged gzip"):
        logs.load(written(tmp_path, gzip.compress(LOG.encode())[:-9]))


def test_a_zip_that_would_fill_the_disk_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("memory_lab.logs.archive.MOST", 10)
    with pytest.raises(LogError, match="would unpack to"):
        logs.load(zipped(tmp_path / "a.zip", {"log.json": LOG}))
