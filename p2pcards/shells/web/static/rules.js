// The rules of the game at hand: the Markdown that the server keeps, as elements. Reads headings,
// paragraphs, lists, tables, code and emphasis, which is all that the rules use; text stays text.

import { el } from './dom.js';
import { gameTitle, page } from './page.js';
import { say } from './words.js';

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/;

export async function fetchRules(game, then) {
  const key = `${game} ${page.hello.lang}`;
  if (page.rules.has(key)) return;
  page.rules.set(key, '');
  const answer = await fetch(`rules/${encodeURIComponent(game)}`);
  page.rules.set(key, answer.ok ? await answer.text() : '');
  then();
}

export function rulesSheet({ screen, draft, hello }) {
  const game = screen?.game ?? draft?.game;
  if (!game) return null;
  const text = page.rules.get(`${game} ${hello.lang}`) ?? '';
  return {
    title: gameTitle(game),
    sub: say('page.rules'),
    body: el(
      'div',
      { class: 'prose', data: { memo: `${game} ${hello.lang} ${text.length}` } },
      markdown(text),
    ),
  };
}

function markdown(text) {
  return text
    .replaceAll('\r', '')
    .split(/\n{2,}/)
    .filter((block) => block.trim())
    .map(blockOf);
}

function blockOf(block) {
  const lines = block.split('\n').filter((line) => line.trim());
  const heading = /^(#{1,6})\s+(.*)$/.exec(lines[0]);
  if (heading)
    return [
      heading[1].length === 1
        ? null
        : el(`h${Math.min(heading[1].length + 1, 6)}`, {}, inline(heading[2])),
      ...(lines.length > 1 ? [blockOf(lines.slice(1).join('\n'))] : []),
    ].flat();
  if (/^\s*([*-]|\d+\.)\s/.test(lines[0])) return listOf(lines);
  if (lines[0].startsWith('|')) return tableOf(lines);
  if (/^( {4}|```)/.test(lines[0]))
    return el('pre', {}, lines.filter((line) => !line.startsWith('```')).join('\n'));
  return el('p', {}, inline(lines.join(' ')));
}

function listOf(lines) {
  const items = [];
  for (const line of lines) {
    const start = /^\s*(?:[*-]|\d+\.)\s+(.*)$/.exec(line);
    if (start) items.push(start[1]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return el(
    /^\s*\d/.test(lines[0]) ? 'ol' : 'ul',
    {},
    items.map((item) => el('li', {}, inline(item))),
  );
}

function tableOf(lines) {
  const cells = (line) =>
    line
      .replace(/^\||\|\s*$/g, '')
      .split('|')
      .map((cell) => cell.trim());
  const [head, ...rows] = lines.filter((line) => !/^\|[\s:|-]+$/.test(line)).map(cells);
  return el(
    'table',
    {},
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        head.map((cell) => el('th', { scope: 'col' }, inline(cell))),
      ),
    ),
    el(
      'tbody',
      {},
      rows.map((row) =>
        el(
          'tr',
          {},
          row.map((cell) => el('td', {}, inline(cell))),
        ),
      ),
    ),
  );
}

function inline(text) {
  return text.split(INLINE).map((piece) => {
    if (piece.startsWith('`') && piece.length > 1) return el('code', {}, piece.slice(1, -1));
    if (piece.startsWith('**') && piece.length > 4) return el('b', {}, piece.slice(2, -2));
    if (piece.startsWith('*') && piece.length > 2) return el('i', {}, piece.slice(1, -1));
    return piece;
  });
}
