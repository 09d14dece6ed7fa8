"""`python -m torchwise` is `torchwise`."""

from torchwise.cli import main

if __name__ == "__main__":
    main(prog_name="torchwise")
