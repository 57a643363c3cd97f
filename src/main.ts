#!/usr/bin/env node
import './cli/requireNode.js';
import './cli/compactHeap.js';

// Not a static import: those are loaded, all of them, before the first module runs.
await import('./cli/program.js');
