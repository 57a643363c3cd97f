import { afterAll, afterEach, beforeAll } from 'vitest';

import { Scene } from './scene.js';

/** One scene for all suites of a file, because a service takes longer to start than most of them. */
export function sharedScene(): () => Scene {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene?.closePages());
  afterAll(() => scene?.stop());
  return () => scene;
}
