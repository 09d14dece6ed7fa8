"""What goes between the server and its clients beside LSP: how commands are listed, and what messages are."""
