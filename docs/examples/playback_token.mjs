// Lists ready videos and creates a playback token for the newest. Needs Node 20.
const { DHARA_URL, DHARA_KEY } = process.env;

async function call(path, options = {}) {
  const response = await fetch(DHARA_URL + path, { ...options, headers: { 'x-service-key': DHARA_KEY } });
  const body = await response.json();
  if (!body.success) throw new Error(`${body.error.code}: ${body.error.message}`);
  return { data: body.data, headers: response.headers };
}

const { data: videos } = await call('/v1/video?status=ready&limit=1');
if (videos.length === 0) {
  console.error('No video is ready');
  process.exit(1);
}
const { data, headers } = await call(`/v1/video/${videos[0].id}/playback-token`, { method: 'POST' });

console.log(`video ${videos[0].id}`);
console.log(`token ${data.token}`);
console.log(`left ${headers.get('x-ratelimit-remaining')}`);
