/** The element's own look. A page themes it by the custom properties and the parts named here. */
export const PLAYER_CSS = `
:host {
  --dhara-accent: #43b4c5;
  --dhara-radius: 10px;
  display: block;
  position: relative;
  aspect-ratio: 16 / 9;
  overflow: hidden;
  border-radius: var(--dhara-radius);
  background: #0b0e10;
  color: #fff;
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
:host([hidden]) { display: none; }
video { display: block; width: 100%; height: 100%; object-fit: contain; background: #0b0e10; accent-color: var(--dhara-accent); }
.quality {
  position: absolute; inset-block-start: 12px; inset-inline-end: 12px;
  opacity: 0; transition: opacity 150ms;
}
:host(:hover) .quality, :host([paused]) .quality, .quality:focus-within { opacity: 1; }
.quality[hidden], .message[hidden], .spinner[hidden] { display: none; }
select {
  font: inherit; font-size: 13px; font-variant-numeric: tabular-nums; color: #fff;
  min-height: 32px; padding: 4px 8px; border: 1px solid rgb(255 255 255 / .28); border-radius: 8px;
  background: rgb(11 14 16 / .72); cursor: pointer;
}
select option { color: #fff; background: #0b0e10; }
select:focus-visible, button:focus-visible { outline: 2px solid var(--dhara-accent); outline-offset: 2px; }
.message {
  position: absolute; inset: 0; display: grid; align-content: center; justify-items: center; gap: 6px;
  padding: 24px; text-align: center; background: #0b0e10;
}
.message strong { font-size: 18px; font-weight: 600; }
.message span { max-width: 42ch; color: #b9c2c6; }
button {
  font: inherit; font-weight: 600; margin-block-start: 12px; min-height: 40px; padding: 8px 18px; cursor: pointer;
  color: #06252a; background: var(--dhara-accent); border: 0; border-radius: 8px;
}
button[hidden] { display: none; }
.spinner {
  position: absolute; inset: 0; margin: auto; width: 40px; height: 40px; border-radius: 50%; pointer-events: none;
  border: 3px solid rgb(255 255 255 / .2); border-block-start-color: var(--dhara-accent); animation: turn .9s linear infinite;
}
@keyframes turn { to { rotate: 1turn; } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 4s; } .quality { transition: none; } }
`;
