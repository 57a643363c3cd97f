import { afterAll, afterEach, beforeAll } from 'vitest';

import { theAccuracy } from './accuracy.suite.js';
import { theAnalytics } from './analytics.suite.js';
import { theBuilds } from './builds.suite.js';
import { theControls } from './controls.suite.js';
import { theErrors } from './errors.suite.js';
import { theOtherBrowsers } from './otherBrowsers.suite.js';
import { theRecovery } from './recovery.suite.js';
import { Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterEach(() => scene?.closePages());
afterAll(() => scene?.stop());

// One service and one processed video for all suites: making them takes longer than watching them.
theBuilds(() => scene);
theControls(() => scene);
theErrors(() => scene);
theRecovery(() => scene);
theAnalytics(() => scene);
theAccuracy(() => scene);
theOtherBrowsers(() => scene);
