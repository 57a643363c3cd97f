#!/usr/bin/env node
import './cli/requireNode.js';
import './cli/compactHeap.js';

// Not a static import, because all static imports load before the first module runs.
await import('./cli/program.js');
