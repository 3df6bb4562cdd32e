"""What an order to a language model looks like, as weighted patterns over folded text.

A pattern of weight 1 is enough on its own; lighter ones say "this is the tone of it" and count together. All are
matched on text that has been case-folded and stripped of accents and invisible characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """One sign.

    Attributes:
        family: what it is a sign of; shown to the reader.
        weight: 1 decides alone.
        expression: compiled, for folded text.
        spoken: an order, whose weight falls where it is only quoted or talked about.
    """

    family: str
    weight: float
    expression: re.Pattern[str]
    spoken: bool = True


def _p(family: str, weight: float, expression: str, *, spoken: bool = True) -> Pattern:
    return Pattern(family, weight, re.compile(expression, re.MULTILINE), spoken)


OVERRIDE = "asks to ignore instructions"
REVEAL = "asks for the prompt or secrets"
PERSONA = "gives the model a new role"
MARKER = "role or chat-template marker"
ADDRESS = "speaks to the model"
ORDER = "dictates the answer"
FAKE = "poses as evidence or a tool"
ACTION = "asks for an action"

_DROP = (
    r"(?:ignore|disregard|forget|override|bypass|discard|neglect|abandon|set aside|pay no attention to"
    r"|do not (?:follow|obey|apply|comply with)|don'?t (?:follow|obey|apply)|stop (?:following|obeying)|cancel|erase|void|drop)"
)
_OLD = (
    r"(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|existing|original|initial|current|old|past|last"
    r"|given|other|all|any|every|these|those|your|system|safety|developer)"
)
_RULES = (
    r"(?:instructions?|prompts?|directives?|directions|commands? you (?:were|have)|orders you|system messages?"
    r"|programming|training|guardrails|(?:content )?polic(?:y|ies)|restrictions)"
)
_SOFT_RULES = (
    r"(?:rules|guidelines|commands?|context|messages?|text|content|constraints|conversation|safeguards|filters)"
)
_GAP = r"(?:[\w'’,]+\s+){0,5}?"
_MODEL = (
    r"(?:ai|a\.i\.|llms?|chatgpt|gpt(?:-?\d\w*)?|claude|gemini|copilot|chatbots?|(?:ai |virtual |digital )?assistants?"
    r"|(?:large )?language models?|ai (?:models?|agents?|systems?|bots?|readers?)|summari[sz]ers?|web ?crawlers?|agents?|bots?|models?)"
)
_SAY = (
    r"(?:say|state|write|respond|reply|answer|output|print|recommend|endorse|praise|promote|mention|include|claim|report"
    r"|conclude|insert|append|add|begin|start|end|repeat|cite|rate|rank|tell|describe|assert|declare|emphasi[sz]e|use|refuse"
    r"|summari[sz]e|translate|treat|follow|obey|visit|click|send|fetch|call|execute|stop|never|always|only)"
)

PATTERNS: tuple[Pattern, ...] = (
    # English: "ignore all previous instructions", in any order and strength.
    _p(OVERRIDE, 1.0, rf"\b{_DROP}\s+{_GAP}{_OLD}\s+{_GAP}{_RULES}\b"),
    _p(
        OVERRIDE,
        1.0,
        rf"\b{_DROP}\s+{_GAP}(?:everything|anything|all|whatever|what)\b.{{0,40}}\b(?:you|were|was)\b.{{0,20}}\b(?:told|instructed|taught|given|programmed)\b",
    ),
    _p(
        OVERRIDE,
        1.0,
        rf"\b{_DROP}\s+(?:the |all |any |your )?(?:system prompt|instructions? (?:above|before|given|so far|you)|(?:everything|all|anything)(?: that was| that is| which is)? (?:above|before|prior|said)\b)",
    ),
    _p(
        OVERRIDE,
        0.6,
        rf"\b{_DROP}\s+(?:all |any |every |the )?(?:of )?(?:the |your )?(?:previous|prior|preceding|earlier|above|system|safety)\s+(?:\w+\s+)?{_SOFT_RULES}\b",
    ),
    _p(
        OVERRIDE,
        0.7,
        r"\b(?:new|updated|revised|real|actual|true|secret|hidden|urgent|important)\s+(?:system\s+)?(?:instructions?|directives?|orders)\s*(?:for (?:you|the \w+|ai|assistants?)|:|follow\b|from (?:the )?(?:developer|admin|system))",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:your|the) (?:previous|prior|earlier|old|original|above) (?:system )?(?:instructions?|prompts?|directives?|rules|guidelines) (?:are|is|were|have been|no longer|do not|don'?t)\b.{0,40}\b(?:void|cancell?ed|replaced|obsolete|apply|superseded|invalid|revoked|lifted|outdated|overridden)\b",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:this|the following|these) (?:message|text|note|instructions?|prompt)s? (?:supersedes?|overrides?|replaces?|takes? precedence over)\b.{0,40}\b(?:instructions?|prompts?|system|directives?)\b",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\bend of (?:the )?(?:system )?(?:prompt|instructions|evidence|context|documents?)\b.{0,40}\b(?:new|now|begin|start|follow)\b",
    ),
    # Other languages, accents already gone.
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|beachte nicht|befolge (?:nicht|keine))\b.{0,40}\b(?:anweisung|instruktion|vorgabe|befehl|regel|prompt|aufforderung)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignore[zr]?|oublie[zr]?|ne tene?z pas compte|ne suive?z pas|neglige[zr]?)\b.{0,40}\b(?:instructions|consignes|directives|ordres|regles)\b.{0,30}(?:precedent|anterieur|ci-dessus|avant|recu|donne|systeme)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignora|ignore|ignorad|olvida|olvide|olvidad|descarta|descarte|no sigas|omite)\b.{0,40}\b(?:instrucciones|indicaciones|ordenes|directrices|reglas)\b.{0,30}(?:anterior|previa|arriba|recibid|dad|sistema)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignora|ignorate|ignori|dimentica|dimenticate|trascura|non seguire)\b.{0,40}\b(?:istruzioni|direttive|ordini|regole|indicazioni)\b.{0,30}(?:precedent|sopra|ricevut|anterior|sistema)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignore|ignora|esqueca|desconsidere|descarte|nao siga)\b.{0,40}\b(?:instrucoes|orientacoes|ordens|diretrizes|regras)\b.{0,30}(?:anterior|previa|acima|recebid|dad|sistema)",
    ),
    _p(OVERRIDE, 1.0, r"\b(?:negeer|vergeet|sla)\b.{0,40}\b(?:instructies|opdrachten|aanwijzingen|bevelen|regels)\b"),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ignorera|glom|bortse fran|ignorer|glem|unohda|jata huomiotta|ohita)\b.{0,40}(?:instruktion|anvisning|instruks|instrukser|ohjee|order|ordre)",
    ),
    _p(
        OVERRIDE, 1.0, r"\b(?:zignoruj|ignoruj|zapomnij|pomin|nie stosuj)\b.{0,40}\b(?:instrukcj|polecen|wytyczn|zasad)"
    ),
    _p(OVERRIDE, 1.0, r"\b(?:ignoruj|ignorujte|zapomen|zapomente|ignoruj)\b.{0,40}\b(?:pokyn|instrukc|prikaz)"),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:игнорир\w*|проигнорир\w*|забудь\w*|не обращаи\w* внимания на|отмени\w*)\b.{0,50}(?:инструкц|указан|команд|правил|промпт)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"\b(?:ігнору\w*|проігнору\w*|забудь\w*|іgnoru\w*|ігноруи\w*)\b.{0,50}(?:інструкц|вказівк|команд)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"(?:onceki|yukaridaki|tum)\b.{0,40}\b(?:talimat|komut|yonerge)\w*\b.{0,30}(?:yok say|gormezden gel|unut|dikkate alma)",
    ),
    _p(
        OVERRIDE,
        1.0,
        r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守|忽視).{0,12}(?:指令|指示|说明|說明|提示|规则|規則|命令|要求)",
    ),
    _p(
        OVERRIDE, 1.0, r"(?:指示|命令|指令|フロンフト|プロンプト|ルール|説明).{0,10}(?:無視|忘れ|従わないて|従わないで)"
    ),
    _p(OVERRIDE, 1.0, r"(?:지시|명령|지침|프롬프트|지시|명령|지침).{0,14}(?:무시|잊어|따르지|무시|잊어|따르지)"),
    _p(OVERRIDE, 1.0, r"(?:تجاهل|انس|تجاهلوا|لا تتبع).{0,30}(?:التعليمات|الاوامر|الأوامر|تعليمات|الارشادات)"),
    _p(OVERRIDE, 1.0, r"(?:התעלם|התעלמו|שכח).{0,30}(?:הוראות|הנחיות|פקודות)"),
    _p(OVERRIDE, 1.0, r"(?:αγνοησ\w*|ξεχασ\w*).{0,40}(?:οδηγι|εντολ|κανον)"),
    _p(
        OVERRIDE,
        1.0,
        r"(?:पिछल\S*|पहल\S*|सभी|उपर\S*).{0,30}(?:निर्देश\S*|नरदश\S*|आदेश\S*).{0,30}(?:अनदेखा|नजरअंदाज|भूल|अनदख|भल)",
    ),
    # The prompt and secrets.
    _p(
        REVEAL,
        1.0,
        r"\b(?:reveal|print|show|output|repeat|display|tell (?:me|us|the user)|give (?:me|us)|leak|disclose|dump|expose|recite|quote|write out|share|return|paste|echo|translate|encode|summari[sz]e|include|send)\b\s+(?:[\w'’]+\s+){0,5}?(?:your|its) (?:full |entire |complete |exact |own )?(?:(?:system|initial|hidden|original|developer|secret|internal|previous|confidential|custom|base)\s+)*(?:prompts?|instructions?|directives?|system messages?|api keys?|credentials|configuration|guidelines|training data)\b",
    ),
    _p(
        REVEAL,
        1.0,
        r"\b(?:reveal|print|output|repeat|leak|disclose|dump|expose|recite|display|show)\b\s+(?:[\w'’]+\s+){0,4}?(?:the )?(?:system|hidden|developer|initial|secret) (?:prompt|instructions|message)\b",
    ),
    _p(
        REVEAL,
        1.0,
        r"\bwhat (?:is|are|was|were) your (?:system|initial|hidden|original|exact|secret) (?:prompt|instructions?|message)\b",
    ),
    _p(
        REVEAL,
        1.0,
        r"\brepeat (?:the|all|every)?\s*(?:of the )?(?:words?|text|lines?|everything|content)\s+(?:above|before|preceding)\b",
    ),
    _p(
        REVEAL,
        0.6,
        r"\b(?:reveal|disclose|leak|dump|exfiltrate)\b.{0,40}\b(?:api keys?|passwords?|credentials|secrets|environment variables|conversation history|chat history|private data)\b",
    ),
    # Roles.
    _p(
        PERSONA,
        1.0,
        r"\byou are (?:now|no longer|henceforth)\b.{0,40}\b(?:dan\b|jailbroken|unrestricted|unfiltered|uncensored|developer mode|god mode|sudo mode|evil|an? (?:\w+ ){0,2}(?:ai|assistant|chatbot|bot|language model|llm)\b|bound by|restricted by|the assistant)",
    ),
    _p(
        PERSONA,
        1.0,
        r"\b(?:enter|enable|activate|switch to|engage) (?:the )?(?:developer|god|dan|jailbreak|debug|unrestricted|admin(?:istrator)?|sudo|maintenance) mode\b(?=.{0,80}\b(?:you|your|answer|respond|no (?:rules|restrictions|filters)|without)\b)",
    ),
    _p(
        PERSONA,
        0.6,
        r"\bfrom (?:now|this point|here) on(?:wards?)?,? (?:you (?:will|must|are|should|shall|have to|only)|always|only|never|respond|answer|act|speak|reply)\b",
    ),
    _p(
        PERSONA,
        0.6,
        r"\b(?:act|behave|respond|answer) (?:as|like) (?:if you (?:were|are|have)|an? (?:unrestricted|uncensored|evil|different|new|malicious|jailbroken))\b",
    ),
    _p(
        PERSONA,
        0.6,
        r"\bpretend (?:to be|that you are|you are|you'?re)\b.{0,60}\b(?:ai|assistant|model|no (?:rules|restrictions|limits)|unrestricted|not bound)\b",
    ),
    _p(
        PERSONA,
        0.5,
        r"\byou are (?:chatgpt|gpt|claude|gemini|an? (?:ai|(?:helpful|virtual|ai|malicious|obedient) (?:\w+ )?assistant|language model|large language model|llm))\b",
    ),
    # Markers of chat templates and transcripts.
    _p(
        MARKER,
        1.0,
        r"<\|\s*(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id|end|channel|message)\s*\|>",
        spoken=False,
    ),
    _p(MARKER, 1.0, r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>", spoken=False),
    _p(
        MARKER,
        1.0,
        r"^\W{0,6}(?:system|developer|admin(?:istrator)?|root)(?: (?:prompt|message|note|override|instruction|notice))?\W{0,3}:\W{0,4}(?:you (?:are|must|will|should|shall)\b|your (?:new|task|job|role)|ignore|disregard|forget|override|new |the (?:user|assistant|ai|model)\b|do not|always|never|respond|answer|reply|reveal|from now)",
        spoken=False,
    ),
    _p(
        MARKER,
        0.8,
        r"^\W{0,6}#{2,4}\s*(?:system|instructions?|new instructions?|assistant|user|human|response)\s*:",
        spoken=False,
    ),
    _p(MARKER, 0.8, r"</?(?:system|assistant|user|human|instructions?|system[-_]prompt|sys|prompt)>", spoken=False),
    _p(
        MARKER,
        0.6,
        r"^\W{0,4}(?:human|user|assistant|ai)\s*:\s*(?:sure|ignore|now|please|i will|okay|ok\b|yes|of course|certainly|forget|reveal|print)\b",
        spoken=False,
    ),
    # Talking to the model, and telling it what to say.
    _p(
        ADDRESS,
        0.6,
        rf"\b(?:note|message|instructions?|attention|notice|hint|reminder|warning|memo|directive|request|order|hello|hi|dear|hey|listen|psst)\b[\s,:!-]*(?:to |for |of )?(?:all |any |every |the |you,? |our )?{_MODEL}\b(?=\s*[,:!.-]|\s+(?:reading|who|that|which|processing|summari|parsing|and|must|should|please|in)\b)",
    ),
    _p(ADDRESS, 0.7, rf"\bif you(?:'re| are) (?:an? |the )?(?:{_MODEL})\b"),
    _p(
        ADDRESS,
        0.6,
        r"^\W{0,4}(?:dear |hey |hi |hello |ok |okay |attention )?(?:ai|llms?|chatgpt|gpt-?\d?|claude|gemini|copilot|assistants?|language models?|ai assistants?|chatbot|bot)\s*[,:!]",
    ),
    _p(
        ADDRESS,
        0.6,
        r"\b(?:ai|llms?|chatgpt|(?:ai |virtual )?assistants?|language models?|ai (?:models?|agents?|systems?))\b,? (?:reading|processing|summari[sz]ing|parsing|seeing|analy[sz]ing|indexing|reviewing|that (?:reads?|process(?:es)?|summari[sz]es?)|who reads?) (?:this|the following|these)\b",
    ),
    _p(
        ADDRESS,
        0.5,
        r"\b(?:when|whenever|if|while) (?:you (?:are )?)?(?:summari[sz](?:e|ing)|answer(?:ing)?|process(?:ing)?|read(?:ing)?|cit(?:e|ing)|analy[sz](?:e|ing)|quot(?:e|ing)|asked about) (?:questions? (?:about|on|from|with) )?(?:this|the above|these) (?:page|document|article|text|site|website|content|product|passage|email|file|paragraph)s?\b,? ?(?=.{0,30}\b(?:always|never|you|must|say|include|recommend|state|tell|write|mention|only|add|insert|respond|reply|output|do not|please)\b)",
    ),
    _p(ADDRESS, 0.5, r"\b(?:as|being) an? (?:ai|(?:large )?language model|ai (?:assistant|model))\b,? you\b"),
    _p(
        ORDER,
        0.6,
        rf"\b(?:in|to|at the (?:start|end|beginning|top|bottom) of|begin|start|end|open|close|finish|prefix|append to) (?:all |every |each of |any )?(?:of )?(?:your|the final|the generated) (?:\w+ )?(?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|reports?|reviews?)\b,?(?=.{{0,60}}\b{_SAY}\b|\s+(?:with|by)\b)",
    ),
    _p(
        ORDER,
        0.6,
        r"\b(?:respond|reply|answer|output)\b (?:only|just|exclusively|solely|always|simply|nothing but|to (?:all|every|any) (?:\w+ )?(?:questions?|quer(?:y|ies)|prompts?|requests?))\b.{0,20}\b(?:with|in|using|by)\b",
    ),
    _p(
        ORDER,
        0.6,
        r"\b(?:always|only|never|must|should) (?:recommend|endorse|promote|praise|cite|rank|rate|list|mention|favou?r|say that|claim that|answer that|respond that|state that|tell (?:the )?(?:users?|readers?|people)|trust)\b",
    ),
    _p(
        ORDER,
        0.6,
        r"\b(?:do not|don'?t|never|without)\s+(?:mention|mentioning|tell|telling|inform|informing|reveal|revealing|disclose|disclosing|alert|alerting|let|say|admit)\b.{0,40}\b(?:this (?:instruction|message|note|prompt|text)|these (?:instructions|rules)|the user|to the user|anyone that you|you (?:were|have been|are) (?:told|instructed|an? ai))\b",
    ),
    _p(
        ORDER,
        0.5,
        r"^\W{0,4}(?:please |then |now |also |instead,? |you (?:must|should|will) |and )*(?:tell|inform|convince|persuade|instruct|assure|warn|advise) (?:the |your )?(?:user|users|human|person asking|reader)\b(?: (?:that|to|their|they|there|it))",
    ),
    _p(
        ORDER,
        0.7,
        r"\b(?:you (?:must|should|will|shall|are (?:required|instructed|ordered|commanded|obliged) to)|it is (?:mandatory|required) (?:that you|to))\b.{0,30}\b(?:say that|state that|respond (?:with|that|only)|reply (?:with|that|only)|answer (?:with|that|only|every|all)|output|recommend|comply with|obey|follow (?:these|the following|my) (?:instructions|orders|commands))",
    ),
    _p(
        ORDER,
        0.5,
        r"\b(?:follow|obey|execute|comply with|carry out) (?:only )?(?:these|the following|my|all) (?:new |hidden |secret )?(?:instructions|orders|commands|directives)\b(?=.{0,60}(?:instead|exactly|without question|immediately|no matter|only|:))",
    ),
    _p(
        ORDER,
        0.6,
        r"\b(?:instead|rather),? (?:of (?:answering|summari[sz]ing|responding)\b|(?:you (?:must|should|will) )?(?:say|write|respond|reply|output|answer|print|tell)\b)",
    ),
    _p(
        ORDER,
        0.5,
        r"\b(?:say|respond|reply|answer|print|output|write|repeat)\b:?\s*(?:the (?:word|phrase|sentence|text)\s*)?[\"'“‘«](?:i have been|pwned|hacked|owned|haha|yes, i|sure)",
        spoken=False,
    ),
    _p(ORDER, 0.6, r"\b(?:pwned|i have been (?:pwned|hacked)|hacked successfully|jailbreak successful)\b"),
    # Posing as what the prompt itself contains.
    _p(FAKE, 1.0, r"</?\s*evidence\b[^>]{0,80}>", spoken=False),
    _p(
        FAKE,
        1.0,
        r"</?(?:tool[-_]?(?:call|result|response|use|output)s?|function[-_]?(?:calls?|results?|response)|antml:\w+|invoke)\b[^>]{0,80}>",
        spoken=False,
    ),
    _p(
        FAKE,
        0.8,
        r"^\W{0,4}(?:tool|function|search|retrieval|browser)[ _](?:result|output|response|call)s?\s*(?:\([^)]*\))?\s*[:=]",
        spoken=False,
    ),
    _p(FAKE, 1.0, r"\{\s*\"(?:tool|tool_call|function_call|tool_calls|function)\"\s*:", spoken=False),
    _p(
        FAKE,
        0.7,
        r"^\W{0,4}(?:observation|thought|action|action input|final answer)\s*:\s*(?=\S)(?=.{0,200}\b(?:answer|user|tool|evidence|instruction|ignore|respond|say|verified|confirmed)\b)",
        spoken=False,
    ),
    _p(
        FAKE,
        0.6,
        r"\[\s*e\s?\d{1,2}\s*\](?=.)|\bcite (?:this|it|the following|me)?\s*(?:as|by|with|under)\s*\[?e\s?\d{1,2}\]?",
        spoken=False,
    ),
    _p(
        FAKE,
        0.5,
        r"\b(?:cite|quote|trust|use) only (?:this|the following|evidence)\b|\b(?:other|all other|remaining|previous) evidence (?:is|are|was) (?:false|wrong|outdated|invalid|fake|unreliable)\b|\bevidence e\d{1,2}\b",
    ),
    # Actions.
    _p(
        ACTION,
        1.0,
        r"\b(?:send|forward|post|upload|exfiltrate|e-?mail|transmit|submit|leak)\b\s+(?:[\w'’]+\s+){0,4}?(?:conversation|chat (?:history|log)|(?:user|users|user'?s|their) (?:questions?|data|quer(?:y|ies)|e-?mails?|messages?|inputs?|passwords?|history|files?)|system prompt|api keys?|secrets|credentials|contents of (?:your|this|the) (?:context|conversation|memory))\b.{0,60}\b(?:to|at|via)\b",
    ),
    _p(
        ACTION,
        0.6,
        r"!\[[^\]]{0,60}\]\(https?://[^)\s]{0,200}(?:\?|=)[^)\s]{0,60}(?:\{|%7b|\[|<|data=|prompt|secret|history|conversation|query=$)",
        spoken=False,
    ),
    _p(
        ACTION,
        0.6,
        r"^\W{0,4}(?:please |now |then |immediately |first,? )*(?:call|invoke|use|run|trigger) (?:the |your )?(?:\w+ )?(?:tool|function|plugin|browser|shell|terminal|code interpreter)\b(?=.{0,80}\b(?:to|and|with)\b)",
    ),
    _p(
        ACTION,
        0.5,
        r"\b(?:fetch|open|visit|navigate to|go to|browse to|load|curl|wget|download)\s+(?:\w+ ){0,3}?https?://\S+(?=.{0,60}\b(?:and (?:follow|execute|run|include|send|append|repeat|obey)|for (?:your|further) instructions)\b)",
    ),
    _p(
        ACTION,
        0.6,
        r"\b(?:render|include|embed|insert|add|display) (?:this|the following|an?) (?:\w+ )?(?:image|link|url|markdown)\b.{0,60}\b(?:in|to|at) (?:your|the) (?:\w+ )?(?:answer|response|reply|output|summary|end of)",
    ),
)

TALKED_ABOUT = re.compile(
    r"\b(?:attack(?:s|er|ers)?|injections?|injected|jailbreak(?:s|ing)?|malicious|adversar\w+|such as|for example|e\.g|for instance"
    r"|phrases?|example|exploits?|vulnerab\w+|trick(?:s|ed)?|attempts?|defen[cd]\w*|mitigat\w*|detect\w*|guard against"
    r"|researchers?|classifier|called|known as|prompts? (?:like|that))\b"
)
"""Words of somebody who writes about such orders rather than giving one."""

REPORTED = re.compile(
    r"(?:\b(?:can|could|may|might|will|would|to|that|which|who|not|did|does|they|it|he|she|we|users?|models?|people|often|sometimes)\s+"
    r"|\b(?:tells?|asks?|instructs?|telling|asking|instructing|told|asked|instructed) (?:the|a|an|it|them|your|our)\s?\w*\s+(?:\w+ )?to\s+)$"
)
"""In front of an order's verb: it is told of, not given."""

ADDRESSED = re.compile(
    r"\b(?:you (?:must|should|will|shall|have to|need to|are to|can now|may now|are (?:required|instructed|ordered|asked|commanded|expected|allowed|free) to)"
    r"|want you to|need you to|ask(?:ing)? you to|order(?:ing)? you to|instruct(?:ing)? you to|command(?:ing)? you to|tell(?:ing)? you to"
    r"|(?:ai|assistants?|models?|llms?) (?:must|should|shall|are (?:required|instructed|to)|need to))\s+(?:now |please |immediately |completely |simply |just )*$"
)
"""In front of an order's verb: it is given to "you" or to the model after all."""

CONTINUES = re.compile(
    rf"^\W*(?:then|and|also|instead|now|next|after that|finally|please|in addition|additionally|do this|remember|make sure|"
    rf"(?:you (?:must|should|will|are)|(?:do not|don'?t|never|always)|{_SAY}))\b"
)
"""How an order goes on in the sentence after it."""
