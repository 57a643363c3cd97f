/** Styles of the controls. Time runs from left to right in every script, and so do all bars that show it. */
export const CONTROL_CSS = `
.controls, .top { position: absolute; inset-inline: 0; transition: opacity .2s; }
.top {
  inset-block-start: 0; padding: 14px 16px 32px; pointer-events: none;
  background: linear-gradient(#0009, transparent);
}
.top:has(.title:empty) { display: none; }
.title { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 15px; font-weight: 600; }
.controls {
  direction: ltr; inset-block-end: 0; padding: 36px 8px 6px; isolation: isolate; pointer-events: none;
  background: linear-gradient(transparent, #0006 45%, #000b);
}
.controls > * { pointer-events: auto; }
.idle .controls, .idle .top { opacity: 0; }
.idle .controls:not(:has(:focus-visible)) > * { pointer-events: none; }
.idle .controls:has(:focus-visible) { opacity: 1; }
.fresh .controls { visibility: hidden; }
.row { display: flex; align-items: center; gap: 2px; }
.row button {
  display: grid; place-content: center; flex: none; min-width: var(--_size); height: var(--_size); border-radius: 8px;
  position: relative;
}
@media (hover: hover) { .row button:hover { background: #fff2; } }
.row button.on::after {
  content: ''; position: absolute; inset-inline: 11px; inset-block-end: 5px; height: 2px; border-radius: 2px; background: var(--_accent);
}
.gap { flex: 1; }
.time { padding-inline: 6px; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
#chapter { min-width: 0; flex: 0 1 auto; padding-inline: 8px; display: block; line-height: var(--_size); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; }
#chapter::before { content: '· '; opacity: .7; }

.slider { position: relative; height: 20px; cursor: pointer; touch-action: none; }
.slider input { position: absolute; inset: 0; width: 100%; margin: 0; opacity: 0; pointer-events: none; }
.track, .ranges, .marks { position: absolute; inset-inline: 0; inset-block-start: 8px; height: 4px; border-radius: 4px; overflow: hidden; }
.track { background: var(--dhara-track, #fff4); transition: scale .12s; }
.ranges, .marks { inset-block-start: 0; }
.fill { position: absolute; inset: 0; background: var(--_accent); transform-origin: left; scale: var(--at, 0) 1; }
.slider i { position: absolute; inset-block: 0; background: #fff4; }
.marks i { width: 3px; margin-left: -1.5px; background: #000b; }
.knob {
  position: absolute; inset-block-start: 4px; left: calc(var(--at, 0) * 100%); width: 12px; height: 12px; margin-left: -6px;
  border-radius: 50%; background: var(--_accent); scale: 0; transition: scale .12s;
}
#seek { margin-inline: 8px; }
@media (hover: hover) {
  .slider:hover .knob { scale: 1; }
  #seek:hover .track { scale: 1 1.5; }
}
.slider:has(:focus-visible) .knob, .slider:active .knob { scale: 1; }
.sound { display: flex; align-items: center; }
#volume { width: 0; opacity: 0; margin-inline: 0; transition: width .15s, opacity .15s, margin .15s; }
#volume .fill, #volume .knob { background: var(--_ink); }
.sound:has(:focus-visible) #volume { width: 72px; opacity: 1; margin-inline: 6px 10px; }
@media (hover: hover) { .sound:hover #volume { width: 72px; opacity: 1; margin-inline: 6px 10px; } }

.preview {
  position: absolute; left: 16px; bottom: calc(var(--_size) + 32px); translate: calc(var(--x, 0px) - 50%) 0; max-width: 220px;
  display: grid; justify-items: center; gap: 3px; padding: 4px; border-radius: 8px; background: var(--_surface);
  font-size: 13px; text-align: center; pointer-events: none;
}
.preview .thumb { border-radius: 6px; background-repeat: no-repeat; }
.preview b { font-weight: 600; padding-inline: 6px; overflow-wrap: anywhere; }
.preview b:empty { display: none; }
.preview span { padding: 0 6px 1px; font-variant-numeric: tabular-nums; }

.big {
  position: absolute; inset: 0; margin: auto; width: 72px; height: 72px; display: grid; place-content: center; border-radius: 50%;
  color: var(--_on-accent); background: var(--_accent); opacity: 0; visibility: hidden;
  transition: scale .12s, opacity .15s;
}
.big svg { width: 34px; height: 34px; }
.fresh:not(.busy) .big, .over .big { opacity: 1; visibility: visible; }
.big:hover { scale: 1.06; }
.shell .big:focus-visible { outline-offset: 3px; border-radius: 50%; outline-color: var(--_ink); }
@media (hover: none) {
  .shell:not(.idle, .busy) .big { opacity: 1; visibility: visible; }
  .shell:not(.fresh, .over) .big { background: #0b0e1099; color: var(--_ink); width: 60px; height: 60px; inset-block-end: 56px; }
}

.menu {
  position: absolute; right: 12px; bottom: calc(var(--_size) + 36px); min-width: 232px; max-width: calc(100% - 24px);
  max-height: calc(100% - var(--_size) - 48px); box-sizing: border-box; padding: 6px; overflow: auto;
  border-radius: 12px; background: linear-gradient(var(--_surface), var(--_surface)) var(--_ground); color: var(--_ink); box-shadow: 0 8px 32px #0006; scrollbar-width: thin;
}
.menu[data-from=chapter] { left: 12px; right: auto; }
.menu button, .menu .head { display: flex; align-items: center; gap: 8px; width: 100%; min-height: 36px; padding: 4px 8px; border-radius: 7px; box-sizing: border-box; }
.menu button:hover, .menu button:focus { background: #fff2; }
.menu .head { font-weight: 600; margin-block-end: 4px; }
.menu div.head { padding-inline-start: 12px; }
.menu i { flex: none; width: 20px; }
.menu i:empty { display: none; }
[role=menuitemradio] i:empty { display: block; }
.menu svg { width: 20px; height: 20px; }
.menu span { flex: 1; overflow-wrap: anywhere; text-align: match-parent; }
.menu small { font-size: 13px; opacity: .72; max-width: 14em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-variant-numeric: tabular-nums; }
:host(:dir(rtl)) .menu svg { scale: -1 1; }

:host([audio]) .idle .controls, :host([audio]) .idle .top { opacity: 1; }
:host([audio]) .idle .controls > * { pointer-events: auto !important; }
.fresh .art, :host([audio]) #pip { display: none; }
:host([audio]) .fresh .controls { visibility: visible; }
:host([audio]) .shell { cursor: auto; }
@container dhara (max-width: 480px) {
  #pip, #chapter { display: none; }
  .controls { padding-inline: 4px; }
  .menu { inset: auto 8px 8px; max-height: calc(100% - 16px); max-width: none; }
  .menu button { min-height: 40px; }
  .fresh .big { width: 60px; height: 60px; }
}
@container dhara (max-width: 320px) { .time { font-size: 12px; } #volume { display: none; } }
@container dhara (max-height: 200px) {
  .art, .top { display: none; }
  .captions { font-size: 13px; }
}
`;
