"""Lists ready videos and creates a playback token for the newest. Needs Python 3.9."""

import json
import os
import urllib.error
import urllib.request


def call(path, method="GET"):
    request = urllib.request.Request(
        os.environ["DHARA_URL"] + path,
        method=method,
        headers={"x-service-key": os.environ["DHARA_KEY"]},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)["data"], response.headers
    except urllib.error.HTTPError as error:
        body = json.load(error)["error"]
        raise SystemExit(f"{body['code']}: {body['message']}")


videos, _ = call("/v1/video?status=ready&limit=1")
if not videos:
    raise SystemExit("No video is ready")
token, headers = call(f"/v1/video/{videos[0]['id']}/playback-token", "POST")

print("video", videos[0]["id"])
print("token", token["token"])
print("left", headers["X-RateLimit-Remaining"])
