import { theAccounts } from './accounts.suite.js';
import { theStateOfHome } from './allIsWell.suite.js';
import { theBranding } from './branding.suite.js';
import { theEmails } from './emails.suite.js';
import { theFirstPicture } from './firstPicture.suite.js';
import { theHome } from './home.suite.js';
import { theKeyboard } from './keyboard.suite.js';
import { theLiveUpdates } from './live.suite.js';
import { thePalette } from './palette.suite.js';
import { theSecondLanguage } from './secondLanguage.suite.js';
import { theSettings } from './settings.suite.js';
import { sharedScene } from './sharedScene.js';
import { theStates } from './states.suite.js';

const scene = sharedScene();

theFirstPicture(scene);
theHome(scene);
theStateOfHome(scene);
theBranding(scene);
theAccounts(scene);
theKeyboard(scene);
thePalette(scene);
theLiveUpdates(scene);
theEmails(scene);
theStates(scene);
theSecondLanguage(scene);
theSettings(scene);
