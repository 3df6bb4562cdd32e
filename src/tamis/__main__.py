"""`python -m tamis` is `tamis`."""

from __future__ import annotations

import sys

from tamis.cli import main

sys.exit(main())
