"""Speed and memory, measured beside peer libraries on the same corpus in the same run.

``python -m bench`` prints one table; ``python -m bench --quick search`` measures one thing on a small corpus.
"""
