/**
 * How a page talks to the frame, by postMessage.
 *
 * page → frame: `{ dhara: 'play' }`, `{ dhara: 'pause' }`, `{ dhara: 'seek', seconds: 30 }`, `{ dhara: 'mute', muted: true }`,
 * `{ dhara: 'token', token: '…' }` (the answer to `token-needed`, or another video), `{ dhara: 'state' }` (asks for one).
 *
 * frame → page: `{ dhara: 'state', state, paused, ended, currentTime, duration, muted, volume, title, viewId }`
 * whenever that changes, `{ dhara: 'token-needed', reason }`, `{ dhara: 'error', code, message }`. Nothing of it is secret.
 */
import type { DharaPlayerElement } from '../api.js';

/** How long the page may take to provide a token before the viewer sees an error. A later token still plays. */
const TOKEN_DEADLINE_MS = 8_000;
const STATE_EVENTS = [
  'statechange',
  'loadedmetadata',
  'play',
  'pause',
  'seeked',
  'ended',
  'volumechange',
  'timeupdate',
];

interface Command {
  readonly dhara?: string;
  readonly token?: unknown;
  readonly seconds?: unknown;
  readonly muted?: unknown;
}

/** Follows the embedding page's messages and reports events to it. Does nothing if there is no such page. */
export function connectToParent(player: DharaPlayerElement): void {
  const { parent } = window;
  if (parent === window) return;
  let takeToken: ((token: string) => void) | undefined;
  // The embedding page is unknown until it sends a message.
  const tell = (message: object): void => parent.postMessage(message, '*');
  const tellState = (): void => tell({ dhara: 'state', ...stateOf(player) });

  for (const type of STATE_EVENTS) player.addEventListener(type, tellState);
  player.addEventListener('error', ({ detail }) => tell({ dhara: 'error', ...detail }));
  player.addEventListener('dhara-token-needed', ({ detail: { reason, provide } }) => {
    provide(
      new Promise((resolve) => {
        takeToken = resolve;
        setTimeout(() => {
          if (takeToken === resolve) takeToken = undefined;
          resolve('');
        }, TOKEN_DEADLINE_MS);
      }),
    );
    tell({ dhara: 'token-needed', reason });
  });

  const commands: Record<string, (command: Command) => void> = {
    play: () => void player.play().catch(() => undefined),
    pause: () => player.pause(),
    seek: ({ seconds }) => (player.currentTime = Number(seconds) || 0),
    mute: ({ muted }) => (player.muted = muted !== false),
    state: tellState,
    token: ({ token }) => {
      if (typeof token !== 'string') return;
      if (takeToken) takeToken(token);
      else player.token = token;
      takeToken = undefined;
    },
  };
  addEventListener('message', ({ source, data }: MessageEvent<Command | null>) => {
    if (source === parent && typeof data?.dhara === 'string') commands[data.dhara]?.(data);
  });
}

function stateOf(player: DharaPlayerElement): object {
  const { state, paused, ended, currentTime, muted, volume, manifest, viewId } = player;
  const duration = Number.isFinite(player.duration) ? player.duration : null;
  return { state, paused, ended, currentTime, duration, muted, volume, title: manifest?.title ?? null, viewId };
}
