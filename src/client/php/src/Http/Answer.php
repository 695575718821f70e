<?php

declare(strict_types=1);

namespace Folio\Http;

/** @internal */
final class Answer
{
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
        return preg_match('/^[0-9]{1,9}(\.[0-9]{1,9})?$/D', $value) === 1 ? (float) $value : 0.0;
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
