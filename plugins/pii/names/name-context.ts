/** Words before and after a name. Each expression is matched against at most forty adjacent units. */

export const TITLE =
  /(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Mister|Dr|Doctor|Prof|Professor|Sir|Dame|Lord|Lady|Rev|Fr|Judge|Justice|Officer|Sgt|Capt|Captain|Lt|Col|Gen|Sen|Rep|Gov|President|Senator|Herr|Frau|Monsieur|Mme|Mlle|Madame|Señora?|Sra?|Signora?|Sig|Dona?)\.? {1,2}$/;

/** Words after which a name is more likely than elsewhere. */
export const CUE =
  /(?:\b(?:name is|name's|called|I am|I'm|i'm|this is|says|said|told|asked|thanks|thank you|dear|hi|hello|hey|meet|met|by|with|and|under|add|for|wrote|author|contact|manager|attn|friend|boss|Dear|Hi|Hello|Hey|Thanks|Regards|Best|Cheers|including)|[,:>])\s{1,6}$/;

/** Words that are almost always followed by a name. */
export const STRONG_CUE =
  /(?:\b(?:[Nn]ame is|[Nn]ame's|named|[Cc]all (?:me|him|her)|says|said|told|asked|Dear|signed|[Ss]incerely,|[Rr]egards,|Cheers,|[Ff]ounders?:|assistant to|married|widow of|son of|daughter of|brother|sister|wife|husband|spouse|colleague|co-worker|neighbou?r|beneficiary|on behalf of|attention of|tribute to|novels? by|written by|directed by|starring)|\b(?:[Ff]ull |[Ff]irst |[Ll]ast |[Cc]ustomer |[Pp]atient |[Uu]ser |[Cc]lient |[Ee]mployee |[Cc]ontact |[Aa]ccount ?[Hh]older |[Pp]assenger |[Gg]uest )?[Nn]ame\s{0,2}:)\s{1,6}$/;

/** Verbs of people's actions directly after a name. */
export const AFTER_A_PERSON =
  /^(?:'s [a-z]| (?:said|says|told|asked|wrote|writes|replied|noted|added|explained|thinks|thought|believes|works|worked|lives|lived|was born|is a|was a|has|had|will|would|began|started|spent|joined|called|emailed|sent|asks|wants|needs|likes|loves|went|came|himself|herself)\b|, (?:who|whose|aged?|\d\d)\b)/;

/** Words before a place's name: the next word is then part of the place. */
export const PLACE_PREFIX =
  /(?<![A-Za-z])(?:New|San|Santa|Santo|São|Los|Las|El|St|Saint|Sainte|Fort|Port|Mount|Mt|Lake|Cape|North|South|East|West|Northern|Southern|Eastern|Western|Upper|Lower|Great|Puerto|Rio|Villa|Bad|Le|La)\.? $/;

/** A house number or a word for "street" right before: the word names a street. */
export const IN_AN_ADDRESS =
  /(?:\d[,.]? {1,2}|(?<![A-Za-zÀ-ɏ])(?:[Rr]ua|[Rr]ue|[Vv]ia|[Vv]iale|[Vv]icolo|[Pp]iazza|[Aa]vda\.?|[Aa]venida|[Aa]v\.|[Cc]alle|[Rr]úa|[Cc]arrer|[Pp]laza|[Uu]l\.|[Aa]l\.|[Aa]venue du|[Aa]venue de|[Cc]orner of|[Cc]hemin|[Pp]lace|[Aa]llée|[Uu]lica|[Bb]ulvar|USS|USNS|USNV|USCGC) )$/;

/** Words that follow a street, a company or a product and not a person. */
export const NOT_A_PERSON_AFTER =
  /^(?:,? (?:Inc|Ltd|LLC|Corp|Co|GmbH|AG|PLC|plc|LP|LLP|SA|SE|NV|BV)\b|(?:['-]s?)? (?:St|Street|Str|Ave|Avenue|Road|Rd|Lane|Ln|Drive|Boulevard|Blvd|Court|Courts|Ct|Square|Squares|Place|Plaza|Way|Park|Hill|Hills|River|Lake|Bay|Beach|Island|Islands|Bridge|Hotel|Hospital|Airport|Station|University|College|School|Institute|Museum|Theatre|Theater|Church|Bank|Group|Holdings|Company|Corporation|Foundation|Orchestra|Award|Prize|County|Country|City|Town|Valley|Mountains?|Ocean|Sea|Desert|Province|District|Insurance|Technologies|Systems|Software|Solutions|Services|Partners|Associates|Industries|Consulting|Capital|Ventures|Media|Labs|Studios|Records|Motors|Airlines|Economic|Political|Investments|Stanley|Terrace|Gate|Gates|Mall|Union|Trail|Pass|Coves?|Harbor|Rapids|Loop|Prairie|Bypass|Greens?|Dam|Mill|Flats?|Suite|Apt|str|utca|[uú]t|tér|News|Tower|Restaurant|Effect|Theorem|Method|Test|Model|Law|Principle|Algorithm|Code|API|Platform|Protocol|Attack|Release|Framework|Library|Studio|Cloud|Server)\b| \d|[/_@=(]|\.[a-z]|::|-[a-z0-9])/;
