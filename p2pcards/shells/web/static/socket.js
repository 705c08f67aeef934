// The line to the local server: one JSON object a message, both ways. It opens itself again when it
// breaks, more slowly each time; the server then sends everything anew, so nothing is kept here.

const FIRST = 300;
const SLOWEST = 5000;

// `on(document)` for each message, `state(open)` when the line opens or breaks. Returns the sender.
export function connect(on, state) {
  let socket = null;
  let pause = FIRST;

  function open() {
    socket = new WebSocket(
      `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
    );
    socket.addEventListener('open', () => {
      pause = FIRST;
      state(true);
    });
    socket.addEventListener('message', (event) => on(JSON.parse(event.data)));
    socket.addEventListener('close', () => {
      state(false);
      setTimeout(open, pause);
      pause = Math.min(pause * 2, SLOWEST);
    });
  }

  open();
  return (command) => {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(command));
    return true;
  };
}
