<?php
// A small video site: lists the account's videos, plays them, and receives webhooks. Needs PHP 8.1.

declare(strict_types=1);

require __DIR__ . '/../lib/dhara.php';
require __DIR__ . '/../lib/failures.php';
require __DIR__ . '/../lib/pages.php';
require __DIR__ . '/../lib/webhook.php';

const VIDEO_PATH = '#^/videos/([^/]+)$#';
const TOKEN_PATH = '#^/videos/([^/]+)/token$#';

function setting(string $name, string $default = ''): string
{
    $value = getenv($name);
    return $value === false ? $default : $value;
}

function respond(string $method, string $path): void
{
    $dhara = new Dhara(setting('DHARA_URL', 'http://localhost:4000'), setting('DHARA_KEY'));

    if ($method === 'GET' && $path === '/') {
        $cursor = $_GET['cursor'] ?? null;
        $page = $dhara->listVideos(is_string($cursor) ? $cursor : null);
        echo listPage($page['data'], $page['pagination']['nextCursor'], $cursor === null);
    } elseif ($method === 'GET' && preg_match(VIDEO_PATH, $path, $match)) {
        // Each load of this page uses one of the key's tokens. The video comes first: a 404 uses none.
        $video = $dhara->getVideo(rawurldecode($match[1]));
        [$token, $left, $limit] = $dhara->createPlaybackToken($video['id']);
        header('Cache-Control: no-store');
        echo videoPage($video, $token, $left, $limit, $dhara->url);
    } elseif ($method === 'POST' && preg_match(TOKEN_PATH, $path, $match)) {
        // The player asks for a fresh token if the page was open for more than five minutes before somebody pressed play.
        [$token] = $dhara->createPlaybackToken(rawurldecode($match[1]));
        header('Cache-Control: no-store');
        header('Content-Type: text/plain');
        echo $token;
    } elseif ($method === 'POST' && $path === '/hooks') {
        receiveWebhook(setting('DHARA_WEBHOOK_SECRET'));
    } else {
        http_response_code(404);
        echo errorPage('Page not found', 'There is nothing at this address.');
    }
}

function receiveWebhook(string $secret): void
{
    // The signature covers the bytes that were sent, so the body must not be parsed first.
    $body = (string) file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!isFromDhara($body, $id, $timestamp, $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $secret)) {
        error_log('webhook refused');
        http_response_code(400);
        header('Content-Type: text/plain');
        echo 'Not signed by Dhara';
        return;
    }
    $event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    // An event can arrive more than once. If you act on it, store its id, and skip ids that you have.
    error_log("webhook {$event['id']} {$event['type']} " . json_encode($event['data']));
    http_response_code(204);
}

try {
    respond($_SERVER['REQUEST_METHOD'], explode('?', $_SERVER['REQUEST_URI'])[0]);
} catch (Throwable $error) {
    $failure = failureOf($error);
    if ($failure['status'] >= 500) {
        error_log((string) $error);
    }
    http_response_code($failure['status']);
    header('Cache-Control: no-store');
    if ($failure['retryAfter'] !== null) {
        header("Retry-After: {$failure['retryAfter']}");
    }
    echo errorPage($failure['title'], $failure['text']);
}
