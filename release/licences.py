"""Which licences what we ship may be under, and what a package says that its licence is."""

from __future__ import annotations

from email.message import Message

from license_expression import AND, OR, ExpressionError, LicenseExpression, get_spdx_licensing

SPDX = get_spdx_licensing()
# They ask for no more than their own text and their own changed files.
ALLOWED = {
    *(
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BlueOak-1.0.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
    ),
    *("PSF-2.0", "Python-2.0", "Unlicense", "Zlib"),
}
# Before packages had an expression for it, they said it in words of their own, or by a classifier.
IN_WORDS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def allowed(expression: str | None) -> bool:
    """One of those that may be chosen is enough; of those that hold together, each must be allowed."""
    try:
        parsed = SPDX.parse(expression or "", validate=True)
    except ExpressionError:
        return False
    return parsed is not None and _allowed(parsed)


def _allowed(parsed: LicenseExpression) -> bool:
    if isinstance(parsed, OR):
        return any(map(_allowed, parsed.args))
    if isinstance(parsed, AND):
        return all(map(_allowed, parsed.args))
    return str(parsed) in ALLOWED


def of_python(metadata: Message) -> str | None:
    if expression := metadata.get("License-Expression"):
        return str(expression)
    told = [IN_WORDS[word] for word in metadata.get_all("Classifier") or [] if word in IN_WORDS]
    return " AND ".join(told) or metadata.get("License")
