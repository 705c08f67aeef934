// What others did, for those who listen rather than look: new lines of the log go to a live region, at
// most one a second; what comes faster is summed up into one.

import { say } from './words.js';

const PAUSE = 1000;
const MOST = 4;

let waiting = [];
let timer = null;
let last = -1;

// `log` of a screen: lines with their step, oldest first.
export function announce(log) {
  const newest = log.at(-1)?.step ?? -1;
  if (last < 0 || newest < last) last = newest;
  const fresh = log.filter(({ step }) => step > last);
  if (fresh.length === 0) return;
  last = newest;
  waiting.push(...fresh.map((line) => say(line)));
  if (timer === null) timer = setTimeout(speak, 150);
}

function speak() {
  const region = document.querySelector('#heard');
  const spoken = waiting.slice(-MOST).map((line) => (/[.!?…]$/.test(line) ? line : `${line}.`));
  waiting = [];
  region.textContent = spoken.join(' ');
  timer = setTimeout(() => {
    timer = null;
    if (waiting.length > 0) speak();
  }, PAUSE);
}
