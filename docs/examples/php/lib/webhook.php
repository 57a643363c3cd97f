<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Whether Dhara sent this message with this secret, and recently (Standard Webhooks).
 *
 * @param string $body as it was received
 * @param string $signatures of the header `webhook-signature`: several while a secret is being rotated
 */
function isFromDhara(string $body, string $id, string $timestamp, string $signatures, string $secret): bool
{
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    // Anybody can sign with an empty key.
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
