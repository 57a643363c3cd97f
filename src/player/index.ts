import { DharaPlayer } from './dharaPlayer.js';

export { DharaPlayer } from './dharaPlayer.js';
export type { PlayerErrorCode } from './errors.js';
export type { Manifest } from './exchange.js';

declare global {
  interface HTMLElementTagNameMap {
    'dhara-player': DharaPlayer;
  }
}

if (globalThis.customElements && !customElements.get('dhara-player')) {
  customElements.define('dhara-player', DharaPlayer);
}
