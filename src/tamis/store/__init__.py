"""Where collections live. Other rooms know `protocols` only."""
