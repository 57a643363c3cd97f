#!/usr/bin/env bash
# Lists ready videos and creates a playback token for the newest. Needs curl, and jq to read JSON.
set -euo pipefail

headers=$(mktemp)
trap 'rm "$headers"' EXIT

# Prints `data` of the response, or the error's code and message.
call() {
  local body
  body=$(curl --silent --show-error --header "x-service-key: $DHARA_KEY" --dump-header "$headers" "$@")
  if [ "$(jq .success <<< "$body")" != true ]; then
    jq --raw-output '"\(.error.code): \(.error.message)"' <<< "$body" >&2
    return 1
  fi
  jq .data <<< "$body"
}

videos=$(call "$DHARA_URL/v1/video?status=ready&limit=1")
video=$(jq --raw-output '.[0].id' <<< "$videos")
if [ "$video" = null ]; then
  echo 'No video is ready' >&2
  exit 1
fi
token=$(call --request POST "$DHARA_URL/v1/video/$video/playback-token")

echo "video $video"
echo "token $(jq --raw-output .token <<< "$token")"
echo "left $(awk 'tolower($1) == "x-ratelimit-remaining:" { print $2 + 0 }' "$headers")"
