<?php
// Verifies a webhook: its body on standard input; id, timestamp and signature as arguments.

const TOLERANCE_SECONDS = 300;

function isGenuine(string $body, string $id, string $timestamp, string $signatures, string $secret): bool
{
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    // Anybody can sign with an empty key.
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $entry) {
        if (hash_equals($expected, $entry)) {
            return true;
        }
    }
    return false;
}

[, $id, $timestamp, $signatures] = $argv;
$body = stream_get_contents(STDIN);
if (!isGenuine($body, $id, $timestamp, $signatures, getenv('DHARA_WEBHOOK_SECRET'))) {
    fwrite(STDERR, "not from Dhara\n");
    exit(1);
}
echo json_decode($body, true)['type'], "\n";
