/**
 * Uses the published client in any runtime, and prints the results of its methods as one line of JSON. Arguments: the
 * client's module, the service, an API key, a video.
 */
const [module, baseUrl, apiKey, videoId] = globalThis.Deno?.args ?? process.argv.slice(2);
const { Dhara, DharaApiError, verifyWebhook } = await import(module);

const dhara = new Dhara({ baseUrl, apiKey });
const titles = [];
for await (const video of dhara.videos({ limit: 2, sort: 'title' })) titles.push(video.title);
const { data: listed, pagination } = await dhara.listVideos({ limit: 1, sort: 'title' });
const { data: video, requestId } = await dhara.getVideo(videoId);
const { data: minted, rateLimit } = await dhara.createPlaybackToken(videoId);
const { data: manifest } = await dhara.getManifest(minted.token);
const refused = await dhara.getVideo('vid_none').catch((error) => error);
const event = await verifyWebhook(
  '{"type":"video.ready"}',
  {
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1777887010',
    'webhook-signature': 'v1,/kQwatil95hhF4MXaQp0R+DSjXRl2MLJ7l+zDzymbj4=',
  },
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  { now: new Date(1777887010000) },
);
// oxlint-disable-next-line no-console
console.log(
  JSON.stringify({
    titles,
    listed: listed.map(({ title }) => title),
    hasMore: pagination.hasMore,
    video: video.title,
    hasRequestId: /^[\w-]{8,}$/.test(requestId),
    remaining: rateLimit.remaining,
    stream: manifest.type,
    refused: refused instanceof DharaApiError && refused.code,
    event: event.type,
  }),
);
