// The keyboard: walking the hand, choosing and playing, one letter for each button and sheet, F6 from
// region to region. Single letters can be switched off; nothing happens while somebody types.

import { playing, plays } from './choosing.js';
import { focusable } from './dom.js';
import { chooseCard, playChosen, sortStep, takeBack } from './moves.js';
import { hands, page, setting } from './page.js';

const SHEETS = { g: 'log', o: 'score', v: 'shield', r: 'rules', c: 'say', '?': 'keys' };
const REGIONS = [
  'rail',
  'saying',
  'acts',
  'hand',
  'middle',
  'players',
  'sheet',
  'tables',
  'make',
  'gathering',
  'over',
];

export function listenToKeys(commands) {
  addEventListener('keydown', (event) => {
    if (event.isComposing || event.metaKey || event.ctrlKey) return;
    const handled = typing(event.target)
      ? event.key === 'Escape' && leaveField(event.target, commands)
      : press(event, commands);
    if (handled) event.preventDefault();
  });
  // Space on a card chooses it at once; the click that would follow is not wanted
  addEventListener('keyup', (event) => {
    if (event.key === ' ' && event.target.closest?.('.hand .card')) event.preventDefault();
  });
}

function typing(target) {
  return target.matches?.(
    'input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select',
  );
}

function leaveField(field, commands) {
  field.blur();
  commands.close();
  return true;
}

function press(event, commands) {
  const { key } = event;
  if (key === 'F6') return cycle(event.shiftKey ? -1 : 1);
  if (key === 'Escape') return takeBackOrClose(event, commands);
  if (page.shown === 'screen' && onTable(event)) return true;
  if (event.altKey) return false;
  return setting('letters') && letter(key.toLowerCase(), commands);
}

// From within a sheet Escape closes it; elsewhere it first undoes what the hands are doing.
function takeBackOrClose(event, commands) {
  const inside = event.target.closest?.('.sheet');
  if (!inside && page.shown === 'screen' && takeBack()) return true;
  if (!page.sheet && !page.joining) return false;
  commands.close();
  return true;
}

function onTable(event) {
  const card = event.target.closest?.('.own .card, .arranging .card');
  const slot = card ? Number(card.dataset.slot) : null;
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      const step = event.key === 'ArrowLeft' ? -1 : 1;
      if (event.altKey && card?.closest('.hand')) {
        sortStep(slot, step);
        return true;
      }
      return !event.target.closest?.('.sheet') && walk(card, step);
    }
    case 'ArrowUp':
    case ' ':
      if (!card) return false;
      chooseCard(slot, { only: true, part: event.shiftKey });
      return true;
    case 'Enter':
      return enter(event, slot);
    default:
      return false;
  }
}

// Enter plays what is chosen, else what the focus is on, else presses the golden button.
function enter(event, slot) {
  if (hands.chosen.length > 0 && !hands.arranging && playChosen()) return true;
  const primary = document.querySelector('.btn.go:not([disabled])');
  if (
    slot !== null &&
    (!primary || hands.arranging || playing(plays(page.screen), slot).length > 0)
  ) {
    chooseCard(slot);
    return true;
  }
  if (slot === null && event.target.closest?.('button, a, summary, label')) return false;
  primary?.click();
  return Boolean(primary);
}

// From card to card; from the hand on to the cards on the table while they are arranged.
function walk(card, step) {
  const cards = [
    ...document.querySelectorAll(
      '.arranging button.card, .hand button.card, .own-table.big button.card',
    ),
  ];
  if (cards.length === 0) return false;
  const from = cards.indexOf(card);
  const to = cards[from < 0 ? 0 : (from + step + cards.length) % cards.length];
  hands.at = Number(to.dataset.slot);
  for (const each of document.querySelectorAll('.hand button.card'))
    each.tabIndex = each === to ? 0 : -1;
  to.focus();
  to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return true;
}

function letter(key, commands) {
  if (page.shown === 'lobby' && /^[1-9]$/.test(key)) {
    const table = page.lobby.tables[Number(key) - 1];
    if (table) commands.join(table.id);
    return Boolean(table);
  }
  if (page.shown !== 'screen') return false;
  const button = [...document.querySelectorAll('.acts .btn:not([disabled])')].find(
    (each) =>
      each.getAttribute('aria-keyshortcuts')?.toLowerCase() === key ||
      (key === '=' && each.getAttribute('aria-keyshortcuts') === '+'),
  );
  if (button) button.click();
  else if (SHEETS[key]) commands.sheet(SHEETS[key]);
  else if (key === 'l') commands.sheet('last');
  else if (key === 'h') commands.hint();
  else return false;
  return true;
}

// To the next region that is there, and into it.
function cycle(step) {
  const here = document.activeElement?.closest('[data-region]')?.dataset.region;
  const regions = REGIONS.map((name) => document.querySelector(`[data-region="${name}"]`)).filter(
    Boolean,
  );
  const at = regions.findIndex((region) => region.dataset.region === here);
  const next = regions[(at + step + regions.length) % regions.length];
  const inside = next.matches('.hand') ? next.querySelector('[tabindex="0"]') : focusable(next)[0];
  if (!inside) next.tabIndex = -1;
  (inside ?? next).focus();
  return true;
}
