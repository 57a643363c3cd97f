/** hls.js in a chunk of its own: fetched by the browsers that need it, once something is about to play. */
import Hls from 'hls.js';

export { hlsEngine } from './hlsEngine.js';

export const isSupported = (): boolean => Hls.isSupported();
