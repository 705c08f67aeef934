// What can only be placed once it is drawn: seats stay inside the table, their cards lie just clear of
// the plates, and the middle is centred in what seats and sentence leave, shrunk as little as it takes.

const LEAST = 0.55;
const STEP = 0.02;
const SHIFTS = [0, -0.3, 0.3, -0.6, 0.6, -1, 1];
const GAP = { across: 14, down: 9, middle: 4 };

export function settle(table, geometry) {
  const frame = table.getBoundingClientRect();
  for (const seat of table.querySelectorAll('.at.seat')) keepInside(seat, frame, geometry);
  for (const near of table.querySelectorAll('.at.near')) pushInward(near, table, geometry);
  if (geometry.upright) liftSentence(table, frame);
  centre(table, frame, geometry);
}

// Upright, one's own place is as high as what is in it.
function liftSentence(table, frame) {
  const own = table.querySelector('.own').getBoundingClientRect();
  write(table, 'own-h', Math.round(frame.bottom - own.top));
}

function read(node, name) {
  return parseFloat(node.style.getPropertyValue(`--${name}`));
}

function write(node, name, x) {
  node.style.setProperty(`--${name}`, x);
}

// On a phone on its side the two upper corners belong to title and shield.
function keepInside(seat, frame, { low }) {
  const plate = seat.getBoundingClientRect();
  const corner = low && plate.top < 40 ? 82 : 0;
  const room = plate.width / 2 + 8 + corner;
  write(seat, 'x', Math.max(room, Math.min(frame.width - room, read(seat, 'x'))).toFixed(1));
}

function pushInward(near, table, { box, hem, upright }) {
  const seat = table.querySelector(`.at.seat[data-seat="${near.dataset.near}"]`);
  const a = seat.getBoundingClientRect();
  const b = near.getBoundingClientRect();
  const [nx, ny] = [near.dataset.nx, near.dataset.ny]
    .map(Number)
    .map((n) => (Math.abs(n) < 0.25 ? 0 : n));
  const across = nx ? ((a.width + b.width) / 2 + GAP.across) / Math.abs(nx) : Infinity;
  const down = ny ? ((a.height + b.height) / 2 + GAP.down) / Math.abs(ny) : Infinity;
  const away = Math.min(across, down);
  const half = b.width / 2 + (upright ? 0 : 2 * hem);
  const x = read(seat, 'x') + nx * away;
  write(near, 'x', Math.max(box.x + half, Math.min(box.x + box.w - half, x)).toFixed(1));
  write(near, 'y', (read(seat, 'y') + ny * away).toFixed(1));
}

// The largest scale at which nothing in the middle touches a seat, its cards or the sentence.
function centre(table, frame, { box, hem }) {
  const items = [...table.querySelectorAll('.at.mid')].map((node) => {
    write(node, 'k', 1);
    const { width, height } = node.getBoundingClientRect();
    return { node, dx: Number(node.dataset.dx), dy: Number(node.dataset.dy), width, height };
  });
  if (items.length === 0) return;
  const taken = [...table.querySelectorAll('.at.near, .at.seat, .trump')].map((node) =>
    within(node, frame),
  );
  const saying = table.querySelector('.saying');
  const area = {
    middle: box.x + box.w / 2,
    top: box.y + hem * 2 + 8,
    bottom: saying?.textContent ? within(saying, frame).top - 12 : box.y + box.h - 34,
  };
  let k = 1;
  let fit = tryScale(items, taken, area, k);
  while (!fit.clear && k > LEAST) fit = tryScale(items, taken, area, (k -= STEP));
  for (const { node, dx, dy } of items) {
    write(node, 'x', (area.middle + k * dx).toFixed(1));
    write(node, 'y', (fit.y + k * dy).toFixed(1));
    write(node, 'k', k.toFixed(2));
  }
}

function within(node, frame) {
  const r = node.getBoundingClientRect();
  return {
    left: r.left - frame.left,
    right: r.right - frame.left,
    top: r.top - frame.top,
    bottom: r.bottom - frame.top,
  };
}

function tryScale(items, taken, { middle, top, bottom }, k) {
  let [low, high] = [-Infinity, Infinity];
  const columns = items.map(({ dx, dy, width, height }) => ({
    left: middle + k * (dx - width / 2) - GAP.middle,
    right: middle + k * (dx + width / 2) + GAP.middle,
    above: k * (dy - height / 2),
    below: k * (dy + height / 2),
  }));
  const half = (top + bottom) / 2;
  for (const { left, right, above, below } of columns) {
    const over = taken.filter((r) => r.right > left && r.left < right && r.bottom < half);
    low = Math.max(low, ...over.map((r) => r.bottom + GAP.down - above), top - above);
    high = Math.min(high, bottom - below);
  }
  const touches = (y) =>
    columns.some(({ left, right, above, below }) =>
      taken.some(
        (r) => r.right > left && r.left < right && r.bottom > y + above && r.top < y + below,
      ),
    );
  const middling = (low + high) / 2;
  const heights = low > high ? [] : SHIFTS.map((shift) => middling + (shift * (high - low)) / 2);
  const y = heights.find((height) => !touches(height));
  return { y: y ?? middling, clear: y !== undefined };
}
