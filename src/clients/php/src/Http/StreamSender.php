<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * Sends requests without the extension curl. Needs `allow_url_fopen`, and openssl for https.
 *
 * @internal
 */
final class StreamSender implements Sender
{
    public function __construct(private readonly float $timeoutSeconds)
    {
    }

    public function attempt(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body): Answer
    {
        $context = stream_context_create([
            'http' => [
                'method' => $method,
                'header' => [...$headers, 'Connection: close'],
                'content' => $body ?? '',
                'protocol_version' => '1.1',
                'follow_location' => 0,
                'ignore_errors' => true,
                'timeout' => $this->timeoutSeconds,
            ],
            'ssl' => ['verify_peer' => true, 'verify_peer_name' => true],
        ]);
        error_clear_last();
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            throw new AttemptFailed(error_get_last()['message'] ?? 'The connection failed.');
        }
        try {
            return $this->read($stream);
        } finally {
            fclose($stream);
        }
    }

    /** @param resource $stream */
    private function read($stream): Answer
    {
        $deadline = microtime(true) + $this->timeoutSeconds;
        $received = '';
        while (!feof($stream)) {
            // fread waits until it has all the bytes requested, so only the bytes that have arrived are requested.
            $chunk = @fread($stream, max(1, stream_get_meta_data($stream)['unread_bytes']));
            if ($chunk === false || stream_get_meta_data($stream)['timed_out'] || microtime(true) > $deadline) {
                throw new AttemptFailed('The response took too long.');
            }
            $received .= $chunk;
            if (strlen($received) > self::ANSWER_MAX) {
                throw AttemptFailed::tooLarge(self::ANSWER_MAX);
            }
        }
        [$status, $headers] = Answer::headersOf(stream_get_meta_data($stream)['wrapper_data']);
        if (isset($headers['content-length']) && (int) $headers['content-length'] !== strlen($received)) {
            throw new AttemptFailed('The response was truncated.');
        }
        return new Answer($status, $headers, $received);
    }
}
