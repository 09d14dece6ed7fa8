"""Real packages, checked: `make corpus`. What is found in them has been judged, one by one, in
`reviewed.json`."""
