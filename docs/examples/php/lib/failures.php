<?php

declare(strict_types=1);

const UNREACHABLE = [502, 'Videos are unavailable', 'The video service does not respond at the moment. Try again in a minute.'];
const BROKEN = [500, 'Something went wrong', 'That is our fault, not yours. Try again later.'];
const FAILURES = [
    'VIDEO_NOT_FOUND' => [404, 'Video not found', 'It does not exist, or it was deleted.'],
    'VIDEO_NOT_READY' => [409, 'Not ready yet', 'This video is still being processed. Try again later.'],
    'RATE_LIMIT_EXCEEDED' => [
        429,
        'No views left today',
        'All of today’s views of this site are used up. Come back after midnight UTC.',
    ],
    'INVALID_PARAMETER' => [400, 'Bad request', 'This address is not valid.'],
];

/**
 * What to tell a visitor about an error.
 *
 * @return array{status: int, title: string, text: string, retryAfter: ?string}
 */
function failureOf(Throwable $error): array
{
    [$status, $title, $text] = match (true) {
        $error instanceof DharaUnreachable => UNREACHABLE,
        $error instanceof DharaRefused => FAILURES[$error->errorCode] ?? ($error->status >= 500 ? UNREACHABLE : BROKEN),
        default => BROKEN,
    };
    $retryAfter = $error instanceof DharaRefused ? $error->retryAfter : null;
    return ['status' => $status, 'title' => $title, 'text' => $text, 'retryAfter' => $retryAfter];
}
