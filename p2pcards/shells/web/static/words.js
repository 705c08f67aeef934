// Words for people: the catalogue that came with `hello`, and how a code with arguments becomes text.
// A template puts in values (`{name}`), plural forms (`{n:trick|tricks}`, in which values may stand again)
// and emphasis (`**x**`); an argument may itself be words, a seat, a card, a suit or a rank. A code that is missing shows itself.
// Arguments are text whatever is in them: emphasis and placeholders are read from templates only.

import { el } from './dom.js';

const PIECE = /\*\*|\{(\w+)(?::((?:[^{}]|\{\w+\})*))?\}/g;
// control characters, and those that turn the direction of the text around them
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const spoken = {
  catalogue: {},
  language: 'en',
  plural: null,
  list: null,
  number: null,
  seats: [],
  gnav: false,
};

export function learn(catalogue, language) {
  Object.assign(spoken, {
    catalogue,
    language,
    plural: new Intl.PluralRules(language),
    list: new Intl.ListFormat(language, { type: 'conjunction' }),
    number: new Intl.NumberFormat(language),
  });
}

// Whose names stand for `{seat}`, and which pack `{card}` is from, until the next screen.
export function introduce(names, gnav) {
  spoken.seats = names.map(clean);
  spoken.gnav = gnav;
}

export function has(code) {
  return Object.hasOwn(spoken.catalogue, code);
}

// All codes of the catalogue that begin so, in its order.
export function codes(beginning) {
  return Object.keys(spoken.catalogue).filter((code) => code.startsWith(beginning));
}

export function clean(text) {
  return String(text).replace(UNSEEN, '');
}

// Plain text of a code, or of words ({code, args}), a string or a number.
export function say(words, args) {
  const message =
    typeof words === 'string' && args === undefined
      ? { code: words }
      : typeof words === 'string'
        ? { code: words, args }
        : words;
  return pieces(message)
    .map(([text]) => text)
    .join('');
}

// The same as nodes, with emphasis. A sentence begins with a capital, unless with somebody's name.
export function rich(words) {
  const begun = pieces(words).filter(([text]) => text !== '');
  return begun.map(([text, strong, verbatim], i) => {
    const words =
      i === 0 && !verbatim
        ? text.charAt(0).toLocaleUpperCase(spoken.language) + text.slice(1)
        : text;
    const shown = verbatim ? el('bdi', {}, words) : words;
    return strong ? el('b', {}, shown) : shown;
  });
}

// A value of a document that may be words, a string or a number, as text.
export function value(thing) {
  if (thing === null || thing === undefined) return '';
  return typeof thing === 'object' ? say(thing) : clean(thing);
}

function pieces(words) {
  if (words === null || words === undefined) return [];
  if (typeof words !== 'object') return [[clean(words), false]];
  const out = [];
  put(words, false, out);
  return out;
}

function put({ code, args = {} }, strong, out) {
  if (code) pour(templateOf(code), args ?? {}, strong, out);
}

function pour(template, args, strong, out) {
  let from = 0;
  let bold = strong;
  for (const match of template.matchAll(PIECE)) {
    if (match.index > from) out.push([template.slice(from, match.index), bold]);
    from = match.index + match[0].length;
    if (match[0] === '**') bold = !bold;
    else if (match[2] !== undefined)
      pour(form(args[match[1]], match[2].split('|')), args, bold, out);
    else fill(args[match[1]], bold, out);
  }
  if (from < template.length) out.push([template.slice(from), bold]);
}

// The words of a code, or of its branch (`malformed.size`, `malformed`), or the code itself.
function templateOf(code) {
  for (let branch = code; branch; branch = branch.slice(0, Math.max(branch.lastIndexOf('.'), 0))) {
    if (has(branch)) return spoken.catalogue[branch];
  }
  return code;
}

// The plural form for a number: the forms are given in the order of the language's categories, the last one is "other".
function form(number, forms) {
  const categories = spoken.plural.resolvedOptions().pluralCategories;
  const order = ['zero', 'one', 'two', 'few', 'many', 'other'].filter((name) =>
    categories.includes(name),
  );
  const at = order.indexOf(spoken.plural.select(counted(number)));
  return forms[Math.min(Math.max(at, 0), forms.length - 1)];
}

// A number, also one that is spelled out (`number.3`).
function counted(argument) {
  return Number(
    argument?.code?.startsWith('number.') ? argument.code.slice('number.'.length) : argument,
  );
}

function fill(argument, strong, out) {
  if (argument !== null && typeof argument === 'object' && 'code' in argument)
    put(argument, strong, out);
  else out.push([text(argument), strong, isName(argument)]);
}

function isName(argument) {
  return (
    typeof argument === 'string' ||
    Boolean(argument && typeof argument === 'object' && 'seat' in argument)
  );
}

function text(argument) {
  if (argument === null || argument === undefined) return '';
  if (typeof argument === 'number') return spoken.number.format(argument);
  if (typeof argument !== 'object') return clean(argument);
  if (Array.isArray(argument)) return spoken.list.format(argument.map(text));
  const [[kind, content]] = Object.entries(argument);
  switch (kind) {
    case 'seat':
      return spoken.seats[content] ?? '';
    case 'card':
      return cardName(content);
    case 'suit':
      return say(`suit.${content}`);
    case 'rank':
      return say(`rank.${content}`);
    case 'code':
      return say(argument);
    default:
      return several(kind, content);
  }
}

// {"seats": [..]}, {"cards": [..]}: the same kinds in the plural, as a list.
function several(kind, content) {
  if (!Array.isArray(content)) return clean(content);
  return spoken.list.format(content.map((item) => text({ [kind.replace(/s$/, '')]: item })));
}

export function cardName(face, gnav = spoken.gnav) {
  if (gnav) return say(`gnav.${face}`);
  if (face[0] === 'X') return say('card.X');
  return say('card', { rank: { rank: face[0] }, suit: { suit: face[1] } });
}
