"""Settings under which the shipped example makes a library with something on every tier."""

KITCHEN = {
    "facets": {"subjects": {}},
    "layer_a": {"minimum_support": 8},
    "layer_b": {"minimum_chunks": 12, "minimum_size": 3},
    "llm": {"main": {"base_url": "", "model": ""}},
}
