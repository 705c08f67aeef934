// What the page knows: the last documents of the server, and what this pair of hands is doing with them
// (cards chosen, a click not yet sent, an open sheet). Views read it, `app` and `moves` write it.

export const page = {
  online: false,
  gone: false, // the server said goodbye
  hello: null,
  lobby: null,
  forming: null,
  screen: null,
  shown: null, // lobby, forming or screen: the last of them that came
  since: 0, // when the screen came, ms of performance.now()
  chat: [],
  muted: new Set(), // keys of players whose words are not shown
  sheet: null, // name of the open sheet
  seat: null, // whose cards the sheet "peek" shows
  joining: false, // the field for a code or address is open
  draft: null, // the table that is being filled in
  rules: new Map(), // Markdown by game and language
  error: null, // words of a refused command, in the lobby
};

// What a person does at the table; forgotten at each new match.
const EMPTY = {
  chosen: [],
  anchor: null, // the card that was clicked last
  pending: null, // {id, at, slots, sent, timer}: on its way, or still to be taken back
  arranging: null, // {up: slots in the places, picked: slot | null}
  sorting: null, // suit, rank, dealt, own; null: as the game is usually held
  order: [], // slots as sorted by hand
  at: null, // the card the keyboard stands on
  refused: null, // words shown in place of the sentence for a while
  hint: null,
  leaving: null, // the trick just swept, shown a moment longer
  swept: null, // step of the last sweep seen
};

export const hands = { ...EMPTY };

export function emptyHands() {
  Object.assign(hands, EMPTY);
}

const DEFAULTS = {
  room: '',
  deck: 'two',
  print: '',
  calm: false,
  sound: false,
  volume: 60,
  letters: true,
  confirm: false,
  grace: true,
  autoplay: false,
  nudge: 60,
};

export function setting(name) {
  return page.hello?.settings?.[name] ?? DEFAULTS[name];
}

export function isGnav(screen) {
  return screen.pack ? screen.pack === 'gnav' : screen.game === 'cuckoo';
}

export function gameTitle(key) {
  return page.hello?.games.find((game) => game.key === key)?.title ?? key;
}

export function isAway(seat) {
  return seat.away !== null && seat.away !== undefined;
}
