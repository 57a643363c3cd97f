/** Accounts' word for who is asking; the identity port finds it. */
export type { Viewer } from '../../ports/identity.js';
