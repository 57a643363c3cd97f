/** Re-exported for the domain. The identity port finds the viewer. */
export type { Viewer } from '../../ports/identity.js';
