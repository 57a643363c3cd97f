import { lazy as reactLazy } from 'react';
import { loadAgain } from './loadAgain.js';

/** As React's, which keeps the failure of one lost request for good, and breaks the page with it: see `loadAgain`. */
export const lazy: typeof reactLazy = (load) => reactLazy(() => loadAgain(load));
