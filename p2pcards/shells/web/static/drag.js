// Drag and drop with pointer events, for mouse, pen and finger alike: a card of the hand to the table
// (play it), to another place in the hand (sort it), or onto one of Røvhult's face-up cards while they
// are arranged (swap them). A press that does not move stays a click.

const START = 8;

// `drops`: play(slot), sort(slot, place), swap(slot, other).
export function draggable(root, drops) {
  let held = null;

  root.addEventListener('pointerdown', (event) => {
    const node = event.target.closest('[data-drag]');
    if (!node || event.button !== 0) return;
    held = {
      node,
      slot: Number(node.dataset.slot),
      x: event.clientX,
      y: event.clientY,
      id: event.pointerId,
      moving: false,
    };
  });
  addEventListener('pointermove', (event) => {
    if (!held || event.pointerId !== held.id) return;
    const dx = event.clientX - held.x;
    const dy = event.clientY - held.y;
    if (!held.moving && Math.hypot(dx, dy) < START) return;
    held.moving = true;
    held.node.classList.add('dragged');
    held.node.style.setProperty('translate', `${dx}px ${dy}px`);
  });
  addEventListener('pointerup', (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { node, slot, moving } = held;
    end();
    if (!moving) return;
    swallowClick();
    drop(slot, event, node, drops);
  });
  addEventListener('pointercancel', end);
  root.addEventListener('dragstart', (event) => event.preventDefault());

  function end() {
    if (!held) return;
    held.node.classList.remove('dragged');
    held.node.style.removeProperty('translate');
    held = null;
  }
}

// The click that follows a drag, where there is one, is none.
function swallowClick() {
  const stop = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener('click', stop, { capture: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }), 0);
}

function drop(slot, event, node, drops) {
  const under = document
    .elementsFromPoint(event.clientX, event.clientY)
    .map((each) => each.closest('[data-drag]'))
    .find((each) => each && each !== node);
  const hand = document.querySelector('.hand')?.getBoundingClientRect();
  const inHand = hand && event.clientY > hand.top - 10;
  if (under && (under.dataset.drag === 'row' || node.dataset.drag === 'row'))
    drops.swap(slot, Number(under.dataset.slot));
  else if (node.dataset.drag === 'hand' && inHand) drops.sort(slot, placeIn(event.clientX, slot));
  else if (!inHand) drops.play(slot);
}

function placeIn(x, slot) {
  const others = [...document.querySelectorAll('.hand [data-slot]')].filter(
    (card) => Number(card.dataset.slot) !== slot,
  );
  return others.filter((card) => {
    const box = card.getBoundingClientRect();
    return box.left + box.width / 2 < x;
  }).length;
}
