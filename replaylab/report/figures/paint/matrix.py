"""Draws a matrix: names at the left and above, tiles with their words, a colour bar below."""

from __future__ import annotations

from replaylab.report.figures.colour import ink_on
from replaylab.report.figures.paint.frame import MARGIN, height_of, names, stack, widest
from replaylab.report.figures.paint.keys import key_height, ramp, tiles_key
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL, printable, width_of
from replaylab.report.figures.value import BLUE, FAINT, GREY, INK, MUTED, WHITE, Matrix, Tile

NAME_ROOM, HEAD_LINES, HEAD_ROOM = 165.0, 3, 64.0
GAP = 9.0


class MatrixPainter:
    """Measures the texts of a matrix, and draws it."""

    def __init__(self, body: Matrix) -> None:
        self.body = body
        self._names = names(body.rows, NAME_ROOM, 3)
        self._name = widest(self._names)
        room = max(HEAD_ROOM, body.size[0] - 4)
        self._heads = names(body.columns, room, HEAD_LINES, size=SMALL)
        words = [tile.lines for row in body.tiles for tile in row if tile]
        self._tile = max(body.size[0], widest(self._heads, SMALL) + 6, widest(words, SMALL) + 6)
        self._pitches = [max(body.size[1], height_of(name) + 3) for name in self._names]
        self._right = [
            max(width_of(printable(text), SMALL) for text in (head, *(row[n] for row in body.right)))
            for n, head in enumerate(body.columns_right)
        ]
        # The tallest bar takes all the room; the numbers say how much it is.
        self._most = max((tile.share or 0 for row in body.tiles for tile in row if tile), default=0) or 1
        self._start = MARGIN + self._name + GAP
        self.width = (
            self._start + self._tile * len(body.columns) + sum(GAP + 3 + w for w in self._right) + MARGIN
        )

    def draw(self, sheet: Sheet, top: float) -> float:
        """Headings, tiles, colour bar, key."""
        deepest = max(height_of(head, SMALL) for head in self._heads)
        across = self._start + self._tile * len(self.body.columns)
        y = stack(sheet, self._start, top, [self.body.across], size=SMALL, colour=MUTED) + 2
        for n, head in enumerate(self._heads):
            x = self._start + (n + 0.5) * self._tile
            stack(sheet, x, y + deepest - height_of(head, SMALL), head, size=SMALL, align="center")
        self._right_texts(sheet, across, y + deepest - height_of([""], SMALL), self.body.columns_right, MUTED)
        y += deepest + 3
        for i, (name, pitch) in enumerate(zip(self._names, self._pitches, strict=True)):
            stack(sheet, MARGIN, y + (pitch - height_of(name)) / 2, name)
            for j, tile in enumerate(self.body.tiles[i]):
                if tile:
                    self._draw_tile(sheet, tile, self._start + j * self._tile, y, pitch)
            if self.body.right:
                middle = y + (pitch - height_of([""], SMALL)) / 2
                self._right_texts(sheet, across, middle, self.body.right[i], INK)
            y += pitch
        y += 10
        if self.body.key:
            tiles_key(sheet, self.body.key, y)
            y += key_height(sheet, [text for _, text in self.body.key]) + 2
        return ramp(sheet, self.body.ramp, y) if self.body.ramp else y - 6

    def _right_texts(self, sheet: Sheet, x: float, top: float, texts: tuple[str, ...], colour: str) -> None:
        for text, width in zip(texts, self._right, strict=True):
            x += GAP + 3 + width
            stack(sheet, x, top, [printable(text)], size=SMALL, align="right", colour=colour)

    def _draw_tile(self, sheet: Sheet, tile: Tile, x: float, y: float, height: float) -> None:
        middle = x + self._tile / 2
        if tile.share is not None:
            self._bar(sheet, tile, x, y, height)
            return
        sheet.box((x, y), (self._tile, height), tile.fill, edge=WHITE, width=1.2)
        if tile.hatch:
            sheet.box((x, y), (self._tile, height), "none", hatch=tile.hatch, edge=GREY, width=0.0, order=3.2)
            # The number stays readable: a plate of the tile's colour lies between it and the hatch.
            plate = widest([tile.lines], SMALL) + 3
            high = height_of(tile.lines, SMALL)
            sheet.box(
                (middle - plate / 2, y + (height - high) / 2), (plate, high), tile.fill, edge=None, order=3.5
            )
        if tile.framed:
            sheet.box((x + 1, y + 1), (self._tile - 2, height - 2), "none", width=1.4, order=5)
        start = y + (height - height_of(tile.lines, SMALL)) / 2
        stack(sheet, middle, start, tile.lines, size=SMALL, align="center", colour=ink_on(tile.fill))

    def _bar(self, sheet: Sheet, tile: Tile, x: float, y: float, height: float) -> None:
        room = height - height_of([""], SMALL) - 2
        tall = room * (tile.share or 0) / self._most
        sheet.line((x + 1, x + self._tile - 1), (y + height - 1, y + height - 1), colour=FAINT)
        if tall > 0:
            sheet.box((x + 2, y + height - 1 - tall), (self._tile - 4, tall), BLUE, edge=None)
        top = y + height - 1 - tall - height_of([""], SMALL)
        stack(sheet, x + self._tile / 2, top, tile.lines, size=SMALL - 0.5, align="center")
