/** Styles with which a text is not shown, but not the colours of its background or the widths of its margins. */
export const UNSEEN = String.raw`(?<![\w-])(?:opacity\s?:\s?0(?![.\d]{0,4}[1-9])|visibility\s?:\s?hidden|color\s?[:=]\s?["']?(?:#fff(?:fff)?|white|transparent)\b|(?:left|top|text-indent)\s?:\s?-\d{3,5}|font-size\s?:\s?1px|(?:height|width)\s?:\s?0(?![.\d]))`;
