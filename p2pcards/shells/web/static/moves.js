// What a person does with cards: choose, play, take back, arrange, sort. Keeps `hands` and sends options
// with the step they were offered at; every way in (click, drag, key) ends here.

import { click, exact, opensTo, playing, plays, resize } from './choosing.js';
import { shake } from './motion.js';
import { moved, nextSort } from './order.js';
import { emptyHands, hands, page, setting } from './page.js';
import { arrangedKey, facesOf } from './say.js';
import * as sound from './sound.js';
import { shownHand } from './table.js';

const GRACE = 1000;
const REFUSAL = 4000;

let send = () => false;
let redraw = () => {};
let refusal = null;

export function connectMoves(sender, drawer) {
  send = sender;
  redraw = drawer;
}

// A new screen: what was chosen or on its way may be no more.
export function meet(screen, before) {
  if (!before || screen.step < before.step) {
    clearTimeout(hands.pending?.timer);
    emptyHands();
  }
  const stepped = !before || screen.step !== before.step || screen.game !== before.game;
  if (stepped) {
    clearTimeout(hands.pending?.timer);
    Object.assign(hands, { pending: null, hint: null });
  }
  const all = plays(screen);
  if (!opensTo(all, hands.chosen)) hands.chosen = [];
  meetArranging(screen);
}

function meetArranging(screen) {
  if (!screen.arrange || screen.you === null) {
    hands.arranging = null;
    return;
  }
  const up = screen.seats[screen.you].row.map((place) => place.up.slot);
  const known = new Set([...screen.hand.map(({ slot }) => slot), ...up]);
  const kept =
    hands.arranging?.up.length === up.length && hands.arranging.up.every((slot) => known.has(slot));
  if (!kept) hands.arranging = { up, picked: null };
}

// --- choosing and playing ------------------------------------------------------------------------

export function chooseCard(slot, { part = false, only = false } = {}) {
  const { screen } = page;
  hands.at = slot;
  if (hands.pending) return;
  if (hands.arranging) return pickToArrange(slot);
  const all = plays(screen);
  if (playing(all, slot).length === 0) return refuse(slot);
  hands.anchor = slot;
  const { chosen, now } = click(all, facesOf(screen), hands.chosen, slot, {
    part,
    confirm: setting('confirm') || only,
  });
  hands.chosen = chosen;
  hands.refused = null;
  if (now && !only) return makeMove(now.id, now.slots);
  if (only && now)
    hands.chosen = now.slots.every((each) => hands.chosen.includes(each)) ? [] : now.slots;
  redraw();
}

function refuse(slot) {
  const { screen } = page;
  const card = screen.hand.find((each) => each.slot === slot);
  shake(slot);
  sound.play('tap');
  const mine = screen.seats[screen.you].turn;
  showRefusal({
    code:
      card?.refused ??
      (!mine ? 'turn.not_yours' : plays(screen).length > 0 ? 'play.illegal' : 'phase.wrong'),
  });
}

function showRefusal(words) {
  clearTimeout(refusal);
  hands.refused = words;
  refusal = setTimeout(() => {
    hands.refused = null;
    redraw();
  }, REFUSAL);
  redraw();
}

// Plays what is chosen, if it is a play.
export function playChosen() {
  const play = exact(plays(page.screen), hands.chosen);
  if (play) makeMove(play.id, play.slots);
  return Boolean(play);
}

export function makeMove(option, slots = []) {
  if (hands.pending) return;
  const move = { id: option, at: page.screen.step, slots, sent: false, timer: null };
  Object.assign(hands, { pending: move, chosen: [], refused: null, hint: null });
  const go = () => {
    move.sent = true;
    if (!send({ do: 'choose', option: move.id, at: move.at })) hands.pending = null;
    redraw();
  };
  if (setting('grace')) {
    move.timer = setTimeout(go, GRACE);
    redraw();
  } else go();
}

// The move that waits is not made; or what is chosen is let go. False when there was nothing to undo.
export function takeBack() {
  if (hands.pending && !hands.pending.sent) {
    clearTimeout(hands.pending.timer);
    hands.pending = null;
  } else if (hands.chosen.length > 0) hands.chosen = [];
  else if (hands.arranging?.picked) hands.arranging.picked = null;
  else return false;
  redraw();
  return true;
}

export function moveRefused(words) {
  hands.pending = null;
  sound.play('tap');
  showRefusal(words);
}

export function changeSize(step) {
  hands.chosen = resize(plays(page.screen), facesOf(page.screen), hands.chosen, hands.anchor, step);
  redraw();
}

// A card dropped on the table: its play if it has one, what is chosen if it is part of that.
export function dropOnTable(slot) {
  if (hands.chosen.includes(slot) && playChosen()) return;
  chooseCard(slot);
  if (hands.chosen.includes(slot)) playChosen();
}

export function showHint(option) {
  const play = plays(page.screen).find(({ id }) => id === option);
  hands.hint = option;
  if (play) Object.assign(hands, { chosen: play.slots, anchor: play.slots.at(-1) });
  redraw();
}

// --- arranging -----------------------------------------------------------------------------------

function pickToArrange(slot) {
  const { picked } = hands.arranging;
  if (picked !== null && isUp(picked) !== isUp(slot)) return swap(picked, slot);
  hands.arranging.picked = picked === slot ? null : slot;
  hands.chosen = hands.arranging.picked === null ? [] : [hands.arranging.picked];
  redraw();
}

function isUp(slot) {
  return hands.arranging.up.includes(slot);
}

export function swap(slot, other) {
  if (!hands.arranging || hands.pending || isUp(slot) === isUp(other)) return;
  const [up, from] = isUp(slot) ? [slot, other] : [other, slot];
  hands.arranging = {
    up: hands.arranging.up.map((each) => (each === up ? from : each)),
    picked: null,
  };
  hands.chosen = [];
  redraw();
}

export function arranged() {
  const { screen } = page;
  const option = hands.arranging && screen.arrange?.ids[arrangedKey(hands.arranging.up)];
  if (option) makeMove(option);
}

// --- sorting -------------------------------------------------------------------------------------

export function sortHand() {
  hands.sorting = nextSort(page.screen.game, hands.sorting);
  redraw();
}

export function sortCard(slot, place) {
  const slots = shownHand(page.screen).map((card) => card.slot);
  Object.assign(hands, {
    sorting: 'own',
    order: moved(slots, slot, Math.max(0, Math.min(place, slots.length - 1))),
  });
  redraw();
}

export function sortStep(slot, step) {
  sortCard(slot, shownHand(page.screen).findIndex((card) => card.slot === slot) + step);
}
