// Which cards a click chooses, and what the chosen ones would do. A play is {id, slots, verb}: an option
// of the document that lays one or several cards. Sets of equal cards and runs are chosen together; where
// cards are picked freely (an exchange), one by one. Pure functions; nothing here draws or sends.

// Every play of the document: its groups, and the options of single cards that no group names.
export function plays(screen) {
  const groups = (screen.groups ?? []).map(({ id, slots, verb }) => ({
    id,
    slots: [...slots],
    verb,
  }));
  const named = new Set(groups.map(({ id }) => id));
  const single = screen.hand.flatMap((card) =>
    (card.options ?? [])
      .filter((id) => !named.has(id))
      .map((id) => ({ id, slots: [card.slot], verb: null })),
  );
  return [...groups, ...single];
}

export function playing(all, slot) {
  return all.filter((play) => play.slots.includes(slot));
}

// The play of exactly these cards.
export function exact(all, chosen) {
  return all.find(
    (play) =>
      play.slots.length === chosen.length && play.slots.every((slot) => chosen.includes(slot)),
  );
}

// Whether some play could still come of these cards.
export function opensTo(all, chosen) {
  return all.some((play) => chosen.every((slot) => play.slots.includes(slot)));
}

// Cards are picked one by one where a slot has plays of one size only that are neither sets nor runs.
function picksFreely(mine, faces) {
  const [first] = mine;
  return (
    mine.length > 1 &&
    first.slots.length > 1 &&
    mine.every((play) => play.slots.length === first.slots.length) &&
    mine.some((play) => !isSet(play, faces) && !isRun(play, faces))
  );
}

function isSet({ slots }, faces) {
  const ranks = new Set(slots.map((slot) => faces.get(slot)?.[0]).filter((rank) => rank !== 'X'));
  return ranks.size <= 1;
}

function isRun({ slots }, faces) {
  const suits = new Set(slots.map((slot) => faces.get(slot)?.[1]));
  const ranks = new Set(slots.map((slot) => faces.get(slot)?.[0]));
  return suits.size === 1 && ranks.size === slots.length;
}

// What a click on a card leads to, given what is chosen already: {chosen, now} with `now` a play to be made at once.
export function click(all, faces, chosen, slot, { part = false, confirm = false } = {}) {
  const mine = playing(all, slot);
  if (mine.length === 0) return { chosen, now: null };
  if (part) return { chosen: toggled(all, chosen, slot), now: null };
  const free = picksFreely(mine, faces);
  if (chosen.includes(slot)) {
    const play = exact(all, chosen);
    return free || !play
      ? { chosen: chosen.filter((other) => other !== slot), now: null }
      : { chosen, now: play };
  }
  if (mine.length === 1 && mine[0].slots.length === 1 && !confirm)
    return { chosen: [], now: mine[0] };
  if (free) return { chosen: joined(all, chosen, slot), now: null };
  return { chosen: natural(mine, faces, slot).slots, now: null };
}

function toggled(all, chosen, slot) {
  if (chosen.includes(slot)) return chosen.filter((other) => other !== slot);
  const more = [...chosen, slot];
  return opensTo(all, more) ? more : [slot];
}

// One more card; what was chosen first gives way when there are too many.
function joined(all, chosen, slot) {
  for (let from = 0; from <= chosen.length; from += 1) {
    const more = [...chosen.slice(from), slot];
    if (opensTo(all, more)) return more;
  }
  return [slot];
}

// The play that a card stands for: the longest run that ends at it, or all its equals.
function natural(mine, faces, slot) {
  const longest = (list) =>
    list.reduce((best, play) => (play.slots.length > best.slots.length ? play : best));
  const runs = mine.filter(
    (play) => play.slots.length > 1 && isRun(play, faces) && play.slots.at(-1) === slot,
  );
  if (runs.length > 0) return longest(runs);
  const alone = exact(mine, [slot]);
  const sets = mine.filter((play) => isSet(play, faces));
  if (sets.length > 0) return longest(sets);
  return alone ?? longest(mine);
}

// One card fewer or more (`step` -1 or 1) of the same kind, around the card that was clicked last.
export function resize(all, faces, chosen, anchor, step) {
  const wanted = chosen.length + step;
  const mine = playing(all, anchor).filter((play) => play.slots.length === wanted);
  const overlap = (play) => play.slots.filter((slot) => chosen.includes(slot)).length;
  const ends = (play) => (isRun(play, faces) && play.slots.at(-1) === anchor ? 1 : 0);
  mine.sort((a, b) => overlap(b) - overlap(a) || ends(b) - ends(a));
  return mine[0]?.slots ?? chosen;
}
