import { afterAll, afterEach, beforeAll } from 'vitest';

import { theLiveUpdates } from './live.suite.js';
import { Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
}, 180_000);
afterEach(() => scene?.closePages());
afterAll(() => scene?.stop());

// One service for all of them: it takes longer to start than most of them take to run.
theLiveUpdates(() => scene);
