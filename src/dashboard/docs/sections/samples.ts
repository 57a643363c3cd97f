import type { Language } from '../parts/languages.js';

type Sample = Readonly<Record<Language, string>>;

/** A server that creates tokens, so that the page never sees the API key. `origin` is this service's. */
export function tokenServer(origin: string): Sample {
  return {
    curl: `export DHARA_KEY=dk_…

# Your videos
curl -H "x-service-key: $DHARA_KEY" ${origin}/v1/video

# One token is one view, good for five minutes
curl -X POST -H "x-service-key: $DHARA_KEY" ${origin}/v1/video/vid_…/playback-token`,
    Node: `import { createServer } from 'node:http';

createServer(async (req, res) => {
  const videoId = new URL(req.url, 'http://localhost').searchParams.get('video');
  // Ask here whether this visitor may watch it.
  const answer = await fetch(\`${origin}/v1/video/\${videoId}/playback-token\`, {
    method: 'POST',
    headers: { 'x-service-key': process.env.DHARA_KEY },
  });
  const { success, data, error } = await answer.json();
  res.writeHead(success ? 200 : error.status, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
  res.end(success ? data.token : error.code);
}).listen(process.env.PORT ?? 3000);`,
    PHP: `<?php
// token.php?video=vid_… Ask here whether this visitor may watch it.
$curl = curl_init('${origin}/v1/video/' . rawurlencode($_GET['video']) . '/playback-token');
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_POSTFIELDS => '',
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['x-service-key: ' . getenv('DHARA_KEY')],
]);
$answer = json_decode(curl_exec($curl), true);
header('Content-Type: text/plain');
header('Cache-Control: no-store');
http_response_code($answer['success'] ? 200 : $answer['error']['status']);
echo $answer['success'] ? $answer['data']['token'] : $answer['error']['code'];`,
    Python: `import json, os, sys
from urllib.parse import quote
from urllib.request import Request, urlopen


def playback_token(video_id):
    """Ask before whether this visitor may watch it."""
    request = Request(
        "${origin}/v1/video/" + quote(video_id, safe="") + "/playback-token",
        method="POST",
        headers={"x-service-key": os.environ["DHARA_KEY"]},
    )
    with urlopen(request) as answer:
        return json.load(answer)["data"]["token"]


if __name__ == "__main__":
    print(playback_token(sys.argv[1]))`,
  };
}

/** A page that plays a video, and asks that server for a token when it needs one. */
export function playerPage(origin: string): string {
  return `<script type="module" src="${origin}/player/dhara-player.mjs"></script>

<dhara-player id="video" title="A walk along the river"></dhara-player>

<script type="module">
  document.getElementById('video').tokenProvider = async () =>
    (await fetch('/token?video=vid_…')).text();
</script>`;
}
