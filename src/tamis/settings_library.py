"""The part of the settings schema that building a library reads (L)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tamis.settings_base import Cosine, Count, Positive, Section, Unit


class FacetSettings(Section):
    """One independent slice of the library."""

    ontology: str = Field("", description="OBO, OWL, SKOS or YAML file; empty induces shelves from the corpus")
    id_prefix: str = Field("", description="only terms whose id begins like this; empty takes all")
    root: str = Field("", description="only this term and what is below it; empty takes all")
    entity_types: tuple[str, ...] = Field((), description="only mentions with these labels; empty takes all")


class LinkSettings(Section):
    """Linking mentions to terms (L2): exact, then fuzzy, then dense."""

    confidence_floor: Unit = Field(0.80, description="links below are dropped, however they were found; tuned")
    blocklist: tuple[str, ...] = Field((), description="names that never link, compared as mentions are")
    fuzzy_floor: Unit = Field(0.85, description="least similarity of spelling; tuned")
    dense_floor: Cosine = Field(0.90, description="least cosine of a mention with a term's name; tuned")


class LayerASettings(Section):
    """Shelves (L3)."""

    minimum_support: int = Field(
        0, ge=0, description="least passages on a shelf or below it; 0: a twentieth of all, from 3 to 20"
    )
    max_depth: Count = Field(5, description="most tiers of shelves")
    umbrella_share: Unit = Field(0.8, description="a top class that covers more of the linked chunks is dropped; tuned")
    induced_depth: Count = Field(2, description="tiers where there is no ontology; tuned")


class LayerBSettings(Section):
    """Themes (L4)."""

    minimum_chunks: Count = Field(50, description="a shelf with fewer passages is one theme")
    method: Literal["communities", "density"] = Field(
        "communities", description="how themes are found: communities (Leiden), or density (the recipe of BERTopic)"
    )
    neighbours: Count = Field(15, description="nearest chunks a chunk is joined to; tuned")
    resolution: Positive = Field(0.7, description="of the communities: higher makes more and smaller ones; tuned")
    merge_overlap: Unit = Field(0.5, description="communities of both passes are one above this overlap; tuned")
    minimum_size: Count = Field(5, description="a smaller community is an outlier")
    stable_overlap: Unit = Field(0.5, description="a theme keeps its id above this overlap with its former self")
    seed: int = Field(0, description="of every random choice")


class LayerCSettings(Section):
    """Cards (L5-L9)."""

    stage1_method: Literal["lexrank", "lsa", "luhn", "textrank", "nltk_freq"] = Field(
        "lexrank", description="how the sentences of an extract are chosen"
    )
    sentences: Count = Field(8, description="sentences of an extract")
    map_reduce_threshold: Count = Field(400, description="sentences above which groups are summarised first")
    group_characters: Count = Field(20_000, description="most characters of such a group")
    redundancy: Cosine = Field(0.6, description="tf·idf cosine above which a sentence repeats another; tuned")
    concurrency: Count = Field(2, description="model calls at once")
    query_cards: Count = Field(3, description="nearest cards whose passages a library question reads too")
    safety_sensitive_facets: tuple[str, ...] = Field(
        ("allergies",), description="facets whose cards are flagged for review"
    )
