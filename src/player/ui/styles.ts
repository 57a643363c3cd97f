import { CONTROL_CSS } from './controlStyles.js';

/** The element's own styles. A page themes it with the custom properties and parts that README.md lists. */
const FRAME_CSS = `
:host {
  --_accent: var(--dhara-accent, #43b4c5);
  --_on-accent: var(--dhara-on-accent, #06252a);
  --_ink: var(--dhara-ink, #fff);
  --_surface: var(--dhara-surface, #101517f0);
  --_ground: var(--dhara-background, #0b0e10);
  --_size: var(--dhara-button-size, 40px);
  display: block; position: relative; aspect-ratio: 16 / 9; overflow: hidden; isolation: isolate;
  border-radius: var(--dhara-radius, 10px); background: var(--_ground); color: var(--_ink);
  font: 14px/1.4 var(--dhara-font, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif);
  -webkit-tap-highlight-color: transparent; text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
:host(:fullscreen) { border-radius: 0; aspect-ratio: auto; width: 100%; height: 100%; }
.shell { position: absolute; inset: 0; outline: none; container: dhara / size; overflow: hidden; user-select: none; }
.shell.idle { cursor: none; }
video { display: block; width: 100%; height: 100%; object-fit: var(--dhara-object-fit, contain); outline: none; }
:host([audio]) video { object-fit: cover; filter: brightness(.55); }
.art {
  position: absolute; inset: 0; margin: auto; width: 96px; height: 96px; display: grid; place-content: center;
  border-radius: 50%; background: #fff1; pointer-events: none;
}
.art svg { width: 44px; height: 44px; }
svg { display: block; width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
svg.filled { fill: currentColor; }
button { all: unset; box-sizing: border-box; cursor: pointer; touch-action: manipulation; }
button:focus-visible, .slider:has(:focus-visible) { outline: 2px solid var(--_accent); outline-offset: -2px; border-radius: 8px; }

.spinner, .waits strong::before {
  width: 44px; height: 44px; margin: auto; border-radius: 50%;
  border: 3px solid #fff3; border-block-start-color: var(--_accent);
  animation: turn .9s linear infinite, appear .2s .25s backwards;
}
.spinner { position: absolute; inset: 0; pointer-events: none; }
@keyframes turn { to { rotate: 1turn; } }
@keyframes breathe { 50% { opacity: .3; } }
@keyframes appear { from { opacity: 0; } }

.toast {
  position: absolute; inset-block-start: 14%; inset-inline: 0; margin-inline: auto; width: fit-content; padding: 6px 14px;
  border-radius: 99px; background: #0b0e10cc; font-variant-numeric: tabular-nums; pointer-events: none;
  opacity: 0; transition: opacity .2s;
}
.toast.shown { opacity: 1; }

.captions {
  position: absolute; inset-inline: 8%; inset-block-end: 4%; display: grid; justify-items: center; gap: 2px; pointer-events: none;
  text-align: center; font-size: var(--dhara-caption-size, clamp(13px, 3.6cqi, 30px)); line-height: 1.35; white-space: pre-line;
  transition: translate .2s;
}
.captions span {
  padding: 1px .45em; border-radius: 4px; color: var(--dhara-caption-ink, #fff);
  background: var(--dhara-caption-background, #080a0cc7);
}
.shell:not(.idle) .captions { translate: 0 -68px; }

.message {
  position: absolute; inset: 0; display: grid; align-content: center; justify-items: center; gap: 16px; padding: 16px 24px;
  overflow: auto; text-align: center; background: var(--_ground);
}
.message div { display: grid; gap: 6px; }
.message strong { font-size: clamp(15px, 4.4cqi, 19px); font-weight: 600; text-wrap: balance; }
.message span { max-width: 44ch; opacity: .76; text-wrap: balance; }
.waits strong::before { content: ''; display: block; margin-block-end: 14px; }
#retry {
  min-height: 40px; padding: 8px 20px; border-radius: 8px; font-weight: 600;
  color: var(--_on-accent); background: var(--_accent);
}
#retry:hover { filter: brightness(1.08); }
#retry:focus-visible { outline-offset: 3px; }
@media (prefers-reduced-motion: reduce) {
  *, ::before { transition: none !important; }
  .spinner, .waits strong::before { animation: breathe 2.4s ease-in-out infinite; }
}
@media (forced-colors: active) { .track, .fill, .knob, .big { forced-color-adjust: none; } }
`;

let sheet: CSSStyleSheet | undefined;

/** One sheet for all players of a page. A constructed sheet is allowed by every content security policy. */
export function adoptStyles(root: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(FRAME_CSS + CONTROL_CSS);
  }
  root.adoptedStyleSheets = [sheet];
}
