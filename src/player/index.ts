import { DharaPlayer } from './dharaPlayer.js';

export { DharaPlayer } from './dharaPlayer.js';
export type * from './api.js';

if (globalThis.customElements && !customElements.get('dhara-player')) {
  customElements.define('dhara-player', DharaPlayer);
}
