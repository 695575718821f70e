<?php

declare(strict_types=1);

namespace Folio\Http;

/**
 * Sends one attempt of a request.
 *
 * @internal
 */
interface Sender
{
    /** The largest response that the client reads, in bytes. */
    public const ANSWER_MAX = 32 * 1024 * 1024;

    /**
     * Makes one attempt. It follows no redirect, because the redirect target would get the API key.
     *
     * @param list<string> $headers header lines, including the key
     * @throws AttemptFailed
     */
    public function attempt(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body): Answer;
}
