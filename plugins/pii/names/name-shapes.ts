/** Endings that mark a word as a surname in some language and that hardly any English word has. */
const SURNAME_ENDINGS =
  /(?:sson|sdóttir|dottir|[a-z]sen|ov|ova|eva|[bdgjklmnrtvz]ev|sk[iýá]|ski|cki|dzki|wicz|czyk|czak|[aeiou][nkrlv]ić|[vn]ić|vić|ovich|evich|enko|chuk|shvili|adze|idze|oğlu|escu|eanu|opoulos|[iy]dis|akis|inen|berg|bergh|stein|baum|feld|[a-z]{3}mann|hauser|huber|meyer|meier|maier|bauer|gren|[a-z]qvist|quist|lund|ström|strøm|holm|gaard|gård|[a-z]dahl|elli|etti|ucci|accio|iello|[a-z]{3}smith|wright|moto|mura|yama|kawa|shima|hashi|zaki|saki|guchi|uchi)$/;

/** Whether a lower-case word looks like a surname. */
export function isSurnameShape(word: string): boolean {
  return word.length > 4 && SURNAME_ENDINGS.test(word);
}

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Given names that word lists contain as words, but that are names whenever they are capitalised. */
export const PLAIN_NAMES: ReadonlySet<string> = list(`
  abby adam adrian agatha al alan albert alec alex alfred ali alice amy andrea andrew andy angela ann anna anne annie anthony arthur ben benedict benjamin
  bernard bert beth betty bill billy bob bobby brad brandy brian bruce carol caroline charles charlie chloe christopher claire
  claude clifford colin connie craig curtis cynthia daniel danny dave david deb deborah debra dennis derek derrick diana dick don
  donald donna doris dorothy douglas doug ed eddie eddy edgar edmund edward edwin elaine eleanor elizabeth ella ellen elmer emily emma eric erik
  ernest ethan eugene eva evan evelyn frances francis frank fred frederick gary gene geoffrey george gerald gilbert gina glen glenn gloria gordon
  greg gregory guy hannah harold harry harriet heather helen henry herbert howard hugh ian ida irene isaac isabel jack jacob jake james jamie jane janet
  janice jason jay jean jeff jeffrey jennifer jenny jeremy jerry jessica jim jimmy joan joanna joe joel joey john johnny jonathan joseph josephine josh joshua
  joyce juan judith judy julia julie julian justin karen kate katherine kathleen kathy katie keith kelly ken kenneth kevin kim kimberly kirk kyle larry
  laura lauren laurence lawrence leo leon leonard leslie lewis linda lisa liz louis louise lucas lucy luke lynn madeleine marcus margaret maria marian marie
  marilyn mario marion mark martha martin marvin mary matt matthew maurice megan melissa michael michelle mick mike mildred mitchell molly monica morgan
  nancy natalie nathan ned neil nicholas nick nicole nigel noah noel nora norman oliver oscar pamela pat patricia patrick paul paula pauline peggy perry pete peter
  phil philip phillip phyllis polly rachel ralph randy raymond rebecca rex richard rick robert robin rodney roger roland ron ronald ronnie rosemary roy
  russell ruth ryan sally sam samantha samuel sandra sandy sarah scott sean seth sharon shaun shawn sheila shirley sidney simon sophie stanley stella stephanie stephen steve steven
  stewart stuart susan susie sue suzanne sylvia ted teddy teresa terry theodore theresa thomas tim timothy tina todd tom tommy tony tracy trevor valerie vanessa
  vera vernon victor vincent vivian walter warren wayne wendy wesley wilfred william willy yvonne zoe christina crystal harvey colleen carmen dwayne
`);

/** Degrees and generational suffixes: they can end a name but are not names. */
export const SUFFIXES: ReadonlySet<string> = list('jr sr ii iii iv phd md dds esq mba bsc msc ba ma rn cpa dvm jd');

/** Capitalised words that are in name lists or look like names, but usually mean something else. */
export const NOT_A_NAME: ReadonlySet<string> = list(`
  monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
  mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
  java javascript typescript python ruby rust kotlin swift perl scala lua dart haskell elixir erlang fortran cobol pascal delphi
  docker kubernetes jenkins apache nginx oracle redis kafka cassandra django laravel symfony angular react vue svelte jquery eslint
  windows linux ubuntu debian fedora android chrome firefox safari edge opera mozilla google amazon apple microsoft facebook meta twitter
  instagram youtube netflix spotify uber tesla intel nvidia samsung sony nokia siemens bosch toyota honda ford nissan mazda volvo ferrari
  lamborghini porsche boeing airbus walmart costco adidas puma tableau gemini claude alexa cortana siri bard llama mistral kelvin celsius
  json xml html css http https sql api url uri uuid jwt oauth ajax csrf xss cors owasp saml ldap yaml ascii utf unicode
  christian muslim jewish hindu buddhist catholic islam judaism bible quran torah jesus christ god satan buddha allah nazi
  english german french spanish italian portuguese dutch russian chinese japanese korean american british european african asian indian
  polish czech slovak slovenian croatian serbian romanian bulgarian hungarian danish swedish norwegian finnish greek turkish ukrainian
  australian canadian mexican brazilian argentinian egyptian iranian iraqi israeli victorian ottoman roman persian newtonian
  london paris berlin madrid rome vienna prague warsaw lisbon dublin athens moscow tokyo beijing shanghai delhi mumbai sydney melbourne
  toronto montreal vancouver boston chicago dallas houston denver seattle austin phoenix philadelphia miami atlanta orlando detroit
  venice milan naples geneva zurich munich hamburg cologne frankfurt oxford cambridge manchester liverpool birmingham glasgow chelsea
  edinburgh cardiff belfast california texas florida virginia georgia carolina dakota montana nevada arizona colorado alabama indiana
  washington columbus york angeles francisco diego antonio jose hayward fremont warwick adelaide trinidad victoria hollywood britain britian
  america europe africa asia australia canada mexico brazil argentina chile peru colombia cuba jamaica israel lebanon iran iraq
  syria egypt morocco algeria tunisia kenya nigeria ghana ethiopia somalia sudan china japan korea vietnam thailand malaysia singapore
  indonesia philippines india pakistan bangladesh nepal turkey russia ukraine poland germany france spain italy portugal greece sweden
  norway finland denmark iceland ireland england scotland wales netherlands holland belgium austria switzerland hungary romania
  bulgaria serbia croatia slovenia slovakia estonia latvia lithuania belarus moldova albania macedonia bosnia kosovo cyprus malta illinois
  street avenue road lane drive boulevard court square park hill river lake mountain beach island bridge hotel hospital university
  inc ltd llc corp gmbh company bank group holdings foundation institute association committee department ministry agency council mayor sen
  error warning info debug true false null none undefined boolean string number object array function class return import export const
  todo note see also example usage section chapter figure table appendix step part version release key token hello hi hey dear thanks
  yes okay the this that these those when where what who how why but and not for with from into your our their his her its you they
  man woman boy girl sir madam mom dad uncle aunt kids santa bitcoin ethereum covid nasa fifa uefa nato
  min max avg sum len str int char bool var val arg args param params ctx req res err msg cfg env src dst tmp usr bin lib dev opt etc
  sie ihr ihre ihren der die das und ist nicht mit von zu auf ein eine den dem des wir ich du er es esta este ese eso ver por para los las una
  uno con sin que del como más pero muy todo todos le la les des une du est pour dans avec sur pas qui nous vous ils elle il lo gli che di da
  per non sono questo questa het een van niet dat deze uw yeni bir ve bu için ile clair claro nan post mac tate
  ai ml ui ux id ip os db vm pc tv uk us eu un it hr pr qa ceo cto cfo
`);
