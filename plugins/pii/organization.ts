import type { Finder, Found } from '../../src/core/plugin-api.js';
import { COMMON, FAMILY, nameLexicon } from './names/name-lexicon.js';

const WORD = "[A-ZÀ-ÖØ-ÞĀ-ɏ0-9][A-Za-zÀ-ÖØ-öø-ɏ0-9&'.-]{0,24}";
const LEGAL_FORM =
  '(?:Inc|Incorporated|Ltd|Limited|LLC|L\\.L\\.C|LLP|LP|Corp|Corporation|Co|Company|PLC|plc|GmbH|AG|KG|SE|SA|S\\.A|SAS|SARL|BV|B\\.V|NV|Oy|AB|ApS|SpA|S\\.p\\.A|SRL|Srl|Pty|Pvt|Sdn Bhd|z o\\.o|s\\.r\\.o|Kft)';
const KIND =
  '(?:Group|Holdings|Bank|University|Institute|Foundation|Association|Partners|Associates|Technologies|Technology|Systems|Software|Solutions|Consulting|Industries|Insurance|Investments|Capital|Ventures|Airlines|Airways|Motors|Pharmaceuticals|Laboratories|Labs|Networks|Logistics|Entertainment|Studios|Records|Agency|Ministry|Authority|Commission|Council|Society|Union|Hospital|Orchestra)';
const WITH_FORM = new RegExp(`${WORD}(?:,? (?:(?:and|of|&|the) )?${WORD}){0,5}?,? ${LEGAL_FORM}(?![A-Za-z])\\.?`, 'y');
const WITH_KIND = new RegExp(`${WORD}(?: (?:(?:and|of|&) )?${WORD}){0,3}? ${KIND}(?![A-Za-z])`, 'y');
/** Three capitalised words as in "Miller, Smith and Baker": names of partnerships if they are surnames. */
const SURNAMES = /([A-ZÀ-Þ][a-zß-ɏ]{2,20}), ([A-ZÀ-Þ][a-zß-ɏ]{2,20}) and ([A-ZÀ-Þ][a-zß-ɏ]{2,20})(?![A-Za-zÀ-ɏ])/y;

/** Finds firms by their legal form, by a word for the kind of organisation, and by the form of partnership names. */
export function organizationFinder(): Finder<'ORGANIZATION'> {
  return {
    code: 'ORGANIZATION',
    trigger: { on: 'token', token: 'capital' },
    maxLength: 220,
    behind: 12,
    find: findOrganization,
  };
}

function findOrganization(text: string, start: number): Found | undefined {
  if (/[@#/_.'&-]/.test(text[start - 1] ?? '')) return undefined;
  const lexicon = nameLexicon();
  SURNAMES.lastIndex = WITH_FORM.lastIndex = WITH_KIND.lastIndex = start;
  const surnames = SURNAMES.exec(text);
  if (surnames !== null && surnames.slice(1).every((word) => (lexicon(word.toLowerCase()) & ~COMMON) !== 0)) {
    const family = surnames.slice(1).filter((word) => (lexicon(word.toLowerCase()) & FAMILY) !== 0).length;
    if (family > 1 && !/[:,] $|founders/.test(text.slice(Math.max(0, start - 10), start)))
      return { end: start + surnames[0].length, score: 0.6 };
  }
  const formed = WITH_FORM.exec(text);
  if (formed !== null) return { end: start + formed[0].length, score: 0.75 };
  const kind = WITH_KIND.exec(text);
  if (kind === null || lexicon(kind[0].split(' ')[0]!.toLowerCase()) === COMMON) return undefined;
  return { end: start + kind[0].length, score: 0.6 };
}
