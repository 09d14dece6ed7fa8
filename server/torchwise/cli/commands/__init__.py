"""One command of the command line in each file, named as it is called."""
