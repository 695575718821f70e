<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * Sends requests with the extension curl.
 *
 * @internal
 */
final class CurlSender implements Sender
{
    /** Errors that a retry cannot fix: an invalid certificate, or an unreadable file of certificates. */
    private const FINAL_ERRORS = [CURLE_SSL_CACERT, CURLE_SSL_PEER_CERTIFICATE, CURLE_SSL_CACERT_BADFILE];

    // Kept between requests, to reuse the connection.
    private readonly \CurlHandle $curl;

    public function __construct(private readonly float $timeoutSeconds)
    {
        $this->curl = curl_init();
    }

    public function attempt(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body): Answer
    {
        $lines = [];
        $received = '';
        $isTooLarge = false;
        // Without the last two, curl would send the media type of a form, and wait for permission to send a large body.
        $sent = [...$headers, ...($body === null ? ['Content-Type:'] : []), 'Expect:'];
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $sent,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => (int) ceil($this->timeoutSeconds * 1000),
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$lines): int {
                $lines[] = $line;
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $chunk) use (&$received, &$isTooLarge): int {
                $received .= $chunk;
                $isTooLarge = strlen($received) > self::ANSWER_MAX;
                return $isTooLarge ? 0 : strlen($chunk);
            },
        ]);
        if ($body !== null || $method === 'POST') {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $body ?? '');
        }
        $isReceived = curl_exec($this->curl);
        if ($isTooLarge) {
            throw AttemptFailed::tooLarge(self::ANSWER_MAX);
        }
        if ($isReceived === false) {
            $isFinal = in_array(curl_errno($this->curl), self::FINAL_ERRORS, true);
            throw new AttemptFailed(curl_error($this->curl), $isFinal);
        }
        [$status, $found] = Answer::headersOf($lines);
        return new Answer($status, $found, $received);
    }
}
