import { afterAll, afterEach, beforeAll } from 'vitest';

import { theAccounts } from './accounts.suite.js';
import { theEmails } from './emails.suite.js';
import { theAnalyticsPage } from './analytics.suite.js';
import { theApiReference } from './apiReference.suite.js';
import { theBranding } from './branding.suite.js';
import { theDocs } from './docs.suite.js';
import { theEvents } from './events.suite.js';
import { theFirstPicture } from './firstPicture.suite.js';
import { theHome } from './home.suite.js';
import { theKeyboard } from './keyboard.suite.js';
import { theLiveUpdates } from './live.suite.js';
import { thePalette } from './palette.suite.js';
import { thePath } from './path.suite.js';
import { thePoster } from './poster.suite.js';
import { thePages } from './pages.suite.js';
import { Scene } from './scene.js';
import { theSecondLanguage } from './secondLanguage.suite.js';
import { theSettings } from './settings.suite.js';
import { theStates } from './states.suite.js';
import { theCaptions } from './captions.suite.js';
import { theTestMode } from './testMode.suite.js';
import { theUploads } from './uploads.suite.js';
import { theVideoTabs } from './videoTabs.suite.js';
import { theWebhooks } from './webhooks.suite.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterEach(() => scene?.closePages());
afterAll(() => scene?.stop());

// One service for all suites: starting it takes longer than most of them.
theFirstPicture(() => scene);
theHome(() => scene);
theApiReference(() => scene);
theBranding(() => scene);
theAccounts(() => scene);
theKeyboard(() => scene);
thePalette(() => scene);
theLiveUpdates(() => scene);
theEvents(() => scene);
theDocs(() => scene);
theAnalyticsPage(() => scene);
theEmails(() => scene);
theStates(() => scene);
theSecondLanguage(() => scene);
thePages(() => scene);
theSettings(() => scene);
thePoster(() => scene);
theCaptions(() => scene);
theUploads(() => scene);
theVideoTabs(() => scene);
thePath(() => scene);
theWebhooks(() => scene);
theTestMode(() => scene);
