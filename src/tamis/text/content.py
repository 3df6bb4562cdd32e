"""The words of a question that name what it is about, as somebody wrote them.

Search drops English function words alone, because its stems are English. What is *shown* to a person must not list the
small words of other languages either, nor lose their accents.
"""

from __future__ import annotations

import re
import unicodedata

from tamis.text.tokens import is_stop, words

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_POSSESSIVE = ("'s", "’s")
_SMALL = frozenset(
    """
    able actually almost along already also although always among another anybody anyone anything anyway away best
    better can't cannot certain come comes could couldn't didn't doesn't don't done either else enough especially etc
    even ever every everyone everything exactly find gets getting give gives given going gone got happen happens
    haven't hello help however i'm i've i'd i'll isn't it's keep know less let like likely little lot lots made make
    makes making many may maybe me mean means might much must near nearly need needed needs neither never nobody none
    nothing often one ones otherwise ought per perhaps please possible probably quite rather really refer refers right
    said say says see seem seems shall shouldn't show since someone something sometimes soon still sure take takes tell
    thank thanks though thus together too toward towards try two unless upon us use used using usually via want wants
    was wasn't way ways well went whatever whether whose within without won't wonder would wouldn't yes yet you're

    ab aber als alle allem allen aller alles am an andere anderen auch auf aus bei beim bin bis bist bitte da damit
    dann darf das dass dazu dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch
    dort du durch ein eine einem einen einer eines er es etwas euch euer fur ganz geben geht gegen gibt habe haben hat
    hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes
    kann kein keine keinem keinen konnen konnte lange machen macht man mehr mein meine meinem meinen meiner mich mir
    mit muss mussen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich
    sie sind so soll sollen sollte sollten sondern steht stehen uber um und uns unser unsere unter viel viele vielen
    vom von vor wann war waren warum was wegen weil welche welchem welchen welcher welches wem wen wenig wenn wer
    werde werden weshalb wie wieder wieso wieviel will wir wird wo wohin woher wurde wurden zu zum zur zwischen

    ai ainsi alors apres au aucun aussi autre aux avant avec avez avoir avons car ce ceci cela celle celui ces cet
    cette chez comment dans de depuis des dois doit donc dont du elle elles en encore entre est et etait ete etes etre
    eu fait faire faut il ils je jusqu la le les leur leurs lors ma mais mes moi moins mon ne nos notre nous on ont ou
    par parce pas peu peut peux plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi sa sans se
    sera ses si son sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une vers voici voila vos votre
    vous c'est d'un d'une est-ce l'on n'est qu'est qu'il s'il y

    al algo algun alguna ante antes aqui asi aun aunque cada como con contra cual cuales cuando cuanto cuanta cuantos
    cuantas del desde donde dos el ella ellas ellos era eran esa ese eso esta estaba estan estar estas este esto estos
    estoy fue fueron ha habia han hasta hay hacer hace los las mas me mi mis mucho muy nada ni no nosotros nuestra
    nuestro o os otra otro para pero poco por porque pueda puede pueden puedo quien quienes ser si sin sobre solo soy
    su sus tambien tan tanto tengo tiene tienen todo todos tras tus una unas uno unos usted ustedes ya yo

    ad agli ai al alla alle allo anche ancora che chi ci cio cioe coi col come cosa cosi cui da dai dal dalla dalle
    dallo degli dei del della delle dello di dopo dove e ed era erano essere fa fare fatto fino fra gia gli ha hai
    hanno ho io lei li lo loro lui mi mia mio molto ne negli nei nel nella nelle nello no noi non o ogni per perche
    piu poi possiamo posso puo qual quale quali quando quanta quante quanti quanto quella quelle quelli quello questa
    queste questi questo se sei senza si sia siamo sono sta stata stato su sugli sui sul sulla sulle suo sua tra tutti
    tutto un una uno vi voi

    aan als alleen altijd bij daar dan dat deze die dit dus een en er gaan geen haar had heb hebben heeft hem het hij
    hoe hoeveel hun iets ik in is ja jij jou jouw kan kunnen maar meer men met mij mijn moet moeten na naar niet niets
    nog nu of om onder ons onze ook op over te tegen toch toen tot uit van veel voor waar waarom wanneer want was wat
    we wel welk welke werd wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou

    a ao aos as com como da das de depois do dos e ela eles em entre era essa esse esta este eu foi isso isto ja lhe
    mais mas mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos
    por porque pode posso qual quais quando quanto quantos que quem sao se sem ser seu sua so tambem te tem tenho um
    uma umas voce voces
    """.split()
)
"""Folded function words and the commonest verbs of English (beyond `tokens.is_stop`), German, French, Spanish, Italian,
Dutch and Portuguese."""


def content_words(text: str) -> dict[str, str]:
    """The words that carry a topic, each once, in order.

    Args:
        text: a question in any language.

    Returns:
        Folded word (as `tokens.words` gives it) → as written, accents and capitals kept, a possessive ``'s`` left out.
    """
    found: dict[str, str] = {}
    for written in _WORD.findall(unicodedata.normalize("NFC", text)):
        for folded in words(written)[:1]:
            if not is_stop(folded) and folded not in _SMALL:
                shown = written[:-2] if written.lower().endswith(_POSSESSIVE) else written
                found.setdefault(folded, shown)
    return found
