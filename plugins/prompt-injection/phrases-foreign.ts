import { raw, type PhrasePattern } from './phrase.js';

const CODE = 'instruction_override';
/** The end of a clause in most scripts. */
const UP_TO = String.raw`[^.!?\n]`;

function override(literals: readonly string[], source: string, before = 0): PhrasePattern {
  return raw(CODE, 0.9, literals, new RegExp(source.replaceAll('~', UP_TO), 'i'), before);
}

/**
 * Idioms for "pay no attention to the previous instructions" in languages of Europe, Asia and Africa, on text without accents. Each names
 * the instructions and says that they are earlier ones; `~` is a character of the same clause.
 */
export const FOREIGN_PHRASES: readonly PhrasePattern[] = [
  override(
    ['caso omiso', 'hagas caso', 'haga caso', 'hagan caso', 'no sigas', 'no siga', 'por alto'],
    String.raw`(?:caso omiso (?:de|a)|no (?:hagas|haga|hagan) caso (?:de|a)|no (?:sigas|sigan|siga)|(?:pasa|pase|pasar) por alto)\s~{0,40}?(?:instruccion|ordenes|reglas|indicaciones)~{0,24}?(?:anterior|previ|de arriba|inicial|recibid)`,
    8,
  ),
  override(
    ['compte', 'abstraction', 'ne suivez', 'ne suis pas', 'ne respecte'],
    String.raw`(?:ne (?:tenez|tiens|tenir) (?:pas|plus|aucun) compte|fai(?:tes|s) abstraction|ne (?:suivez|suis|respectez|respecte) (?:pas|plus))\s~{0,40}?(?:instruction|consigne|directive|ordre|regle)~{0,24}?(?:precedent|anterieur|ci-dessus|initial|recu)`,
    24,
  ),
  override(
    ['beachte', 'befolge', 'lass', 'setz'],
    String.raw`(?:beachten?|befolgen?)\s~{0,24}?(?:vorherig|vorigen|bisherig|obigen|fruheren|ursprunglich)[a-z]{0,3}\s(?:anweisung|vorgabe|instruktion|regel|befehl)[a-z]{0,4} (?:nicht|nicht mehr)|(?:lass|lassen sie|setze? dich uber|setzen sie sich uber)\s~{0,24}?(?:vorherig|vorigen|bisherig|obigen|fruheren|ursprunglich)[a-z]{0,3}\s(?:anweisung|vorgabe|instruktion|regel|befehl)[a-z]{0,4} (?:au(?:ss|ß)er acht|beiseite|hinweg)`,
  ),
  override(
    ['non tenere', 'non tener', 'non considerare', 'non seguire', 'non badare'],
    String.raw`non (?:tenere|tener|considerare|seguire|badare)\s~{0,40}?(?:istruzion|regole|indicazion|ordini)~{0,24}?(?:precedent|sopra|inizial|ricevut)`,
  ),
  override(
    ['nao siga', 'nao sigas', 'nao considere', 'nao obedeca', 'em conta'],
    String.raw`(?:nao (?:sigas?|considere|obedeca)|nao leve em conta)\s~{0,40}?(?:instruco|regras|ordens|orientaco)~{0,24}?(?:anterior|previ|acima|inicia|recebid)`,
    12,
  ),
  override(
    ['se bort fra', 'bortse fran', 'bortse ifran', 'ignorer'],
    String.raw`(?:se bort fra|bortse i?fran|ignorer)\s~{0,24}?(?:tidligere|forrige|foregaende|ovenstaende|tidigare)\s~{0,24}?(?:instruks|instruktion|regler|ordre)`,
  ),
  override(
    ['huomiotta', 'huomioimatta', 'ala noudata'],
    String.raw`(?:jata huomi(?:otta|oimatta)|ala noudata)\s~{0,24}?(?:aiem|edelli|ylla)~{0,16}?(?:ohje|kask|maarays)`,
    8,
  ),
  override(
    ['figyelmen kivul'],
    String.raw`figyelmen kivul\s~{0,24}?(?:korabbi|elozo|fenti)~{0,16}?(?:utasitas|szabaly|iranyelv)|(?:korabbi|elozo|fenti)~{0,16}?(?:utasitas|szabaly|iranyelv)~{0,24}?figyelmen kivul`,
    64,
  ),
  override(
    ['zanemari', 'ignorisi', 'ignoriraj', 'prezri', 'занемари', 'игнориши', 'игнорира'],
    String.raw`(?:zanemari|ignorisi|ignoriraj|prezri)(?:te)?\s~{0,16}?(?:preth?odn|ranij|prejsnj)~{0,16}?(?:uput|instrukc|pravil|naredb|nalog|navodil)|(?:занемари|игнориши|игнорира[ийј])(?:те)?\s~{0,16}?(?:претходн|раниј|предишн|предходн)~{0,16}?(?:инструкц|упутств|указани|правил|нареди)`,
  ),
  override(
    ['nie zwracaj', 'nie stosuj', 'ignoruok', 'nepaisyk', 'ignore visas', 'eira '],
    String.raw`nie (?:zwracaj uwagi na|stosuj sie do)\s~{0,16}?(?:poprzedni|wczesniejsz|powyzsz)~{0,16}?(?:instrukc|polecen|zasad)|(?:ignoruok|nepaisyk)\s~{0,16}?ankstesn~{0,16}?(?:instrukcij|nurodym)|ignore visas iepriekse~{0,16}?(?:instrukcij|noradij)|eira\s~{0,16}?(?:eelneva|varasema)~{0,16}?(?:juhis|kask)`,
  ),
  override(
    ['yoksay', 'dikkate alma', 'hesaba katma'],
    String.raw`(?:onceki|yukaridaki)~{0,24}?(?:talimat|komut|kural|yonerge)~{0,16}?(?:yoksay|dikkate alma|hesaba katma)`,
    64,
  ),
  override(
    ['نادیده', 'نظر انداز', 'نظرانداز', 'भूल', 'अंदाज'],
    String.raw`(?:دستور|راهنما)~{0,24}?(?:قبلی|پیشین|بالا)~{0,16}?نادیده|(?:ہدایات|احکامات)~{0,16}?نظر ?انداز|(?:पिछल|पूर्व)~{0,12}?(?:निर्देश|नियम|आदेश)~{0,16}?अंदाज`,
    64,
  ),
  override(
    ['puuza', 'புறக்கணி'],
    String.raw`puuza\s~{0,16}?(?:maagizo|maelekezo)~{0,24}?(?:yaliyotangulia|ya awali|yaliyopita)|(?:முந்தைய)~{0,16}?(?:வழிமுறை|அறிவுறுத்த|கட்டளை)~{0,16}?புறக்கணி`,
    64,
  ),
  override(
    ['ignoreeri', 'ignore visus', 'hunsa', 'neamhaird', 'ignoru'],
    String.raw`ignoreeri(?:ge)?\s~{0,16}?(?:varasema|eelneva|eelmis)~{0,16}?(?:juhis|kask)|ignore visus iepriekse~{0,16}?noradij|hunsa(?:ðu|du)?\s~{0,16}?(?:fyrri|undangengn)~{0,16}?(?:lei[dð]bein|fyrirm)|neamhaird\s~{0,12}?treoracha~{0,12}?roimhe|ignoru\s~{0,12}?antau~{0,8}?instrukci`,
  ),
  override(
    ['უგულებელ', 'անտես', 'елеме', 'ескерме', 'విస్మరించ', 'ችላ', 'दुर्लक्ष'],
    String.raw`უგულებელ\S{0,4}\s~{0,16}?წინა~{0,12}?(?:ინსტრუქცი|მითითებ|ბრძანებ|წესებ)|անտես\S{0,3}\s~{0,16}?նախորդ~{0,12}?(?:հրահանգ|ցուցում|հրաման|կանոն)|алдын\S{0,4}\s~{0,24}?(?:нус|нұс|ереже)~{0,16}?(?:елеме|ескерме)|(?:మునుపటి|మునుపట)~{0,24}?(?:సూచన|ఆదేశ)~{0,16}?విస్మరించ|ቀዳሚ~{0,16}?መመሪያ~{0,12}?ችላ|मागील~{0,16}?सूचना~{0,12}?दुर्लक्ष`,
    64,
  ),
];
