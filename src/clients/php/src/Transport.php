<?php

declare(strict_types=1);

namespace Folio;

use Folio\Http\Answer;
use Folio\Http\AttemptFailed;
use Folio\Http\CurlSender;
use Folio\Http\Sender;
use Folio\Http\StreamSender;

/**
 * Sends requests and retries them.
 *
 * @internal
 */
final class Transport
{
    private const PAUSES = [1.0, 2.0, 4.0];
    private const JITTER = 0.1;

    /** The longest pause before a retry, in seconds. A response with a longer `Retry-After` goes to the caller. */
    private const LONGEST_PAUSE = 60.0;

    private readonly string $baseUrl;
    private readonly Sender $sender;

    /**
     * Returns the header with the key. A function, so that no dump and no serialization of this object shows the key.
     */
    private readonly \Closure $authorization;

    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        private readonly ?string $version,
        float $timeoutSeconds,
        private readonly ?string $account = null,
    ) {
        self::printable('baseUrl', $baseUrl);
        if (preg_match('~^https?://[^/?#@\\\\ ]+(/[^?#\\\\ ]*)?$~Di', $baseUrl) !== 1) {
            $like = 'like https://folio.example, without a user, a query or a fragment';
            throw new \InvalidArgumentException("baseUrl must be $like");
        }
        if ($version !== null) {
            self::printable('version', $version);
        }
        if ($account !== null) {
            self::printable('account', $account);
        }
        $authorization = 'Authorization: Bearer ' . self::printable('apiKey', $apiKey);
        $this->authorization = static fn (): string => $authorization;
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->sender = extension_loaded('curl') ? new CurlSender($timeoutSeconds) : new StreamSender($timeoutSeconds);
    }

    /** @return array<string, mixed> the fields that `var_dump` shows */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'version' => $this->version];
    }

    /**
     * Sends a request up to four times: immediately, then after 1 s, 2 s and 4 s, or later if `Retry-After` is longer.
     */
    public function send(
        string $method,
        string $target,
        ?string $body,
        string $type,
        string $accept,
        ?string $idempotencyKey,
    ): Answer {
        $headers = [($this->authorization)(), "Accept: $accept", 'User-Agent: folio-invoices-php'];
        if ($body !== null) {
            $headers[] = "Content-Type: $type";
        }
        if ($this->version !== null) {
            $headers[] = "Svc-Version: $this->version";
        }
        if ($this->account !== null) {
            $headers[] = "Svc-Account: $this->account";
        }
        if ($idempotencyKey !== null) {
            $headers[] = 'Idempotency-Key: ' . self::printable('idempotencyKey', $idempotencyKey);
        }
        $failure = '';
        foreach ([...self::PAUSES, null] as $pause) {
            $asked = 0.0;
            try {
                $answer = $this->sender->attempt($method, $this->baseUrl . $target, $headers, $body);
                $asked = $answer->askedPause();
                if ($pause === null || $answer->isFinal() || $asked > self::LONGEST_PAUSE) {
                    return $answer;
                }
            } catch (AttemptFailed $failed) {
                $failure = $failed->getMessage();
                if ($failed->isFinal) {
                    break;
                }
            }
            if ($pause !== null) {
                usleep((int) (1_000_000 * max($pause, $asked) * (1 + self::JITTER * mt_rand() / mt_getrandmax())));
            }
        }
        // Without the failure as the cause: PHP 8.1 has no SensitiveParameter, so the failure's trace contains the key.
        throw new NoAnswerException("No response from $this->baseUrl: $failure", null, $idempotencyKey);
    }

    /** Rejects a value that could start another header. The message omits the value, which may be a secret. */
    private static function printable(string $name, #[\SensitiveParameter] string $value): string
    {
        if (preg_match('/^[\x20-\x7e]+$/D', $value) !== 1) {
            throw new \InvalidArgumentException("$name must be a text of printable ASCII characters");
        }
        return $value;
    }
}
