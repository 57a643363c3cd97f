import { theCaptions } from './captions.suite.js';
import { thePath } from './path.suite.js';
import { thePoster } from './poster.suite.js';
import { sharedScene } from './sharedScene.js';
import { theUploads } from './uploads.suite.js';
import { theVideoTabs } from './videoTabs.suite.js';

const scene = sharedScene();

thePoster(scene);
theCaptions(scene);
theUploads(scene);
theVideoTabs(scene);
thePath(scene);
