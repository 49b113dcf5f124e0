"""The cassette file: zstd over JSON lines. Writing is deterministic; reading checks the seal before anything else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import zstandard
from pydantic import BaseModel, ValidationError

from replaylab.canonical import Digest, digest_bytes, dumps, loads
from replaylab.cassette.heading import Headings
from replaylab.cassette.upgrade import upgrade
from replaylab.errors import StoreError
from replaylab.schema.base import JsonObject, misfit
from replaylab.schema.cassette import FORMAT, Blob, Header, Label, Seal
from replaylab.schema.interaction import Interaction, RequestLine

LineT = TypeVar("LineT", bound=BaseModel)

LEVEL = 9
MAX_UNPACKED = 2 << 30
AT_ONCE = 64 << 20  # a file that declares more is unpacked as it comes: it may lie about that
MAX_RATIO = 1000  # past AT_ONCE; recordings reach a tenth of it, a bomb tens of thousands
_BLOCK = 2048  # of which no block of zstd makes less than four bytes
_KINDS = {b'{"type":"header"': "header", b'{"type":"blob"': "blob", b'{"type":"interaction"': "interaction"}
_KINDS |= {b'{"type":"label"': "label", b'{"type":"seal"': "seal"}
_BLOB_FIELDS = ({"type", "digest", "value"}, {"type", "digest", "b64"})
_NEWEST = b'{"type":"header","format":"%s",' % FORMAT.encode()
_HEADINGS = Headings()
_BLOB = re.compile(rb'\{"type":"blob","digest":"([0-9a-f]{64})"[,}]')


def line(item: BaseModel) -> bytes:
    """One line of a cassette, newline included. `type` comes first; fields that hold their default are left out."""
    if isinstance(item, Blob):  # its value is JSON already and may be large
        body: JsonObject = {"digest": item.digest} | (
            {"b64": item.b64} if item.b64 is not None else {"value": item.value}
        )
    else:
        body = item.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    kind = getattr(item, "type")  # noqa: B009 - every line model has it; BaseModel does not say so
    return dumps({"type": kind, **body}) + b"\n"


def order_lines(
    header: Header,
    blobs: Mapping[str, Blob],
    lanes: Mapping[str, Sequence[Interaction]],
    labels: Sequence[Label],
) -> Iterator[bytes]:
    """Lines in the one order that does not depend on what ran at the same time: lane by lane, blobs before their use."""
    yield line(header)
    written: set[str] = set()
    for lane in sorted(lanes, key=lane_order):
        for interaction in lanes[lane]:
            for name in request_parts(interaction.request):
                if name not in written:
                    written.add(name)
                    yield line(blobs[name])
            yield line(interaction)
    for label in labels:
        yield line(label)


def lane_order(lane: str) -> tuple[int, str, int]:
    """Agent first, then simulator with its repeats, then the votes by number, then whatever else by name."""
    role, _, number = lane.partition("~" if "~" in lane else ".")
    rank = {"agent": 0, "simulator": 1, "verifier": 2}.get(role, 3)
    return rank, role, int(number) if number.isdigit() else -1


def request_parts(request: RequestLine) -> Iterator[str]:
    """Digests of the blobs that a request line names."""
    yield from (part for part in (request.params, request.tools, request.raw) if part)
    yield from request.adds


def pack(lines: Iterable[bytes], seal: Mapping[str, Any]) -> bytes:
    """The bytes of the file: the lines, the seal with the checksum over them, compressed. `seal` lacks `lines`."""
    data = b"".join(lines)
    data += line(Seal(lines=hashlib.sha256(data).hexdigest(), **seal))
    packed = _compressor().compress(data)
    if len(data) > AT_ONCE and len(data) > MAX_RATIO * len(packed):
        return _in_blocks(data)
    return packed


def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)


def _in_blocks(data: bytes) -> bytes:
    """A frame of small blocks, which can't be as small as a bomb: the same long answer over and over would be."""
    compressing, view = _compressor().compressobj(size=len(data)), memoryview(data)
    pieces: list[bytes] = []
    for at in range(0, len(data), _BLOCK):
        pieces.append(compressing.compress(view[at : at + _BLOCK]))
        pieces.append(compressing.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    return b"".join((*pieces, compressing.flush()))


class Cassette:
    """A cassette read from its bytes. Lines are parsed when they are asked for.

    `name` is the digest of the file and `where` the path for messages. Raises StoreError for a file that is damaged,
    cut short, too new or no cassette at all; it is never read as empty.
    """

    def __init__(self, data: bytes, *, where: str, name: str | None = None) -> None:
        self.where = where
        self.name = digest_bytes(data)
        if name is not None and self.name != name:
            raise self._damaged("its bytes no longer match its name")
        self.size = len(data)
        self._lines = self._sealed_lines(self._unpack(data))

    def _damaged(self, why: str) -> StoreError:
        return StoreError(
            f"damaged cassette: {why}",
            where=self.where,
            fix="restore the file from a copy, or merge a library that holds it; `replaylab verify` lists all damage",
        )

    def _unpack(self, data: bytes) -> bytes:
        try:
            size = zstandard.frame_content_size(data)
            if not 0 < size <= MAX_UNPACKED:
                raise self._damaged(f"it declares an unpacked size of {size} bytes")
            if size > AT_ONCE and size > MAX_RATIO * len(data):
                raise self._damaged(
                    f"{len(data)} bytes declare an unpacked size of {size}, as no recording does"
                )
            if zstandard.frame_header_size(data) >= len(data):
                raise self._damaged("it is cut short")
            if size <= AT_ONCE:
                return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
            decompressor = zstandard.ZstdDecompressor().decompressobj()
            text = decompressor.decompress(data)
        except zstandard.ZstdError as error:
            raise self._damaged(
                f"not a zstd file, or it is cut short, or something follows its end ({error})"
            ) from error
        if len(text) != size or not decompressor.eof or decompressor.unused_data:
            raise self._damaged("it is cut short, or something follows its end")
        return text

    def _sealed_lines(self, text: bytes) -> dict[str, list[bytes]]:
        start = text.rfind(b"\n", 0, len(text) - 1) + 1
        if not text.startswith(b'{"type":"header"') or not text.endswith(b"\n") or start == 0:
            raise self._damaged("it has no header or no seal")
        if hashlib.sha256(memoryview(text)[:start]).hexdigest() != self._fields(text[start:]).get("lines"):
            raise self._damaged("its lines do not match its seal")
        self._upgrade = upgrade(self._format(text[: text.index(b"\n")]), self.where)
        self.seal = self._parse(Seal, text[start:])
        lines: dict[str, list[bytes]] = {kind: [] for kind in _KINDS.values()}
        blobs, interactions = lines["blob"], lines["interaction"]
        rows = text.split(b"\n")
        del rows[
            -2:
        ]  # the seal, and nothing after the last newline; to cut them off first would copy the text
        for row in rows:
            if row.startswith(b'{"type":"blob",'):  # nearly all lines are of these two kinds
                blobs.append(row)
            elif row.startswith(b'{"type":"interaction",'):
                interactions.append(row)
            else:
                lines[self._kind(row)].append(row)
        if len(lines["header"]) != 1:
            raise self._damaged("it has more than one header")
        for kind in sorted(lines.keys() - {"seal"} | self.seal.counts.keys()):
            count, found = self.seal.counts.get(kind, 0), len(lines.get(kind, ()))
            if count != found:
                raise self._damaged(f"the seal counts {count} lines of type {kind}, found {found}")
        return lines

    def _kind(self, row: bytes) -> str:
        head = row[:30].partition(b",")
        kind = _KINDS.get(head[0] if head[1] else row[:-1])
        if kind is None or kind == "seal":
            raise self._damaged(f"an unknown line: {row[:60]!r}")
        return kind

    def _format(self, header: bytes) -> object:
        """What the header says under `format`. The newest one is known by how it is written, without reading the rest."""
        if header.startswith(_NEWEST) and header.count(b'"format"') == 1:
            return FORMAT
        return self._fields(header).get("format")

    def _parse(self, kind: type[LineT], row: bytes) -> LineT:
        try:
            if self._upgrade is not None:
                return kind.model_validate(self._upgrade(self._fields(row)))
            return kind.model_validate_json(row)
        except ValidationError as error:
            raise self._damaged(f"a {kind.__name__.lower()} line does not fit: {misfit(error)}") from error

    def _fields(self, row: bytes) -> JsonObject:
        """A line as JSON; every line is an object."""
        try:
            fields = loads(row)
        except ValueError as error:
            raise self._damaged(f"a line is not JSON ({error}): {row[:60]!r}") from error
        if not isinstance(fields, dict):
            raise self._damaged(f"a line is no JSON object: {row[:60]!r}")
        return fields

    @cached_property
    def header(self) -> Header:
        row = self._lines["header"][0]
        try:
            fields = self._fields(row)
            return _HEADINGS.read(fields if self._upgrade is None else self._upgrade(fields))
        except ValidationError as error:
            raise self._damaged(f"a header line does not fit: {misfit(error)}") from error

    @cached_property
    def lanes(self) -> dict[str, list[Interaction]]:
        """Interactions by lane, in order. Lanes that were opened and never used are absent.

        The ordinal in each path is its place in the lane; anything else is damage.
        """
        lanes: dict[str, list[Interaction]] = {}
        for row in self._lines["interaction"]:
            interaction = self._parse(Interaction, row)
            path = interaction.path
            lane, _, ordinal = path[path.rfind("/") + 1 :].partition("#")
            ordinal, _, repeat = ordinal.partition("~")
            lane += f"~{repeat}" if repeat else ""
            rows = lanes.setdefault(lane, [])
            if ordinal != str(len(rows)):
                raise self._damaged(f"{interaction.path} stands in place {len(rows)} of its lane")
            rows.append(interaction)
        return lanes

    @cached_property
    def _blob_rows(self) -> dict[str, bytes]:
        rows: dict[str, bytes] = {}
        for row in self._lines["blob"]:
            match = _BLOB.match(row)
            if match is None:
                raise self._damaged(f"a blob line without its digest in front: {row[:100]!r}")
            name = match[1].decode("ascii")
            if name in rows:
                raise self._damaged(f"the blob {name} stands in it twice")
            rows[name] = row
        return rows

    def has_blob(self, name: str) -> bool:
        return name in self._blob_rows

    def blob(self, name: str) -> Blob:
        """The blob of that digest; StoreError when it is not in this cassette."""
        row = self._blob_rows.get(name)
        if row is None:
            raise self._damaged(f"no blob {name}")
        fields = self._fields(row)
        if self._upgrade is not None:
            fields = self._upgrade(fields)
        if fields.keys() not in _BLOB_FIELDS or fields["digest"] != name:
            raise self._damaged(f"the blob {name} is not one digest and one value")
        if fields.get("b64") is not None:
            return self._parse(Blob, row)  # rare; JSON needs no such check
        return Blob.model_construct(digest=Digest(name), value=fields.get("value"), b64=fields.get("b64"))

    @property
    def blobs(self) -> Iterator[Blob]:
        return (self.blob(name) for name in self._blob_rows)

    @cached_property
    def labels(self) -> list[Label]:
        return [self._parse(Label, row) for row in self._lines["label"]]

    def lines(self) -> Iterator[bytes]:
        """All lines but the seal, as stored and in no promised order."""
        for rows in self._lines.values():
            yield from rows
