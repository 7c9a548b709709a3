"""Names that steer what shows them, as a data file may hold them."""

HOSTILE = (
    "[/bold]",
    "[red]oak",
    "[link=http://a.b]x[/link]",
    ":warning:",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x1b]8;;http://a.b\x1b\\x",
    "\x9b31m",
    "\u202eoak",
    "\u2066oak\u2069",
    "\u200boak",
    "a\rb",
    "a\x08b",
    r"$\frac{$",
    "$x^2$",
    "<script>alert(1)</script>",
    "</svg><script>",
    "&lt;b&gt;",
    r"\input{/etc/passwd}",
    "=1+1",
    "@SUM(A1)",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "../../oak",
    "a|b",
    "`x`",
    "{{ 7 * 7 }}",
    "%s %(a)s {0}",
    "n" * 5000,
)


def steers(text: str, keep: str = "\n") -> list[str]:
    """Return the letters that should not have come through."""
    return [c for c in text if not c.isprintable() and c not in keep]
