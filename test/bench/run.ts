/** `npm run bench`: each part prints its lines; ends with 1 where a target is missed. */
await import('./secondStart.js');
await import('./hotPaths.js');
await import('./pipeline.js');
await import('./quality.js');
await import('./remux.js');
await import('./chunks.js');
await import('./smallVideos.js');
await import('./player.js');
await import('./storageNight.js');
await import('./postings.js');
await import('./ledgerProof.js');
await import('./webhooks.js');
await import('./flood.js');
await import('./operationCost.js');

export {};
