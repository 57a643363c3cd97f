/**
 * `/embed#token=…`: the player in a frame of any page.
 *
 * The token stands in the fragment because that part of an address is never sent: not to us, not in a referrer. Beside it
 * go the element's attributes: `#token=…&autoplay&muted&start-time=30`. messages.ts says how the page talks to the frame.
 */
import { connectToParent } from './messages.js';

const ATTRIBUTES = [
  'poster',
  'autoplay',
  'muted',
  'loop',
  'start-time',
  'title',
  'preload',
  'captions',
  'audio',
  'dir',
  'analytics',
];

const player = document.createElement('dhara-player');
// The browser sends this frame's origin to the service, but the owner's allowed sites concern the embedding page.
if (parent !== window) {
  player.setAttribute('embedder', location.ancestorOrigins?.[0] ?? (document.referrer || 'unknown'));
}
connectToParent(player);
document.body.append(player);
readFragment();
// The page may switch to another video by changing the frame's URL.
addEventListener('hashchange', readFragment);
player.addEventListener('manifest', ({ detail }) => (document.title = detail.title));

function readFragment(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of ATTRIBUTES) {
    const value = given.get(name);
    // Without the attribute, analytics are on.
    if (value === null || (value === 'false' && name !== 'analytics')) player.removeAttribute(name);
    else player.setAttribute(name, value);
  }
  player.token = given.get('token');
  // There is no token yet, so ask the embedding page for one.
  if (!player.token && player.autoplay) player.play().catch(() => undefined);
}
