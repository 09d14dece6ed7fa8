"""HTML and SVG without scripts, and without all that loads from elsewhere."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nh3

_TEXT = """a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em
figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark meter ol p pre progress q rp rt ruby s samp
section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"""
_GRAPHIC = """svg g path use defs rect circle ellipse line polyline polygon clipPath linearGradient
radialGradient stop text tspan textPath marker pattern symbol title desc mask"""
_NOT_EVEN_ITS_TEXT = {"script", "style", "iframe", "object", "embed", "template", "noscript", "foreignObject"}
_DRAWN = """x y x1 y1 x2 y2 cx cy r rx ry fx fy d dx dy points width height viewBox transform fill stroke
opacity offset preserveAspectRatio clipPathUnits gradientUnits gradientTransform patternUnits patternTransform
maskUnits refX refY markerWidth markerHeight orient text-anchor dominant-baseline font-size font-family
font-weight font-style clip-path clip-rule fill-rule fill-opacity stroke-width stroke-opacity stroke-linecap
stroke-linejoin stroke-dasharray stroke-miterlimit stop-color stop-opacity marker-start marker-mid marker-end
mask version"""

_LOADS = re.compile(r"""url\s*\(\s*['"]?(?!\s*['"]?\#)|image-set|@import|expression\s*\(|\\""", re.I)


def clean_html(text: str) -> str:
    return _html().clean(text)


def clean_svg(text: str) -> str:
    """Of a picture; what stands around it is left out. Empty if there is none."""
    start = text.find("<svg")
    if start < 0:
        return ""
    cleaned = _svg().clean(text[start:])
    if "xmlns=" not in cleaned[: cleaned.find(">")]:  # an image that is no part of a page needs its name
        cleaned = cleaned.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return cleaned


@cache
def _html() -> nh3.Cleaner:
    import nh3

    anywhere = {
        "class",
        "style",
        "title",
        "align",
        "valign",
        "colspan",
        "rowspan",
        "scope",
        "border",
        "dir",
        "lang",
    }
    return nh3.Cleaner(
        tags=set(_TEXT.split()) | set(_GRAPHIC.split()),
        clean_content_tags=_NOT_EVEN_ITS_TEXT,
        attributes={
            "*": anywhere | set(_DRAWN.split()),
            "a": {"href"},
            "img": {"src", "alt"},
            "meter": {"value", "min", "max"},
            "progress": {"value", "max"},
            "details": {"open"},
            "use": {"href"},
        },
        attribute_filter=_harmless,
        url_schemes={"http", "https", "mailto", "data"},
        strip_comments=True,
    )


@cache
def _svg() -> nh3.Cleaner:
    import nh3

    return nh3.Cleaner(
        tags=set(_GRAPHIC.split()),
        clean_content_tags=_NOT_EVEN_ITS_TEXT,
        attributes={"*": {"id", "class", "style"} | set(_DRAWN.split()), "svg": {"xmlns"}, "use": {"href"}},
        attribute_filter=_harmless,
        strip_comments=True,
    )


def _harmless(tag: str, name: str, value: str) -> str | None:
    """The value, or None where it would load something."""
    if name == "src":
        return value if re.match(r"data:image/(png|jpeg|gif|webp);", value.strip(), re.I) else None
    if name == "href":
        inside = value.startswith("#")
        return value if inside or (tag == "a" and re.match(r"(https?|mailto):", value, re.I)) else None
    return None if _LOADS.search(value) else value
