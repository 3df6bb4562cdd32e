"""One schema for everything that can be set; every default says its unit and where it comes from.

Order: defaults < ``config.toml`` in the user's config folder < ``tamis.toml`` in the working folder < ``TAMIS_…``
environment (``__`` nests) < options. Numbers marked "tuned" were chosen on the gates, the others are the published
design.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from tamis.schema.question import LONGEST_QUESTION
from tamis.settings_base import Cosine, Count, Positive, Section, Unit
from tamis.settings_library import FacetSettings, LayerASettings, LayerBSettings, LayerCSettings, LinkSettings


class EmbeddingSettings(Section):
    """The embedding model."""

    model: str = Field("bge-small-en-v1.5-int8", description="packaged name, folder, or remote name")
    base_url: str = Field("", description="OpenAI-compatible endpoint for embeddings; empty runs locally")
    api_key: SecretStr = Field(SecretStr(""), description="key of that endpoint")
    threads: int = Field(0, ge=0, description="threads for the runtime; 0 takes one per core")
    max_tokens: Count = Field(512, description="tokens the model reads of a text; bge-small-en: 512")


class EntitySettings(Section):
    """Entities and profiles (E1-E4)."""

    type_weights: dict[str, float] = Field(
        {"ORG": 1.2, "PER": 1.1, "LOC": 1.0, "MISC": 0.9},
        description="how much a name of each kind counts in a document's entity profile",
    )
    confidence_floor: Unit = Field(0.2, description="least weight of a name that the recogniser is unsure of")
    profile_floor: Cosine = Field(0.25, description="least similarity at which an entity profile is found")
    related_floor: Cosine = Field(0.30, description="least similarity of a document added as related to the best")
    related_from: Count = Field(5, description="best documents whose mean entity profile looks for related ones")
    related_limit: int = Field(3, ge=0, description="most related documents added")
    related_factor: Unit = Field(0.9, description="score of a related document, as a share of the last one's")
    shared_minimum: Count = Field(2, description="names a related document must share where there are no profiles")


class ChunkSettings(Section):
    """How documents are cut into passages."""

    target_words: Count = Field(180, description="words a chunk aims for; tuned")
    max_words: Count = Field(
        380, description="words a chunk never exceeds, as many as the embedding model reads; keeps abstracts whole"
    )


class DigestSettings(Section):
    """What is read off a document when it comes in."""

    topic_floor: Cosine = Field(0.18, description="nearness at which a topic is named; tuned on news of four classes")
    duplicate_bits: int = Field(
        3, ge=0, le=16, description="most bits in which the fingerprints of near-duplicates differ"
    )
    duplicate_jaccard: Unit = Field(
        0.8, description="least share of word runs that near-duplicates have in common; tuned"
    )


class FetchSettings(Section):
    """Fetching (S3, S7)."""

    user_agent: str = Field(
        "tamis/0.1", pattern="^[ -~]*$", description="sent with every request; robots.txt knows its first word"
    )
    connect_seconds: Positive = Field(10.0, description="to connect")
    total_seconds: Positive = Field(30.0, description="for one page: all requests, redirects, retries and the body")
    max_bytes: Count = Field(20_000_000, description="most bytes of a body, after decompression")
    max_redirects: int = Field(5, ge=0, description="most redirects of one request")
    max_header_bytes: Count = Field(65_536, description="most bytes of response headers")
    retries: int = Field(2, ge=0, description="repeats after 429 or 5xx")
    max_retry_after_seconds: Positive = Field(60.0, description="most seconds waited before retries of one page")
    allow_hosts: tuple[str, ...] = Field((), description="hosts whose private or loopback addresses may be fetched")
    breaker_failures: Count = Field(3, description="failures in a row after which a host is left alone for a while")
    breaker_seconds: Positive = Field(300.0, description="seconds until such a host is tried again")


class CrawlSettings(Section):
    """Crawling (N1, N2)."""

    depth: int = Field(3, ge=0, description="most clicks from the start page")
    max_pages: Count = Field(200, description="most pages stored")
    concurrency: Count = Field(4, description="requests under way at once")
    delay_seconds: float | None = Field(None, ge=0.0, description="seconds between requests to a host; None adapts")
    delay_factor: float = Field(1.0, ge=0.0, description="adaptive pause = factor × mean response time")
    max_delay_seconds: Positive = Field(10.0, description="longest adaptive pause")
    loopback_delay_seconds: float = Field(0.0, ge=0.0, description="pause for hosts on this machine")
    sitemap: bool = Field(True, description="whether pages listed in the site's sitemaps are visited too")
    sitemap_seconds: Positive = Field(60.0, description="to read all sitemaps of a site")
    max_links: Count = Field(10_000, description="links of one page that are followed")
    visits_per_page: Count = Field(10, description="pages asked for, stored or not, for each that may be stored")


class ReadSettings(Section):
    """Reading files and pages (N3, N4)."""

    max_file_bytes: Count = Field(200_000_000, description="a larger file is skipped with a reason")
    document_seconds: Positive = Field(30.0, description="longest time one document may take to read")
    max_row_bytes: Count = Field(25_000_000, description="a longer line of a dataset is skipped with a reason")
    memory_bytes: Count = Field(1_000_000_000, description="most memory one document may take to read")


class WeightRow(Section):
    """Signal weights of one query type (R3)."""

    bm25: float = Field(ge=0.0, description="full text")
    freshness: float = Field(ge=0.0, description="how new it is")
    authority: float = Field(ge=0.0, description="how much its source is trusted")
    query: float = Field(ge=0.0, description="similarity to the question")
    vibe: float = Field(ge=0.0, description="similarity to the mood asked for")
    quality: float = Field(ge=0.0, description="substance against clickbait")


def _row(bm25: float, freshness: float, authority: float, query: float, vibe: float, quality: float) -> WeightRow:
    return WeightRow(bm25=bm25, freshness=freshness, authority=authority, query=query, vibe=vibe, quality=quality)


class RankSettings(Section):
    """Ranking (R1-R5)."""

    k1: float = Field(1.2, ge=0.0, description="full text: how soon repeats of a word stop counting; tuned")
    b: Unit = Field(0.75, description="full text: how much long passages are held back, from 0 to 1; tuned")
    title_boost: float = Field(2.0, ge=0.0, description="full text: weight of a word in the title")
    heading_boost: float = Field(2.5, ge=0.0, description="full text: weight of a word in headings and keywords")
    body_boost: float = Field(1.0, ge=0.0, description="full text: weight of a word in the passage itself")
    half_life_hours: Positive = Field(48.0, description="hours in which a document's freshness halves")
    rrf_k: Positive = Field(
        60.0, description="recipe rrf: the constant k in weight/(k + rank), summed over the signals"
    )
    candidates: Count = Field(1000, description="most chunks a layer brings; tuned")
    profile_candidates: Count = Field(100, description="most documents the profile layer brings")
    snippets: int = Field(30, ge=0, description="items that get a snippet; a run of a thousand needs none below")
    feedback_items: int = Field(3, ge=0, description="documents whose mean vector refines the question; tuned")
    feedback_depth: int = Field(50, ge=0, description="best documents that vouch for each other before that; tuned")
    feedback_weight: Unit = Field(0.3, description="weight of that mean; tuned")
    feedback_terms: int = Field(
        20, ge=0, description="telling terms of these documents that join the question's; tuned"
    )
    feedback_term_weight: Unit = Field(0.5, description="share of these terms in the full-text question; tuned")
    neighbours: Count = Field(15, description="nearest of the best documents that vouch for one; tuned")
    neighbour_depth: int = Field(200, ge=0, description="best documents that vouch for each other; tuned")
    neighbour_weight: Unit = Field(0.5, description="their part in a document's score; tuned")
    bm25_weight: Unit = Field(0.5, description="recipe convex: weight of full text against similarity; tuned")
    weights: dict[str, WeightRow] = Field(
        {
            "general": _row(1.0, 0.5, 0.3, 0.8, 0.4, 0.2),
            "roundup": _row(0.7, 0.8, 0.2, 0.5, 0.4, 0.15),
            "timeline": _row(0.5, 1.0, 0.2, 0.6, 0.3, 0.1),
            "explainer": _row(1.0, 0.3, 0.5, 1.0, 0.3, 0.4),
            "comparison": _row(0.8, 0.3, 0.4, 1.0, 0.3, 0.3),
            "collection": _row(1.5, 0.0, 0.0, 1.2, 0.2, 0.3),
            "collection roundup": _row(1.0, 0.2, 0.0, 0.8, 0.2, 0.15),
        },
        description="weight of each signal in the recipe rrf, by kind of question",
    )


class InterpretSettings(Section):
    """Interpreting the question (A1-A3)."""

    exemplar_floor: Cosine = Field(0.55, description="least similarity at which a labelled question decides")
    exemplars: str = Field("", description="a YAML file of your own labelled questions, added to the shipped ones")
    max_characters: Count = Field(4_000, description="a longer question is refused")
    ridge: Positive = Field(1.0, description="how cautiously intents are learned from labelled questions; tuned")
    cue_weight: float = Field(0.1, ge=0.0, description="weight of single words in that, beside the meaning; tuned")
    topic_temperature: Positive = Field(
        0.05, description="how sharply the likeliest topic stands out; lower is sharper; tuned"
    )
    category_floor: Unit = Field(0.08, description="a topic with a smaller share of the vote is left out; tuned")


class ReduceSettings(Section):
    """Reducing (K1-K4)."""

    edge_floor: Cosine = Field(0.15, description="cosine above which two sentences of a long document are linked")
    damping: Unit = Field(0.85, description="choosing sentences of a long document: PageRank's damping")
    iterations: Count = Field(20, description="choosing sentences of a long document: rounds of PageRank")
    relevance_floor: Unit = Field(0.30, description="share of the best document's relevance that a document must reach")
    domain_limit: Count = Field(3, description="most documents of one site in a round-up")
    mmr_lambda: Unit = Field(0.85, description="relevance (1) against novelty (0) in the choice of evidence; tuned")
    duplicate_cosine: Cosine = Field(0.93, description="sentences this close say the same; tuned")
    evidence_characters: Count = Field(8_000, description="most characters of evidence shown to the writer")
    evidence_limit: Count = Field(12, description="most pieces of evidence")
    unrelated_cosine: Cosine = Field(
        0.4, description="cosine of unrelated texts in the embedding model; floors count from it"
    )
    passages: Count = Field(12, description="passages read sentence by sentence for one question; tuned")
    passages_per_item: Count = Field(6, description="most of them from one item; tuned")
    embedded_segments: Count = Field(100, description="most sentences embedded for one question, about 0.3 s; tuned")
    answer_margin: Positive = Field(7.5, description="log-odds below the best at which a passage is no answer; tuned")
    answer_floor: float = Field(-5.0, description="log-odds at which only the best passage is kept; tuned")
    compress_above: Count = Field(60, description="sentences from which a document counts as long")


class AnswerSettings(Section):
    """The extractive answer and when to refuse (W3)."""

    near: Positive = Field(
        31.0, description="when to answer: log-odds per cosine above chance; fitted on six collections"
    )
    coherent: float = Field(
        10.4, ge=0.0, description="when to answer: per cosine among the best passages above chance; fitted"
    )
    covers: float = Field(4.2, ge=0.0, description="when to answer: for a passage that holds every term asked; fitted")
    lengthy: float = Field(
        0.75, ge=0.0, description="when to answer: per logarithm of the number of terms, against; fitted"
    )
    border: float = Field(3.0, description="when to answer: log-odds all of this must outweigh; fitted")
    foreign_similarity: Cosine = Field(
        0.56, description="when to answer: chance similarity of an uncalibrated collection"
    )
    foreign_coherence: Cosine = Field(
        0.70, description="when to answer: chance coherence of an uncalibrated collection"
    )
    read_words: Count = Field(
        LONGEST_QUESTION, description="when to answer: words of a question up to which passages are read with it"
    )
    read_compared: float = Field(
        0.1, ge=0.0, description="when to answer, once read: weight of what comparing found; tuned"
    )
    read_border: float = Field(
        -4.5, description="when to answer, once read: log-odds of a passage that just answers; tuned"
    )
    read_unknown: float = Field(
        4.0, ge=0.0, description="when to answer: log-odds a word that stands nowhere costs; tuned"
    )
    sentences: Count = Field(6, description="most claims of an extractive answer; tuned")
    continued: int = Field(2, ge=0, description="most sentences that follow the opening one in its passage; tuned")
    further: int = Field(2, ge=0, description="most other passages a sentence is added from; tuned")
    similarity_weight: float = Field(0.6, ge=0.0, description="sentence score: cosine with the question; tuned")
    relevance_weight: float = Field(0.25, ge=0.0, description="sentence score: cosine of its passage; tuned")
    answer_weight: float = Field(0.1, ge=0.0, description="sentence score: its passage answers, by reranker; tuned")
    sentence_weight: float = Field(0.1, ge=0.0, description="sentence score: it answers, by reranker; tuned")
    read_closely: Count = Field(16, description="sentences the reranker reads for one question; tuned")
    read_around: Count = Field(4, description="sentences the reranker reads once more with their neighbours; tuned")
    run_weight: float = Field(0.4, ge=0.0, description="opening: it answers together with its neighbours; tuned")
    coverage_weight: float = Field(0.15, ge=0.0, description="sentence score: question terms it holds; tuned")
    block_weight: float = Field(0.25, ge=0.0, description="sentence score: question terms its passage holds; tuned")
    document_weight: float = Field(0.4, ge=0.0, description="sentence score: its document's place; tuned")
    flaw_weight: float = Field(0.25, ge=0.0, description="sentence score: what speaks against showing it; tuned")
    shape_weight: float = Field(0.06, ge=0.0, description="opening: form of an answer to this question; tuned")
    continue_share: Unit = Field(0.7, description="share of the opening's score to go on in its passage; tuned")
    support_share: Unit = Field(0.9, description="share of the best score another passage's sentence reaches; tuned")
    further_margin: Positive = Field(4.0, description="log-odds below the best for a passage to be added; tuned")
    novelty_weight: float = Field(0.25, ge=0.0, description="cost of being close to a chosen sentence; tuned")
    repeat_cosine: Cosine = Field(0.93, description="a sentence this close to a chosen one repeats it; tuned")
    opposed_cosine: Cosine = Field(0.75, description="a sentence this close may deny what another affirms; tuned")
    run_share: Unit = Field(0.6, description="share of the opening's score a list of steps reaches; tuned")


class CheckSettings(Section):
    """Checking what was written (C1)."""

    supported: Cosine = Field(0.6, description="similarity to its source from which a sentence is supported")
    weak: Cosine = Field(0.4, description="similarity from which it is weak; below, it is unsupported")
    cosine_origin: Cosine = Field(0.45, description="cosine of unrelated sentences, stretched to 0; by embedder; tuned")


class ModelRole(Section):
    """A language model in one role."""

    base_url: str = Field("", description="OpenAI-compatible endpoint, e.g. http://127.0.0.1:11434/v1")
    model: str = Field("", description="its name at the endpoint, or the path of a GGUF file run in this process")
    api_key: SecretStr = Field(SecretStr(""), description="sent as bearer token, never logged")
    credentials: SecretStr = Field(SecretStr(""), description="user:password for the endpoint; base_url may hold them")
    temperature: float = Field(0.2, ge=0.0, le=2.0, description="0 is greedy")
    max_tokens: Count = Field(700, description="most tokens of an answer")
    context_tokens: Count = Field(4096, description="tokens the model reads and writes in all")
    timeout_seconds: Positive = Field(120.0, description="for one call")
    prompt_price: float | None = Field(None, ge=0.0, description="money per million prompt tokens")
    completion_price: float | None = Field(None, ge=0.0, description="money per million completion tokens")


class LlmSettings(Section):
    """The two roles (spec, section 1)."""

    main: ModelRole = Field(default_factory=ModelRole, description="the model that words answers and cards")
    sentinel: ModelRole = Field(
        default_factory=lambda: ModelRole(temperature=0.1),
        description="a second model for understanding questions; nothing calls it in this version",
    )


class ElasticsearchSettings(Section):
    """Where Elasticsearch or OpenSearch answers."""

    url: str = ""


class Neo4jSettings(Section):
    """Where Neo4j answers."""

    url: str = ""
    user: str = "neo4j"
    password: SecretStr = SecretStr("")


class StoreSettings(Section):
    """Where collections live (X1)."""

    search: Literal["sqlite"] = Field("sqlite", description="what holds text and vectors")
    graph: Literal["sqlite"] = Field("sqlite", description="what holds the graph")
    exact_limit: Count = Field(200_000, description="chunks searched exactly; above, an HNSW index")
    busy_seconds: Positive = Field(10.0, description="how long to wait for another writer")
    checked_bytes: int = Field(
        64_000_000, ge=0, description="snapshots up to this size are checked for damage when opened, in about 0.05 s"
    )


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix="TAMIS_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        nested_model_default_partial_update=True,
    )

    embedding: EmbeddingSettings = EmbeddingSettings()
    entities: EntitySettings = EntitySettings()
    chunks: ChunkSettings = ChunkSettings()
    digest: DigestSettings = DigestSettings()
    fetch: FetchSettings = FetchSettings()
    crawl: CrawlSettings = CrawlSettings()
    read: ReadSettings = ReadSettings()
    rank: RankSettings = RankSettings()
    interpret: InterpretSettings = InterpretSettings()
    reduce: ReduceSettings = ReduceSettings()
    answer: AnswerSettings = AnswerSettings()
    check: CheckSettings = CheckSettings()
    llm: LlmSettings = LlmSettings()
    store: StoreSettings = StoreSettings()
    facets: dict[str, FacetSettings] = Field({"subjects": FacetSettings()}, description="slices of a library, by name")
    link: LinkSettings = LinkSettings()
    layer_a: LayerASettings = LayerASettings()
    layer_b: LayerBSettings = LayerBSettings()
    layer_c: LayerCSettings = LayerCSettings()
