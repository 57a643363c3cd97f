<?php

declare(strict_types=1);

/** The service refused a request, or could not serve it. */
final class DharaRefused extends RuntimeException
{
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly int $status,
        public readonly ?string $retryAfter,
    ) {
        parent::__construct("$errorCode: $message");
    }
}

/** The service was not reached, or what responded is not Dhara. */
final class DharaUnreachable extends RuntimeException
{
}

/** The calls of Dhara's API that this site makes. All of them throw DharaRefused and DharaUnreachable. */
final class Dhara
{
    private const TIMEOUT_SECONDS = 5;

    public function __construct(public readonly string $url, private readonly string $key)
    {
        if ($key === '') {
            throw new LogicException('Set DHARA_KEY to an API key of your account.');
        }
    }

    /** One page of the videos that are ready: `data` and `pagination`. */
    public function listVideos(?string $cursor): array
    {
        $query = ['status' => 'ready', 'limit' => 12] + ($cursor === null ? [] : ['cursor' => $cursor]);
        [$body] = $this->call('GET', '/v1/video?' . http_build_query($query));
        return $body;
    }

    public function getVideo(string $id): array
    {
        [$body] = $this->call('GET', '/v1/video/' . rawurlencode($id));
        return $body['data'];
    }

    /** @return array{string, int, int} the token, how many the key has left today, and how many it has a day */
    public function createPlaybackToken(string $id): array
    {
        [$body, $headers] = $this->call('POST', '/v1/video/' . rawurlencode($id) . '/playback-token');
        return [
            $body['data']['token'],
            (int) $headers['x-ratelimit-remaining'],
            (int) $headers['x-ratelimit-limit'],
        ];
    }

    /** @return array{array, array<string, string>} the body, and the headers by their names in small letters */
    private function call(string $method, string $path): array
    {
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => [
            'method' => $method,
            'header' => "x-service-key: $this->key\r\nContent-Length: 0",
            'timeout' => self::TIMEOUT_SECONDS,
            'ignore_errors' => true,
            // The key is for this address, and not for one that it points to.
            'follow_location' => 0,
        ]]));
        if ($stream === false) {
            throw new DharaUnreachable(error_get_last()['message'] ?? $this->url);
        }
        $text = stream_get_contents($stream);
        ['wrapper_data' => $lines, 'timed_out' => $isLate] = stream_get_meta_data($stream);
        fclose($stream);
        $body = json_decode((string) $text, true);
        if ($isLate || !is_array($body) || !isset($body['success'])) {
            throw new DharaUnreachable('No response from Dhara at ' . $this->url);
        }
        $headers = self::headersOf($lines);
        if ($body['success'] !== true) {
            ['code' => $code, 'message' => $message, 'status' => $status] = $body['error'];
            throw new DharaRefused($code, $message, $status, $headers['retry-after'] ?? null);
        }
        return [$body, $headers];
    }

    private static function headersOf(array $lines): array
    {
        $headers = [];
        foreach ($lines as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
        }
        return $headers;
    }
}
