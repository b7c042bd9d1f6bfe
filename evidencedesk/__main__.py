"""`python -m evidencedesk`: the command line."""

import sys

from evidencedesk.cli import main

if __name__ == "__main__":
    sys.exit(main())
