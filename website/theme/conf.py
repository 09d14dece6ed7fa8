"""Sphinx: MyST pages in the theme furo, with everything that they need beside them."""

from torchwise import __version__

project = "Torchwise"
release = __version__
extensions = ["myst_parser", "website.mathml"]
html_theme = "furo"
html_title = "Torchwise"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
myst_enable_extensions = ["attrs_block", "colon_fence", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
highlight_language = "python"
pygments_style = "tango"
pygments_dark_style = "github-dark"
suppress_warnings = ["misc.highlighting_failure"]  # fragments of rule pages that are no whole program
