import { theAnalyticsPage } from './analytics.suite.js';
import { thePages } from './pages.suite.js';
import { thePlatformPages } from './platform.suite.js';
import { sharedScene } from './sharedScene.js';

const scene = sharedScene();

// First, because it counts all views of the video.
theAnalyticsPage(scene);
thePlatformPages(scene);
thePages(scene);
