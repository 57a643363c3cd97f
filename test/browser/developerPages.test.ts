import { theApiReference } from './apiReference.suite.js';
import { theDocs } from './docs.suite.js';
import { theEvents } from './events.suite.js';
import { sharedScene } from './sharedScene.js';
import { theSuspendedAccount } from './suspended.suite.js';
import { theTestMode } from './testMode.suite.js';
import { theWebhooks } from './webhooks.suite.js';

const scene = sharedScene();

theApiReference(scene);
theEvents(scene);
theDocs(scene);
theWebhooks(scene);
theTestMode(scene);
theSuspendedAccount(scene);
