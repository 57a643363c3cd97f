/** Re-exported for the domain. The identity port finds the viewer. */
export type { OwnerView, Viewer } from '../../ports/identity.js';
