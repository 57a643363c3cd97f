/** hls.js in its own chunk. Only browsers that need it fetch it, when something is about to play. */
import Hls from 'hls.js';

export { hlsEngine } from './hlsEngine.js';

export const isSupported = (): boolean => Hls.isSupported();
