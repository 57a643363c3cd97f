/** hls.js in a chunk of its own: fetched by the browsers that need it, once something is about to play. */
export { default } from 'hls.js';
