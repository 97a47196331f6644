"""The report is filled between its marks, all at once or not at all."""

from pathlib import Path

import pytest

from bench import report
from bench.figures import Figure, table

DOCUMENT = (
    "# Numbers\n\n<!-- wire -->\nold\n<!-- /wire -->\n\ntext\n\n<!-- load -->\n<!-- /load -->\n"
)


def test_sections_are_replaced_and_the_text_around_them_stays():
    filled = report.filled(DOCUMENT, {"wire": r"new \1"})
    assert filled == DOCUMENT.replace("old", "\nnew \\1\n")
    assert report.filled(filled, {"wire": r"new \1"}) == filled


def test_a_section_that_the_document_lacks_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "numbers.md"
    path.write_text(DOCUMENT)
    with pytest.raises(ValueError, match="no section <!-- planning -->"):
        report.write(path, {"wire": "new", "planning": "new"})
    assert path.read_text() == DOCUMENT
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_is_written_in_place_of_the_old_one(tmp_path: Path):
    path = tmp_path / "numbers.md"
    path.write_text(DOCUMENT)
    report.write(path, {"load": "calm"})
    assert "calm" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


def test_a_figure_shows_its_median_and_quartiles_and_differs_round_by_round():
    figure = Figure.of([1.0, 2.0, 3.0, 4.0, 100.0])
    assert str(figure) == "3.00 (2.00–4.00)"
    assert (figure - Figure.of([1.0, 1.0, 1.0, 1.0, 99.0])).median == 1.0
    assert str(figure.over(figure)) == "1.00 (1.00–1.00)"


def test_a_table_is_markdown():
    assert table(("a", "b"), [[1, "x"]]) == "| a | b |\n| --- | --- |\n| 1 | x |"
