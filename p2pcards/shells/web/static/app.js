// The page: takes the server's documents, draws what they say, and turns what a person does into
// commands. Holds the threads together and knows no game.

import { announce } from './announce.js';
import { loadSprite, nameSprite } from './cards.js';
import { hear } from './chat.js';
import { glide, grain } from './cloth.js';
import { commandsFor } from './commands.js';
import { draw, el, listen } from './dom.js';
import { freshDraft } from './draft.js';
import { draggable } from './drag.js';
import { formingView } from './forming.js';
import { listenToKeys } from './keys.js';
import { lobbyView } from './lobby.js';
import * as motion from './motion.js';
import * as moves from './moves.js';
import { gameTitle, hands, isAway, isGnav, page, setting } from './page.js';
import { LOW } from './places.js';
import { railView } from './rail.js';
import { settle } from './settle.js';
import { wear } from './settings.js';
import { sheetView } from './sheet.js';
import { connect } from './socket.js';
import * as sound from './sound.js';
import { tableView } from './table.js';
import { introduce, learn, say } from './words.js';

const RAIL = 60;
const SHEET = 422;
const WIDE = 1100;
const SWEPT = 900;

const room = document.querySelector('#room');
let sender = () => false;
const send = (command) => sender(command);
const commands = commandsFor(send, redraw);
let nudge = null;
let slow = null;
let taker = null;

// --- drawing -------------------------------------------------------------------------------------

function redraw() {
  if (!page.hello) return;
  const before = motion.remember(room);
  const sheet = sheetView();
  const { main, geometry, hem } = mainView(sheet);
  const covers = sheet && (page.shown !== 'screen' || innerWidth < WIDE);
  room.className = ['room', `on-${page.shown}`, covers && 'covered'].filter(Boolean).join(' ');
  draw(
    room,
    railView(),
    main,
    sheet,
    page.gone && el('p', { class: 'goodbye', role: 'alert' }, say('page.gone')),
  );
  if (geometry) {
    settle(room.querySelector('main.table'), geometry);
    glide(room.querySelector('.cloth'), geometry, hem, motion.calm());
  }
  const moved = motion.move(room, before, taker);
  if (moved > 0) sound.play(moved > 4 ? 'riffle' : 'card');
  taker = null;
}

function mainView(sheet) {
  if (page.shown === 'screen') {
    const aside = sheet && innerWidth >= WIDE;
    const { node, geometry, hem } = tableView(page.screen, {
      width: innerWidth - (aside ? SHEET : 0),
      height: innerHeight - (innerHeight < LOW && innerWidth > innerHeight ? 0 : RAIL),
    });
    return { main: node, geometry, hem };
  }
  return {
    main:
      page.shown === 'forming'
        ? formingView()
        : page.shown === 'lobby'
          ? lobbyView()
          : el('main', { class: 'waiting' }, el('p', {}, say('page.connecting'))),
  };
}

// --- the server's documents ------------------------------------------------------------------------

const documents = {
  hello(hello) {
    page.hello = hello;
    learn(hello.words, hello.lang);
    document.documentElement.lang = hello.lang;
    nameSprite();
    wear();
    page.draft ??= freshDraft(hello.games[0], hello);
  },
  lobby(lobby) {
    if (page.shown !== 'lobby')
      Object.assign(page, { sheet: null, screen: null, forming: null, chat: [] });
    Object.assign(page, { lobby, shown: 'lobby' });
    document.title = 'p2pcards';
  },
  forming(forming) {
    Object.assign(page, { forming, shown: 'forming', screen: null, joining: false, error: null });
    if (page.sheet && page.sheet !== 'more') page.sheet = null;
    document.title = `${gameTitle(forming.game)} – p2pcards`;
  },
  screen(screen) {
    const before = page.shown === 'screen' ? page.screen : null;
    introduce(
      screen.seats.map((seat) => seat.name),
      isGnav(screen),
    );
    Object.assign(page, {
      screen,
      shown: 'screen',
      since: before?.step === screen.step ? page.since : performance.now(),
      joining: false,
      error: null,
    });
    document.title = `${gameTitle(screen.game)} – p2pcards`;
    moves.meet(screen, before);
    follow(screen, before);
    announce(screen.log);
  },
  chat(message) {
    const airtime = hear(message);
    setTimeout(redraw, airtime + 50);
    if (message.phrase === 'phrase.knock' && message.to === page.screen?.you) sound.play('knock');
  },
  hint({ option, at }) {
    if (page.screen?.step === at) moves.showHint(option);
  },
  error(error) {
    if (page.shown === 'screen') moves.moveRefused(error);
    else page.error = error;
  },
  away() {
    page.gone = true;
  },
};

function receive(document) {
  documents[document.t]?.(document);
  redraw();
}

// What changed from one screen to the next, as far as it is shown for a moment or heard.
function follow(screen, before) {
  const { swept } = screen.middle;
  if (swept && swept.step !== hands.swept) {
    if (before) hold(swept);
    hands.swept = swept.step;
  }
  if (hands.leaving && screen.middle.trick.length > 0) {
    hands.leaving = null;
    taker = swept?.to ?? null;
  }
  const asked = (each) => each && each.you !== null && each.seats[each.you].turn && !each.over;
  if (asked(screen) && !asked(before)) remind();
  if (!asked(screen)) clearTimeout(nudge);
  clearTimeout(slow);
  if (setting('nudge') > 0) slow = setTimeout(redraw, setting('nudge') * 1000 + 50);
  if (screen.over && before && !before.over) sound.play('end');
  if (screen.shield.state === 'fault' && before?.shield.state !== 'fault') page.sheet = 'shield';
}

// The last trick stays a moment before it goes to its winner.
function hold(swept) {
  hands.leaving = swept.cards;
  setTimeout(() => {
    if (hands.leaving !== swept.cards) return;
    hands.leaving = null;
    taker = swept.to;
    redraw();
  }, SWEPT);
}

function remind() {
  sound.play('knock');
  clearTimeout(nudge);
  const seconds = setting('nudge');
  if (seconds > 0) nudge = setTimeout(remind, seconds * 1000);
}

// --- start -----------------------------------------------------------------------------------------

async function start() {
  document.body.prepend(grain());
  listen(room, commands);
  listenToKeys(commands);
  draggable(room, { play: moves.dropOnTable, sort: moves.sortCard, swap: moves.swap });
  const sprite = loadSprite().then(nameSprite);
  sender = connect(receive, (online) => {
    Object.assign(page, { online, gone: online ? false : page.gone });
    redraw();
  });
  moves.connectMoves(send, redraw);
  addEventListener('resize', redraw);
  setInterval(countSeconds, 1000);
  await sprite;
}

// Seconds that a lost player has been away go on between documents.
function countSeconds() {
  if (page.shown !== 'screen') return;
  const away = page.screen.seats.filter((seat) => isAway(seat));
  if (away.length === 0) return;
  for (const seat of away) seat.away += 1;
  redraw();
}

start();
