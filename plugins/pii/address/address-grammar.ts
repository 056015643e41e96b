/**
 * The parts of postal addresses as sources of regular expressions, based on the Universal Postal Union's "Postal addressing systems" by
 * country and the USPS list of street suffixes (Publication 28, appendix C1). All of them have a bounded length.
 */

const LETTER = 'A-Za-zÀ-ÖØ-öø-ɏ';
/** A capitalised word, or one in capitals. */
const CAPITAL_WORD = `[A-ZÀ-ÖØ-ÞĀ-ɏ][${LETTER}'.-]{0,24}`;
const PARTICLE =
  "(?:de|del|della|delle|dei|di|da|do|dos|das|du|des|la|le|les|el|al|van|von|der|den|het|of|the|am|an|im|zum|zur|und|y|e|nad|na|i|d'|l')";
/** One to six words of which the first is capitalised. */
export const NAME = `${CAPITAL_WORD}(?: (?:${PARTICLE}|${CAPITAL_WORD})){0,5}`;
const SHORT_NAME = `${CAPITAL_WORD}(?: (?:${PARTICLE}|${CAPITAL_WORD})){0,3}`;

const HOUSE = '[0-9]{1,6}[A-Za-z]?(?:[-/][0-9]{1,5}[A-Za-z]?)?';
const HOUSE_AFTER = '[0-9]{1,5}[A-Za-z]?(?:[-/][0-9]{1,4}[A-Za-z]?)?';

const ENGLISH_SUFFIX =
  '(?:Street|St|Str|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Courts|Ct|Square|Sq|Place|Pl|Terrace|Ter|Way|Close|Crescent|Cres|Grove|' +
  'Gardens|Parade|Pde|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Alley|Walk|Mews|Quay|Wharf|Broadway|Loop|Trail|Trl|Turnpike|Bypass|Path|Gate|Hill|Rise|Green|' +
  'Mall|Heights|Crossing|Esplanade|Plaza|Row|Run|Ridge|Bend|Point|Cove|Glen|Hollow|Landing|Meadow|Meadows|Orchard|Park|Pass|Reach|Vale|View|Vista)';
const LEADING_TYPE =
  '(?:[Rr]ue|[Aa]venue|[Aa]v\\.|[Bb]oulevard|[Bb]d|[Pp]lace|[Cc]hemin|[Aa]llée|[Ii]mpasse|[Qq]uai|[Rr]oute|[Vv]ia|[Vv]iale|[Vv]icolo|[Pp]iazza|[Cc]orso|[Ll]argo|[Ss]trada|' +
  '[Cc]alle|C/|[Aa]vda\\.?|[Aa]venida|[Pp]laza|[Pp]aseo|[Cc]arrera|[Cc]arrer|[Rr]úa|[Cc]amino|[Rr]ua|[Tt]ravessa|[Aa]lameda|[Pp]raça|[Ee]strada|[Rr]odovia|' +
  '[Uu]l\\.|[Uu]lica|[Aa]l\\.|[Pp]l\\.|[Oo]s\\.|[Jj]alan|[Jj]l\\.|[Cc]alea|[Bb]ulevardul|[Ss]tr\\.|[Cc]olonia|[Qq]uadra|[Ss]okak)';
/** Endings that turn a word into a street's name. */
const COMPOUND_ENDING =
  '(?:straße|strasse|str\\.|gasse|weg|platz|allee|ring|damm|ufer|graben|laan|straat|dijk|plein|kade|gracht|singel|steeg|baan|markt|' +
  'gade|vej|vænget|gård|vägen|gatan|gränd|torget|byvägen|veien|vei|vegen|gata|gate|plass|bakken|tvollen|katu|kuja|tie|polku|ntie|' +
  'stræti|stræde|braut|vegur|gata|straeti|túni|tún|utca|köz|körút|ulice|náměstí|nábřeží|ulica|cesta|trg|sokak|sokağı|caddesi|bulvarı|mäe|tee|puiestee)';
const TRAILING_TYPE =
  '(?:utca|u\\.|út|útja|tér|tere|krt\\.|körút|rkp\\.|sétány|köz|ulice|ulica|cesta|náměstí|nám\\.|sok\\.|Sk\\.|Cad\\.|Caddesi|Sokak|väg|gata|gate|katu|vei|kapu|fasor)';

export const UNIT =
  '(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Ff]lat|[Ff]loor|[Rr]oom|[Rr]m|[Ww]ohnung|[Bb]ldg|[Bb]uilding|#)\\.? ?#?[A-Z]?[0-9]{1,5}[A-Za-z]?';

/** Postal codes as printed: UPU, addressing systems. */
export const POSTCODE =
  '(?:[0-9]{5}-[0-9]{3,4}|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]|[0-9]{4} ?[A-Z]{2}(?![A-Za-z])|[0-9]{3} [0-9]{2}(?![0-9])|[0-9]{2}-[0-9]{3}|[0-9]{3,6})';

/** Number first: `10 Downing Street`, `221B Baker St`, `12-14 High Road N`. */
export const NUMBER_FIRST = `${HOUSE}(?: [0-9]{1,5})?,? (?:${CAPITAL_WORD} (?:(?:${PARTICLE}|${CAPITAL_WORD}) ){0,4})?${ENGLISH_SUFFIX}(?![${LETTER}])\\.?(?: (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)(?![${LETTER}]))?(?: ${UNIT})?`;
/** The type of street first: `12 rue de la Paix`, `Via Roma 5`, `ul. Długa 7/3`. */
export const TYPE_FIRST = `(?:${HOUSE}(?: [0-9]{1,5})?,? )?${LEADING_TYPE} (?:(?:${PARTICLE}) ){0,2}${NAME}(?:,? (?:n[.°º] ?)?${HOUSE_AFTER})?`;
/** The type inside or after the word, the number last: `Hauptstraße 5`, `Erzsébet tér 19.` */
export const NUMBER_LAST = `(?:${HOUSE} )?(?:(?:${CAPITAL_WORD} ){0,3}[A-ZÀ-ÖØ-ÞĀ-ɏ][${LETTER}'-]{1,28}${COMPOUND_ENDING}|${SHORT_NAME} ${TRAILING_TYPE}) ${HOUSE_AFTER}`;
/** A number on both sides of non-English words: a lot or post box number, then street and house number. */
export const NUMBERS_AROUND = `[0-9]{2,6} (${NAME}) [0-9]{1,5}[A-Za-z]?(?![0-9.,]{0,2}[0-9])`;
/** Post boxes, and the boxes and ships of US forces (USPS Publication 28, section 29). */
export const BOX =
  '(?:P\\.? ?O\\.? ?Box|Post ?[Bb]ox|Postfach|Casella Postale|Apartado|Boîte Postale|BP) [0-9]{1,7}|(?:PSC|CMR|[Uu]nit|UNIT|psc|cmr) [0-9]{1,5},? [Bb](?:ox|OX) [0-9]{1,5}(?:[ ,\\n]{1,4}[AFDafd][Pp][Oo] [Aa][AEPaep] [0-9]{5})?|US(?:S|NS|NV|CGC) [A-ZÀ-Þ][' +
  LETTER +
  "'-]{1,24}[ ,\\n]{1,4}[AFD]PO A[AEP] [0-9]{5}|[AFD]PO A[AEP] [0-9]{5}";
/** Two streets: `the corner of Main Street and 5th Avenue`. */
export const CORNER = `[Tt]he corner of (?:${HOUSE} )?${NAME}(?: [0-9]{1,5}[A-Za-z]?)?\\.?(?: [Ss]t\\.?)? and (?:${HOUSE} )?${NAME}(?: [0-9]{1,5}[A-Za-z]?)?`;
