<?php
// Lists ready videos and creates a playback token for the newest. Needs PHP 8.

function call(string $path, string $method = 'GET'): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => 'x-service-key: ' . getenv('DHARA_KEY'),
        'timeout' => 10,
        'ignore_errors' => true,
    ]]);
    $text = file_get_contents(getenv('DHARA_URL') . $path, false, $context);
    if ($text === false) {
        exit("The service was not reached\n");
    }
    $body = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    if (!$body['success']) {
        exit("{$body['error']['code']}: {$body['error']['message']}\n");
    }
    $headers = [];
    foreach ($http_response_header as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = trim($value);
    }
    return [$body['data'], $headers];
}

[$videos] = call('/v1/video?status=ready&limit=1');
if ($videos === []) {
    fwrite(STDERR, "No video is ready\n");
    exit(1);
}
[$token, $headers] = call("/v1/video/{$videos[0]['id']}/playback-token", 'POST');

echo "video {$videos[0]['id']}\n";
echo "token {$token['token']}\n";
echo "left {$headers['x-ratelimit-remaining']}\n";
