<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * The response to an attempt.
 *
 * @internal
 */
final class Answer
{
    private const JSON_DEPTH = 512;

    /** @param array<string, string> $headers the headers by name, in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** Whether another request with the same idempotency key is still executing. */
    public function isExecuting(): bool
    {
        return $this->status === 202 && isset($this->headers['retry-after']);
    }

    /** Whether the response is final, so that the client does not retry. A conflict (409) never ends by itself. */
    public function isFinal(): bool
    {
        if ($this->status === 409) {
            return true;
        }
        if (isset($this->headers['svc-should-retry'])) {
            return $this->headers['svc-should-retry'] !== 'true';
        }
        return !$this->isExecuting() && $this->status !== 429 && $this->status < 500;
    }

    /** The pause of `Retry-After`, in seconds. */
    public function askedPause(): float
    {
        $value = $this->headers['retry-after'] ?? '';
        if (preg_match('/^[0-9]{1,9}(\.[0-9]{1,9})?$/D', $value) === 1) {
            return (float) $value;
        }
        $date = \DateTimeImmutable::createFromFormat('!D, d M Y H:i:s \G\M\T', $value, new \DateTimeZone('UTC'));
        return $date === false ? 0.0 : max(0.0, (float) $date->format('U') - microtime(true));
    }

    /** The value of a JSON body, with or without a byte order mark; null if the body is not JSON. */
    public function json(): mixed
    {
        $text = str_starts_with($this->body, "\xef\xbb\xbf") ? substr($this->body, 3) : $this->body;
        return json_decode($text, true, self::JSON_DEPTH, JSON_BIGINT_AS_STRING);
    }

    /**
     * Parses header lines. If they contain several responses, such as a proxy's, the last one counts.
     *
     * @param list<string> $lines
     * @return array{int, array<string, string>}
     */
    public static function headersOf(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('~^HTTP/[0-9.]+ ([0-9]{3})~', $line, $found) === 1) {
                $status = (int) $found[1];
                $headers = [];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }
        return [$status, $headers];
    }
}
