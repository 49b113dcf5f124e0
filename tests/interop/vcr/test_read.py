from __future__ import annotations

from pathlib import Path

import pytest
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from replaylab.errors import UsageError
from replaylab.interop.vcr import read
from replaylab.interop.vcr.read import read_file, read_text
from tests.interop.vcr.samples import samples


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        (b"", "a.yaml", "empty"),
        (b" \n", "a.yaml", "empty"),
        (b"\xff\xfe", "a.yaml", "not UTF-8"),
        (b'{"a": 1, "a": 2}', "a.json", "stands twice"),
        (b'{"a": ', "a.json", "not JSON"),
        (b"[" * 100_000, "a.json", "not JSON"),
        (b'{"a": ' + b"1" * 5000 + b"}", "a.json", "not JSON"),
    ],
)
def test_what_can_not_be_read_is_refused(data: bytes, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_text(data, name)


def test_a_file_of_json_is_read_whatever_its_name_says() -> None:
    assert read_text(b'{"a": 1}', "a.yaml") == {"a": 1}
    assert read_text(b"\xef\xbb\xbfa: 1", "a.yaml") == {"a": 1}


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_BYTES", 10)
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 123456789")
    with pytest.raises(UsageError, match="larger than 10 bytes"):
        read_file(path, "a.yaml")


def test_the_samples_are_read_as_vcrpy_reads_them() -> None:
    compared = 0
    for path in samples():
        text = path.read_text()
        file = read_file(path, path.name)
        if "parsed_body" in text:
            continue  # vcrpy can't
        requests, responses = deserialize(text, yamlserializer)
        assert [pair.uri for pair in file.pairs] == [request.uri for request in requests]
        assert [pair.body or b"" for pair in file.pairs] == [request.body or b"" for request in requests]
        assert [pair.content for pair in file.pairs] == [response["body"]["string"] for response in responses]
        assert [pair.headers for pair in file.pairs] == [response["headers"] for response in responses]
        compared += len(requests)
    assert compared > 20
