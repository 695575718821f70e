<?php

declare(strict_types=1);

namespace Folio\Http;

/** @internal */
final class Answer
{
    private const JSON_DEPTH = 512;

    /** @param array<string, string> $headers by names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** Whether another request with the same idempotency key is still being executed. */
    public function isExecuting(): bool
    {
        return $this->status === 202 && isset($this->headers['retry-after']);
    }

    /** Whether to return the answer without another attempt. A conflict never ends by itself. */
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

    /** The pause that the service asks for, in seconds. */
    public function askedPause(): float
    {
        $value = $this->headers['retry-after'] ?? '';
        if (preg_match('/^[0-9]{1,9}(\.[0-9]{1,9})?$/D', $value) === 1) {
            return (float) $value;
        }
        $date = \DateTimeImmutable::createFromFormat('!D, d M Y H:i:s \G\M\T', $value, new \DateTimeZone('UTC'));
        return $date === false ? 0.0 : max(0.0, (float) $date->format('U') - microtime(true));
    }

    /** What the body says in JSON, with or without a byte order mark; null for another body. */
    public function json(): mixed
    {
        $text = str_starts_with($this->body, "\xef\xbb\xbf") ? substr($this->body, 3) : $this->body;
        return json_decode($text, true, self::JSON_DEPTH, JSON_BIGINT_AS_STRING);
    }

    /**
     * Reads the lines of headers; of several answers, as of a proxy before the service, the last one counts.
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
