<?php

declare(strict_types=1);

/** Everything that is put into HTML goes through this function. */
function e(?string $text): string
{
    return htmlspecialchars($text ?? '', ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5);
}

/** @param string $main HTML */
function page(string $title, string $main): string
{
    $title = e($title);
    return <<<HTML
        <!doctype html>
        <html lang="en">
        <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>$title · Example videos</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/style.css">
        </head>
        <body>
            <header><a href="/">Example videos</a></header>
            <main>$main</main>
        </body>
        </html>
        HTML;
}

function listPage(array $videos, ?string $nextCursor, bool $isFirst): string
{
    $items = implode('', array_map(listItem(...), $videos));
    $empty = $videos === [] ? '<p>There are no videos yet.</p>' : '';
    $first = $isFirst ? '' : '<a href="/">First page</a>';
    $next = $nextCursor === null
        ? ''
        : '<a href="' . e('/?cursor=' . rawurlencode($nextCursor)) . '" rel="next">Next page</a>';
    $links = $first . $next === '' ? '' : "<nav aria-label=\"Pages\">$first $next</nav>";
    return page('Videos', "<h1>Videos</h1>$empty<ul class=\"videos\">$items</ul>$links");
}

function listItem(array $video): string
{
    // The title beside it says what the picture shows, so the picture itself needs no text.
    $picture = $video['thumbnailUrl'] === null
        ? ''
        : '<img src="' . e($video['thumbnailUrl']) . '" alt="" loading="lazy">';
    $path = e('/videos/' . $video['id']);
    $title = e($video['title']);
    $duration = duration($video['durationSeconds'] ?? 0);
    return "<li><a href=\"$path\">$picture<span>$title</span></a> <small>$duration</small></li>";
}

function videoPage(array $video, string $token, int $left, int $limit, string $dharaUrl): string
{
    $title = e($video['title']);
    $description = e($video['description']);
    $token = e($token);
    $poster = $video['thumbnailUrl'] === null ? '' : 'poster="' . e($video['thumbnailUrl']) . '"';
    $script = e("$dharaUrl/player/dhara-player.mjs");
    return page($video['title'], <<<HTML
        <h1>$title</h1>
        <dhara-player token="$token" $poster title="$title"></dhara-player>
        <noscript><p>Turn on JavaScript to play this video.</p></noscript>
        <p class="description">$description</p>
        <p><small>$left of $limit views left today</small></p>
        <script type="module" src="/freshToken.mjs"></script>
        <script type="module" src="$script"></script>
        HTML);
}

function errorPage(string $title, string $text): string
{
    return page($title, '<h1>' . e($title) . '</h1><p>' . e($text) . '</p><p><a href="/">All videos</a></p>');
}

/** 83 seconds are 1:23. */
function duration(int|float $durationSeconds): string
{
    $seconds = (int) round($durationSeconds);
    return sprintf('%d:%02d', intdiv($seconds, 60), $seconds % 60);
}
