// Sounds made on the spot by WebAudio: a card on cloth, a riffle, a knock, a low wood tap, three notes at
// the end. Off unless switched on; never for chat.

import { setting } from './page.js';

let context = null;

function out() {
  context ??= new AudioContext();
  if (context.state === 'suspended') context.resume();
  return context;
}

function noise(at, length, frequency, loud) {
  const audio = out();
  const buffer = audio.createBuffer(1, Math.ceil(audio.sampleRate * length), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i += 1)
    samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 2;
  const source = new AudioBufferSourceNode(audio, { buffer });
  const band = new BiquadFilterNode(audio, { type: 'bandpass', frequency, Q: 0.8 });
  source
    .connect(band)
    .connect(new GainNode(audio, { gain: loud * level() }))
    .connect(audio.destination);
  source.start(audio.currentTime + at);
}

function tone(at, frequency, length, loud) {
  const audio = out();
  const start = audio.currentTime + at;
  const voice = new OscillatorNode(audio, { type: 'sine', frequency });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(loud * level(), start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  voice.connect(gain).connect(audio.destination);
  voice.start(start);
  voice.stop(start + length);
}

function level() {
  return setting('volume') / 100;
}

const SOUNDS = {
  card: () => noise(0, 0.09, 1800, 0.5),
  riffle: () => Array.from({ length: 14 }, (_, i) => noise(i * 0.028, 0.04, 2600, 0.25)),
  knock: () =>
    [0, 0.16].forEach((at) => {
      tone(at, 180, 0.12, 0.6);
      noise(at, 0.05, 500, 0.5);
    }),
  tap: () => {
    tone(0, 110, 0.14, 0.5);
    noise(0, 0.05, 300, 0.4);
  },
  end: () => [392, 494, 587].forEach((note, i) => tone(i * 0.18, note, 0.7, 0.35)),
};

export function play(name) {
  if (setting('sound')) SOUNDS[name]();
}
