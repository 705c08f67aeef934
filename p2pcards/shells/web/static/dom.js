// Trees of elements, and how the page becomes them. A view builds a fresh tree from a document; `morph`
// brings the page to it without replacing what stays, so that focus, scrolling and transitions survive
// every redraw. Text from others only ever enters through `append`, as text. Knows no game and no words.

const SVG = 'http://www.w3.org/2000/svg';

const REGION = '[data-region]';
const FOCUSABLE =
  'button:not([disabled]), input, select, textarea, a[href], summary, [tabindex="0"]';

// An element. `vars` become CSS custom properties, `data` data attributes; null, undefined and false are left out.
export function el(tag, props = {}, ...kids) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'vars')
      for (const [key, x] of Object.entries(value)) node.style.setProperty(`--${key}`, x);
    else if (name === 'data')
      for (const [key, x] of Object.entries(value)) {
        if (x !== null && x !== undefined) node.dataset[key] = x;
      }
    else if (name === 'class')
      node.className = Array.isArray(value) ? value.filter(Boolean).join(' ') : value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(
    ...kids
      .flat(9)
      .filter((kid) => kid !== null && kid !== undefined && kid !== false)
      .map(shown),
  );
  return node;
}

function shown(kid) {
  return typeof kid === 'number' ? String(kid) : kid;
}

export function svg(tag, attributes = {}, ...kids) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...kids.flat());
  return node;
}

// What a click on an element asks for: the name of a command and its argument (see `listen`).
export function does(name, argument) {
  return argument === undefined ? { do: name } : { do: name, with: JSON.stringify(argument) };
}

// Calls `commands[name](argument, element, event)` for every click on an element made with `does`.
export function listen(root, commands) {
  root.addEventListener('click', (event) => {
    const target = event.target.closest('[data-do]');
    if (!target || target.disabled || target.tagName === 'FORM' || target.tagName === 'SELECT')
      return;
    run(commands, target, event);
  });
  for (const kind of ['change', 'submit']) {
    root.addEventListener(kind, (event) => {
      const target = event.target.closest('[data-on]');
      if (!target) return;
      if (kind === 'submit') event.preventDefault();
      commands[target.dataset.on]?.(argument(target), target, event);
    });
  }
}

function run(commands, target, event) {
  commands[target.dataset.do]?.(argument(target), target, event);
}

function argument(target) {
  return target.dataset.with === undefined ? undefined : JSON.parse(target.dataset.with);
}

// Brings the children of `parent` to `kids`, and keeps the focus where it was, or near.
export function draw(parent, ...kids) {
  const active = document.activeElement;
  const region = active?.closest(REGION)?.dataset.region;
  const place = region ? focusable(active.closest(REGION)).indexOf(active) : -1;
  reconcile(parent, kids.flat().filter(Boolean));
  if (!active || active === document.body || document.activeElement === active) return;
  if (active.isConnected && !active.disabled) active.focus({ preventScroll: true });
  else if (region) refocus(parent, region, place);
}

function refocus(parent, region, place) {
  const home = parent.querySelector(`[data-region="${region}"]`);
  if (!home) return;
  const all = focusable(home);
  const next = all[Math.min(Math.max(place, 0), all.length - 1)];
  if (!next) home.tabIndex = -1;
  (next ?? home).focus({ preventScroll: true });
}

export function focusable(root) {
  return [...root.querySelectorAll(FOCUSABLE)].filter(
    (node) => node.offsetParent !== null || node === document.activeElement,
  );
}

function reconcile(parent, kids) {
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.dataset?.key) keyed.set(node.dataset.key, node);
  const wanted = new Set(kids.map((kid) => kid.dataset?.key).filter(Boolean));
  let at = parent.firstChild;
  for (const kid of kids) {
    const key = kid.dataset?.key;
    // an old keyed node that is not wanted any more must not be taken for its neighbour
    while (at && at.dataset?.key && !wanted.has(at.dataset.key)) at = removed(at);
    let match = key ? keyed.get(key) : at;
    if (match && !alike(match, kid)) match = null;
    if (!match) parent.insertBefore(kid, at);
    else {
      if (match === at) at = at.nextSibling;
      else parent.insertBefore(match, at);
      morph(match, kid);
    }
  }
  while (at) at = removed(at);
}

function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function alike(node, kid) {
  return (
    node.nodeType === kid.nodeType &&
    node.nodeName === kid.nodeName &&
    node.dataset?.key === kid.dataset?.key
  );
}

function morph(node, kid) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.nodeValue !== kid.nodeValue) node.nodeValue = kid.nodeValue;
    return;
  }
  if (kid.dataset.memo !== undefined && node.dataset.memo === kid.dataset.memo) return;
  for (const { name } of [...node.attributes]) {
    if (!kid.hasAttribute(name) && name !== 'style' && !keeps(node, name))
      node.removeAttribute(name);
  }
  for (const { name, value } of kid.attributes) {
    if (name !== 'style' && !keeps(node, name) && node.getAttribute(name) !== value)
      node.setAttribute(name, value);
  }
  if (node.style.cssText !== kid.style.cssText) node.style.cssText = kid.style.cssText;
  reconcile(node, [...kid.childNodes]);
  follow(node, kid);
}

// What a person has opened or typed is not ours to set back.
function keeps(node, name) {
  return (
    (name === 'open' && node.tagName === 'DETAILS') ||
    (name === 'value' && node.tagName === 'INPUT')
  );
}

function follow(node, kid) {
  if (node.tagName === 'INPUT' && (kid.type === 'checkbox' || kid.type === 'radio'))
    node.checked = kid.checked;
  if (node.tagName === 'SELECT' && node !== document.activeElement) node.value = kid.value;
}
