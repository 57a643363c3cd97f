import type { Language } from '../parts/languages.js';

type Sample = Readonly<Record<Language, string>>;

/**
 * A server that creates tokens, so that the page never sees the API key: in Node and PHP a whole one, in the others the
 * function that a site's own framework calls. `origin` is this service's.
 */
export function tokenServer(origin: string, videoId = 'vid_…'): Sample {
  return {
    curl: `export DHARA_KEY=dk_…

# Your videos
curl -H "x-service-key: $DHARA_KEY" ${origin}/v1/video

# One token is one view, good for five minutes
curl -X POST -H "x-service-key: $DHARA_KEY" ${origin}/v1/video/${videoId}/playback-token`,
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
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => 'x-service-key: ' . getenv('DHARA_KEY'),
    'timeout' => 10,
    'ignore_errors' => true,
]]);
$url = '${origin}/v1/video/' . rawurlencode($_GET['video']) . '/playback-token';
$answer = json_decode(file_get_contents($url, false, $context), true);
header('Content-Type: text/plain');
header('Cache-Control: no-store');
http_response_code($answer['success'] ? 200 : $answer['error']['status']);
echo $answer['success'] ? $answer['data']['token'] : $answer['error']['code'];`,
    Python: `import json, os, sys
from urllib.parse import quote
from urllib.request import Request, urlopen


def playback_token(video_id):
    """First check that this visitor may watch it."""
    request = Request(
        "${origin}/v1/video/" + quote(video_id, safe="") + "/playback-token",
        method="POST",
        headers={"x-service-key": os.environ["DHARA_KEY"]},
    )
    with urlopen(request) as answer:
        return json.load(answer)["data"]["token"]


if __name__ == "__main__":
    print(playback_token(sys.argv[1]))`,
    Ruby: `require 'json'
require 'net/http'

# First check that this visitor may watch it.
def playback_token(video_id)
  uri = URI("${origin}/v1/video/#{URI.encode_www_form_component(video_id)}/playback-token")
  answer = Net::HTTP.post(uri, '', 'x-service-key' => ENV.fetch('DHARA_KEY'))
  body = JSON.parse(answer.body)
  raise body['error']['code'] unless body['success']
  body['data']['token']
end

puts playback_token(ARGV[0]) if $PROGRAM_NAME == __FILE__`,
    Go: `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
)

// First check that this visitor may watch it.
func playbackToken(videoID string) (string, error) {
	address := "${origin}/v1/video/" + url.PathEscape(videoID) + "/playback-token"
	request, err := http.NewRequest("POST", address, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("x-service-key", os.Getenv("DHARA_KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var body struct {
		Data  struct{ Token string }
		Error struct{ Code string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return "", err
	}
	if body.Error.Code != "" {
		return "", errors.New(body.Error.Code)
	}
	return body.Data.Token, nil
}

func main() {
	token, err := playbackToken(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token)
}`,
  };
}
