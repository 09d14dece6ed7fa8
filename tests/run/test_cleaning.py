"""What comes from user code is shown without what it could do."""

from __future__ import annotations

import pytest

from torchwise.run.cleaning import clean_html, clean_svg

EVIL = [
    "<script>evil()</script>",
    "<img src=x onerror=evil()>",
    "<img src='https://evil'>",
    "<img src='data:text/html,evil'>",
    "<a href='javascript:evil()'>a</a>",
    "<a href='data:text/html,evil'>a</a>",
    "<iframe src='https://evil'></iframe>",
    "<object data='https://evil'></object>",
    "<b style='background: url(https://evil)'>a</b>",
    "<b style='background: u\\72l(https://evil)'>a</b>",
    "<style>@import 'https://evil'</style>",
    "<svg><script>evil()</script></svg>",
    "<svg onload='evil()'></svg>",
    "<svg><a xlink:href='javascript:evil()'><text>a</text></a></svg>",
    "<svg><image xlink:href='https://evil'/></svg>",
    "<svg><use xlink:href='https://evil#a'/></svg>",
    "<svg><foreignObject><img src=x onerror='evil()'></foreignObject></svg>",
    "<svg><animate attributeName='href' values='javascript:evil()'/></svg>",
    "<svg><rect fill='url(https://evil)'/></svg>",
    "<form action='https://evil'><input></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=evil()></style>",
    "<!-- evil -->",
]


@pytest.mark.parametrize("text", EVIL)
def test_nothing_evil_stays(text: str) -> None:
    assert "evil" not in clean_html(text)
    assert "evil" not in clean_svg(text)


def test_a_table_stays_as_it_is() -> None:
    table = '<table class="dataframe"><tbody><tr><td style="text-align: right">1</td></tr></tbody></table>'
    assert clean_html(table) == table


def test_pictures_within_and_links_stay() -> None:
    assert clean_html('<img src="data:image/png;base64,aa" alt="a">').startswith('<img src="data:image/png')
    assert 'href="https://pytorch.org"' in clean_html('<a href="https://pytorch.org">docs</a>')


def test_a_plot_keeps_its_parts() -> None:
    plot = (
        '<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><defs><clipPath id="c">'
        '<rect width="9" height="9"/></clipPath></defs><g clip-path="url(#c)" style="fill: #fff">'
        '<path d="M 0 0 L 9 9"/><use xlink:href="#m" x="3"/></g></svg>'
    )
    cleaned = clean_svg(plot)
    assert cleaned.startswith("<svg") and 'xmlns="http://www.w3.org/2000/svg"' in cleaned
    for part in ('viewBox="0 0 9 9"', "clipPath", "url(#c)", "M 0 0 L 9 9", 'href="#m"', "fill: #fff"):
        assert part in cleaned


def test_what_is_no_picture_is_none() -> None:
    assert clean_svg("words") == ""
