import { icon, type IconName } from './icons.js';

function button(id: string, name: IconName, label: string): string {
  return `<button id="${id}" part="button ${id}-button" aria-label="${label}">${icon(name)}</button>`;
}

function slider(id: string, label: string): string {
  return `<div class="slider" id="${id}" part="${id}-bar"><div class="track" part="track"><div class="ranges"></div><div class="fill" part="progress"></div><div class="marks"></div></div><div class="knob" part="thumb"></div>
<input type="range" min="0" max="1" step="any" aria-label="${label}"></div>`;
}

/** `title=""` keeps the element's own title from appearing as a tooltip everywhere. */
const MARKUP = `
<div class="shell" role="region" aria-label="Video player" tabindex="-1" title="">
  <video part="video" playsinline crossorigin preload="metadata" tabindex="-1"></video>
  <div class="art" part="art" hidden>${icon('note')}</div>
  <div class="captions" part="captions" hidden></div>
  <div class="spinner" part="spinner" hidden></div>
  <div class="toast" part="toast" role="status"></div>
  <div class="top"><span class="title" part="title" dir="auto"></span></div>
  <button class="big" part="big-play-button" id="big" aria-label="Play">${icon('play')}</button>
  <div class="controls" part="controls">
    ${slider('seek', 'Seek')}
    <div class="preview" part="preview" hidden><div class="thumb"></div><b dir="auto"></b><span></span></div>
    <div class="row">
      ${button('play', 'play', 'Play')}
      <div class="sound">${button('mute', 'volume', 'Mute')}${slider('volume', 'Volume')}</div>
      <span class="time" part="time"></span>
      <button id="chapter" part="chapter-button" aria-haspopup="menu" hidden></button>
      <span class="gap"></span>
      ${button('captions', 'captions', 'Captions')}
      ${button('settings', 'settings', 'Settings')}
      ${button('pip', 'pip', 'Picture in picture')}
      ${button('fullscreen', 'fullscreen', 'Full screen')}
    </div>
  </div>
  <div class="menu" part="menu" role="menu" hidden></div>
  <div class="message" part="message" hidden>
    <div role="alert"><strong></strong><span></span></div>
    <button id="retry" part="retry-button">Try again</button>
  </div>
</div>`;

/** Adds the player's elements to `root` and returns a function that finds them. */
export function renderMarkup(root: ShadowRoot): (selector: string) => HTMLElement {
  const template = document.createElement('template');
  template.innerHTML = MARKUP;
  root.append(template.content);
  return (selector) => root.querySelector<HTMLElement>(selector)!;
}
