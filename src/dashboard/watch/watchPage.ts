import '../../player/index.js';
import { LOGO_SVG } from '../parts/logoSvg.js';
import './watch.css';

const MARKUP = `
<main class="watch">
  <div class="watch-stage"></div>
  <h1 class="watch-title" hidden></h1>
  <footer class="watch-foot"><a href="/" aria-label="Dhara">${LOGO_SVG}<span>Dhara</span></a></footer>
</main>`;

/**
 * `/watch#<playback token>`: plays the token's video, for anyone who has the link.
 *
 * The token is in the fragment, because that part of an address is never sent: not to us, not in a referrer.
 */
export function showWatchPage(root: HTMLElement): void {
  document.documentElement.classList.add('watching');
  root.innerHTML = MARKUP;
  const open = (): void => openToken(root, decoded(location.hash.slice(1)));
  addEventListener('hashchange', open);
  open();
}

/** A link that was cut off within a character stays as it is: the player says that it does not work. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function openToken(root: HTMLElement, token: string): void {
  const player = document.createElement('dhara-player');
  // Without a token, the player still has to show an error.
  player.setAttribute('token', token === '' ? '-' : token);
  player.setAttribute('autoplay', '');

  const title = root.querySelector<HTMLElement>('.watch-title');
  title?.toggleAttribute('hidden', true);
  player.addEventListener('manifest', (event) => {
    const manifest = event.detail;
    document.title = `${manifest.title} · Dhara`;
    if (title) title.textContent = manifest.title;
    title?.toggleAttribute('hidden', false);
  });
  root.querySelector('.watch-stage')?.replaceChildren(player);
}
